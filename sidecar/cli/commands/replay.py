"""``graph-sidecar replay``."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from sidecar.cli import console
from sidecar.cli.commands.options import Forwarded, Json
from sidecar.cli.errors import CliError, CliUsageError
from sidecar.cli.exchanges import report
from sidecar.cli.exchanges.player import Report, play
from sidecar.cli.exchanges.script import Script, ScriptError, read_script
from sidecar.testing.client import SIDECAR


def replay(
    *files: Path,
    timeout: Annotated[float, Parameter(validator=Number(gt=0))] = 30.0,
    verbose: Annotated[
        bool, Parameter(name=["--verbose", "-v"], negative="", show_default=False)
    ] = False,
    as_json: Json = False,
    command: Forwarded = (),
) -> int:
    """Play recorded exchanges against a sidecar and compare every message that comes.

    Each file is played on a process of its own and a fresh database. The exit
    code is 1 where anything is not as recorded. Behind -- stands the command line
    to test; default: this installation.

    Parameters
    ----------
    files
        Files of exchanges, one JSON object a line.
    timeout
        Seconds to wait for each message.
    verbose
        Show the exchanges that passed too.
    as_json
        Print everything as JSON.
    command
        What stands behind --.

    """
    scripts = [_read(file) for given in files for file in _meant(given)]
    if not scripts:
        raise CliUsageError("Name at least one file of exchanges.")
    out = console.out()
    reports: list[Report] = []
    for script in scripts:
        reports.append(play(script, command or SIDECAR, timeout=timeout))
        if not as_json:
            report.show(out, reports[-1], verbose=verbose)
    if as_json:
        console.print_json(report.as_json(reports))
    else:
        counts = report.totals(reports)
        out.print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 0 if all(one.passed for one in reports) else 1


def _meant(given: Path) -> list[Path]:
    """Return the files of a pattern, which the shells of Windows hand on as it was typed."""
    if given.exists():
        return [given]
    return sorted(given.parent.glob(given.name)) or [given]


def _read(file: Path) -> Script:
    try:
        return read_script(file)
    except ScriptError as error:
        raise CliError(str(error)) from error
