"""Real ComfyUI files: they come back exactly, and an edit changes what it is about alone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from protocol.graph import Graph, Position, ProjectState, SubgraphDefinition
from protocol.json_text import dumps
from sidecar.formats.reader import read
from sidecar.formats.values import plain
from tests.formats.remint import reminted
from tests.formats.support import (
    assert_comes_back,
    content_of,
    differences,
    exported,
    real_files,
    set_parameter,
    with_node,
    without_node,
)

SAMPLE = real_files()[::19]
BATCHES = [real_files()[start::8] for start in range(8)]


def test_the_packages_hold_all_files() -> None:
    assert len(real_files()) == 759
    assert len(SAMPLE) == 40


def names(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", SAMPLE, ids=names)
def test_an_untouched_file_comes_back(path: Path) -> None:
    assert_comes_back(content_of(path))


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(len(BATCHES)))
def test_every_untouched_file_comes_back(batch: int) -> None:
    for path in BATCHES[batch]:
        assert_comes_back(content_of(path))


@pytest.mark.parametrize("path", SAMPLE, ids=names)
def test_setting_a_parameter_changes_that_value_alone(path: Path) -> None:
    check_parameters(content_of(path), most=3)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(len(BATCHES)))
def test_setting_any_parameter_of_any_file_changes_that_value_alone(batch: int) -> None:
    for path in BATCHES[batch]:
        check_parameters(content_of(path), most=3)


def check_parameters(content: Any, *, most: int) -> None:
    reading = read(content)
    nodes = reading.state.graph.nodes
    places = [(index, name) for index, node in enumerate(nodes) for name in node.parameters]
    for index, name in places[:: max(1, len(places) // most)]:
        file = exported(reading, lambda s, i=index, n=name: set_parameter(s, i, n, "a new value"))  # type: ignore[misc]
        found = list(differences(content, file))
        values = [path for path in found if "/widgets_values/" in path]
        assert len(values) == 1
        assert all(path.startswith(f"/nodes/{index}/widgets_values") for path in found)
        assert len(found) <= 2


@pytest.mark.parametrize("path", SAMPLE, ids=names)
def test_moving_a_node_changes_its_position_alone(path: Path) -> None:
    content = content_of(path)
    reading = read(content)
    for index, node in enumerate(reading.state.graph.nodes):
        spot = Position(node.position.x + 1.5, node.position.y)
        file = exported(reading, lambda s, i=index, p=spot: with_node(s, i, position=p))  # type: ignore[misc]
        found = [path for path in differences(content, file) if not path.startswith("/groups/")]
        assert found == [f"/nodes/{index}/pos/0"]
        assert file["nodes"][index]["pos"][0] == plain(spot.x)


@pytest.mark.parametrize("path", SAMPLE, ids=names)
def test_renaming_a_node_changes_its_title_alone(path: Path) -> None:
    content = content_of(path)
    file = exported(read(content), lambda s: with_node(s, 0, name="Another name"))

    assert list(differences(content, file)) == ["/nodes/0/title"]


@pytest.mark.parametrize("path", SAMPLE, ids=names)
def test_removing_a_node_takes_its_links_and_their_mentions_alone(path: Path) -> None:
    content = content_of(path)
    reading = read(content)
    for index in range(len(reading.state.graph.nodes)):
        file = exported(reading, lambda s, i=index: without_node(s, s.graph.nodes[i].node_id))  # type: ignore[misc]
        assert file == expected_without(content, index)


def expected_without(content: Any, index: int) -> Any:
    """Return a file less one root node, its links, and their mentions."""
    gone = content["nodes"][index]["id"]
    links = {link[0] for link in content["links"] if gone in (link[1], link[3])}
    nodes = [without_links(n, links) for i, n in enumerate(content["nodes"]) if i != index]
    kept = [link for link in content["links"] if link[0] not in links]
    extra = dict(content.get("extra", {}))
    if "linkPresentation" in extra:
        shown = extra["linkPresentation"].items()
        extra["linkPresentation"] = {k: v for k, v in shown if int(k) not in links}
    return {**content, "nodes": nodes, "links": kept} | ({"extra": extra} if extra else {})


def without_links(node: Any, links: set[int]) -> Any:
    inputs = [
        {**slot, "link": None} if slot.get("link") in links else slot for slot in node["inputs"]
    ]
    outputs = [
        {**slot, "links": [one for one in slot["links"] if one not in links] or None}
        if links.intersection(slot.get("links") or [])
        else slot
        for slot in node["outputs"]
    ]
    return {**node, "inputs": inputs, "outputs": outputs}


def test_an_edit_inside_a_definition_changes_that_value_alone() -> None:
    content = content_of(next(p for p in real_files() if p.stem == "video_wan2_2_14B_s2v"))

    def change(state: ProjectState) -> ProjectState:
        first = state.graph.subgraphs[0]
        at = next(i for i, node in enumerate(first.nodes) if node.parameters)
        values = {**first.nodes[at].parameters, next(iter(first.nodes[at].parameters)): "new"}
        nodes = list(first.nodes)
        nodes[at] = evolve(nodes[at], parameters=values)
        subgraphs = (evolve(first, nodes=tuple(nodes)), *state.graph.subgraphs[1:])
        return evolve(state, graph=evolve(state.graph, subgraphs=subgraphs))

    found = list(differences(content, exported(read(content), change)))
    assert found
    assert all(path.startswith("/definitions/subgraphs/0/nodes/") for path in found)
    assert sum("/widgets_values/" in path for path in found) == 1


@pytest.mark.parametrize("path", SAMPLE, ids=names)
def test_opening_an_export_gives_the_same_graph(path: Path) -> None:
    reading = read(content_of(path))
    again = read(exported(reading))

    assert reminted(again.state) == reminted(reading.state)


def test_natives_stay_lean() -> None:
    files = natives = 0
    for path in SAMPLE:
        content = content_of(path)
        files += len(dumps(content))
        natives += sum(len(dumps(native)) for native in natives_of(read(content).state))
    assert natives < files / 2


def natives_of(state: ProjectState) -> Iterator[Any]:
    scopes: list[Graph | SubgraphDefinition] = [state.graph, *state.graph.subgraphs]
    for scope in scopes:
        yield from (node.native for node in scope.nodes)
        yield from (edge.native for edge in scope.edges)
        yield from (group.native for group in scope.groups)
