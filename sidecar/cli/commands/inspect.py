"""``graph-sidecar inspect``."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from sidecar.cli import console
from sidecar.cli.commands.options import Json
from sidecar.cli.inspection.facts import facts_of
from sidecar.cli.inspection.show import show


def inspect(
    database: Path,
    /,
    *,
    project: str | None = None,
    limit: Annotated[int, Parameter(validator=Number(gte=0))] = 20,
    as_json: Json = False,
) -> int:
    """Show what is in a database: projects, versions by run, sizes, runs, sessions.

    Nothing is changed, and a sidecar may serve the same file meanwhile.

    Parameters
    ----------
    database
        The database file.
    project
        Only this project: its id, or its title.
    limit
        How many versions of each project to list, newest first.
    as_json
        Print JSON.

    """
    facts = facts_of(database, project=project, limit=limit)
    if as_json:
        console.print_json(facts)
    else:
        show(console.out(), database, facts)
    return 0
