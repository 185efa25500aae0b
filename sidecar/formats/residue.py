"""The difference between a file's JSON and what the writer makes of the model, kept per thing.

The rule of exactness: at reading, the writer's own object is compared with the file's; what the
file has beyond it, or writes otherwise, is the residue.  At writing, a residue is applied only
where the writer still makes what it made then, so that an edit always wins over the file.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from protocol.graph import Json, JsonObject
from protocol.json_text import dumps

Patch = dict[str, Any]
"""What an object of the file has beyond the model, itself JSON.

``rest``: keys the model does not hold.  ``raw``: per key ``[made]`` (the file lacks it) or
``[made, raw]`` (the file writes it otherwise).  ``in``: patches of objects inside.  ``keys``: the
key order, where it is not the format's usual one.
"""

_MIDDLE = 1_000


@frozen
class KeyOrder:
    """The usual key order of an object: first ones, any others, last ones."""

    rank: Mapping[str, int]

    @classmethod
    def of(cls, head: Iterable[str] = (), tail: Iterable[str] = ()) -> "KeyOrder":
        ranks = {key: index for index, key in enumerate(head)}
        ranks.update({key: 2 * _MIDDLE + index for index, key in enumerate(tail)})
        return cls(ranks)

    def sorted(self, keys: Iterable[str]) -> list[str]:
        rank = self.rank
        return sorted(keys, key=lambda key: rank.get(key, _MIDDLE)) if rank else list(keys)


AS_MADE = KeyOrder({})


def same(left: Json, right: Json) -> bool:
    """Whether two values are the same JSON: types of numbers and key order count."""
    if left is right:
        return True
    if type(left) is str or type(right) is str:
        return bool(left == right)
    return bool(left == right) and dumps(left) == dumps(right)


def difference(made: JsonObject, raw: JsonObject, order: KeyOrder = AS_MADE) -> Patch:
    """Return what :func:`restored` needs to turn ``made`` into ``raw``; empty where nothing."""
    pairs: dict[str, list[Json]] = {}
    inner: dict[str, Patch] = {}
    for key, value in made.items():
        if key not in raw:
            pairs[key] = [value]
        elif type(value) is dict and type(raw[key]) is dict:
            below = difference(value, raw[key])
            if below:
                inner[key] = below
        elif not same(value, raw[key]):
            pairs[key] = [value, raw[key]]
    rest = {key: value for key, value in raw.items() if key not in made}
    patch: Patch = {}
    for name, part in (("rest", rest), ("raw", pairs), ("in", inner)):
        if part:
            patch[name] = part
    present = [key for key in made if key in raw]
    present.extend(rest)
    if order.sorted(present) != list(raw):
        patch["keys"] = list(raw)
    return patch


def restored(
    made: JsonObject,
    patch: Patch,
    order: KeyOrder = AS_MADE,
    *,
    lists: frozenset[str] = frozenset(),
) -> JsonObject:
    """Return ``made`` with the file's residue.

    Values under the keys ``lists`` are lists of ids: where they changed, what was listed before
    keeps its place, and what the file listed in vain stays listed.
    """
    if not patch:
        return _ordered(made, None, order)
    rest, pairs, inner = patch.get("rest", {}), patch.get("raw", {}), patch.get("in", {})
    values: JsonObject = {}
    for key, value in made.items():
        pair = pairs.get(key)
        if pair is not None and same(pair[0], value):
            if len(pair) > 1:
                values[key] = pair[1]
        elif pair is not None and len(pair) > 1 and key in lists:
            values[key] = merged_ids(value, *pair)
        elif isinstance(value, dict) and key in inner:
            values[key] = restored(value, inner[key])
        else:
            values[key] = value
    for key, value in rest.items():
        if key not in made:
            values[key] = value
        elif isinstance(value, dict) and isinstance(made[key], dict):
            values[key] = value | values[key]
    return _ordered(values, patch.get("keys"), order)


def merged_ids(now: Json, was: Json, raw: Json) -> Json:
    """Return a list of ids in the file's order, with what came and without what went since."""
    if not isinstance(raw, list) or not isinstance(now, list | None):
        return now
    present, before = _keys(now), _keys(was)
    kept = [item for item in raw if (key := dumps(item)) in present or key not in before]
    listed = _keys(raw)
    merged = kept + [item for item in now or [] if dumps(item) not in listed]
    return merged or now


def _keys(ids: Json) -> set[bytes]:
    return {dumps(item) for item in ids} if isinstance(ids, list) else set()


def _ordered(values: JsonObject, keys: list[str] | None, order: KeyOrder) -> JsonObject:
    if keys is None:
        return {key: values[key] for key in order.sorted(values)} if order.rank else values
    known = set(keys)
    late = order.sorted(key for key in values if key not in known)
    return {key: values[key] for key in [*(k for k in keys if k in values), *late]}


def pruned(patch: Patch) -> Patch:
    """Return a patch without its empty parts."""
    return {name: part for name, part in patch.items() if part not in ({}, [], None)}
