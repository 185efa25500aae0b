"""The files that an open database reads and writes, by name and by what the names led to.

Every commit asks whether the names still lead there.  On Linux it does so without asking for the
WAL's times: where a time was asked for, the next write has to note a new one, and its sync writes
the file system's journal too (https://docs.kernel.org/filesystems/multigrain-ts.html).
"""

import os
import struct
import sys
from collections.abc import Callable
from functools import cache
from typing import Final, TypeAlias

from attrs import frozen

Identity: TypeAlias = tuple[int, int]
"""Which file a name leads to: its device and inode."""

NO_INODE: Final = frozenset({0, 1, 999_999_999})
"""What stands for one: 0 on Windows, for a file that cannot be opened just then; the others on
macOS, for files without contents on exFAT and on FAT, a new WAL say."""

_UNTOLD: Final = (0, 0)

# The ABI of statx(2), which is the same on every architecture.
_AT_FDCWD: Final = -100
_STATX_INO: Final = 0x100
_STATX_BYTES: Final = 256
_INODE: Final = struct.Struct("=32xQ96xII")
"""Inode, and the device's major and minor number."""


@frozen
class Place:
    """The files of an open database; an identity is None where there was no such file."""

    path: str
    identity: Identity | None
    wal_identity: Identity | None

    def is_held(self) -> bool:
        """Whether the names still lead to the same files."""
        return is_same(identity_of(self.path), self.identity) and (
            self.wal_identity is None
            or is_same(quiet_look()(self.path + "-wal"), self.wal_identity)
        )


def is_same(found: Identity | None, known: Identity | None) -> bool:
    """Whether what a name leads to now is no other file than the known one, as far as is told.

    Where either has no inode of its own, the device has to do.
    """
    if found == known:
        return True
    if found is None or known is None or NO_INODE.isdisjoint((found[1], known[1])):
        return False
    return found[0] == known[0] or found == _UNTOLD


def identity_of(path: str) -> Identity | None:
    """Return which file the name leads to now, or None."""
    try:
        found = os.stat(path)  # noqa: PTH116 -- on the way of every commit, twice
    except OSError:
        return None
    return found.st_dev, found.st_ino


@cache
def quiet_look() -> Callable[[str], Identity | None]:
    """Return what does :func:`identity_of` without asking for times, where the system can."""
    if sys.platform != "linux":
        return identity_of
    try:
        # Imported here: the first commit needs it, not the greeting.
        import ctypes  # noqa: PLC0415 -- start-up time

        statx = ctypes.CDLL(None).statx
    except (ImportError, OSError, AttributeError, MemoryError):
        # An older C library, or a system that lets nothing be called by name.
        return identity_of
    statx.argtypes = (
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.c_int,
        ctypes.c_uint,
        ctypes.c_char_p,
    )
    room = ctypes.c_char * _STATX_BYTES

    def look(path: str) -> Identity | None:
        found = room()
        if statx(_AT_FDCWD, os.fsencode(path), 0, _STATX_INO, found):
            # No file there; or a system without the call, which this tells apart.
            return identity_of(path)
        inode, major, minor = _INODE.unpack_from(found)
        return os.makedev(major, minor), inode

    return look
