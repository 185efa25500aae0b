"""What the host was told of drafts and explanations, so that it hears of other processes' too."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from attrs import define, field

from protocol.json_text import dumps
from sidecar.handlers.newcomers import Newcomers
from sidecar.store import notes, projects
from sidecar.store.database import Transaction

if TYPE_CHECKING:
    from sidecar.store.drafts import DraftRow

Notify = Callable[[str, bytes], None]


@define
class DraftWatch:
    """Compares the drafts that may still change with those that were told."""

    notify: Notify
    known: dict[str, str] = field(factory=dict)
    """The states of the drafts that the host knows of and that are not at their end."""
    _new: Newcomers = field(factory=Newcomers)

    def start(self, tx: Transaction) -> None:
        """Take the open drafts for known: the host has asked for nothing yet."""
        self.known = dict.fromkeys(notes.open_drafts(tx), "open")
        self._new.looked(notes.newest_draft(tx))

    def nothing_came(self) -> None:
        """No other process wrote since the last time."""
        self._new.nothing_came()

    def compare(self, tx: Transaction) -> None:
        """Tell what other processes made of drafts since the last time."""
        from sidecar.store import drafts  # noqa: PLC0415 -- start-up time

        still_open = notes.open_drafts(tx)
        present = set(still_open)
        for draft_id in [*(known for known in self.known if known not in present), *still_open]:
            if draft_id in present and draft_id in self.known:
                continue
            row = drafts.find(tx, draft_id)
            if row is None:
                # Its project was deleted, and that is told.
                del self.known[draft_id]
            elif row.status != self.known.get(draft_id):
                self._tell(tx, row)
                self.told(row)
        # What came and came to its end since the last time was never seen open.
        for row in drafts.since(tx, self._new.last):
            if self._new.is_news(row.draft_key):
                self._tell(tx, row)
        self._new.looked(notes.newest_draft(tx))

    def told(self, draft: DraftRow) -> None:
        """Remember what the host hears of a draft."""
        self._new.wrote(draft.draft_key)
        if draft.status in {"open", "stale"}:
            self.known[draft.draft_id] = draft.status
        else:
            self.known.pop(draft.draft_id, None)

    def _tell(self, tx: Transaction, draft: DraftRow) -> None:
        from sidecar.handlers import render  # noqa: PLC0415 -- start-up time

        project = projects.find_by_key(tx, draft.project_key)
        if project is not None:
            value = render.draft_value(project.project_id, draft)
            self.notify("draftChanged", dumps({"draft": value}))


@define
class ExplanationWatch:
    """Compares what is explained, project by project.

    What this process changed itself is not remembered: where another one wrote too, the host is
    told once more to look again, which costs it less than to miss the other's.
    """

    notify: Notify
    known: dict[int, int] = field(factory=dict)

    def start(self, tx: Transaction) -> None:
        """Take the explanations as they are for known."""
        self.known = notes.explained(tx)

    def compare(self, tx: Transaction) -> None:
        """Tell of the projects whose explanations are others than the last time."""
        now = notes.explained(tx)
        for key in sorted({*self.known, *now}):
            if self.known.get(key) != now.get(key):
                self._tell(tx, key)
        self.known = now

    def _tell(self, tx: Transaction, project_key: int) -> None:
        project = projects.find_by_key(tx, project_key)
        if project is not None:
            facts: dict[str, Any] = {
                "projectId": project.project_id,
                "revisionId": project.current_revision_id,
            }
            self.notify("explanationsChanged", dumps(facts))
