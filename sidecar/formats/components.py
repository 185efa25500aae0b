"""What a node's type in a file says its component is."""

from collections.abc import Container
from typing import Final

from protocol.graph import SUBGRAPH_PREFIX, ComponentId, Json, NodeStatus

UNKNOWN: Final = "unknown"
UNKNOWN_PREFIX: Final = "unknown:"
"""Before a type that would otherwise read as an instance of a definition that is not there."""


def component_of_type(type_: Json) -> tuple[ComponentId, NodeStatus]:
    """Return the component, and whether the file can tell what it is."""
    if not isinstance(type_, str) or not type_:
        return ComponentId(UNKNOWN), "missing"
    if type_.startswith(SUBGRAPH_PREFIX):
        return ComponentId(UNKNOWN_PREFIX + type_), "missing"
    return ComponentId(type_), "ok"


def type_of_component(component_id: ComponentId, reserved: Container[str] = ()) -> str:
    """Return the type that a component has in a file.

    A type that is reserved there for what is no node gets a prefix.
    """
    type_ = component_id.removeprefix(UNKNOWN_PREFIX)
    return UNKNOWN_PREFIX + type_ if type_ in reserved else type_
