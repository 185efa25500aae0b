"""What things of a React Flow file keep of it."""

from typing import TypeVar

from attrs import evolve

from protocol.graph import Edge, Group, Json, JsonObject, Node
from sidecar.formats.react_flow.names import FORMAT

Thing = TypeVar("Thing", Node, Edge, Group)


def with_patch(thing: Thing, patch: JsonObject) -> Thing:
    """Return a thing with more residue."""
    if not patch:
        return thing
    native = thing.native or {}
    return evolve(thing, native={**native, FORMAT: {**native[FORMAT], **patch}})


def native_of(id_: Json, patch: JsonObject) -> JsonObject:
    """Return what a thing keeps of the file; one without an id of its own keeps none."""
    return {FORMAT: patch} if id_ is None else {"id": id_, FORMAT: patch}
