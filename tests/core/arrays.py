"""What a host does with a list of changes: it brings its own arrays forward."""

from collections.abc import Iterable
from copy import deepcopy
from typing import Any, cast

from sidecar.core.changes import Change
from sidecar.core.graph import ProjectGraph
from tests.core.builders import CONVERTER

Json = dict[str, Any]
LISTS = {"node": "nodes", "edge": "edges", "group": "groups", "subgraph": "subgraphs"}
IDS = {
    "node": "nodeId",
    "edge": "edgeId",
    "group": "groupId",
    "subgraph": "subgraphId",
    "component": "componentId",
}
CONTENTS = ("nodes", "edges", "groups")


def wire_changes(graph: ProjectGraph, changes: list[Change]) -> list[Json]:
    """Return changes as a host gets them, for a graph that is what they led to."""
    previous = graph.previous_ids(changes)
    found = []
    for change in changes:
        one = {
            "kind": change.kind,
            "scope": change.scope,
            "id": change.id,
            "before": CONVERTER.unstructure(change.before),
            "after": CONVERTER.unstructure(change.after),
        }
        if change.key in previous:
            one["previousId"] = previous[change.key]
        found.append(one)
    return found


def apply_changes(state: Json, changes: Iterable[Json]) -> Json:
    """Return a state brought forward: all removals, then the rest in the order listed."""
    state = deepcopy(state)
    listed = list(changes)
    for change in listed:
        if change["after"] is None and change["id"] is not None:
            things = _things(state, change)
            del things[_place(things, change["kind"], change["id"])]
    for change in listed:
        if change["id"] is None:
            state[change["kind"]] = change["after"]
        elif change["after"] is not None:
            _put(_things(state, change), change)
    return state


def _put(things: list[Json], change: Json) -> None:
    value = dict(change["after"])
    if change["before"] is not None:
        place = _place(things, change["kind"], change["id"])
        old = things[place]
        if change["kind"] == "subgraph":
            value |= {name: old[name] for name in CONTENTS}
        if "previousId" not in change:
            things[place] = value
            return
        del things[place]
    elif change["kind"] == "subgraph":
        value |= {name: [] for name in CONTENTS}
    before = change["previousId"]
    things.insert(0 if before is None else _place(things, change["kind"], before) + 1, value)


def _things(state: Json, change: Json) -> list[Json]:
    kind, scope = change["kind"], change["scope"]
    if kind == "component":
        components: list[Json] = state["components"]
        return components
    owner = state["graph"]
    if scope is not None:
        subgraphs = state["graph"]["subgraphs"]
        owner = subgraphs[_place(subgraphs, "subgraph", scope)]
    return cast("list[Json]", owner[LISTS[kind]])


def _place(things: list[Json], kind: str, id_: str) -> int:
    return next(place for place, one in enumerate(things) if one[IDS[kind]] == id_)
