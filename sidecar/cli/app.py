"""The commands and their options."""

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import App, CycloptsError, Parameter

from sidecar import __version__

FAILED = 1
USAGE = 2

app = App(
    name="graph-sidecar",
    help="A command engine for node graphs and chat sessions, spoken to over stdio with JSON-RPC.",
    version=__version__,
    help_epilogue=(
        "Without a command it serves: it reads JSON-RPC from stdin and answers on stdout "
        "(graph-sidecar [--stdio] [--database PATH] [--max-message BYTES] [--log-level LEVEL] "
        "[--log-file PATH])."
    ),
)


@app.command
def demo(
    file: Path | None = None,
    *,
    output: Path = Path("graph-sidecar-demo"),
    as_json: Annotated[bool, Parameter(name="--json")] = False,
) -> int:
    """Play the main job on a workflow: open, edit, a run, a conflict, a retry, undo.

    A person and an assistant edit the workflow through a real sidecar; each answer is shown as it
    comes. Example: graph-sidecar demo workflow.json --output pictures

    Parameters
    ----------
    file
        A ComfyUI, Node-RED, n8n or React Flow file; default: one that ships with the program.
    output
        The folder for the pictures of the graph before and after.
    as_json
        Print a summary as JSON on stdout; the play itself goes to stderr.

    """
    from sidecar.cli.demo import run as play  # noqa: PLC0415 -- only this command draws

    return play(file, output, as_json=as_json)


def run(words: list[str]) -> int:
    """Run a command line; return the exit code.

    0: done; 1: it failed, or what was checked is not right; 2: the command line is wrong.
    """
    try:
        result = app(words, exit_on_error=False, result_action="return_value")
    except CycloptsError:
        # Its text is on the terminal already.
        return USAGE
    except OSError as error:
        sys.stderr.write(f"graph-sidecar: {error.filename}: {error.strerror}\n")
        return FAILED
    return result if isinstance(result, int) else 0
