"""Settings, and how the process and its file are."""

import platform
from typing import Final

from msgspec import Raw

from protocol.commands import Missing
from protocol.errors import InvalidParamsError, Issue
from protocol.json_text import dumps
from protocol.names import camel
from protocol.projects import NoParams, UpdateSettingsParams
from sidecar import __version__
from sidecar.handlers.context import Context
from sidecar.handlers.unit import Unit
from sidecar.store import counts, settings
from sidecar.store.database import Transaction
from sidecar.store.schema import SCHEMA_VERSION
from sidecar.store.versions import library_versions

_RANGES: Final = {
    "stepsPerAnswer": (1, 100_000),
    "maxRevisions": (1, 1_000_000),
    "maxRevisionBytes": (0, 1 << 50),
    "minRevisions": (1, 1_000_000),
}
_VERSIONS: Final = Raw(
    dumps(
        {
            "sidecar": __version__,
            **library_versions(),
            "python": platform.python_version(),
        }
    )
)


def get_settings(_: Context, tx: Transaction, __: NoParams) -> bytes:
    """Show all settings."""
    return dumps(settings.read(tx))


def update_settings(_: Context, unit: Unit, params: UpdateSettingsParams) -> bytes:
    """Change the settings that are given; show all."""
    given = {
        camel(name): value
        for name in ("steps_per_answer", "max_revisions", "max_revision_bytes", "min_revisions")
        if not isinstance(value := getattr(params, name), Missing)
    }
    issues = [
        Issue(f"/{name}", f"expected {low} to {high}")
        for name, value in given.items()
        for low, high in (_RANGES[name],)
        if not low <= value <= high
    ]
    if issues:
        raise InvalidParamsError(issues)
    settings.write(unit.tx, given)
    return dumps(settings.read(unit.tx))


def get_status(ctx: Context, tx: Transaction, _: NoParams) -> bytes:
    """Show the process and its file."""
    now = ctx.now()
    facts = ctx.disk.facts(now)
    return dumps(
        {
            "version": __version__,
            "versions": _VERSIONS,
            "database": {
                "path": str(ctx.database.path),
                "schemaVersion": SCHEMA_VERSION,
                "bytes": facts.database_bytes,
                "walBytes": facts.wal_bytes,
                "freeDiskBytes": facts.free_bytes,
                "readOnly": ctx.database.read_only or ctx.database.degraded,
            },
            "uptimeMs": now - ctx.started_at,
            "counts": counts.read(tx),
            "process": {"pid": ctx.owners.current()["pid"]},
        }
    )
