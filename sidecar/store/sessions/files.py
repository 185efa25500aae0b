"""Session files: written whole or not at all, read only where they are plain files of others."""

import os
import secrets
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from attrs import define

from sidecar.store import paths, windows_names
from sidecar.store.faults import fault_of_os
from sidecar.store.places import identity_of

BUFFER = 1024 * 1024
SYNCED_BYTES = 16 * 1024 * 1024
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_NONBLOCK", "O_BINARY"))


@define
class FileRefusedError(Exception):
    """A path that no session can be read from or written to; ``message`` is for the person."""

    message: str


def write_file(path: str, pieces: Iterable[bytes]) -> int:
    """Write a new file (0600) and return its size in bytes.

    Raises :class:`FileRefusedError` where there is something under its name or no folder for it,
    and :class:`~sidecar.store.faults.StorageError`; nothing is left behind then.
    """
    target = Path(checked_target(path))
    temporary = str(target.parent / f".{target.name[:100]}.{secrets.token_hex(8)}.new")
    paths.create_private(temporary)
    try:
        size = _fill(temporary, pieces)
        if not paths.publish(temporary, str(target)):
            raise FileRefusedError("there is something at this path; it was left alone")
    finally:
        paths.remove_quietly(temporary)
    return size


def checked_target(path: str) -> str:
    """Return a path that a new file may get; raises :class:`FileRefusedError` for any other."""
    target = _absolute(path)
    if paths.exists(str(target)):
        raise FileRefusedError("there is something at this path; it was left alone")
    if not target.parent.is_dir():
        raise FileRefusedError("there is no such folder")
    return str(target)


def open_file(path: str, *, database: str) -> BinaryIO:
    """Open a plain file for reading.

    The database itself is refused before it is touched: to close a second descriptor of it would
    drop SQLite's locks.  Raises :class:`FileRefusedError`.
    """
    source = _absolute(path)
    try:
        found = source.stat()
        if not stat.S_ISREG(found.st_mode):
            raise FileRefusedError("not a file")
        mine = {identity_of(database + end) for end in ("", "-wal", "-shm", "-journal")}
        if (found.st_dev, found.st_ino) in mine:
            raise FileRefusedError("this is the database itself")
        return os.fdopen(os.open(source, _FLAGS), "rb", buffering=BUFFER)
    except OSError as error:
        raise FileRefusedError("no file that can be read") from error


def _absolute(path: str) -> Path:
    if sys.platform == "win32":
        path = windows_names.plain(path)
        # A person may well keep files on a server.
        if windows_names.fault_of(path) not in (None, "network"):
            raise FileRefusedError("names something else than a file of a disk")
    if not path or "\0" in path or not Path(path).is_absolute():
        raise FileRefusedError("expected an absolute path")
    if path.endswith(("/", os.sep)):
        raise FileRefusedError("names a folder")
    try:
        name = os.fsencode(Path(path).name)
    except UnicodeError:
        raise FileRefusedError("expected text") from None
    if len(path) > paths.MAX_PATH or len(name) > paths.MAX_NAME:
        raise FileRefusedError("too long")
    return Path(path)


def _sync(file: BinaryIO) -> int:
    """Have all on the disk that was written; return how much that is."""
    file.flush()
    paths.sync(file.fileno())
    return file.tell()


def _fill(path: str, pieces: Iterable[bytes]) -> int:
    try:
        with Path(path).open("wb", buffering=BUFFER) as file:
            file.writelines(pieces)
            file.flush()
            paths.sync(file.fileno())
            return file.tell()
    except OSError as error:
        raise fault_of_os(error) from error
