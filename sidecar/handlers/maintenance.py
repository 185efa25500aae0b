"""Long looks at the whole file, and copies of it: both beside the engine, on own connections."""

from collections.abc import Callable, Iterator
from typing import Any

from protocol.errors import InvalidParamsError, Issue
from protocol.json_text import dumps
from protocol.projects import BackupDatabaseParams, CheckDatabaseParams
from sidecar.core.invariants import check_all
from sidecar.handlers.beside import Task, Work, own_view, reporter
from sidecar.handlers.context import Context
from sidecar.store import checks, paths, projects
from sidecar.store.codec import Codec
from sidecar.store.copies import TargetExistsError, copy_to
from sidecar.store.database import Database, Transaction
from sidecar.store.faults import StorageError
from sidecar.store.graphs import load_graph
from sidecar.store.paths import InvalidPathError
from sidecar.store.sessions.checks import session_problems

MAX_PROBLEMS = 1_000


def check_database(ctx: Context, _: CheckDatabaseParams) -> Work:
    """Check pages, references, versions, the current graphs and their invariants."""

    def work(task: Task) -> bytes:
        with own_view(ctx.database) as database, database.read() as tx:
            found, checked = checked_file(tx, reporter(task, "Checking the database"))
        return dumps({"ok": not found, "problems": found[:MAX_PROBLEMS], "checked": checked})

    return work


def checked_file(
    tx: Transaction, progress: Callable[[int, int], bool]
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Return what is wrong with the file, and how much was looked at."""
    found = [
        {"code": problem.code, "details": problem.details}
        for problem in checks.until_unreadable(checks.problems(tx, progress=progress))
    ]
    found += [
        {"code": problem.code, "details": problem.details}
        for problem in checks.until_unreadable(
            session_problems(tx, progress=lambda *_: progress(1, 1))
        )
    ]
    if not found:
        # A graph can only be put together from records that are sound.
        found = list(_broken_invariants(tx))
    return found, checks.counted(tx)


def backup_database(ctx: Context, params: BackupDatabaseParams) -> Work:
    """Copy the file while it is in use to a new one, private and verified."""
    target = _target(params.path)

    def work(task: Task) -> bytes:
        with own_view(ctx.database) as database:
            pages = _copy(database, target, task)
        size = paths.size_of(target)
        return dumps({"path": target, "bytes": size, "pages": pages})

    return work


def _copy(database: Database, target: str, task: Task) -> int:
    report = reporter(task, "Copying the database")
    pages = 0

    def progress(done: int, total: int) -> bool:
        nonlocal pages
        pages = total
        return report(done, total)

    with database.read() as tx:
        try:
            copy_to(tx, target, progress=progress)
        except TargetExistsError as error:
            raise _path_issue("there is something at this path; it was left alone") from error
    return pages


def _broken_invariants(tx: Transaction) -> Iterator[dict[str, Any]]:
    codec = Codec()
    for project_id, _ in list(projects.current_ids(tx)):
        row = projects.find(tx, project_id)
        assert row is not None
        try:
            faults = check_all(load_graph(tx, codec, row))
        except StorageError as error:
            yield {"code": "record", "details": {"projectKey": row.project_key, **error.details}}
            continue
        if faults:
            details = {"projectKey": row.project_key, "faults": len(faults)}
            yield {"code": "invariant", "details": details}


def _target(path: str) -> str:
    try:
        real = paths.checked_path(path)
    except InvalidPathError as error:
        raise _path_issue(error.message) from error
    if paths.exists(real):
        raise _path_issue("there is something at this path; it was left alone")
    return real


def _path_issue(message: str) -> InvalidParamsError:
    return InvalidParamsError([Issue("/path", message)])
