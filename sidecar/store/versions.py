"""The versions of the libraries that hold the data, and the oldest SQLite that is let near it."""

from typing import Final

import apsw

SQLITE_FLOOR: Final = "3.53.2"
"""Older ones have a known fault in FTS5, which the search index is made of (CVE-2026-11824)."""


def library_versions() -> dict[str, str]:
    """Return the versions of SQLite and of apsw, by name."""
    return {"sqlite": apsw.sqlite_lib_version(), "apsw": apsw.apsw_version()}


def sqlite_fault() -> str | None:
    """Return why this SQLite may not be used, as a sentence; None where it may."""
    found = apsw.sqlite_lib_version()
    if _numbers(found) >= _numbers(SQLITE_FLOOR):
        return None
    return (
        f"This installation has SQLite {found}, which has known security faults; "
        f"it needs {SQLITE_FLOOR} or newer. Install a newer apsw."
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
