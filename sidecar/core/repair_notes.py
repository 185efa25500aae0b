"""What the repairs of a file's graph share: their warnings, unique ids, possible numbers."""

import math
from typing import TypeVar, cast

from attrs import define, field

from protocol.changes import Notice
from sidecar.core.limits import MAX_COORDINATE

Id = TypeVar("Id", bound=str)


@define
class Notes:
    """The warnings of one file.

    Where the file is not in the form of the graph, a place in the graph is no place in the file;
    the warning then points to the file as a whole.
    """

    exact: bool = True
    notices: list[Notice] = field(factory=list)

    def add(self, code: str, message: str, path: str) -> None:
        self.notices.append(Notice(code=code, message=message, path=path if self.exact else ""))

    def own_id(self, id_: Id, taken: set[str], path: str) -> Id:
        """Return an id that none before has, and take it; another one where it is there twice."""
        found = id_
        if id_ in taken:
            found = free_id(id_, taken)
            self.add("duplicate-id", f"The id {id_} is there twice; the first one keeps it.", path)
        taken.add(found)
        return found


def free_id(id_: Id, taken: set[str]) -> Id:
    number = 2
    while f"{id_}~{number}" in taken:
        number += 1
    return cast("Id", f"{id_}~{number}")


def fits_world(*numbers: float) -> bool:
    """Return whether coordinates are finite and within the limit."""
    return all(-MAX_COORDINATE <= number <= MAX_COORDINATE for number in numbers)


def is_length(number: float, limit: float = MAX_COORDINATE) -> bool:
    return 0 <= number <= limit and math.isfinite(number)
