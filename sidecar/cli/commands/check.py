"""``graph-sidecar check``."""

from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from sidecar.cli import console
from sidecar.cli.commands.options import Json
from sidecar.cli.local import opened


def check(database: Path, /, *, as_json: Json = False) -> int:
    """Check a whole database: pages, references, every version's chain, graphs, sessions.

    Nothing is changed. The exit code is 1 where something is wrong.

    Parameters
    ----------
    database
        The database file.
    as_json
        Print what was found as JSON.

    """
    with opened(database) as local, console.progress("Checking") as report:
        answer = local.work("checkDatabase", report)
    if as_json:
        console.print_json(answer)
    elif answer["ok"]:
        counts = ", ".join(f"{name} {count}" for name, count in answer["checked"].items())
        console.out().print(f"[green]✓[/] {escape(str(database))} is sound ({counts})")
    else:
        _show(database, answer["problems"])
    return 0 if answer["ok"] else 1


def _show(database: Path, problems: list[dict[str, Any]]) -> None:
    out = console.out()
    out.print(f"[red]✗[/] {escape(str(database))} is damaged: {len(problems)} problem(s)")
    table = Table("problem", "details")
    for problem in problems:
        details = ", ".join(f"{name} {value}" for name, value in problem["details"].items())
        table.add_row(escape(problem["code"]), escape(details))
    out.print(table)
