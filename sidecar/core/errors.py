"""Why the core may refuse a command: one exception, a closed set of codes."""

from typing import Any

from attrs import define, field


@define
class RejectedError(Exception):
    """A well-formed command that the rules forbid.

    ``code`` is one of :data:`protocol.errors.REJECTION_CODES`, ``message`` a sentence for the
    person, ``details`` the facts a host may branch on (JSON).
    """

    code: str
    message: str
    details: dict[str, Any] = field(factory=dict)

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def stand_below(self, place: str) -> None:
        """Let the faults named count from further out: ``place`` is where the payload stands.

        What is wrong inside a content that was sent is told by its place in that content.
        """
        if self.code != "unreadable-content":
            for issue in self.details.get("issues", ()):
                issue["path"] = place + issue["path"]


class InvariantError(Exception):
    """A rule left the graph in a state that must not exist.  A bug: nothing may be committed."""
