"""What the demo plays on: a sidecar, a project, a console that shows each answer as it comes."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.cells import set_cell_size
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from sidecar.cli.picture import render
from sidecar.testing.client import SidecarClient

_COLORS = {"applied": "green", "historical": "cyan", "conflict": "yellow", "rejected": "red"}
_PROJECT = "demo"
_BESIDE_WHAT = 42
"""Columns that all but what was asked for takes."""
_SHORTEST_WHAT = 24
_LONGEST_WHAT = 70


class Stage:
    """The project on show.  ``revision`` is the version that the person's window shows."""

    def __init__(self, client: SidecarClient, console: Console, output: Path) -> None:
        self.client = client
        self.console = console
        self.output = output
        self.revision = ""
        self.state: dict[str, Any] = {}
        self.summary: dict[str, Any] = {"answers": [], "pictures": []}
        self._actions = 0

    def open(self, database: Path, name: str) -> None:
        """Start the sidecar and make a project."""
        started = time.perf_counter()
        greeting = self.client.initialize()
        took = (time.perf_counter() - started) * 1000
        self.console.rule("[bold]graph-sidecar demo[/]")
        facts = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
        facts.add_row(
            "[dim]sidecar[/]",
            f"process {self.client.process.pid}, protocol {greeting['protocolVersion']}, "
            f"JSON-RPC over stdio, first answer after {took:.0f} ms",
        )
        facts.add_row(
            "[dim]database[/]", f"{database.name}, made for this demo, removed afterwards"
        )
        facts.add_row("[dim]workflow[/]", escape(name))
        self.console.print(facts)
        self.take(self.client.request("createProject", {"projectId": _PROJECT, "title": name}))

    @contextmanager
    def chapter(self, title: str) -> Iterator[None]:
        """Show a heading over what follows."""
        self.console.print(f"\n[bold]{escape(title)}[/]")
        yield

    def commit(
        self,
        what: str,
        payload: dict[str, Any],
        *,
        run_id: str | None = None,
        expected: str | None = None,
        action_id: str | None = None,
    ) -> dict[str, Any]:
        """Send one command, by the person or by the run, and show what became of it."""
        params = {
            "projectId": _PROJECT,
            "actionId": action_id or self.next_action(),
            "expectedRevisionId": expected or self.revision,
            "actor": "manual" if run_id is None else "ai",
            "runId": run_id,
            "payload": payload,
            "projection": "full",
        }
        who = "person" if run_id is None else "assistant"
        return self.show(who, what, *self._timed("commitCommand", params))

    def step(self, method: str, what: str) -> dict[str, Any]:
        """Undo or redo one step and show it."""
        params = {
            "projectId": _PROJECT,
            "actionId": self.next_action(),
            "expectedRevisionId": self.revision,
            "projection": "full",
        }
        return self.show("person", what, *self._timed(method, params))

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request that is no command."""
        result: dict[str, Any] = self.client.request(method, params)
        return result

    def next_action(self) -> str:
        self._actions += 1
        return f"demo-{self._actions}"

    def say(self, text: str) -> None:
        self.console.print(Padding(Text(text, "dim"), (0, 0, 0, 2)))

    def show(self, who: str, what: str, answer: dict[str, Any], took: float) -> dict[str, Any]:
        """Show an answer: who asked for what, and what became of it."""
        status = answer["status"]
        projection = answer["projection"]
        version = f"v{projection['revisionNumber']}" if projection else ""
        self._line(who, what, status, version, took)
        if answer["reason"]:
            self.note(f"{answer['reason']['code']}: {answer['reason']['message']}")
        for line in _notable(answer.get("effects") or {}):
            self.note(line)
        self.summary["answers"].append({"who": who, "what": what, "status": status})
        self.take(projection)
        return answer

    def note(self, text: str) -> None:
        """Say something of the answer above."""
        self.console.print(Padding(Text(text, "dim"), (0, 0, 0, 14)))

    def _line(self, who: str, what: str, status: str, version: str, took: float) -> None:
        room = min(max(self.console.width - _BESIDE_WHAT, _SHORTEST_WHAT), _LONGEST_WHAT)
        line = Text.assemble(
            (f"  {who:<10}  ", "blue" if who == "person" else "magenta"),
            set_cell_size(shortened(what, room), room),
            (f"  {status:<10}", _COLORS[status]),
            f"{version:>5}",
            (f"{took:>8.1f} ms", "dim"),
        )
        line.no_wrap = True
        self.console.print(line)

    def take(self, projection: dict[str, Any] | None) -> None:
        """Let the window show what the sidecar says is current."""
        if projection is None:
            return
        self.revision = projection["revisionId"]
        if "graph" in projection:
            self.state = projection

    def refresh(self) -> None:
        """Fetch the project as it is now."""
        self.take(self.call("getProject", {"projectId": _PROJECT}))

    def picture(self, name: str, title: str, before: dict[str, Any] | None = None) -> None:
        """Write the graph, or what changed since ``before``, as a picture."""
        path = self.output / name
        svg = render(self.state, before=before, title=title)
        path.write_text(svg, encoding="utf-8", newline="\n")
        self.summary["pictures"].append(str(path))
        self.console.print(Text.assemble(("  picture ", "dim"), (str(path), "underline")))

    def history(self) -> None:
        """Show the versions as a tree, the commits of a run under the run."""
        items: list[dict[str, Any]] = []
        before = None
        while True:
            page = self.call(
                "listRevisions", {"projectId": _PROJECT, "before": before, "limit": 500}
            )
            items += page["items"]
            before = page["before"]
            if before is None:
                break
        tree = Tree(f"{len(items)} versions, oldest first")
        branch, run_id = tree, None
        for item in reversed(items):
            if item["runId"] != run_id:
                run_id = item["runId"]
                branch = tree.add("[magenta]the assistant's run[/]") if run_id else tree
            mark = " [bold]← current[/]" if item["revisionId"] == self.revision else ""
            branch.add(f"{item['number']:>3}  {escape(shortened(item['label'], 60))}{mark}")
        self.console.print(tree)

    def guarantees(self) -> None:
        """Show what the answers mean."""
        table = Table(show_header=False, box=None, padding=(0, 2))
        table.add_row("[green]applied[/]", "in the file, and there after a power cut")
        table.add_row("[cyan]historical[/]", "was sent before; done once, the first answer again")
        table.add_row("[yellow]conflict[/]", "the graph moved on; nothing was changed")
        table.add_row("[red]rejected[/]", "cannot be done (a full disk included); nothing changed")
        self.console.print(table)

    def _timed(self, method: str, params: dict[str, Any]) -> tuple[dict[str, Any], float]:
        started = time.perf_counter()
        answer: dict[str, Any] = self.client.request(method, params)
        return answer, (time.perf_counter() - started) * 1000


def shortened(text: str, room: int) -> str:
    """Return a text that is cut where it is too long for its place."""
    text = " ".join(text.split())
    return text if len(text) <= room else text[: room - 1] + "…"


def _notable(effects: dict[str, Any]) -> list[str]:
    lines = []
    if effects.get("placed"):
        places = (place["position"] for place in effects["placed"])
        spots = ", ".join(f"({place['x']:g}, {place['y']:g})" for place in places)
        lines.append(f"moved to free space: {spots}")
    if effects.get("replacedEdges"):
        lines.append(f"replaced {len(effects['replacedEdges'])} connection(s)")
    if effects.get("droppedEdges"):
        lines.append(f"dropped {len(effects['droppedEdges'])} connection(s)")
    warnings = effects.get("warnings") or []
    lines += [f"warning: {warning['message']}" for warning in warnings[:3]]
    if len(warnings) > len(lines):
        lines.append(f"… {len(warnings)} warnings in all")
    return lines
