"""Files of every format, broken ones included: what comes back is what was opened."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocol.json_text import dumps, loads
from sidecar.core.edit import Reading
from sidecar.core.errors import RejectedError
from sidecar.core.json_pointer import parse
from sidecar.core.repair import repaired
from sidecar.formats.detect import detect
from sidecar.formats.reader import read
from sidecar.formats.writer import write
from tests.formats.remint import reminted
from tests.formats.samples import SAMPLES
from tests.formats.support import assert_comes_back, content_of, exported, real_files

FORMATS = sorted(SAMPLES)
JUNK: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, False, 0, -1, 3, 1.5, 2**70, 1e300, "", "a", "n1", "u1", "3", "g1", "sf", "q", "s", [[1]], [], {}, [[]], [None],
     ["a"], [1, 2], {"a": 1}, {"id": "a"}, {"0": 1, "1": 2}, " spaced\tname ", "x" * 300]
)  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_a_sample_is_detected_and_comes_back(name: str) -> None:
    assert detect(SAMPLES[name]) == name
    assert_comes_back(SAMPLES[name])


@pytest.mark.parametrize("name", FORMATS)
def test_a_sample_comes_back_from_text(name: str) -> None:
    text = "\ufeff" + dumps(SAMPLES[name]).decode()
    assert dumps(exported(read(text, "auto"))) == dumps(SAMPLES[name])


@pytest.mark.parametrize("name", FORMATS)
def test_repairs_point_into_the_content(name: str) -> None:
    for notice in read(SAMPLES[name]).notices:
        assert notice.code
        assert notice.message
        assert resolves(SAMPLES[name], parse(notice.path or ""))


def resolves(content: Any, steps: list[str]) -> bool:
    """Whether a pointer leads to something, or to a key that is missing of something."""
    for step in steps[:-1]:
        content = content[int(step)] if isinstance(content, list) else content[step]
    return isinstance(content, dict) or int(steps[-1]) < len(content) if steps else True


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_read_needs_no_repair(name: str) -> None:
    graph = read(SAMPLES[name]).state.graph
    fit = repaired(graph, exact=False)
    assert fit.graph == graph


def test_real_files_need_no_repair_once_read() -> None:
    for path in real_files()[::9]:
        graph = read(content_of(path)).state.graph
        fit = repaired(graph)
        assert fit.graph == graph
        assert not fit.notices


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of everything in a value."""
    if path:
        yield path
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        yield from places(inner, (*path, key))


@st.composite
def damaged(draw: st.DrawFn, name: str) -> Any:
    """Return a sample in which a few things are missing, doubled or something else."""
    content = deepcopy(SAMPLES[name])
    for _ in range(draw(st.integers(1, 4))):
        *head, last = draw(st.sampled_from(list(places(content))))
        holder = content
        for step in head:
            holder = holder[step]
        kind = draw(st.sampled_from(["replace", "remove", "double", "reorder"]))
        if kind == "replace":
            holder[last] = deepcopy(draw(JUNK))
        elif kind == "remove":
            del holder[last]
        elif kind == "double" and isinstance(holder, list):
            holder.insert(last, deepcopy(holder[last]))
        elif kind == "reorder" and isinstance(holder, dict):
            holder[last] = holder.pop(last)
        if not content:
            return content
    return content


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_damaged_file_comes_back_or_is_refused(name: str, data: st.DataObject) -> None:
    check_damaged(data.draw(damaged(name)), name)


def flow_entry(id_: str, **values: Any) -> Any:
    return {"id": id_, "type": "debug", "x": 0, "y": 0, "wires": [], **values}


SUBFLOW: Any = {"id": "sf", "type": "subflow", "in": [{"wires": [{"id": "a"}]}], "out": []}
DOUBLED_IDS: dict[str, list[Any]] = {
    "of a configuration node and a node without type": [{"id": "a"}, {"id": "a", "x": 250}],
    "of a configuration node and a node of one type": [
        {"id": "a", "type": "debug"},
        flow_entry("a"),
    ],
    "in two scopes, wired in both": [
        SUBFLOW,
        flow_entry("a"),
        flow_entry("b", wires=[["a"]]),
        flow_entry("a", z="sf"),
        flow_entry("c", z="sf", wires=[["a"]]),
    ],
    "in two scopes, in groups of both": [
        SUBFLOW,
        flow_entry("a", g="g1"),
        {"id": "g1", "type": "group", "nodes": ["a"]},
        flow_entry("a", z="sf", g="g2"),
        {"id": "g2", "type": "group", "z": "sf", "nodes": ["a"]},
    ],
    "of a subflow and a node wired in another": [
        SUBFLOW,
        {**SUBFLOW, "id": "a", "in": []},
        flow_entry("a", z="sf"),
        flow_entry("b", z="sf", wires=[["a"]]),
    ],
}


@pytest.mark.parametrize("case", DOUBLED_IDS)
def test_a_flow_file_with_doubled_ids_comes_back(case: str) -> None:
    check_damaged(DOUBLED_IDS[case], "node-red")


def test_a_doubled_id_means_the_first_entry_that_has_it() -> None:
    graph = read(DOUBLED_IDS["in two scopes, wired in both"], "node-red").state.graph

    assert [(edge.source.node_id, edge.target.node_id) for edge in graph.edges] == [("b", "a")]
    assert graph.subgraphs[0].edges == ()


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=3000, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_many_damaged_files_come_back_or_are_refused(name: str, data: st.DataObject) -> None:
    check_damaged(data.draw(damaged(name)), name)


REFUSALS = {"unreadable-content", "unsupported-version", "subgraph-recursion", "empty-workflow"}


def read_or_refusal(content: Any, name: str) -> Reading | RejectedError:
    try:
        return read(content, name)
    except RejectedError as error:
        return error


def check_damaged(content: Any, name: str) -> None:
    before = dumps(content)
    reading = read_or_refusal(content, name)
    if isinstance(reading, RejectedError):
        assert reading.code in REFUSALS
        return
    assert dumps(exported(reading)) == before
    assert dumps(content) == before
    fit = repaired(reading.state.graph, exact=False)
    assert fit.graph == reading.state.graph


@pytest.mark.parametrize("source", FORMATS)
@pytest.mark.parametrize("target", FORMATS)
def test_every_format_can_be_written_as_every_other_and_read_again(
    source: str, target: str
) -> None:
    state = reminted(read(SAMPLES[source]).state)

    value, _ = write(state, target)

    assert loads(dumps(value)) == value
    assert_comes_back(value, target)
