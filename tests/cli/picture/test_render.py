import re
import xml.etree.ElementTree as ET
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.cli.picture import render
from tests.cli.picture.samples import edge, edited_image_workflow, image_workflow, node

Object = dict[str, Any]

SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg.encode())


def ids(svg: str, kind: str, change: str | None = None) -> list[str]:
    return sorted(
        one.get("data-id", "")
        for one in parsed(svg).iter(f"{SVG}g")
        if one.get("class") == kind and one.get("data-change") == change
    )


def texts(svg: str) -> list[str]:
    return [one.text or "" for one in parsed(svg).iter(f"{SVG}text")]


def state_of(*nodes: Object, edges: list[Object] | None = None, **more: Any) -> Object:
    return {"title": "T", "graph": {"nodes": list(nodes), "edges": edges or [], **more}}


def test_every_node_edge_and_group_is_drawn_once() -> None:
    state = image_workflow()

    svg = render(state)

    graph = state["graph"]
    assert ids(svg, "node") == sorted(one["nodeId"] for one in graph["nodes"])
    assert ids(svg, "edge") == sorted(one["edgeId"] for one in graph["edges"])
    assert ids(svg, "group") == sorted(one["groupId"] for one in graph["groups"])


def test_names_ports_and_parameters_can_be_read() -> None:
    found = texts(render(image_workflow()))

    for text in (
        "Lighthouse, text to image",
        "Load checkpoint",
        "Tiled upscale",
        "latent_image",
        "dpmpp_2m",
        "Prompts",
        "CONDITIONING",
    ):
        assert text in found


def test_the_same_state_gives_the_same_picture() -> None:
    assert render(image_workflow()) == render(deepcopy(image_workflow()))


def test_a_title_given_wins_over_the_projects_own() -> None:
    assert "Mine" in texts(render(image_workflow(), title="Mine"))


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"graph": None},
        {"graph": {"nodes": "x", "edges": {}, "groups": [1, None]}},
        {"graph": {"nodes": [{}, {"nodeId": 5}, {"nodeId": "a"}], "edges": [{"edgeId": "e"}]}},
        {"graph": {"nodes": [{"nodeId": "a", "position": {"x": "1", "y": float("nan")}}]}},
        {"graph": {"groups": [{"groupId": "g", "bounds": {"x": 1}, "parentGroupId": "g"}]}},
        {"components": [{"componentId": "c", "parameters": [{"secret": True}]}]},
    ],
)
def test_what_is_missing_or_odd_is_drawn_with_defaults(state: Object) -> None:
    assert parsed(render(state)).tag == f"{SVG}svg"


def test_a_node_without_ports_or_component_is_drawn() -> None:
    svg = render(state_of({"nodeId": "a", "position": {"x": 0, "y": 0}}))

    assert ids(svg, "node") == ["a"]


def test_an_edge_to_a_node_that_is_not_there_is_left_out() -> None:
    svg = render(state_of(node("a", "c", (0, 0)), edges=[edge("a.x", "gone.y")]))

    assert ids(svg, "edge") == []


HOSTILE = [
    "</text><script>alert(1)</script>",
    '" onload="alert(1)',
    "' onclick='alert(1)",
    "]]>&lt;<![CDATA[",
    "\x00\x01\x1b[31m\ufffe\ud800red",
    "a\u202egnp.exe\u2066",
    "<image href='http://example.org/x'/>",
    "x" * 100_000,
    "日本語のノード名" * 40,
    "e\u0301" * 300,
    "👩‍👩‍👧‍👦🏳️‍🌈",
    "",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_inert_wherever_it_stands(text: str) -> None:
    hostile = node(
        text, text, (0, 0), parameters={text: text, "list": [text], "deep": {text: [text]}},
        name=text, annotation=text, enabled=text, status=text, native={"color": text},
    )  # fmt: skip
    hostile["inputs"] = hostile["outputs"] = [
        {"portId": text, "name": text, "label": text, "dataType": text}
    ]
    state = state_of(
        hostile,
        edges=[
            {
                "edgeId": text,
                "source": {"nodeId": text, "portId": text},
                "target": {"nodeId": text, "portId": text},
                "dataType": text,
                "label": text,
            }
        ],
        groups=[{"groupId": text, "name": text, "nodeIds": [text], "color": text}],
        subgraphs=[{"subgraphId": text, "name": text}],
    )
    state["title"] = text
    state["components"] = [
        {"componentId": text, "name": text, "kind": text, "color": text,
         "native": {"category": text}}
    ]  # fmt: skip

    svg = render(state, before=state_of(), title=text)

    allowed = {
        "svg", "g", "defs", "pattern", "title", "text", "rect", "path", "circle", "line",
    }  # fmt: skip
    for one in parsed(svg).iter():
        assert one.tag.removeprefix(SVG) in allowed
        assert not any(name.startswith("on") or "href" in name for name in one.attrib)
        assert "url(" not in one.get("fill", "") or one.get("fill") == "url(#grid)"
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08]", svg)
    assert len(svg) < 40_000


