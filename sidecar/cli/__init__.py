"""The graph-sidecar command for people."""

from collections.abc import Sequence


def main(words: Sequence[str]) -> int:
    """Run a command line that is not about serving; return the exit code."""
    from sidecar.cli.app import run  # noqa: PLC0415 -- a serving process never needs it

    return run(list(words))
