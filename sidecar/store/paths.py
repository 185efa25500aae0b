"""Where the database may stand, and the few things asked of the operating system about it.

The database, its ``-wal`` and ``-shm`` are only ever looked at by name: to open and close one of
them in this process would drop the locks SQLite holds on it (POSIX locks belong to the process).
"""

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Final, TypeVar

from attrs import define, field

from sidecar.store import windows_names
from sidecar.store.faults import fault_of_os
from sidecar.store.held_files import patiently

MEMORY: Final = ":memory:"
FILE_NAME: Final = "graphs.db"
MAX_PATH: Final = 4096
MAX_NAME: Final = 220
"""Bytes of a file's name: systems allow 255, and what stands beside a database has a longer one."""

_MESSAGES: Final = {
    "not-text": "The path has to be text.",
    "empty": "The path is empty.",
    "nul": "The path contains a NUL character.",
    "too-long": "The path is too long.",
    "uri": "The database has to be a plain path, not a file: URI.",
    "memory": "A database in memory has to be asked for on the command line.",
    "relative": "The path has to be absolute.",
    "device": "The path names a device.",
    "network": "The database may not stand on a network path.",
    "stream": "The path names an alternate data stream.",
    "reserved": "The path has a name that Windows does not keep as it is.",
    "folder": "The path names a folder.",
    "not-a-file": "The path names something that is not a file.",
    "no-folder": "The folder of the database does not exist and cannot be created.",
}


@define
class InvalidPathError(Exception):
    """A path the database may not have.  ``code`` says why, ``message`` is for the person."""

    code: str
    message: str = field(default="")

    def __attrs_post_init__(self) -> None:
        self.message = self.message or _MESSAGES[self.code]

    def __str__(self) -> str:
        return self.code


def default_path() -> str:
    """Return the path of the per-user database."""
    # Imported here: a start with an explicit path need not pay for it.
    from platformdirs import user_data_path  # noqa: PLC0415 -- start-up time

    return str(user_data_path("graph-sidecar", appauthor=False, roaming=False) / FILE_NAME)


def checked_path(path: object, *, allow_memory: bool = False) -> str:
    """Return the real absolute path of a database, its folder made (0700) where it was missing.

    Raises :class:`InvalidPathError`; creates no file.
    """
    if not isinstance(path, str):
        raise InvalidPathError("not-text")
    if path == MEMORY and allow_memory:
        return MEMORY
    if sys.platform == "win32":
        path = windows_names.plain(path)
    _check_text(path)
    try:
        real = os.path.realpath(path)
    except OSError:
        raise InvalidPathError("no-folder") from None
    _check_target(real)
    make_folder(Path(real).parent)
    return real


def exists(path: str) -> bool:
    """Whether there is something under this name."""
    return os.path.lexists(path)


def size_of(path: str) -> int:
    """Return the size of a file in bytes, 0 where there is none."""
    try:
        return os.stat(path).st_size  # noqa: PTH116 -- a host may ask often, pathlib is slower
    except OSError:
        return 0


def is_writable(path: str) -> bool:
    """Whether this process may write a file, or into a folder; False where there is none."""
    effective = os.access in os.supports_effective_ids
    return os.access(path, os.W_OK, effective_ids=effective)


def free_companions(path: str) -> None:
    """Let the WAL and its index be written where the database may be.

    They get its permissions when they are made, and keep them: those of a database that was
    read-only for a while would keep it so.
    """
    if not is_writable(path):
        return
    for companion in (path + "-wal", path + "-shm"):
        if exists(companion) and not is_writable(companion):
            # Not every system can leave links alone here; Windows (no links there) may not.
            with contextlib.suppress(OSError, NotImplementedError):
                Path(companion).chmod(0o600, follow_symlinks=sys.platform == "win32")


