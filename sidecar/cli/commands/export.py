"""``graph-sidecar export``."""

from pathlib import Path
from typing import Any, Final

from sidecar.cli import console, streams
from sidecar.cli.commands.options import Json, OptionalOutput
from sidecar.cli.errors import CliUsageError
from sidecar.cli.local import Local, opened
from sidecar.cli.selection import find_project, find_revision
from sidecar.formats.adapters import ADAPTERS
from sidecar.store.projects import ProjectRow

NATIVE: Final = "graph"


def export(  # noqa: PLR0913 -- one parameter an option
    database: Path,
    project: str,
    /,
    *,
    format: str | None = None,  # noqa: A002 -- the option's name
    revision: str | None = None,
    output: OptionalOutput = None,
    as_json: Json = False,
) -> int:
    """Write a version of a project as a workflow file.

    What the format cannot hold is told on stderr.

    Parameters
    ----------
    database
        The database file.
    project
        The project: its id, or its title.
    format
        comfyui, comfyui-api, node-red, n8n, react-flow or graph; default: what was opened.
    revision
        A version's number or id; default: the current one.
    output
        The file to write; default: stdout.
    as_json
        Print {format, content, warnings} as JSON, content being the text of the file.

    """
    if format not in {None, *ADAPTERS}:
        formats = ", ".join(ADAPTERS)
        raise CliUsageError(f"There is no format {format!r}; there are {formats}.")
    with opened(database) as local, local.database.read() as tx:
        row = find_project(local, tx, project)
        answer = local.call(
            "exportProject",
            projectId=row.project_id,
            format=format or _own_format(local, row),
            revisionId=find_revision(tx, row, revision) if revision else None,
        )
    _write(answer, output, as_json=as_json)
    for warning in answer["warnings"]:
        console.warn(f"warning: {warning['message']} {warning['path'] or ''}".rstrip())
    return 0


def _own_format(local: Local, row: ProjectRow) -> str:
    document = local.call("getProject", projectId=row.project_id)["document"]
    return str(document["format"]) if document else NATIVE


def _write(answer: dict[str, Any], output: Path | None, *, as_json: bool) -> None:
    if output is not None:
        output.write_text(answer["content"] + "\n", encoding="utf-8", newline="\n")
    if as_json:
        console.print_json(answer)
    elif output is None:
        streams.write(answer["content"] + "\n")
    else:
        console.out().print(f"{output}: {answer['format']}", markup=False)
