"""The part of a command's effects that can be read off its changes."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from protocol.changes import Effects, IdLists
from sidecar.core.changes import Change

_FIELD = {
    "node": "nodes",
    "edge": "edges",
    "group": "groups",
    "subgraph": "subgraphs",
    "component": "components",
}
NO_IDS: Final = IdLists()


def effects_of(changes: Iterable[Change], **reported: Any) -> Effects:
    """Return the ids created, removed and updated; what changed its scope counts as updated.

    ``reported`` are the other effects, which no change tells.
    """
    created: dict[tuple[str, str], None] = {}
    removed: dict[tuple[str, str], None] = {}
    updated: dict[tuple[str, str], None] = {}
    for change in changes:
        if change.id is None:
            continue
        key = (_FIELD[change.kind], change.id)
        if change.before is None:
            created[key] = None
        elif change.after is None:
            removed[key] = None
        else:
            updated[key] = None
    for key in [key for key in created if key in removed]:
        del created[key], removed[key]
        updated[key] = None
    return Effects(
        created=_lists(created), removed=_lists(removed), updated=_lists(updated), **reported
    )


def _lists(keys: Mapping[tuple[str, str], None]) -> IdLists:
    if not keys:
        return NO_IDS
    lists: dict[str, list[str]] = {}
    for field, id_ in keys:
        lists.setdefault(field, []).append(id_)
    return IdLists(**{field: tuple(ids) for field, ids in lists.items()})
