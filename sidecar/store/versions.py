"""The versions of the libraries that hold the data."""

import apsw


def library_versions() -> dict[str, str]:
    """Return the versions of SQLite and of apsw, by name."""
    return {"sqlite": apsw.sqlite_lib_version(), "apsw": apsw.apsw_version()}
