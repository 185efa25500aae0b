from typing import Any

import pytest

from sidecar.core.errors import RejectedError
from sidecar.core.graph import ProjectGraph
from tests.core.builders import (
    definition,
    do,
    edge,
    edge_of,
    graph,
    instance,
    node,
    pairs,
    port,
    ports,
    text,
)


def at(place: str) -> dict[str, str]:
    where, port_id = place.split(".")
    if where in {"<input", ">output"}:
        return {"boundary": where[1:], "portId": port_id}
    return {"nodeId": where, "portId": port_id}


def chain(format_: str | None = None) -> ProjectGraph:
    """Return a.out -> b.in -> c.in, and one loose node d."""
    return graph(
        *(node(name) for name in "abcd"),
        edges=[edge("ab", "a.out", "b.in"), edge("bc", "b.out", "c.in")],
        format_=format_,
    )


def typed() -> ProjectGraph:
    return graph(
        node("a", outputs=[port("image", "IMAGE"), port("int", "INT"), port("float", "FLOAT")]),
        node(
            "b",
            inputs=[
                port("image", "image"),
                port("float", "FLOAT"),
                port("int", "INT"),
                port("either", "MASK, IMAGE"),
                port("any"),
                port("many", "IMAGE", multiple=True),
            ],
        ),
        node("c", outputs=[port("image", "IMAGE")]),
    )


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("a.image", "b.image"),
        ("a.image", "b.either"),
        ("a.image", "b.any"),
        ("a.int", "b.float"),
        ("a.int", "b.int"),
    ],
)
def test_fitting_types_are_joined(source: str, target: str) -> None:
    whole = typed()

    done = do(whole, "connect", edgeId="new", source=at(source), target=at(target))

    assert pairs(whole) == {(source, target)}
    assert done.effects.created.edges == ("new",)


@pytest.mark.parametrize(
    ("source", "target"), [("a.image", "b.int"), ("a.float", "b.int"), ("a.int", "b.either")]
)
def test_types_that_do_not_fit_are_refused(source: str, target: str) -> None:
    assert refused(typed(), "connect", source=at(source), target=at(target)) == "type-mismatch"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"source": "x.out", "target": "a.in"}, "unknown-node"),
        ({"source": "a.out", "target": "x.in"}, "unknown-node"),
        ({"source": "a.no", "target": "d.in"}, "unknown-port"),
        ({"source": "a.out", "target": "d.no"}, "unknown-port"),
        ({"source": "a.in", "target": "d.in"}, "wrong-direction"),
        ({"source": "a.out", "target": "d.out"}, "wrong-direction"),
        ({"source": "a.out", "target": "c.in", "onOccupied": "error"}, "port-occupied"),
        ({"source": "a.out", "target": "d.in", "edgeId": "ab"}, "id-in-use"),
        ({"source": "a.out", "target": "d.in", "edgeId": "old"}, "id-retired"),
        ({"source": "a.out", "target": "d.in", "edgeId": "a\nb"}, "invalid-command"),
        ({"source": "a.out", "target": "<input.x"}, "invalid-command"),
    ],
)
def test_connect_refuses(fields: dict[str, Any], code: str) -> None:
    whole = chain()
    given = {
        key: at(value) if key in {"source", "target"} else value for key, value in fields.items()
    }

    assert refused(whole, "connect", **given) == code


@pytest.mark.parametrize("bad", [{"x": 1e8, "y": 0}, {"x": 0, "y": -10000001}])
def test_bends_too_far_out_are_refused(bad: dict[str, float]) -> None:
    code = refused(chain(), "connect", source=at("a.out"), target=at("d.in"), waypoints=[bad])

    assert code == "invalid-position"


@pytest.mark.parametrize(
    "place", [{"portId": "in"}, {"portId": "in", "nodeId": "d", "boundary": "input"}]
)
def test_an_end_is_a_node_or_a_boundary(place: dict[str, str]) -> None:
    assert refused(chain(), "connect", source=at("a.out"), target=place) == "invalid-command"


def test_an_occupied_input_is_replaced_in_one_step_and_the_old_edge_reported() -> None:
    whole = chain()
    old = edge_of(whole, "bc")

    done = do(whole, "connect", edgeId="ac", source=at("a.out"), target=at("c.in"))

    assert pairs(whole) == {("a.out", "b.in"), ("a.out", "c.in")}
    assert [gone.edge for gone in done.effects.replaced_edges] == [old]
    assert done.effects.removed.edges == ("bc",)


