"""``python -m sidecar.cli.binary``: build the program, then prove that it is the sidecar."""

import sys
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App, CycloptsError, Parameter
from rich.console import Console

from sidecar.cli import console
from sidecar.cli.binary.build import FORMS, BuildError, Built, Form, build
from sidecar.cli.binary.smoke import Check, checks
from sidecar.cli.binary.targets import target_triple
from sidecar.cli.inspection.show import size
from sidecar.cli.streams import replace_what_is_unknown

app = App(
    name="python -m sidecar.cli.binary",
    help_format="plaintext",
    help_epilogue="Example:\n\n  uv run --group binary python -m sidecar.cli.binary -o dist",
)


@app.default
def make(
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("dist"),
    form: Annotated[tuple[Form, ...], Parameter(negative="")] = FORMS,
    triple: str | None = None,
    check: bool = True,
    as_json: Annotated[bool, Parameter(name="--json", negative="", show_default=False)] = False,
) -> int:
    """Build the sidecar as a program that needs no Python, and check what was built.

    Parameters
    ----------
    output
        The folder to build into.
    form
        folder (for Electron's extraResources), file (for Tauri's externalBin); default: both.
    triple
        The target triple in the single file's name; default: this machine's.
    check
        Whether to check what was built.
    as_json
        Print what was built and found as JSON.

    """
    out = Console(stderr=as_json, highlight=False)
    reports = []
    for one in form:
        built = build(one, output.absolute(), triple=triple or target_triple())
        out.print(f"[bold]{built.program}[/]  {size(built.size)}")
        found = list(_shown(out, built)) if check else []
        reports.append(_report(built, found))
    if as_json:
        console.print_json(reports)
    return 0 if all(report["ok"] for report in reports) else 1


def _shown(out: Console, built: Built) -> "list[Check]":
    found = []
    for one in checks(built):
        mark = "[green]✓[/]" if one.fault is None else "[red]✗[/]"
        out.print(f"  {mark} {one.name}")
        if one.fault is not None:
            out.print(f"    {one.fault}", style="red", markup=False)
        found.append(one)
    return found


def _report(built: Built, found: "list[Check]") -> dict[str, Any]:
    return {
        "form": built.form,
        "program": str(built.program),
        "bytes": built.size,
        "ok": all(one.fault is None for one in found),
        "checks": [{"name": one.name, "fault": one.fault} for one in found],
    }


def main() -> int:
    """Run the command line; return the exit code."""
    replace_what_is_unknown()
    try:
        result = app(exit_on_error=False, result_action="return_value")
    except CycloptsError:
        return 2
    except (BuildError, ValueError) as error:
        console.warn(str(error))
        return 1
    return result if isinstance(result, int) else 0


if __name__ == "__main__":
    sys.exit(main())
