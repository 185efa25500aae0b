"""``graph-sidecar record``."""

import os
import sys

from sidecar.cli.commands.options import Forwarded, Output
from sidecar.cli.errors import CliError
from sidecar.cli.exchanges import tap
from sidecar.testing.client import SIDECAR


def record(*, output: Output, description: str = "", command: Forwarded = ()) -> int:
    """Stand between a host and a sidecar and write down what passes, for replay.

    Start it in the sidecar's place: it reads from stdin and writes to stdout what
    the command behind -- would (default: this installation). Minted ids become
    names, times and texts for people become types.

    Parameters
    ----------
    output
        The file to write; there must be nothing under this name.
    description
        What the recording shows, for its first line.
    command
        What stands behind --.

    """
    # Descriptors of their own: the interpreter flushes and closes its own streams in the end.
    host = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    try:
        return tap.record(
            output,
            command or SIDECAR,
            host=host,
            complain=lambda text: print(f"graph-sidecar record: {text}", file=sys.stderr),
            description=description,
        )
    except FileExistsError as error:
        raise CliError(f"{output}: there is something there; it was left alone.") from error
