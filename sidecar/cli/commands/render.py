"""``graph-sidecar render``."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from sidecar.cli import console
from sidecar.cli.commands.options import Json, Output
from sidecar.cli.drawing import draw_file, draw_version, is_database
from sidecar.cli.errors import CliUsageError


def render(  # noqa: PLR0913 -- one parameter an option
    file: Path,
    project: str | None = None,
    /,
    *,
    output: Output,
    revision: str | None = None,
    diff: Annotated[tuple[str, str] | None, Parameter(negative="")] = None,
    as_json: Json = False,
) -> int:
    """Draw a version, the difference of two versions, or a workflow file as SVG.

    In a difference, what was added is green, what changed amber, what was removed red.

    Parameters
    ----------
    file
        A database, or a workflow file.
    project
        The project of the database: its id, or its title.
    output
        The SVG file to write.
    revision
        A version's number or id; default: the current one.
    diff
        Two versions' numbers or ids, the older one first.
    as_json
        Print what was drawn as JSON.

    """
    if not is_database(file):
        if (project, revision, diff) != (None, None, None):
            raise CliUsageError(f"{file} is no database: it has no projects and no versions.")
        svg, state = draw_file(file)
    elif project is None:
        raise CliUsageError("Name the project of the database to draw; inspect lists them.")
    elif revision is not None and diff is not None:
        raise CliUsageError("--revision and --diff exclude each other.")
    else:
        svg, state = draw_version(file, project, revision=revision, diff=diff)
    output.write_text(svg, encoding="utf-8", newline="\n")
    nodes = len(state["graph"]["nodes"])
    if as_json:
        console.print_json({"file": str(output), "title": state["title"], "nodes": nodes})
    else:
        console.out().print(f"{output}: {nodes} nodes", markup=False)
    return 0
