"""Folders where a database is at risk: worth a warning, no reason to refuse."""

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import Final

from sidecar.store import windows_names

SENTENCES: Final = {
    "synced-folder": (
        "The database stands in a folder that another program copies elsewhere; "
        "that may damage it or bring back an older one."
    ),
    "network-file-system": (
        "The database stands on a network drive, where its locks and its safety against power "
        "cuts may not hold."
    ),
    "open-folder": "Other users may remove or replace the database: its folder is open to them.",
    "foreign-folder": "The database stands in a folder that belongs to another user.",
}
"""What a person is told of each risk."""

NETWORK: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "afpfs", "webdav", "davfs", "9p"}
    | {"fuse.sshfs", "fuse.davfs2", "fuse.rclone", "fuse.glusterfs", "ceph", "afs"}
)
"""File systems whose locks, or whose fsync, are not what they are on a disk."""
SYNCED: Final = (
    "dropbox",
    "onedrive",
    "google drive",
    "googledrive",
    "icloud drive",
    "icloud~",
    "mobile documents",
    "cloudstorage",
    "nextcloud",
    "syncthing",
    "pcloud",
    "my drive",
)
"""How folders begin whose contents another program copies while we write."""


def risks_of(path: str) -> list[str]:
    """Return what may go wrong where a database stands (its real path): keys of ``SENTENCES``."""
    if is_synced(PurePath(path)):
        found = ["synced-folder"]
    else:
        found = ["network-file-system"] if _is_remote(path) else []
    return [*found, *_strangers(Path(path).parent)]


def is_synced(path: PurePath) -> bool:
    """Return whether a program that keeps folders alike elsewhere has a file among them."""
    return any(part.lower().startswith(SYNCED) for part in path.parts[:-1])


def file_system(path: str, mounts: Iterable[tuple[str, str]]) -> str:
    """Return the type of the file system that holds a path, in lower case, or nothing.

    ``mounts`` are places and types; of two at one place the later one is on top.
    """
    place = PurePath(path)
    best, found = -1, ""
    for mount_point, kind in mounts:
        depth = len(PurePath(mount_point).parts)
        if depth >= best and place.is_relative_to(mount_point):
            best, found = depth, kind
    return found.lower()


def linux_mounts(table: bytes) -> Iterator[tuple[str, str]]:
    """Yield places and types from what ``/proc/self/mounts`` says."""
    for line in table.splitlines():
        _, mount_point, kind, *_ = line.split(b" ")
        # Blanks and the like stand there as octal numbers.
        place = mount_point.decode("unicode_escape").encode("latin-1")
        yield os.fsdecode(place), os.fsdecode(kind)


def _is_remote(path: str) -> bool:
    if sys.platform == "win32":
        # No list of all drives: Windows would wait for each server that is not there just now.
        return windows_names.is_remote(path)
    return file_system(path, _mounts()) in NETWORK


def _mounts() -> Iterable[tuple[str, str]]:
    try:
        if sys.platform == "linux":
            return linux_mounts(Path("/proc/self/mounts").read_bytes())
        # Imported here: a start need not pay for it where the system tells it as text.
        import psutil  # noqa: PLC0415 -- start-up time

        return [(one.mountpoint, one.fstype) for one in psutil.disk_partitions(all=True)]
    except OSError:
        return []


def _strangers(folder: Path) -> list[str]:
    """Return whether others than the person and the system decide what stands in a folder."""
    if sys.platform == "win32":
        return []
    try:
        facts = folder.stat()
    except OSError:
        return []
    found = []
    if facts.st_uid not in (0, os.geteuid()):
        found.append("foreign-folder")
    # In a sticky folder nobody removes what is another's; the own group often is the person alone.
    theirs = stat.S_IWOTH if facts.st_gid == os.getegid() else stat.S_IWOTH | stat.S_IWGRP
    if facts.st_mode & theirs and not facts.st_mode & stat.S_ISVTX:
        found.append("open-folder")
    return found
