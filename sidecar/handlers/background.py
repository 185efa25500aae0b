"""Work that waits for a quiet moment: other processes' changes, pruning, leftovers, checkpoints."""

from collections.abc import Callable
from typing import Final

from attrs import define

from sidecar.handlers.context import Context
from sidecar.store import projects
from sidecar.store.faults import StorageError
from sidecar.store.owners import owner_of
from sidecar.store.pruning import prune_step
from sidecar.store.sessions import rows
from sidecar.store.wal_growth import grow_wal

POLL_SECONDS: Final = 0.5
"""How often other processes' commits are looked for; the host hears of them within a second."""
QUIET_SECONDS: Final = 0.05
"""How long nothing must have come before pruning and checkpoints begin."""
SOON: Final = 0.001
BACKLOG: Final = 1_000
"""Hidden versions from which on pruning waits for no quiet moment any more."""
BACKLOG_STEP: Final = 500
"""Versions removed at once then: rarely enough that no percentile of commits shows it."""


@define
class Background:
    """Decides what is due; ``monotonic`` gives seconds."""

    context: Context
    monotonic: Callable[[], float]
    _busy_at: float = 0.0
    _polled_at: float = 0.0
    _has_looked: bool = False

    def start(self) -> None:
        """Take the time; the file is looked at later, since whoever asks first would wait for it."""
        self._polled_at = self.monotonic()

    def was_busy(self) -> None:
        """A batch was served: quiet begins anew."""
        self._busy_at = self.monotonic()

    @property
    def pressing(self) -> bool:
        """Whether something must not wait for a quiet moment: it grows, or the host is to be told."""
        return (
            self.context.database.checkpoint_overdue
            or self.monotonic() - self._polled_at >= POLL_SECONDS
            or any(count >= BACKLOG for count in self.context.hidden.values())
        )

    def work(self) -> float:
        """Do one small piece of what is due; return the seconds until the next one may be."""
        try:
            # Whoever asks next would wait for another process's transaction as well.
            with self.context.database.without_waiting():
                return self._work()
        except StorageError as fault:
            # Nobody waits for this; whoever writes next is told what is wrong with the file.
            if fault.code != "storage-busy":
                self.context.hidden.clear()
            return POLL_SECONDS

    def _work(self) -> float:
        now = self.monotonic()
        if now - self._polled_at >= POLL_SECONDS:
            self._polled_at = now
            self.context.watch.poll(self.context.database)
        if not self._has_looked:
            self._look()
        self._shorten_backlogs()
        if self.context.database.checkpoint_overdue:
            self.context.database.checkpoint()
        quiet_in = self._busy_at + QUIET_SECONDS - now
        if quiet_in > 0:
            return quiet_in
        return self._prune() or self._tidy() or self._checkpoint() or POLL_SECONDS

    def _look(self) -> None:
        """Look once at everything an earlier process may have left undone."""
        with self.context.database.read() as tx:
            for project_key in projects.keys_with_hidden_versions(tx):
                self.context.hidden.setdefault(project_key, 0)
            staged = rows.staged(tx)
        self._has_looked = True
        is_gone = self.context.owners.is_gone
        self.context.abandoned.extend(key for key, owner in staged if is_gone(owner_of(owner)))

    def _shorten_backlogs(self) -> None:
        hidden = self.context.hidden
        for project_key, count in hidden.items():
            if count >= BACKLOG:
                prune_step(self.context.database, project_key, BACKLOG_STEP)
                hidden[project_key] = count - BACKLOG_STEP

    def _prune(self) -> float | None:
        hidden = self.context.hidden
        if not hidden:
            return None
        project_key = next(iter(hidden))
        if not prune_step(self.context.database, project_key):
            del hidden[project_key]
        return SOON

    def _tidy(self) -> float | None:
        if not self.context.abandoned:
            return None
        from sidecar.handlers.sessions.pieces import tidy  # noqa: PLC0415 -- rarely wanted

        tidy(self.context)
        return SOON

    def _checkpoint(self) -> float | None:
        database = self.context.database
        if database.growth_due:
            fault = grow_wal(database)
            return POLL_SECONDS if fault is not None else SOON
        if not database.checkpoint_due:
            return None
        database.checkpoint()
        return SOON
