"""What a thing says, apart from where it stands and how it looks: what explanations are about.

Content is everything but position, size, bounds, anchors, waypoints, collapsed, order and
annotation; a group's is its name, its colour and its members.
"""

from collections.abc import Iterable
from typing import Any, Final, cast

from protocol.changes import ThingKind
from protocol.json_text import canonical, loads
from sidecar.core.changes import Key
from sidecar.core.graph import ProjectGraph
from sidecar.store import records
from sidecar.store.database import Transaction
from sidecar.store.deltas import ChangeText
from sidecar.store.digests import MODULUS, as_bytes, thing_digest
from sidecar.store.faults import damaged
from sidecar.store.kinds import CODES, KINDS, ROOT_SCOPE
from sidecar.store.records import ListName, Lists, Place

LOOKS: Final = frozenset(
    {"position", "size", "bounds", "inputAnchor", "outputAnchor", "waypoints", "collapsed"}
    | {"annotation"}
)
GROUP_CONTENT: Final = ("name", "color", "nodeIds")
GRAPH_KINDS: Final = frozenset({"subgraph", "node", "edge", "group"})
"""Kinds that the content of a graph is made of."""


def content_digest(kind: ThingKind, scope: str | None, id_: str | None, text: bytes) -> int:
    """Return the digest of a thing's content, from its JSON text; additive over things."""
    return thing_digest(CODES[kind], scope or ROOT_SCOPE, id_, 0, canonical(_content(kind, text)))


def subject_digest(
    tx: Transaction, project_key: int, graph: ProjectGraph, kind: str, id_: str | None
) -> bytes | None:
    """Return the digest of a subject's content in the current version, None where it is absent.

    ``graph`` is the current version in memory.  Costs what is inside the subject.
    """
    lists = Lists(tx, project_key)
    if kind == "graph":
        return as_bytes(_sum(tx, records.list_names(tx, project_key)))
    if id_ is None:
        return None
    if kind == "subgraph":
        return _definition_digest(tx, lists, graph, id_)
    thing = cast("ThingKind", kind)
    if id_ not in graph.scope_of[kind]:
        return None
    scope = graph.scope_of[kind][id_]
    text = _text(tx, lists, graph, (thing, scope, id_))
    return as_bytes(content_digest(thing, None, id_, text))


def moved_digest(digest: bytes, changes: Iterable[ChangeText], scope: str | None = None) -> bytes:
    """Return a whole's digest after ``changes``; ``scope`` names a definition, None the graph."""
    total = int.from_bytes(digest, "little")
    for change in changes:
        if change.kind not in GRAPH_KINDS or not _inside(change, scope):
            continue
        place = (change.kind, change.scope, change.id)
        if change.before is not None:
            total -= content_digest(*place, change.before)
        if change.after is not None:
            total += content_digest(*place, change.after)
    return as_bytes(total % MODULUS)


def _inside(change: ChangeText, scope: str | None) -> bool:
    if scope is None or change.scope == scope:
        return True
    return change.kind == "subgraph" and change.id == scope


def _content(kind: ThingKind, text: bytes) -> Any:
    value = loads(text)
    if not isinstance(value, dict):
        raise damaged("record", kind=kind)
    if kind == "group":
        return {name: value.get(name) for name in GROUP_CONTENT}
    return {name: part for name, part in value.items() if name not in LOOKS}


def _definition_digest(
    tx: Transaction, lists: Lists, graph: ProjectGraph, id_: str
) -> bytes | None:
    if id_ not in graph.subgraphs:
        return None
    own = _text(tx, lists, graph, ("subgraph", None, id_))
    keys: dict[ListName, int] = {}
    for kind in ("node", "edge", "group"):
        key = lists.find(id_, CODES[kind])
        if key is not None:
            keys[id_, CODES[kind]] = key
    return as_bytes(content_digest("subgraph", None, id_, own) + _sum(tx, keys))


def _sum(tx: Transaction, keys: dict[ListName, int]) -> int:
    total = 0
    for (scope, code), key in keys.items():
        kind = KINDS[code]
        if kind in GRAPH_KINDS:
            total += sum(
                content_digest(kind, scope, id_, text) for _, id_, text in records.rows(tx, key)
            )
    return total


def _text(tx: Transaction, lists: Lists, graph: ProjectGraph, key: Key) -> bytes:
    kind, scope, id_ = key
    _, rank = graph.get(kind, scope, id_)
    return records.read_text(tx, lists, Place(CODES[kind], scope, rank), id_)
