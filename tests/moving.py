"""Ways to take an open database away from under whoever holds it."""

import shutil
from pathlib import Path


def unlink(database: Path) -> None:
    database.unlink()


def rename(database: Path) -> None:
    database.rename(database.with_name("elsewhere.db"))


def replace(database: Path) -> None:
    copy = database.with_name("copy.db")
    shutil.copy(database, copy)
    copy.replace(database)


def unlink_wal(database: Path) -> None:
    database.with_name(f"{database.name}-wal").unlink()