def test_many_edges_enter_an_input_that_takes_many() -> None:
    whole = typed()

    do(whole, "connect", source=at("a.image"), target=at("b.many"))
    done = do(
        whole, "connect", source=at("c.image"), target=at("b.many"), world=ports(new_id=lambda: "2")
    )

    assert pairs(whole) == {("a.image", "b.many"), ("c.image", "b.many")}
    assert done.effects.replaced_edges == ()


def test_the_same_pair_again_changes_nothing() -> None:
    done = do(chain(), "connect", edgeId="other", source=at("a.out"), target=at("b.in"))

    assert not done.changed
    assert done.effects.created.edges == ()


@pytest.mark.parametrize("format_", ["comfyui", "comfyui-api"])
def test_cycles_are_refused_where_the_format_has_none(format_: str) -> None:
    whole = chain(format_)

    with pytest.raises(RejectedError) as refusal:
        do(whole, "connect", source=at("c.out"), target=at("a.in"))

    assert refusal.value.code == "would-create-cycle"
    assert refusal.value.details["path"] == ["c", "a", "b", "c"]


@pytest.mark.parametrize("format_", [None, "node-red", "n8n", "react-flow", "graph"])
def test_cycles_are_fine_in_other_formats(format_: str | None) -> None:
    whole = chain(format_)

    do(whole, "connect", source=at("c.out"), target=at("a.in"))
    do(whole, "connect", source=at("d.out"), target=at("d.in"), world=ports(new_id=lambda: "2"))

    assert {("c.out", "a.in"), ("d.out", "d.in")} <= pairs(whole)


def test_a_node_cannot_feed_itself_where_the_format_has_no_cycles() -> None:
    code = refused(chain("comfyui"), "connect", source=at("d.out"), target=at("d.in"))

    assert code == "self-connection"


def test_boundary_ends_join_inside_a_definition() -> None:
    whole = nested()

    inner = {"kind": "connect", "source": at("<input.x"), "target": at("n.in")}
    do(whole, "edit-in-subgraph", subgraphId="s", payload=inner)
    inner = {"kind": "connect", "source": at("n.out"), "target": at(">output.y")}
    do(whole, "edit-in-subgraph", subgraphId="s", payload=inner, world=ports(new_id=lambda: "2"))

    assert pairs(whole, "s") == {("<input.x", "n.in"), ("n.out", ">output.y")}


@pytest.mark.parametrize(
    ("source", "target", "code"),
    [
        (">output.y", "n.in", "wrong-direction"),
        ("n.out", "<input.x", "wrong-direction"),
        ("<input.no", "n.in", "unknown-port"),
        ("a.out", "n.in", "cross-scope"),
    ],
)
def test_boundary_ends_are_checked(source: str, target: str, code: str) -> None:
    inner = {"kind": "connect", "source": at(source), "target": at(target)}

    with pytest.raises(RejectedError) as refusal:
        do(nested(), "edit-in-subgraph", subgraphId="s", payload=inner)

    assert refusal.value.code == code
    assert "scope" in refusal.value.details


def test_an_inner_node_is_in_another_scope_than_the_root() -> None:
    with pytest.raises(RejectedError) as refusal:
        do(nested(), "connect", source=at("a.out"), target=at("n.in"))

    assert refusal.value.code == "cross-scope"
    assert refusal.value.details["scope"] == "s"


@pytest.mark.parametrize("which", [{"edgeId": "ab"}, {"source": at("a.out"), "target": at("b.in")}])
def test_an_edge_is_removed_by_id_or_by_its_ends(which: dict[str, Any]) -> None:
    whole = chain()

    done = do(whole, "remove-edge", **which)

    assert pairs(whole) == {("b.out", "c.in")}
    assert done.effects.removed.edges == ("ab",)
    assert done.effects.dropped_edges == ()


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"edgeId": "no"}, "unknown-edge"),
        ({"source": at("a.out"), "target": at("c.in")}, "unknown-edge"),
        ({"source": at("a.out"), "target": at("x.in")}, "unknown-node"),
        ({}, "invalid-command"),
        ({"source": at("a.out")}, "invalid-command"),
        ({"edgeId": "ab", "source": at("a.out"), "target": at("b.in")}, "invalid-command"),
    ],
)
def test_remove_edge_refuses(fields: dict[str, Any], code: str) -> None:
    assert refused(chain(), "remove-edge", **fields) == code


