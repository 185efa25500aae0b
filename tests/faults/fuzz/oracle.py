"""What must come back for a body, decided by another JSON reader than the sidecar's.

One answer for every frame that is no notification and no reply.  Where two answers are right (a
value that JSON allows and nobody can hold is refused with id null, unless the request is refused
for something else before it is read), either may come, and one of them must.
"""

import json
import re
from collections import Counter
from typing import Any, Final, NamedTuple

from attrs import define, field

Id = int | str | None


class Due(NamedTuple):
    """The ids of which one must be answered; none: nothing comes."""

    ids: tuple[Id, ...]
    body: bytes = b""


NOTHING: Final = Due(())
REFUSED: Final = Due((None,))

_LONE = re.compile(r"[\ud800-\udfff]")


def due(body: bytes) -> Due:
    """Return what a body must be answered with by a process that is initialized."""
    try:
        message = json.loads(body.decode(), parse_constant=_refuse)
    except RecursionError:
        return Due((None, *_ids_in(body)))
    except ValueError:
        if re.search(rb"\d{4301}", body) is None:
            return REFUSED
        # A number that nobody can hold: it does not matter in a member that nobody reads.
        return Due((None, *_ids_in(body), _SILENT))
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return REFUSED
    return _of_message(message, doubtful=_is_doubtful(body))


def _of_message(message: dict[str, Any], *, doubtful: bool) -> Due:
    id_ = message.get("id")
    has_id = "id" in message
    if has_id and (type(id_) not in (int, str)):
        return REFUSED
    if isinstance(message.get("method"), str):
        if not has_id:
            return Due((None, _SILENT)) if doubtful else NOTHING
        return Due((id_, None)) if doubtful else Due((id_,))
    if "method" not in message and has_id and ("result" in message or "error" in message):
        return Due((None, _SILENT)) if doubtful else NOTHING
    return Due((id_ if has_id else None, None)) if doubtful else Due((id_ if has_id else None,))


_SILENT: Final = "\x00silent"
"""Stands for no answer at all, where that is right too."""


def _refuse(name: str) -> None:
    raise ValueError(name)


def _is_doubtful(body: bytes) -> bool:
    """Whether the body holds what JSON allows and nobody can hold, or what nests deep."""
    text = body.decode()
    return (
        "\\u" in text.lower()
        or len(text) > 4_000
        or re.search(r"\d[eE]\+?\d{3}", text) is not None
        or text.count("[") + text.count("{") > 60
    )


def _ids_in(body: bytes) -> list[Id]:
    """Return the ids that a reader may have found in what is no JSON to us."""
    found: list[Id] = []
    for match in re.finditer(rb'"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)', body):
        try:
            found.append(json.loads(match[1]))
        except ValueError:
            continue
    return found


@define
class Ledger:
    """What one process owes, and what it paid."""

    owed: list[Due] = field(factory=list)
    paid: Counter[tuple[type, Id]] = field(factory=Counter)

    def owe(self, body: bytes) -> None:
        what = due(body)
        if what.ids:
            self.owed.append(what._replace(body=body))

    def pay(self, id_: Id) -> None:
        self.paid[_key(id_)] += 1

    def is_settled(self) -> bool:
        return not self.faults()

    def faults(self) -> list[str]:
        """Return what was not answered, or answered though nobody asked."""
        left = Counter(self.paid)
        faults = []
        # The strict ones first; of the others, each takes what is left for it.
        for what in sorted(self.owed, key=lambda one: (_SILENT in one.ids, len(one.ids))):
            key = next((_key(id_) for id_ in what.ids if left[_key(id_)] > 0), None)
            if key is not None:
                left[key] -= 1
            elif _SILENT not in what.ids:
                faults.append(f"unanswered: {what.ids}: {what.body[:200]!r}")
        faults += [
            f"answered {count} times too often: {key}" for key, count in left.items() if count
        ]
        return faults


def _key(id_: Id) -> tuple[type, Id]:
    return (type(id_), id_)
