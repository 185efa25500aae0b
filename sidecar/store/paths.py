"""Where the database may stand, and the few things asked of the operating system about it.

The database, its ``-wal`` and ``-shm`` are only ever looked at by name: to open and close one of
them in this process would drop the locks SQLite holds on it (POSIX locks belong to the process).
"""

import contextlib
import os
import stat
import sys
from pathlib import Path
from typing import Final

from attrs import define, field

from sidecar.store.faults import fault_of_os

MEMORY: Final = ":memory:"
FILE_NAME: Final = "graphs.db"
MAX_PATH: Final = 4096
MAX_NAME: Final = 220
"""Bytes of a file's name: systems allow 255, and what stands beside a database has a longer one."""

_MESSAGES: Final = {
    "not-text": "The database path has to be text.",
    "empty": "The database path is empty.",
    "nul": "The database path contains a NUL character.",
    "too-long": "The database path is too long.",
    "uri": "The database has to be a plain path, not a file: URI.",
    "memory": "A database in memory has to be asked for on the command line.",
    "relative": "The database path has to be absolute.",
    "device": "The database path names a device.",
    "network": "The database may not stand on a network path.",
    "stream": "The database path names an alternate data stream.",
    "folder": "The database path names a folder.",
    "not-a-file": "The database path names something that is not a file.",
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
    _check_text(path)
    real = os.path.realpath(path)
    _check_target(real)
    _make_folder(Path(real).parent)
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
            with contextlib.suppress(OSError):
                Path(companion).chmod(0o600, follow_symlinks=False)


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


def remove_quietly(path: str) -> None:
    """Remove a file that may not be there."""
    with contextlib.suppress(OSError):
        Path(path).unlink()


_CLOEXEC: Final = getattr(os, "O_CLOEXEC", 0)


def _check_text(path: str) -> None:
    if not path:
        raise InvalidPathError("empty")
    if "\0" in path:
        raise InvalidPathError("nul")
    if len(path) > MAX_PATH:
        raise InvalidPathError("too-long")
    try:
        name = os.fsencode(Path(path).name)
    except UnicodeError:
        raise InvalidPathError("not-text") from None
    if len(name) > MAX_NAME:
        raise InvalidPathError("too-long")
    if path.lower().startswith("file:"):
        raise InvalidPathError("uri")
    if path.startswith(":"):
        raise InvalidPathError("memory")
    if sys.platform == "win32":
        _check_windows(path)
    if not Path(path).is_absolute():
        raise InvalidPathError("relative")
    if path.endswith(("/", os.sep)):
        raise InvalidPathError("folder")


def _check_windows(path: str) -> None:
    slashed = path.replace("/", "\\")
    if slashed.startswith(("\\\\.\\", "\\\\?\\")):
        raise InvalidPathError("device")
    if slashed.startswith("\\\\"):
        raise InvalidPathError("network")
    if ":" in slashed[2:]:
        raise InvalidPathError("stream")
    if hasattr(os.path, "isreserved") and os.path.isreserved(path):
        raise InvalidPathError("device")


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


def _make_folder(folder: Path) -> None:
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    try:
        for made in reversed(missing):
            made.mkdir(mode=0o700)
            made.chmod(0o700)
    except FileExistsError:
        pass
    except OSError as error:
        raise InvalidPathError("no-folder") from error
    if not folder.is_dir():
        raise InvalidPathError("no-folder")


def _rename_without_replacing(temporary: str, path: str) -> None:
    if sys.platform == "win32":
        Path(temporary).rename(path)
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
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY | _CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
