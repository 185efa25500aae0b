"""``graph-sidecar demo``."""

from pathlib import Path

from sidecar.cli.commands.options import Json, Output
from sidecar.cli.demo import run


def demo(
    file: Path | None = None,
    /,
    *,
    output: Output = Path("graph-sidecar-demo"),
    as_json: Json = False,
) -> int:
    """Play the main job on a workflow: open, edit, a run, a conflict, a retry, undo.

    A person and an assistant edit the workflow through a real sidecar; each
    answer is shown as it comes, and the graph before and after is drawn.

    Parameters
    ----------
    file
        A ComfyUI, Node-RED, n8n or React Flow file; default: one that ships with the program.
    output
        The folder for the pictures.
    as_json
        Print a summary as JSON on stdout; the play itself goes to stderr.

    """
    return run(file, output, as_json=as_json)
