"""``graph-sidecar render``: a version, the difference of two, or a workflow file as a picture."""

from pathlib import Path
from typing import Any, Final

from sidecar.cli.errors import CliError
from sidecar.cli.local import in_memory, opened
from sidecar.cli.picture import render
from sidecar.cli.selection import find_project, state_of

_SQLITE: Final = b"SQLite format 3\0"


def draw_version(
    database: Path, project: str, *, revision: str | None, diff: tuple[str, str] | None
) -> tuple[str, dict[str, Any]]:
    """Return a version of a project as SVG, and its state."""
    with opened(database) as local, local.database.read() as tx:
        row = find_project(local, tx, project)
        if diff is None:
            state = state_of(local, tx, row, revision)
            return render(state, title=state["title"]), state
        before, state = (state_of(local, tx, row, wanted) for wanted in diff)
        title = f"{state['title']}: version {diff[0]} to {diff[1]}"
        return render(state, before=before, title=title), state


def draw_file(file: Path) -> tuple[str, dict[str, Any]]:
    """Return a workflow file as SVG, and its state as a project would hold it."""
    content = file.read_text(encoding="utf-8-sig")
    with in_memory() as local:
        project = local.call("createProject", title=file.name[:255])
        answer = local.call(
            "commitCommand",
            projectId=project["projectId"],
            actionId="open",
            expectedRevisionId=project["revisionId"],
            actor="manual",
            runId=None,
            payload={"kind": "open-native", "content": content},
        )
    if answer["status"] != "applied":
        raise CliError(f"{file}: {answer['reason']['message']} ({answer['reason']['code']})")
    state = answer["projection"]
    return render(state, title=state["title"]), state


def is_database(file: Path) -> bool:
    """Whether a file is a database rather than a workflow; asked before SQLite opens it."""
    if not file.exists():
        raise CliError(f"{file}: there is no such file.")
    with file.open("rb") as stream:
        return stream.read(len(_SQLITE)) == _SQLITE
