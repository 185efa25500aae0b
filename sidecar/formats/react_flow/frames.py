"""Where the nodes of a React Flow file really stand: a child's position counts from its parent."""

from attrs import define, field

from protocol.graph import JsonObject, Position
from sidecar.core.limits import MAX_COORDINATE
from sidecar.formats.react_flow.names import PARENT_KEYS
from sidecar.formats.values import id_text, point


def parent_of(raw: JsonObject) -> tuple[str | None, str | None]:
    """Return the parent's id, and the key under which the file names it."""
    for key in PARENT_KEYS:
        parent = id_text(raw.get(key))
        if parent is not None:
            return parent, key
    return None, None


@define
class Frames:
    """Absolute positions by id.  A node that is its own ancestor counts as without a parent."""

    raws: dict[str, JsonObject]
    _rings: set[str] = field(init=False)
    _spots: dict[str, Position] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self._rings = rings(self.raws)

    def parent(self, id_: str | None, raw: JsonObject) -> str | None:
        """Return the id of a node's parent, where that is there and stands above the node."""
        parent, _ = parent_of(raw)
        return parent if parent in self.raws and id_ not in self._rings else None

    def own(self, id_: str | None, raw: JsonObject) -> Position | None:
        """Return where a node stands, or None where its file does not say."""
        spot = point(raw.get("position"))
        parent = self.parent(id_, raw)
        return spot if spot is None or parent is None else _sum(spot, self.spot(parent))

    def spot(self, id_: str) -> Position:
        """Return where the node with an id stands; one without a position stands at its parent."""
        chain: list[str] = []
        at: str | None = id_
        while at is not None and at not in self._spots:
            chain.append(at)
            at = self.parent(at, self.raws[at])
        base = Position(0, 0) if at is None else self._spots[at]
        for one in reversed(chain):
            base = _sum(point(self.raws[one].get("position")) or Position(0, 0), base)
            self._spots[one] = base
        return self._spots[id_]


def _sum(one: Position, other: Position) -> Position:
    return Position(_bounded(one.x + other.x), _bounded(one.y + other.y))


def _bounded(value: float) -> float:
    return max(-MAX_COORDINATE, min(MAX_COORDINATE, value))


def rings(raws: dict[str, JsonObject]) -> set[str]:
    """Return the ids of nodes that are their own ancestors."""
    state: dict[str, int] = {}
    found: set[str] = set()
    for start in raws:
        trail: list[str] = []
        at: str | None = start
        while at is not None and at in raws and at not in state:
            state[at] = 1
            trail.append(at)
            at = parent_of(raws[at])[0]
        if at is not None and state.get(at) == 1:
            found.update(trail[trail.index(at) :])
        state.update(dict.fromkeys(trail, 2))
    return found
