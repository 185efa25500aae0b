import hashlib
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings

from protocol.graph import Document, ProjectState
from sidecar.core.edit import Reading
from tests.core.builders import component, definition, edge, graph, group, instance, node
from tests.core.files import all_ids, broken_states, file
from tests.core.subgraph_bench import Bench, bench


def project() -> Bench:
    inner = definition(
        "s", nodes=[node("n")], edges=[edge("l", "n.out", "n.in")], groups=[group("h")]
    )
    return bench(
        node("a"),
        instance("i", inner),
        edges=[edge("ai", "a.out", "a.in")],
        groups=[group("g", "a", "i")],
        subgraphs=[inner],
        components=[component("one"), component("two")],
        format_="n8n",
    )


def a_file() -> Reading:
    inner = definition("s", nodes=[node("n")], inputs=["p"])
    unused = definition("t", nodes=[node("n")])
    document = Document(
        document_id="theirs",
        format="comfyui",
        format_version="0.4",
        native_id="w",
        path="/from/file",
        native={"extra": {}},
    )
    read = file(
        node("a", native={"id": 5}),
        instance("i", inner, at=(900, 0)),
        edges=[edge("ai", "a.out", "i.p")],
        subgraphs=[inner, unused],
        components=[component("two", description="theirs"), component("one"), component("new")],
    )
    return evolve(read, state=evolve(read.state, document=document))


def test_everything_is_replaced_by_what_the_file_holds() -> None:
    desk = project()
    old = set(all_ids(desk.state()))
    desk.reading = a_file()

    effects = desk.do("open-native", content={})

    state = desk.state()
    new = {(one.kind, one.scope, one.old): one.new for one in effects.id_map}
    assert state.title == "File"
    assert [one.component_id for one in state.components] == ["two", "one", "new"]
    assert state.components[0].description == "theirs"
    assert list(desk.nodes()) == [new["node", None, "a"], new["node", None, "i"]]
    assert [one.subgraph_id for one in state.graph.subgraphs] == [
        new["subgraph", None, "s"],
        new["subgraph", None, "t"],
    ]
    assert not set(all_ids(state)) & old
    assert not set(all_ids(state)) & set(all_ids(a_file().state))
    assert desk.nodes()[new["node", None, "a"]].native == {"id": 5}
    assert set(effects.removed.nodes) == {"a", "i", "n"}
    assert effects.removed.subgraphs == ("s",)


def test_the_document_is_a_new_one_each_time() -> None:
    desk = project()
    desk.reading = a_file()

    desk.do("open-native", content={})
    first = desk.state().document
    desk.do("open-native", content={})
    second = desk.state().document

    assert first is not None
    assert second is not None
    assert len({first.document_id, second.document_id, "document", "theirs"}) == 4
    assert evolve(first, document_id="") == evolve(second, document_id="")
    assert (first.format, first.native_id, first.native) == ("comfyui", "w", {"extra": {}})


@pytest.mark.parametrize(
    ("fields", "title", "path"),
    [({}, "File", "/from/file"), ({"title": " Mine ", "path": "/mine"}, "Mine", "/mine")],
)
def test_title_and_path_may_be_given(fields: dict[str, Any], title: str, path: str) -> None:
    desk = project()
    desk.reading = a_file()

    desk.do("open-native", content={}, **fields)

    document = desk.state().document
    assert document is not None
    assert (desk.state().title, document.path) == (title, path)


@pytest.mark.parametrize("title", ["", "   ", "x" * 256, "a\x00b"])
def test_a_title_that_cannot_be_leaves_the_one_there_is(title: str) -> None:
    desk = project()
    desk.reading = file(node("a"), title=title)

    effects = desk.do("open-native", content={})

    assert desk.state().title == "Test"
    assert [one.code for one in effects.warnings] == ["title-kept"]


def test_a_file_without_a_document_gets_one() -> None:
    desk = bench()
    desk.reading = file(node("a"), format_=None)

    desk.do("open-native", content={}, format="react-flow")

    document = desk.state().document
    assert document is not None
    assert document.format == "react-flow"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ('{"a": [1,  2.50]}\n', '{"a": [1,  2.50]}\n'),
        ({"b": [1, 2.5, "\u00e9"], "a": {}}, '{"b":[1,2.5,"\u00e9"],"a":{}}'),
        ([{"id": "1"}], '[{"id":"1"}]'),
    ],
)
def test_the_document_tells_the_hash_of_what_was_opened(content: Any, text: str) -> None:
    desk = project()
    desk.reading = a_file()

    desk.do("open-native", content=content)

    document = desk.state().document
    assert document is not None
    assert document.content_hash == hashlib.sha256(text.encode()).hexdigest()


def test_equal_definitions_are_not_used_again_across_documents() -> None:
    desk = project()
    desk.reading = a_file()
    desk.do("open-native", content={})
    before = set(desk.graph.subgraphs)

    desk.do("open-native", content={})

    assert not before & set(desk.graph.subgraphs)


def test_what_was_opened_before_can_be_undone_exactly() -> None:
    # The bench takes every command back and compares text and order.
    desk = bench()
    for reading in (a_file(), file(node("a"), components=[component("one")]), a_file()):
        desk.reading = reading
        desk.do("open-native", content={})

    assert len(desk.nodes()) == 2


@pytest.mark.parametrize(
    ("reading", "code"),
    [
        (file(), "empty-workflow"),
        (file(groups=[group("g")]), "empty-workflow"),
        (
            file(
                node("a"),
                subgraphs=[definition("s", nodes=[node("k", component="subgraph:s")])],
            ),
            "subgraph-recursion",
        ),
    ],
)
def test_a_file_that_cannot_be_opened_changes_nothing(reading: Reading, code: str) -> None:
    desk = project()
    desk.reading = reading

    assert desk.refused("open-native", content={}).code == code


def test_definitions_of_a_file_nest_no_deeper_than_32_levels() -> None:
    levels = [definition("s33", nodes=[node("n")])]
    for level in range(32, 0, -1):
        levels.append(definition(f"s{level}", nodes=[instance("i", levels[-1])]))
    desk = bench()

    desk.reading = file(instance("i", levels[31]), subgraphs=levels[:32])
    desk.do("open-native", content={})
    desk.reading = file(instance("i", levels[32]), subgraphs=levels)

    assert desk.refused("open-native", content={}).code == "depth-limit"


def test_an_impossible_title_is_refused() -> None:
    desk = bench()
    desk.reading = a_file()

    assert desk.refused("open-native", content={}, title=" ").code == "invalid-name"


@given(broken_states())
@settings(max_examples=60, deadline=None)
def test_whatever_a_file_holds_opens_to_a_sound_project_and_opens_again_alike(
    whole: ProjectState,
) -> None:
    if not (whole.graph.nodes or any(one.nodes for one in whole.graph.subgraphs)):
        return
    desk = Bench(graph())
    desk.reading = Reading(state=whole)
    desk.do("open-native", content={})
    once = desk.state()
    desk.reading = Reading(state=once)

    effects = desk.do("open-native", content={})

    again = desk.state()
    assert effects.warnings == ()
    assert len(set(all_ids(again))) == len(all_ids(again)) == len(all_ids(once))
    assert not set(all_ids(again)) & set(all_ids(once))
    for one, two in zip(once.graph.nodes, again.graph.nodes, strict=True):
        assert evolve(two, node_id=one.node_id, component_id=one.component_id) == one
    assert [one.name for one in again.graph.subgraphs] == [one.name for one in once.graph.subgraphs]
