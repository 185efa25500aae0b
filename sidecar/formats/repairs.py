"""What was repaired while a file was read: one warning each, with a JSON Pointer."""

from attrs import define, field

from protocol.changes import Notice
from protocol.names import escape_pointer


@define
class Repairs:
    """The repairs of one reading; ``at`` is where in the content its paths begin."""

    at: str = ""
    notices: list[Notice] = field(factory=list)

    def add(self, code: str, message: str, *path: str | int) -> None:
        """Note a repair of what stands at ``path`` (keys and indexes, below ``at``)."""
        self.notices.append(Notice(code=code, message=message, path=self.pointer(*path)))

    def pointer(self, *path: str | int) -> str:
        return self.at + "".join(f"/{escape_pointer(str(step))}" for step in path)
