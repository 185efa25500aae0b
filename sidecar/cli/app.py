"""The command line: which command is meant, and what its end is worth as an exit code."""

import importlib
import sys
import traceback
from collections.abc import Sequence
from typing import Final

from cyclopts import App, CycloptsError, UnknownCommandError, UnusedCliTokensError

from sidecar import __version__
from sidecar.cli.streams import replace_what_is_unknown

DONE: Final = 0
FAILED: Final = 1
USAGE: Final = 2
BUG: Final = 70
EPILOGUE: Final = """\
Without a command it serves: it reads JSON-RPC from stdin and answers on stdout.

  graph-sidecar [--stdio] [--database PATH] [--max-message BYTES]
                [--log-level LEVEL] [--log-file PATH]

  --database PATH      the file; default: graphs.db in your data folder.
                       The host's initialize may name another one.
  --max-message BYTES  the largest message that is read; default: 64 MiB
  --log-level LEVEL    debug, info, warning or error; default: warning
  --log-file PATH      a file for the log, beside stderr
  --stdio              what it does anyway; for hosts that pass it

Exit codes of the commands: 0 done, 1 it failed or what was checked is not
right, 2 usage, 70 a bug.
Each command shows examples: graph-sidecar inspect --help
"""
EXAMPLES: Final[dict[str, tuple[str, ...]]] = {
    "demo": ("demo", "demo workflow.json --output pictures"),
    "inspect": (
        "inspect app.db",
        'inspect app.db --project "My workflow" --limit 100',
        "inspect app.db --json",
    ),
    "render": (
        'render app.db "My workflow" -o now.svg',
        'render app.db "My workflow" --revision 12 -o then.svg',
        'render app.db "My workflow" --diff 12 20 -o difference.svg',
        "render workflow.json -o workflow.svg",
    ),
    "check": ("check app.db", "check app.db --json"),
    "backup": ("backup app.db app-copy.db",),
    "export": (
        'export app.db "My workflow" > workflow.json',
        'export app.db "My workflow" --revision 12 -o then.json',
    ),
    "schema": ("schema > openrpc.json",),
    "replay": (
        "replay protocol/conformance/*.jsonl",
        "replay exchanges.jsonl -- ./my-app --sidecar",
    ),
    "record": (
        "record -o session.jsonl",
        "record -o session.jsonl -- graph-sidecar --database a.db",
    ),
}
"""Each command and how it is used; what it does stands where it is."""
SYNOPSES: Final = {
    "demo": "demo [FILE] [OPTIONS]",
    "render": "render FILE [PROJECT] -o SVG [OPTIONS]",
    "replay": "replay FILE... [OPTIONS] [-- COMMAND...]",
    "record": "record -o FILE [OPTIONS] [-- COMMAND...]",
}
"""What the functions' parameters cannot say: names of what may be left out, and ``--``."""


def run(words: list[str]) -> int:
    """Run a command line; return the exit code.

    0: done; 1: it failed, or what was checked is not right; 2: the command line is wrong.
    """
    replace_what_is_unknown()
    ours, forwarded = _split(words)
    listing = ours[:1] in ([], ["--help"], ["-h"])
    try:
        command, bound, ignored = _app(listing=listing).parse_args(
            ours, exit_on_error=False, print_error=False
        )
        if "command" in ignored:
            result = command(*bound.args, **bound.kwargs, command=forwarded or ())
        elif forwarded is None:
            result = command(*bound.args, **bound.kwargs)
        else:
            return _fail("This command takes nothing behind --.", USAGE)
        sys.stdout.flush()
    except CycloptsError as error:
        meant = f" {words[0]}" if words[0] in EXAMPLES else ""
        return _fail(f"{_told(error)} See graph-sidecar{meant} --help.", USAGE)
    except KeyboardInterrupt:
        return FAILED
    except Exception as error:  # noqa: BLE001 -- the process boundary
        return _failed(error)
    return result if isinstance(result, int) else DONE


def _app(*, listing: bool) -> App:
    """Return the commands; ``listing``: with what each does, which loads them all."""
    app = App(
        name="graph-sidecar",
        help="A command engine for node graphs and chat sessions, "
        "spoken to over stdio with JSON-RPC.",
        help_format="plaintext",
        help_epilogue=EPILOGUE,
        version=__version__,
    )
    for name, examples in EXAMPLES.items():
        module = f"sidecar.cli.commands.{name}"
        lines = "\n".join(f"  graph-sidecar {example}" for example in examples)
        app.command(
            getattr(importlib.import_module(module), name) if listing else f"{module}:{name}",
            name=name,
            usage=f"Usage: graph-sidecar {SYNOPSES[name]}" if name in SYNOPSES else None,
            help_epilogue=f"Examples:\n\n{lines}",
        )
    return app


def _split(words: list[str]) -> tuple[list[str], Sequence[str] | None]:
    if "--" not in words:
        return words, None
    place = words.index("--")
    return words[:place], words[place + 1 :]


def _told(error: CycloptsError) -> str:
    match error:
        case UnknownCommandError(unused_tokens=[word, *_]):
            return f'There is no command "{word}"; there are {", ".join(EXAMPLES)}.'
        case UnusedCliTokensError(unused_tokens=[*words]):
            return f"Not understood: {' '.join(words)}."
        case _:
            return " ".join(str(error).split())


def _failed(error: Exception) -> int:
    from sidecar.cli.errors import CliUsageError, sentence_of  # noqa: PLC0415 -- loads the store

    sentence = sentence_of(error)
    if sentence is None:
        traceback.print_exception(error)
        return _fail("This is a bug; please report it with the lines above.", BUG)
    return _fail(sentence, USAGE if isinstance(error, CliUsageError) else FAILED)


def _fail(sentence: str, code: int) -> int:
    sys.stderr.write(f"graph-sidecar: {sentence}\n")
    return code
