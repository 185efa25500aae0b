"""What the host was told of sessions, so that it hears of other processes' writes too."""

from collections.abc import Callable
from functools import partial
from typing import Any

from attrs import define, field, frozen

from protocol.json_text import dumps, loads
from sidecar.handlers.unit import Unit
from sidecar.store.database import Transaction
from sidecar.store.sessions import rows
from sidecar.store.sessions.rows import SessionRow


@frozen
class Told:
    """What the host knows of a session: the time of its last write, its revision, its project."""

    change_time: int
    revision: int
    project_id: str


@define
class SessionWatch:
    """Compares the file with what was told, and tells the difference as ``origin: other``."""

    notify: Callable[[str, bytes], None]
    known: dict[str, Told] = field(factory=dict)
    _time: int | None = None
    """How far the host was told; None while it has asked for nothing yet."""

    def start(self, tx: Transaction) -> None:
        """Take the file as it is for known: the host has asked for nothing yet."""
        self._time = rows.now(tx)
        self.known = {
            session_id: Told(time, revision, project_id)
            for session_id, time, revision, project_id in rows.marks(tx)
        }

    def compare(self, tx: Transaction) -> None:
        """Tell what other processes wrote since the last time.  Cheap when they did not."""
        time = rows.now(tx)
        if self._time is None or time == self._time:
            return
        for row in rows.changed_since(tx, self._time):
            self.catch_up(row)
        if rows.count(tx) != len(self.known):
            self._tell_deleted(rows.ids(tx))
        self._time = time

    def catch_up(self, row: SessionRow) -> None:
        """Tell what other processes made of one session, before this one changes it further."""
        if self._time is None:
            return
        known = self.known.get(row.session_id)
        if known is not None and known.change_time == row.change_time:
            return
        self.known[row.session_id] = _told(row)
        if known is not None and known.revision == row.revision and row.cause != "created":
            # The other process noted what no host can see.
            return
        cause = "created" if known is None else row.cause
        self._tell(row.session_id, cause)

    def told(self, unit: Unit, row: SessionRow) -> None:
        """Remember what the host hears of a session once the unit is committed.

        At once: a later command of the same transaction must not take it for another process's.
        """
        self._remember(unit, row.session_id, _told(row))

    def forget(self, unit: Unit, session_id: str) -> None:
        """Remember that the host hears of a session's end."""
        self._remember(unit, session_id, None)

    def _remember(self, unit: Unit, session_id: str, told: Told | None) -> None:
        unit.on_rollback.append(partial(self._set, session_id, self.known.get(session_id)))
        self._set(session_id, told)

    def _set(self, session_id: str, told: Told | None) -> None:
        if told is None:
            self.known.pop(session_id, None)
        else:
            self.known[session_id] = told

    def _tell_deleted(self, present: set[str]) -> None:
        for session_id in [known for known in self.known if known not in present]:
            self._tell(session_id, "deleted")
            del self.known[session_id]

    def _tell(self, session_id: str, cause: str) -> None:
        known = self.known[session_id]
        params: dict[str, Any] = {
            "sessionId": session_id,
            "projectId": known.project_id,
            "revision": known.revision,
            "cause": cause,
            "changes": None,
            "origin": "other",
        }
        self.notify("sessionChanged", dumps(params))


def _told(row: SessionRow) -> Told:
    return Told(row.change_time, row.revision, loads(row.summary)["projectId"])
