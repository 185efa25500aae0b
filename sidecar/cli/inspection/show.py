"""What is in a database, drawn for a person."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

_UNITS: Final = ("bytes", "KiB", "MiB", "GiB", "TiB")
_STEP: Final = 1024
_BESIDE_LABEL: Final = 60
"""Columns that all but the label of a version takes."""
_SHORTEST_LABEL: Final = 16
_INDENT: Final = 4
"""Columns that one level of a tree takes."""
_SINGULAR: Final = {"branches": "branch"}
_STATUS: Final = {"running": "green", "paused": "yellow", "cancelled": "red"}


def show(console: Console, path: Path, facts: dict[str, Any]) -> None:
    """Print everything: the file, then each project with its versions, runs and sessions."""
    database, projects = facts["database"], facts["projects"]
    free = database["freeDiskBytes"]
    console.print(
        f"[bold]{escape(str(path))}[/]  {size(database['bytes'])}"
        f" (+ {size(database['walBytes'])} log), schema {database['schemaVersion']}"
        + ("" if free is None else f", {size(free)} free")
    )
    if not projects:
        console.print("No projects yet.")
    for project in projects:
        console.print()
        _project(console, project)


def size(count: float) -> str:
    """Return bytes as a person reads them."""
    for unit in _UNITS:
        if count < _STEP or unit == _UNITS[-1]:
            return f"{count:.0f} {unit}" if unit == _UNITS[0] else f"{count:.1f} {unit}"
        count /= _STEP
    raise AssertionError


def _project(console: Console, project: dict[str, Any]) -> None:
    console.rule(f"[bold]{escape(project['title'])}[/]", align="left")
    counts = ", ".join(counted(count, kind) for kind, count in project["counts"].items())
    facts = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    facts.add_row("[dim]id[/]", escape(project["projectId"]))
    facts.add_row(
        "[dim]graph[/]", counts + (f"  ({project['format']})" if project["format"] else "")
    )
    facts.add_row(
        "[dim]history[/]",
        f"{counted(project['versions'], 'versions')}, {size(project['historyBytes'])}",
    )
    facts.add_row("[dim]changed[/]", local_time(project["updatedAt"]))
    for way in ("undo", "redo"):
        if step := project[way]:
            facts.add_row(f"[dim]{way}[/]", escape(step["label"]) + _more(step["commands"]))
    console.print(facts)
    console.print(_history(project, console.width))
    if project["runs"]:
        console.print(_runs(project["runs"]))
    if project["sessions"]:
        console.print(_sessions(project["sessions"]))


def _more(commands: int) -> str:
    return f" and {commands - 1} more" if commands > 1 else ""


def _history(project: dict[str, Any], room: int) -> Tree:
    """Return the versions, newest first; contiguous commits of one run under that run."""
    tree = Tree("[bold]Versions[/], newest first")
    longest = max((cell_len(item["label"]) for item in project["revisions"]), default=0)
    width = min(longest, max(room - _BESIDE_LABEL, _SHORTEST_LABEL))
    branch, run_id = tree, None
    for revision in project["revisions"]:
        if revision["runId"] != run_id:
            run_id = revision["runId"]
            branch = tree.add(f"[magenta]run[/] [dim]{escape(run_id)}[/]") if run_id else tree
        indent = 0 if branch is not tree else _INDENT
        branch.add(_version(revision, width + indent, project["revisionId"]))
    hidden = project["versions"] - len(project["revisions"])
    if hidden > 0:
        tree.add(f"[dim]… {hidden} older; --limit shows more[/]")
    return tree


def _version(revision: dict[str, Any], width: int, current: str) -> Text:
    is_current = revision["revisionId"] == current
    line = Text.assemble(
        (f"{revision['number']:>4}", "bold green" if is_current else ""),
        ("●  " if is_current else "   ", "bold green"),
        (_fitted(revision["label"], width), "bold" if is_current else ""),
        ("  person   ", "blue") if revision["actor"] == "manual" else ("  assistant", "magenta"),
        (f"{size(revision['storedBytes']):>11}  {local_time(revision['createdAt'])}", "dim"),
    )
    line.no_wrap = True
    return line


def _runs(runs: Sequence[dict[str, Any]]) -> Tree:
    tree = Tree("[bold]Runs[/], newest first")
    for run in runs:
        steps = str(run["steps"]) + ("" if run["stepLimit"] is None else f"/{run['stepLimit']}")
        line = Text.assemble(
            (run["runId"], "dim"),
            (f"  {run['status']:<9}", _STATUS.get(run["status"], "")),
            f" {steps:>6}",
            (f"  {local_time(run['startedAt'])}", "dim"),
            f"  {run['pauseReason'] or ''}",
        )
        line.no_wrap = True
        tree.add(line)
    return tree


def _sessions(sessions: Sequence[dict[str, Any]]) -> Tree:
    tree = Tree("[bold]Chats[/]")
    for session in sessions:
        archived = ", archived" if session["archived"] else ""
        tree.add(
            f"{escape(session.get('title') or 'untitled')}  {escape(session['status'])}{archived}, "
            f"{counted(session['messageCount'], 'messages')}, "
            f"{counted(session['branchCount'], 'branches')}  "
            f"[dim]{escape(session['sessionId'])}[/]"
        )
    return tree


def counted(count: int, things: str) -> str:
    """Return a count with its things, one of which loses its plural."""
    return f"{count} {things}" if count != 1 else f"1 {_SINGULAR.get(things, things[:-1])}"


def _fitted(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(text, width - 1) + "…"


def local_time(milliseconds: float) -> str:
    """Return a time as a clock here shows it; Windows knows the years 1970 to 3000 alone."""
    try:
        found = time.localtime(milliseconds / 1000)
    except (OSError, OverflowError, ValueError):
        return f"{milliseconds} ms"
    return time.strftime("%Y-%m-%d %H:%M:%S", found)
