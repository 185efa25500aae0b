"""What a version changed, as the file keeps it: per touched thing its ranks, and text or splices.

An entry is a list ``[kind code, scope, id, before rank, after rank, form, *payload]``; the payload
is the text after (``APPEARS``), the text before (``VANISHES``) or splices, flattened
(``CHANGES``).  Entries of one version name each thing once.
"""

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

import msgspec

from protocol.changes import ThingKind
from sidecar.core.changes import APPEARANCE_ORDER
from sidecar.core.values import value
from sidecar.store.faults import damaged
from sidecar.store.kinds import CODES
from sidecar.store.splices import Splice, SpliceError, backwards, compose, difference, forwards

Key: TypeAlias = tuple[int, str | None, str | None]
"""Kind code, scope, id."""
Entry: TypeAlias = list[Any]

CHANGES: Final = 0
APPEARS: Final = 1
VANISHES: Final = 2

PLAIN: Final = b"\x00"
ZSTANDARD: Final = b"\x01"
COMPRESS_FROM: Final = 2_048
"""Bytes; below, a frame costs about what it saves."""
MAX_PLAIN: Final = 1 << 30
LEVEL: Final = 3


@value
class ChangeText:
    """One thing before and after, as JSON texts; None where it does not exist (rank 0 then)."""

    kind: ThingKind
    scope: str | None
    id: str | None
    before: bytes | None
    after: bytes | None
    before_rank: int
    after_rank: int

    @property
    def moved(self) -> bool:
        """Whether the thing appears, or stands elsewhere in its list."""
        return self.after is not None and (
            self.before is None or self.before_rank != self.after_rank
        )


def in_peer_order(changes: Iterable[ChangeText]) -> list[ChangeText]:
    """Return changes as a peer applies them; :func:`sidecar.core.changes.in_order` for texts."""
    return sorted(changes, key=_place)


def entry_of(change: ChangeText) -> Entry:
    """Return how a change is kept."""
    head: Entry = [
        CODES[change.kind],
        change.scope,
        change.id,
        change.before_rank,
        change.after_rank,
    ]
    if change.before is None:
        return [*head, APPEARS, change.after]
    if change.after is None:
        return [*head, VANISHES, change.before]
    head.append(CHANGES)
    for splice in difference(change.before, change.after):
        head += splice
    return head


def text_before(entry: Entry, after: bytes | None) -> bytes | None:
    """Return a thing's text before a change, given the one after."""
    form = entry[5]
    if form == APPEARS:
        return None
    if form == VANISHES:
        return bytes(entry[6])
    return after if len(entry) == 6 else _run(backwards, after, entry)  # noqa: PLR2004 -- no splices


def text_after(entry: Entry, before: bytes | None) -> bytes | None:
    """Return a thing's text after a change, given the one before."""
    form = entry[5]
    if form == VANISHES:
        return None
    if form == APPEARS:
        return bytes(entry[6])
    return before if len(entry) == 6 else _run(forwards, before, entry)  # noqa: PLR2004 -- no splices


def folded(older: Iterable[Entry], newer: Iterable[Entry]) -> list[Entry]:
    """Return the entries that do what ``older`` and then ``newer`` do."""
    net = {_key(entry): entry for entry in older}
    for entry in newer:
        key = _key(entry)
        first = net.get(key)
        both = entry if first is None else _then(first, entry)
        if both is None:
            net.pop(key, None)
        else:
            net[key] = both
    return list(net.values())


def plain_of(entries: list[Entry]) -> bytes:
    """Return entries as bytes: what digests are made of."""
    return msgspec.msgpack.encode(entries)


def packed(plain: bytes) -> bytes:
    """Return the bytes as a row keeps them: compressed where that saves something."""
    if len(plain) < COMPRESS_FROM:
        return PLAIN + plain
    # Imported here: most commits are smaller, and a start need not pay for it.
    import zstandard  # noqa: PLC0415 -- start-up time

    return ZSTANDARD + zstandard.ZstdCompressor(level=LEVEL).compress(plain)


def unpacked(blob: bytes) -> bytes:
    """Return the bytes that :func:`packed` was given, else ``storage-corrupt``."""
    mark, rest = blob[:1], blob[1:]
    if mark == PLAIN:
        return rest
    if mark != ZSTANDARD:
        raise damaged("changes")
    import zstandard  # noqa: PLC0415 -- start-up time

    try:
        if zstandard.frame_content_size(rest) > MAX_PLAIN:
            raise damaged("changes")
        return zstandard.ZstdDecompressor().decompress(rest)
    except zstandard.ZstdError as error:
        raise damaged("changes") from error


def entries_of(blob: bytes) -> list[Entry]:
    """Return the entries of a row's ``changes``, else ``storage-corrupt``."""
    plain = blob[1:] if blob[:1] == PLAIN else unpacked(blob)
    try:
        entries: list[Entry] = msgspec.msgpack.decode(plain)
    except msgspec.MsgspecError as error:
        raise damaged("changes") from error
    return entries


def _place(change: ChangeText) -> tuple[bool, int, str, int]:
    order = APPEARANCE_ORDER[change.kind]
    if change.after is None:
        return (False, -order, change.scope or "", change.before_rank)
    return (True, order, change.scope or "", change.after_rank)


def _key(entry: Entry) -> Key:
    return (entry[0], entry[1], entry[2])


def _splices(entry: Entry) -> list[Splice]:
    parts = entry[6:]
    return list(zip(parts[0::3], parts[1::3], parts[2::3], strict=True))


def _run(way: Any, text: bytes | None, entry: Entry) -> bytes:
    if text is None:
        raise damaged("changes")
    try:
        result: bytes = way(text, _splices(entry))
    except (SpliceError, TypeError, ValueError) as error:
        raise damaged("changes") from error
    return result


def _then(first: Entry, second: Entry) -> Entry | None:
    """Return one entry for two of the same thing, None where nothing is left of them."""
    head = [*first[:3], first[3] if first[5] != APPEARS else 0, second[4]]
    if first[5] == APPEARS:
        after = text_after(second, first[6])
        return None if after is None else [*head, APPEARS, after]
    if second[5] == VANISHES:
        return [*head, VANISHES, text_before(first, second[6])]
    if first[5] == VANISHES:
        splices = difference(first[6], second[6])
    else:
        splices = compose(_splices(first), _splices(second))
    if not splices and head[3] == head[4]:
        return None
    return [*head, CHANGES, *(part for splice in splices for part in splice)]
