"""``graph-sidecar backup``."""

import os
from pathlib import Path

from rich.markup import escape

from protocol.errors import InvalidParamsError
from sidecar.cli import console
from sidecar.cli.commands.options import Json
from sidecar.cli.errors import CliError, sentence_of
from sidecar.cli.inspection.show import size
from sidecar.cli.local import opened


def backup(database: Path, target: Path, /, *, as_json: Json = False) -> int:
    """Copy a database, while it is in use too, to a new file that only you can read.

    The copy is complete and verified before it gets its name; nothing is overwritten.

    Parameters
    ----------
    database
        The database file.
    target
        The new file; there must be nothing under this name.
    as_json
        Print path, bytes and pages as JSON.

    """
    with opened(database) as local, console.progress("Copying") as report:
        path = os.path.abspath(target)  # noqa: PTH100 -- a symlink is the store's to judge
        try:
            answer = local.work("backupDatabase", report, path=path)
        except InvalidParamsError as error:
            raise CliError(f"{target}: {sentence_of(error)}.") from error
    if as_json:
        console.print_json(answer)
    else:
        console.out().print(f"[green]✓[/] {escape(answer['path'])}: {size(answer['bytes'])}")
    return 0