def test_a_secret_parameter_is_not_shown_nor_is_its_former_value() -> None:
    component = {
        "componentId": "c",
        "kind": "http",
        "name": "C",
        "parameters": [{"name": "key", "secret": True}],
    }
    before = state_of(node("a", "c", (0, 0), parameters={"key": "first-secret", "n": 1}))
    after = state_of(node("a", "c", (0, 0), parameters={"key": "second-secret", "n": 2}))
    gone = state_of(node("a", "c", (0, 0)))
    for state in (before, after, gone):
        state["components"] = [component]

    assert "secret" not in render(after, before=before)
    assert "secret" not in render(gone, before=before)


def test_huge_coordinates_give_a_picture_of_bounded_size() -> None:
    svg = render(state_of(node("a", "c", (-1e7, -1e7)), node("b", "c", (1e7, 1e7))))

    root = parsed(svg)
    assert float(root.get("width", "")) <= 4000
    assert float(root.get("height", "")) <= 4000
    view = [float(one) for one in root.get("viewBox", "").split()]
    assert view[0] < -1e7
    assert view[0] + view[2] > 1e7
    assert len(svg) < 10_000


def test_a_thousand_nodes_are_drawn() -> None:
    nodes = [
        node(f"n{n}", "c", (n % 40 * 300, n // 40 * 200), inputs="a:A", outputs="b:B")
        for n in range(1000)
    ]
    edges = [edge(f"n{n}.b", f"n{n + 1}.a") for n in range(999)]

    svg = render(state_of(*nodes, edges=edges))

    assert len(ids(svg, "node")) == 1000
    assert len(ids(svg, "edge")) == 999


def test_a_difference_marks_what_was_added_changed_and_removed() -> None:
    svg = render(edited_image_workflow(), before=image_workflow())

    assert ids(svg, "node", "added") == ["sharpen"]
    assert ids(svg, "node", "changed") == ["latent", "lora", "sampler"]
    assert ids(svg, "node", "removed") == ["preview"]
    assert ids(svg, "edge", "added") == ["face.IMAGE-sharpen.image", "sharpen.IMAGE-save.images"]
    assert ids(svg, "edge", "removed") == ["face.IMAGE-preview.images", "face.IMAGE-save.images"]
    assert ids(svg, "group", "changed") == ["g2"]
    assert ids(svg, "former-place") == ["latent"]
    assert "28 → 36" in texts(svg)


def test_no_difference_marks_nothing() -> None:
    svg = render(image_workflow(), before=image_workflow())

    assert "data-change" not in svg


def test_a_field_left_out_equals_its_default() -> None:
    short = state_of(node("a", "c", (0, 0)))
    full = state_of(
        node("a", "c", (0, 0), enabled="active", status="ok", collapsed=False, annotation=None)
    )

    assert "data-change" not in render(full, before=short)


def test_a_changed_definition_changes_its_instances() -> None:
    before, after = image_workflow(), image_workflow()
    after["graph"]["subgraphs"][0]["nodes"] = [node("inner", "c", (0, 0))]

    assert ids(render(after, before=before), "node", "changed") == ["up"]


def test_removing_everything_leaves_the_ghosts() -> None:
    svg = render({}, before=image_workflow())

    assert len(ids(svg, "node", "removed")) == 12


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
node_keys = st.sampled_from(
    ["nodeId", "componentId", "name", "position", "size", "inputs", "outputs", "parameters",
     "enabled", "collapsed", "annotation", "status", "native"]
)  # fmt: skip
odd_nodes = st.dictionaries(node_keys, json_values).map(lambda one: {"nodeId": "a", **one})


@given(odd_nodes, odd_nodes, json_values)
def test_any_json_in_any_field_gives_a_well_formed_picture(
    one: Object, other: Object, anything: Any
) -> None:
    state = {"title": anything, "graph": {"nodes": [one], "edges": [anything]}}
    before = {"graph": {"nodes": [other], "groups": anything}, "components": anything}

    assert parsed(render(state, before=before)).tag == f"{SVG}svg"
