"""Handles of React Flow edges as ports, and back.

Langflow's handles are JSON in which ``œ`` stands for quotation marks; they name their own node, so
they follow its id.
"""

from typing import Final, Literal

from protocol.graph import Json, JsonObject, Node, Port, PortId
from protocol.json_text import canonical, dumps, loads
from sidecar.formats.ids import UniqueTexts, residue
from sidecar.formats.react_flow.names import FORMAT, SOURCE, TARGET
from sidecar.formats.values import type_text

Side = Literal["source", "target"]
_MARK: Final = "œ"


def decoded(handle: Json) -> JsonObject | None:
    """Return what a handle of Langflow says, or None where it is none."""
    if not isinstance(handle, str) or not handle.startswith("{") or _MARK not in handle:
        return None
    try:
        value = loads(handle.replace(_MARK, '"'))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def encoded(parts: JsonObject) -> str:
    """Return a Langflow handle, keys in alphabetical order."""
    return canonical(parts).decode().replace('"', _MARK)


def of_node(handle: str, node_id: Json) -> str:
    """Return a handle that names the given node, where it names one at all."""
    parts = decoded(handle)
    if parts is None or "id" not in parts or parts["id"] == node_id:
        return handle
    return dumps({**parts, "id": node_id}).decode().replace('"', _MARK)


class PortList:
    """The ports on one side of a node while its file is read."""

    def __init__(self, side: Side) -> None:
        self._side = side
        self._usual = SOURCE if side == "source" else TARGET
        self._ids = UniqueTexts()
        self._by_handle: dict[Json, Port] = {}

    def add(self, handle: str | None) -> PortId:
        """Return the port of a handle, made where there is none yet."""
        port = self._by_handle.get(handle)
        if port is None:
            port = self._by_handle[handle] = self._made(handle)
        return port.port_id

    def _made(self, handle: str | None) -> Port:
        parts = decoded(handle)
        name = _name(parts) if parts is not None else handle or self._usual
        port_id = self._ids.take(name)
        plain = handle if handle is not None and handle != self._usual else None
        unclear = parts is not None or port_id != (plain or self._usual) or plain != handle
        return Port(
            name=name,
            port_id=PortId(port_id),
            data_type=_data_type(parts) if parts is not None else "*",
            multiple=self._side == "target",
            native={FORMAT: {"handle": handle}} if unclear else None,
        )

    def offer(self, parts: JsonObject) -> None:
        """Add a port that no edge uses, of which Langflow's node says what its handle says."""
        if _name(parts) not in self._ids.taken:
            self.add(encoded(parts))

    def ports(self, *, usual: bool) -> tuple[Port, ...]:
        """Return the ports; ``usual`` adds the one without a handle where there is none."""
        if usual and not self._by_handle:
            self.add(None)
        return tuple(self._by_handle.values())


def _name(parts: JsonObject) -> str:
    name = parts.get("fieldName", parts.get("name"))
    return name if isinstance(name, str) and name else "port"


def _data_type(parts: JsonObject) -> str:
    return type_text(parts.get("output_types") or parts.get("inputTypes") or parts.get("type"))


def handle_of(node: Node, port: Port, node_id: Json) -> str | None:
    """Return the handle of a port: what the file calls it, or None for the only one."""
    native = residue(port.native, FORMAT)
    if native is not None:
        handle = native[FORMAT].get("handle")
        return of_node(handle, node_id) if isinstance(handle, str) else None
    usual = residue(node.native, FORMAT) is not None and port.port_id in (SOURCE, TARGET)
    return None if usual else port.port_id
