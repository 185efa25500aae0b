"""What the host was told last, so that it hears of other processes' changes too, in order.

It starts with the greeting, so what it tells by is loaded when there is something to tell.
"""

from collections.abc import Callable
from typing import Any

from attrs import define, field
from msgspec import Raw

from protocol.json_text import dumps
from sidecar.handlers.newcomers import Newcomers
from sidecar.handlers.notes_watch import DraftWatch, ExplanationWatch
from sidecar.handlers.sessions.watching import SessionWatch
from sidecar.store import projects, revisions, runs
from sidecar.store.database import Database, Transaction
from sidecar.store.projects import ProjectRow
from sidecar.store.runs import RunRow

MAX_CHANGES = 1024 * 1024
"""Bytes of changes that a notification carries; beyond, the host fetches them."""


@define
class Watch:
    """Compares the file with what was told, and tells the difference as ``origin: other``."""

    notify: Callable[[str, bytes], None]
    revisions: dict[str, str] = field(factory=dict)
    """The version of each project that the host knows of."""
    runs: dict[int, RunRow] = field(factory=dict)
    """The open runs that the host knows of."""
    _new_runs: Newcomers = field(factory=Newcomers)
    sessions: SessionWatch = field(init=False)
    """The sessions that the host knows of."""
    drafts: DraftWatch = field(init=False)
    """The drafts that the host knows of."""
    explanations: ExplanationWatch = field(init=False)
    """What the host knows to be explained."""
    _data_version: int = 0

    def __attrs_post_init__(self) -> None:
        self.sessions = SessionWatch(self.notify)
        self.drafts = DraftWatch(self.notify)
        self.explanations = ExplanationWatch(self.notify)

    def start(self, database: Database) -> None:
        """Take the file as it is for known: the host has asked for nothing yet."""
        # Before the look: what is committed after it counts as news.
        version = database.data_version()
        with database.read() as tx:
            self.revisions.update(projects.current_ids(tx))
            self.runs.update({run.run_key: run for run in runs.all_open(tx)})
            self._new_runs.looked(runs.newest_key(tx))
            self.drafts.start(tx)
            self.explanations.start(tx)
            self.sessions.start(tx)
        self._data_version = version

    def poll(self, database: Database) -> None:
        """Tell what other processes committed since the last time.  Cheap when they did not."""
        version = database.data_version()
        if version == self._data_version:
            self._new_runs.nothing_came()
            self.drafts.nothing_came()
            return
        with database.read() as tx:
            self._compare_projects(tx)
            self._compare_runs(tx)
            self.drafts.compare(tx)
            self.explanations.compare(tx)
            self.sessions.compare(tx)
        self._data_version = version

    def told(self, project_id: str, revision_id: str | None) -> None:
        """Remember what the host hears of a project; None: that it is gone."""
        if revision_id is None:
            self.revisions.pop(project_id, None)
        else:
            self.revisions[project_id] = revision_id

    def run_told(self, run: RunRow) -> None:
        """Remember what the host hears of a run."""
        self._new_runs.wrote(run.run_key)
        if run.open:
            self.runs[run.run_key] = run
        else:
            self.runs.pop(run.run_key, None)

    def catch_up(self, tx: Transaction, project: ProjectRow) -> None:
        """Tell what other processes made of one project, before this one changes it further."""
        known = self.revisions.get(project.project_id)
        if known == project.current_revision_id:
            return
        if known is None:
            self._tell_created(project)
        else:
            self._tell_changed(tx, project, known)

    def _compare_projects(self, tx: Transaction) -> None:
        current = dict(projects.current_ids(tx))
        for project_id in [known for known in self.revisions if known not in current]:
            del self.revisions[project_id]
            self._tell("projectDeleted", {"projectId": project_id, "origin": "other"})
        for project_id, revision_id in current.items():
            if self.revisions.get(project_id) != revision_id:
                row = projects.find(tx, project_id)
                assert row is not None
                self.catch_up(tx, row)

    def _compare_runs(self, tx: Transaction) -> None:
        current = {run.run_key: run for run in runs.all_open(tx)}
        ended = [run for key, run in self.runs.items() if key not in current]
        # Told first, then known: what cannot be read now is told the next time.
        for known in ended:
            run = runs.find(tx, known.run_id)
            if run is not None:
                self._tell_run(tx, run)
            del self.runs[known.run_key]
        for key, run in current.items():
            if self.runs.get(key) != run:
                self._tell_run(tx, run)
                self.runs[key] = run
        # What began and ended since the last time was never seen open.
        for run in runs.since(tx, self._new_runs.last):
            if not run.open and self._new_runs.is_news(run.run_key):
                self._tell_run(tx, run)
        self._new_runs.looked(runs.newest_key(tx))

    def _tell_created(self, project: ProjectRow) -> None:
        self.revisions[project.project_id] = project.current_revision_id
        self._tell(
            "projectCreated",
            {
                "projectId": project.project_id,
                "title": project.title,
                "revisionId": project.current_revision_id,
                "origin": "other",
            },
        )

    def _tell_changed(self, tx: Transaction, project: ProjectRow, known: str) -> None:
        changes: Raw | None = None
        try:
            changes = _changes(tx, project, known)
        finally:
            # Told also where the changes cannot be read: then the host fetches.
            self.revisions[project.project_id] = project.current_revision_id
            self._tell(
                "projectChanged",
                {
                    "projectId": project.project_id,
                    "fromRevisionId": known,
                    "revisionId": project.current_revision_id,
                    "actionId": None,
                    "actor": None,
                    "runId": None,
                    "changes": changes,
                    "origin": "other",
                },
            )

    def _tell_run(self, tx: Transaction, run: RunRow) -> None:
        from sidecar.handlers import render  # noqa: PLC0415 -- start-up time

        project = projects.find_by_key(tx, run.project_key)
        if project is not None:
            self._tell("runChanged", {"run": Raw(render.run_json(project, run))})

    def _tell(self, method: str, params: dict[str, Any]) -> None:
        self.notify(method, dumps(params))


def _changes(tx: Transaction, project: ProjectRow, known: str) -> Raw | None:
    from sidecar.store.wire_changes import changes_between_json  # noqa: PLC0415 -- start-up time

    old = revisions.find(tx, project.project_key, known)
    if old is None:
        return None
    changes = changes_between_json(tx, project, old.number, project.current_revision)
    return None if len(changes) > MAX_CHANGES else Raw(changes)
