"""Copies of a database in use: complete, checked and private before they get their name."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

import apsw
from attrs import define

from sidecar.store import paths, schema
from sidecar.store.connection import connect, errno_of
from sidecar.store.faults import damaged, fault_of

Progress: TypeAlias = Callable[[int, int], bool]
"""Called with the units done and the units in all; False stops the work."""

PAGES_A_STEP: Final = 256
STEPS_A_CALL: Final = 20_000
"""Steps of SQLite between two questions whether to go on."""


class CancelledError(Exception):
    """The work was stopped by its caller; nothing of it is left."""


@define
class TargetExistsError(Exception):
    """There is something under the name a copy should get; it was left alone."""


def always(_: int, __: int) -> bool:
    """Go on."""
    return True


def copy_to(
    source: apsw.Connection, target: str, *, progress: Progress = always, vfs: str | None = None
) -> None:
    """Copy what ``source`` sees now to a new file (0600) under the checked path ``target``.

    Raises :class:`TargetExistsError`, :class:`CancelledError` or
    :class:`~sidecar.store.faults.StorageError`; leaves nothing behind then.
    """
    if paths.exists(target):
        raise TargetExistsError
    folder, name = os.path.split(target)
    temporary = str(Path(folder) / f".{name}.{secrets.token_hex(8)}.new")
    paths.create_private(temporary)
    try:
        _fill(source, temporary, progress, vfs)
        if not paths.publish(temporary, target):
            raise TargetExistsError
    finally:
        for suffix in ("", "-journal", "-wal", "-shm"):
            paths.remove_quietly(temporary + suffix)


def _fill(source: apsw.Connection, path: str, progress: Progress, vfs: str | None) -> None:
    copy: apsw.Connection | None = None
    try:
        copy = connect(path, busy_timeout_ms=0, vfs=vfs)
        with copy.backup("main", source, "main") as backup:
            while not backup.done:
                backup.step(PAGES_A_STEP)
                pages = backup.page_count
                if not progress(pages - backup.remaining, pages):
                    raise CancelledError
        copy.close()
        copy = connect(path, busy_timeout_ms=0, vfs=vfs)
        # All is copied; to look at it takes long too.
        copy.set_progress_handler(lambda: not progress(pages, pages), STEPS_A_CALL)
        _verify(copy)
        copy.close()
    except apsw.InterruptError as error:
        raise CancelledError from error
    except apsw.Error as error:
        raise fault_of(error, errno_of(copy)) or error from error
    finally:
        if copy is not None:
            copy.close(force=True)


def _verify(copy: apsw.Connection) -> None:
    schema.check_objects(copy, schema.check_identity(copy))
    if copy.execute("PRAGMA quick_check(1)").get != "ok":
        raise damaged("backup")
