"""What can go wrong with the file, in the project's words.

SQLite's code and the errno behind it become one of :data:`protocol.errors.STORAGE_CODES`.

Whatever is not in :func:`fault_of` is a bug of ours and travels on as it is.
"""

import errno as errnos
import sys
from typing import Any, Final

import apsw
from attrs import define, field

FULL_ERRNOS: Final = frozenset(
    {errnos.ENOSPC, errnos.EFBIG, getattr(errnos, "EDQUOT", errnos.ENOSPC)}
)
READONLY_ERRNOS: Final = frozenset({errnos.EACCES, errnos.EPERM, errnos.EROFS})

# Windows' own numbers, which SQLite hands on as they are: GetLastError, no errno.
# https://learn.microsoft.com/windows/win32/debug/system-error-codes
_HANDLE_DISK_FULL: Final = 39
_DISK_FULL: Final = 112
_DISK_QUOTA_EXCEEDED: Final = 1295
_ACCESS_DENIED: Final = 5
_WRITE_PROTECT: Final = 19
_SHARING_VIOLATION: Final = 32
_LOCK_VIOLATION: Final = 33

HELD_BY_ANOTHER: Final = frozenset({_ACCESS_DENIED, _SHARING_VIOLATION, _LOCK_VIOLATION})
"""What Windows says of a file that another program has open, or is just removing."""
_WINDOWS_CODES: Final = {
    _HANDLE_DISK_FULL: "storage-full",
    _DISK_FULL: "storage-full",
    _DISK_QUOTA_EXCEEDED: "storage-full",
    _ACCESS_DENIED: "storage-readonly",
    _WRITE_PROTECT: "storage-readonly",
    _SHARING_VIOLATION: "storage-busy",
    _LOCK_VIOLATION: "storage-busy",
}

MESSAGES: Final = {
    "storage-full": (
        "There is no space left for the database. Nothing was changed; make room and try again."
    ),
    "storage-readonly": (
        "The database cannot be written: the file, its folder or the disk is read-only. "
        "Nothing was changed."
    ),
    "storage-io": (
        "The disk reported an error while the database was read or written. "
        "Nothing was changed; try again, and check the disk if it happens twice."
    ),
    "storage-busy": (
        "Another process kept the database locked for too long. Nothing was changed; try again."
    ),
    "storage-corrupt": (
        "The database file is damaged, or is no database. It was left as it is; restore a "
        "backup, or choose another file."
    ),
    "storage-newer": (
        "The database was written by a newer version of this program. "
        "It was left untouched; update the program to open it."
    ),
    "storage-foreign": (
        "The file is not a database of this program, or something was added to it. "
        "It was left untouched; choose another file."
    ),
    "storage-moved": (
        "The database file was moved, deleted or replaced while it was open. "
        "Put it back and start again."
    ),
    "storage-indeterminate": (
        "The disk failed while a change was being made durable, so it is not known whether the "
        "change is kept. Send the same action again: it is applied once in any case."
    ),
}
RETRYABLE: Final = frozenset(
    {"storage-full", "storage-io", "storage-busy", "storage-indeterminate"}
)


@define
class StorageError(Exception):
    """The file failed us.

    ``code`` is one of :data:`protocol.errors.STORAGE_CODES`, ``message`` a sentence for the
    person, ``retryable`` whether the same request may simply be sent again, ``details`` facts
    without paths (JSON).
    """

    code: str
    message: str
    retryable: bool = False
    details: dict[str, Any] = field(factory=dict)

    def __str__(self) -> str:
        return f"{self.code} {self.details}"


def storage_error(code: str, **details: Any) -> StorageError:
    """Return the error of a code with the code's own sentence."""
    retryable = code in RETRYABLE
    if code == "storage-indeterminate":
        details["retryable"] = True
    return StorageError(code, MESSAGES[code], retryable, details)


def damaged(what: str, **details: Any) -> StorageError:
    """Return the error for rows that say what no version of this program wrote."""
    return storage_error("storage-corrupt", what=what, **details)


def fault_of(
    error: apsw.Error, errno: int, *, windows: bool = sys.platform == "win32"
) -> StorageError | None:
    """Return what an exception of SQLite means, or None where it is a bug of ours.

    ``errno`` is the operating system's (``windows``: its GetLastError), asked right after the
    failure; it counts only where SQLite says that a call of the system failed: a full disk also
    arrives as IOERR_WRITE, IOERR_FSYNC, IOERR_SHMSIZE or CANTOPEN.
    """
    extended = getattr(error, "extendedresult", 0)
    code = _code(extended, _WINDOWS_CODES.get(errno) if windows else _code_of_errno(errno))
    if code is None:
        return None
    details: dict[str, Any] = {"sqlite": _name(extended)}
    if extended & 0xFF in (apsw.SQLITE_IOERR, apsw.SQLITE_CANTOPEN) and errno:
        details["winerror" if windows else "errno"] = errno
    return storage_error(code, **details)


def fault_of_os(error: OSError) -> StorageError:
    """Return what a failed call of the operating system means for the database."""
    windows: int | None = getattr(error, "winerror", None)
    known = _code_of_errno(error.errno or 0) if windows is None else _WINDOWS_CODES.get(windows)
    code = known or "storage-io"
    return storage_error(code, errno=error.errno)


def cannot_have_committed(fault: StorageError) -> bool:
    """Whether a failed COMMIT surely left no complete commit frame behind.

    A write that found no room never completed its frame.  A failed fsync comes after the frames
    were written, so it proves nothing.
    """
    return fault.code == "storage-full" and fault.details.get("sqlite") in (
        "SQLITE_FULL",
        "SQLITE_IOERR_WRITE",
    )


def _code(extended: int, of_system: str | None) -> str | None:
    if extended in (apsw.SQLITE_READONLY_DBMOVED, apsw.SQLITE_IOERR_VNODE):
        return "storage-moved"
    if extended == apsw.SQLITE_IOERR_CORRUPTFS:
        return "storage-corrupt"
    if extended == apsw.SQLITE_IOERR_NOMEM:
        return None
    match extended & 0xFF:
        case apsw.SQLITE_FULL:
            return "storage-full"
        case apsw.SQLITE_READONLY | apsw.SQLITE_PERM:
            return "storage-readonly"
        case apsw.SQLITE_BUSY | apsw.SQLITE_LOCKED | apsw.SQLITE_PROTOCOL:
            return "storage-busy"
        case apsw.SQLITE_CORRUPT | apsw.SQLITE_NOTADB | apsw.SQLITE_FORMAT:
            return "storage-corrupt"
        case apsw.SQLITE_IOERR if of_system == "storage-busy":
            # A part of the file may be written: that is not the busy that leaves all as it was.
            return "storage-io"
        case apsw.SQLITE_IOERR | apsw.SQLITE_CANTOPEN:
            return of_system or "storage-io"
        case _:
            return None


def _code_of_errno(errno: int) -> str | None:
    if errno in FULL_ERRNOS:
        return "storage-full"
    if errno in READONLY_ERRNOS:
        return "storage-readonly"
    return None


def _name(extended: int) -> str:
    names = apsw.mapping_extended_result_codes, apsw.mapping_result_codes
    found = names[0].get(extended) or names[1].get(extended & 0xFF)
    return str(found or extended)