def create_private(path: str) -> None:
    """Create an empty file only its owner can read, whatever the umask; it must not exist.

    Raises :class:`~sidecar.store.faults.StorageError`, or FileExistsError.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _CLOEXEC, 0o600)
    except FileExistsError:
        raise
    except OSError as error:
        raise fault_of_os(error) from error
    try:
        if hasattr(os, "fchmod"):
            os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)


def publish(temporary: str, path: str) -> bool:
    """Give a finished file its name, durably; False where the name was taken meanwhile.

    Raises :class:`~sidecar.store.faults.StorageError`.
    """
    try:
        _rename_without_replacing(temporary, path)
        _sync_folder(Path(path).parent)
    except FileExistsError:
        return False
    except OSError as error:
        raise fault_of_os(error) from error
    return True


def sync(descriptor: int) -> None:
    """Make what was written durable.  On macOS fsync alone does not reach the platter."""
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415 -- there on Unix alone

        with contextlib.suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)


def remove_quietly(path: str) -> None:
    """Remove a file that may not be there."""
    with contextlib.suppress(OSError):
        patiently(Path(path).unlink)


_CLOEXEC: Final = getattr(os, "O_CLOEXEC", 0)
_NO_SYNC: Final = frozenset({errno.EINVAL, errno.ENOTSUP})
"""What file systems say that cannot sync a folder."""
_P = TypeVar("_P", bound=PurePath)


def _check_text(path: str) -> None:
    if not path:
        raise InvalidPathError("empty")
    if "\0" in path:
        raise InvalidPathError("nul")
    if len(path) > MAX_PATH:
        raise InvalidPathError("too-long")
    try:
        path.encode()
    except UnicodeEncodeError:
        # SQLite takes names in UTF-8 alone.
        raise InvalidPathError("not-text") from None
    if len(Path(path).name.encode()) > MAX_NAME:
        raise InvalidPathError("too-long")
    if path.lower().startswith("file:"):
        raise InvalidPathError("uri")
    if path.startswith(":"):
        raise InvalidPathError("memory")
    if sys.platform == "win32" and (fault := windows_names.fault_of(path)):
        raise InvalidPathError(fault)
    if not Path(path).is_absolute():
        raise InvalidPathError("relative")
    if path.endswith(("/", os.sep)):
        raise InvalidPathError("folder")


def _check_target(real: str) -> None:
    try:
        mode = Path(real).lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError):
        raise InvalidPathError("no-folder") from None
    if stat.S_ISDIR(mode):
        raise InvalidPathError("folder")
    if not stat.S_ISREG(mode):
        raise InvalidPathError("not-a-file")


def make_folder(folder: Path) -> None:
    """Make a folder and those around it that are missing, for their owner alone.

    On Windows they inherit who may do what. Python's own 0700 there shuts out the person
    herself where an elevated process, an installer's first start say, was the one that made them.
    """
    try:
        for made in missing_folders(folder):
            _make_one(made)
    except OSError as error:
        raise InvalidPathError("no-folder") from error
    if not folder.is_dir():
        raise InvalidPathError("no-folder")


def _make_one(folder: Path) -> None:
    try:
        if sys.platform == "win32":
            folder.mkdir()
        else:
            folder.mkdir(mode=0o700)
            folder.chmod(0o700)
    except FileExistsError:
        # Another process was faster; what is missing inside still is.
        return


def missing_folders(folder: _P, exists: Callable[[PurePath], bool] = os.path.exists) -> list[_P]:
    """Return the folders that are to be made, the outermost first.

    Raises :class:`InvalidPathError` where not even the root is there: a drive that was unplugged.
    """
    missing: list[_P] = []
    while not exists(folder):
        if folder == folder.parent:
            raise InvalidPathError("no-folder")
        missing.append(folder)
        folder = folder.parent
    return missing[::-1]


def _rename_without_replacing(temporary: str, path: str) -> None:
    if sys.platform == "win32":
        # It never replaces there.
        patiently(lambda: Path(temporary).rename(path))
        return
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links: as good as it gets there.
        if exists(path):
            raise FileExistsError(path) from None
        Path(temporary).rename(path)
        return
    Path(temporary).unlink()


def _sync_folder(folder: Path) -> None:
    """Make a new name durable.  On Windows the next sync of any file of the disk does so."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY | _CLOEXEC)
    try:
        sync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
    finally:
        os.close(descriptor)
