"""A session that comes in from a file in pieces, each a transaction of its own.

What a failed one leaves belongs to no session: it is looked past, and has to go in the end.
"""

from __future__ import annotations

from typing import Final

from protocol.sessions import ImportSessionParams
from sidecar.handlers.beside import AtOnce
from sidecar.handlers.sessions.import_files import import_file
from sidecar.handlers.sessions.pieces import tidy
from sidecar.store.sessions.tables import session_key_of
from tests.benchmarks.sessions import session_file
from tests.faults.sweep.stage import Dump, Stage
from tests.faults.sweep.template import PROJECT

NAME: Final = "came"
MESSAGES: Final = 150
"""With as many calls of tools and results these are several pieces."""


def prepare(stage: Stage) -> None:
    session_file(stage.folder / "session.json", NAME, MESSAGES, 1 << 20)


def arrive(stage: Stage) -> None:
    """Bring the session in where it is not there yet; remove what earlier attempts left."""
    ctx = stage.engine.context
    if not _is_there(stage):
        params = ImportSessionParams(
            path=str(stage.folder / "session.json"), session_id=NAME, project_id=PROJECT
        )
        import_file(ctx, params)(AtOnce())
    while ctx.abandoned:
        tidy(ctx)


def of_sessions(dump: Dump) -> Dump:
    """Return a dump without what belongs to no session, and without keys that a second try changes."""
    keys = {row[-1] for row in dump["sessions"]}
    things = [row for row in dump["session_things"] if session_key_of(row[0]) in keys]
    values = [row[1:] for row in dump["session_values"] if session_key_of(row[1]) in keys]
    texts = {text_key for _, text_key, *_ in things}
    return {
        **dump,
        "session_things": [(key, text_key is None, *rest) for key, text_key, *rest in things],
        "session_bodies": [row for row in dump["session_bodies"] if session_key_of(row[0]) in keys],
        "session_values": sorted(values),
        "session_texts": [("found",) for (rowid,) in dump["session_texts"] if rowid in texts],
    }


def _is_there(stage: Stage) -> bool:
    with stage.engine.database.read() as tx:
        found = tx.execute("SELECT count(*) FROM sessions WHERE session_id = ?", (NAME,)).get
    return bool(found)
