"""What the operating system says of the database's files, asked by name alone."""

import shutil
from pathlib import Path

from attrs import frozen


@frozen
class DiskFacts:
    """Sizes in bytes; 0 where there is no such file, None where it cannot be known."""

    database_bytes: int
    wal_bytes: int
    free_bytes: int | None


def disk_facts(path: str | Path) -> DiskFacts:
    """Return how large the database is, and how much room there is for it."""
    database = Path(path)
    return DiskFacts(_size(database), _size(Path(f"{path}-wal")), _free(database.parent))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _free(folder: Path) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None