def test_only_the_named_one_of_two_edges_between_the_same_nodes_goes() -> None:
    whole = graph(
        node("a"),
        node("b", inputs=["x", "y"]),
        edges=[edge("ax", "a.out", "b.x"), edge("ay", "a.out", "b.y")],
    )

    do(whole, "remove-edge", edgeId="ax")

    assert pairs(whole) == {("a.out", "b.y")}


def test_a_retargeted_edge_stays_the_same_edge() -> None:
    whole = graph(
        *(node(name) for name in "abc"),
        edges=[edge("e", "a.out", "b.in", label="wire", native={"id": 7}, data_type="IMAGE")],
    )

    done = do(whole, "retarget-edge", edgeId="e", target=at("c.in"))

    assert edge_of(whole, "e") == edge(
        "e", "a.out", "c.in", label="wire", native={"id": 7}, data_type="IMAGE"
    )
    assert done.effects.updated.edges == ("e",)


def test_a_retargeted_edge_no_longer_has_the_type_of_another_source() -> None:
    whole = graph(
        *(node(name) for name in "abc"), edges=[edge("e", "a.out", "b.in", data_type="IMAGE")]
    )

    do(whole, "retarget-edge", edgeId="e", source=at("c.out"))

    assert edge_of(whole, "e").data_type is None


def test_an_edge_retargeted_onto_an_occupied_input_replaces() -> None:
    whole = chain()

    done = do(whole, "retarget-edge", edgeId="ab", target=at("c.in"))

    assert pairs(whole) == {("a.out", "c.in")}
    assert [gone.edge.edge_id for gone in done.effects.replaced_edges] == ["bc"]


def test_an_edge_does_not_stand_in_its_own_way() -> None:
    whole = chain("comfyui")

    first = do(whole, "retarget-edge", edgeId="bc", source=at("d.out"))
    done = do(whole, "retarget-edge", edgeId="ab", source=at("b.out"), target=at("a.in"))

    assert pairs(whole) == {("d.out", "c.in"), ("b.out", "a.in")}
    assert first.effects.replaced_edges == ()
    assert first.effects.updated.edges == ("bc",)
    assert done.effects.replaced_edges == ()


def test_retargeting_to_where_it_is_changes_nothing() -> None:
    assert not do(chain(), "retarget-edge", edgeId="ab", target=at("b.in")).changed


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"edgeId": "ab"}, "invalid-command"),
        ({"edgeId": "no", "target": at("d.in")}, "unknown-edge"),
        ({"edgeId": "ab", "target": at("x.in")}, "unknown-node"),
        ({"edgeId": "ab", "target": at("d.x")}, "unknown-port"),
        ({"edgeId": "ab", "target": at("d.out")}, "wrong-direction"),
        ({"edgeId": "ab", "source": at("b.out"), "target": at("c.in")}, "duplicate-edge"),
        ({"edgeId": "ab", "target": at("c.in"), "onOccupied": "error"}, "port-occupied"),
        ({"edgeId": "ab", "source": at("c.out")}, "would-create-cycle"),
        ({"edgeId": "ab", "source": at("b.out")}, "self-connection"),
    ],
)
def test_retarget_edge_refuses(fields: dict[str, Any], code: str) -> None:
    assert refused(chain("comfyui"), "retarget-edge", **fields) == code


def nested() -> ProjectGraph:
    """Return a root node and an instance of s, which holds one loose node."""
    inner = definition("s", nodes=[node("n")], inputs=["x"], outputs=["y"])
    return graph(node("a"), instance("i", inner), subgraphs=[inner])


def refused(whole: ProjectGraph, kind: str, **fields: Any) -> str:
    """Return the code of a refusal that leaves no trace."""
    before = text(whole)
    with pytest.raises(RejectedError) as refusal:
        do(whole, kind, world=ports(retired=[("edge", "old")]), **fields)
    assert text(whole) == before
    return refusal.value.code
