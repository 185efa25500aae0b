"""The sweep over a migration: the file is of the old version or of the new one, the backup whole."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import apsw
import pytest

from sidecar.store import handle, schema
from sidecar.store.database import Database
from sidecar.store.faults import StorageError
from tests.faults.sweep.points import CRASHES, Point, Trial
from tests.faults.sweep.stage import FILE, Stage, staged

NEXT: Final = (
    """CREATE TABLE notes (note TEXT NOT NULL) STRICT;
    INSERT INTO notes SELECT title FROM projects;
    ALTER TABLE settings ADD COLUMN note TEXT;""",
)
"""A schema of the future, made for the test."""

Rows = Mapping[str, list[tuple[Any, ...]]]


@contextmanager
def newer_program() -> Iterator[None]:
    """Let the program be one that brings files to the next version."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(schema, "STEPS", (*schema.STEPS, NEXT))
        patched.setattr(schema, "SCHEMA_VERSION", schema.SCHEMA_VERSION + 1)
        patched.setattr(handle, "SCHEMA_VERSION", schema.SCHEMA_VERSION)
        schema.expected_objects.cache_clear()
        yield
    schema.expected_objects.cache_clear()


def steps_of(folder: Path, template: Path) -> tuple[int, list[Rows]]:
    """Return the steps of a migration, and what is in the file before and after."""
    with staged(folder, template) as stage:
        before = rows_of(stage.path)
        stage.controller.arm()
        Database.open(str(stage.path), vfs=stage.name).close()
        steps = stage.controller.count
        stage.controller.disarm()
        after = rows_of(stage.path)
    shutil.rmtree(folder)
    return steps, [before, after]


def try_migration(folder: Path, template: Path, states: list[Rows], point: Point) -> Trial:
    """Let one step fail: nothing but the old file or the new one, and no half of a backup."""
    trial = Trial(point)
    with staged(folder, template) as stage:
        for name in (FILE, f"{FILE}-wal"):
            stage.controller.image(str(stage.folder / name))
        stage.controller.arm(point.fault())
        trial.verdict = _opened(stage)
        stage.controller.disarm()
        trial.hit = stage.controller.hit
        allowed = states[1:] if trial.verdict == "landed" else states
        for survival, seed in CRASHES:
            crash = stage.folder / "crash"
            crash.mkdir()
            stage.controller.crash_into(crash, survival, seed)
            trial.images += 1
            found = rows_of(crash / FILE)
            trial.check(found in allowed, "torn", sorted(found))
            shutil.rmtree(crash)
        _check_backups(stage, states[0], trial)
        again = _opened(stage)
        trial.check(again == "landed", "stuck", again)
        trial.check(rows_of(stage.path) == states[1], "lost")
        _check_backups(stage, states[0], trial)
        backups = list(stage.folder.glob("*.backup"))
        trial.check(backups or trial.verdict != "landed", "lost", "no backup")
    shutil.rmtree(folder)
    return trial


def rows_of(path: Path) -> Rows:
    """Return every row of a sound file, whatever its version."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        assert connection.pragma("integrity_check") == "ok"
        names = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'session_texts*'"
        ).fetchall()
        rows: dict[str, list[tuple[Any, ...]]] = {
            str(name): connection.execute(f"SELECT * FROM {name}").fetchall() for (name,) in names
        }
        return {**rows, "version": [(connection.pragma("user_version"),)]}
    finally:
        connection.close()


def _opened(stage: Stage) -> str:
    try:
        Database.open(str(stage.path), busy_timeout_ms=0, vfs=stage.name).close()
    except StorageError as fault:
        return fault.code
    except SystemError:
        # apsw ends a backup whose cleaning up fails in Python code with this.
        return "storage-io"
    return "landed"


def _check_backups(stage: Stage, before: Rows, trial: Trial) -> None:
    for found in stage.folder.glob("*.backup"):
        trial.check(rows_of(found) == before, "torn", "backup")
    left = [found.name for found in stage.folder.iterdir() if ".new" in found.name]
    trial.check(not left, "torn", left)
