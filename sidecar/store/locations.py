"""Folders where a database is at risk: worth a warning, no reason to refuse."""

import sys
from pathlib import PurePath
from typing import Final, Literal

from sidecar.store import windows_names

Risk = Literal["network-file-system", "synced-folder"]

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


def risk_of(path: str) -> Risk | None:
    """Return what may go wrong where a database stands (its real path), or None."""
    if _is_synced(PurePath(path)):
        return "synced-folder"
    return "network-file-system" if _is_remote(path) else None


def _is_synced(path: PurePath) -> bool:
    return any(part.lower().startswith(SYNCED) for part in path.parts[:-1])


def _is_remote(path: str) -> bool:
    if sys.platform == "win32":
        # No list of all drives: Windows would wait for each server that is not there just now.
        return windows_names.is_remote(path)
    return _file_system(path) in NETWORK


def _file_system(path: str) -> str:
    """Return the type of the file system that holds a path, in lower case, or nothing."""
    # Imported here: only asked once the database is open.
    import psutil  # noqa: PLC0415 -- start-up time

    try:
        mounts = psutil.disk_partitions(all=True)
    except OSError:
        return ""
    place = PurePath(path)
    holding = [mount for mount in mounts if place.is_relative_to(mount.mountpoint)]
    if not holding:
        return ""
    return str(max(holding, key=lambda mount: len(mount.mountpoint)).fstype).lower()
