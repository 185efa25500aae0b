"""Entry point: ``graph-sidecar`` and ``python -m sidecar``.

The environment is made safe before anything else is imported: no module is loaded from the host's
working directory or from ``PYTHONPATH``, and what is created is readable by its owner alone.
"""

import gc
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

USAGE_ERROR = 2
ON_A_TERMINAL = """\
graph-sidecar waits for a host: it reads JSON-RPC from stdin and answers on stdout.
Ctrl-C ends it. To see what it does: graph-sidecar demo; all else: graph-sidecar --help
"""


def main(
    words: Sequence[str] | None = None,
    *,
    parent: int | None = None,
    last: Callable[[], None] | None = None,
) -> NoReturn:
    """Run the command line ``words`` (default: the process's own) and end the process.

    It serves no longer than the process ``parent`` (default: the one that started it) is there.
    ``last`` is called when all is done.
    """
    # Asked first: where the parent ends while modules load, another one takes its place.
    parent = os.getppid() if parent is None else parent
    _make_safe()
    _stand_in_for_streams()
    # Nothing dies while modules load; the server collects again once it is initialized.
    gc.disable()
    code = _run(sys.argv[1:] if words is None else list(words), parent)
    _flush()
    if last is not None:
        last()
    # A thread that is stuck in a write to a host that does not read must not hold the end up.
    os._exit(code)


def _run(words: list[str], parent: int) -> int:
    from sidecar.server.settings import (  # noqa: PLC0415 -- after the path is safe
        USAGE,
        OtherCommand,
        ShowVersion,
        UsageError,
        parse,
    )

    try:
        match parse(words):
            case OtherCommand(words=rest):
                return _run_command(list(rest))
            case ShowVersion(as_json=as_json):
                from sidecar.server.versions import show  # noqa: PLC0415 -- rarely wanted

                return show(as_json=as_json)
            case settings:
                if os.isatty(0):
                    sys.stderr.write(ON_A_TERMINAL)
                from sidecar.server.stdio import take  # noqa: PLC0415 -- before all others

                stdio = take()
                # A drive that can be taken out must not be held by it.
                os.chdir(os.path.join(os.environ.get("SYSTEMDRIVE", ""), os.sep))  # noqa: PTH118 -- pathlib is not loaded yet
                from sidecar.server.app import main as serve  # noqa: PLC0415 -- after fd 1 is ours

                return serve(settings, stdio, parent)
    except UsageError as error:
        # The fault comes last, where a host that shows one line of its log looks for it.
        sys.stderr.write(f"{USAGE}graph-sidecar: {error}\n")
        return USAGE_ERROR


def _run_command(words: list[str]) -> int:
    import importlib  # noqa: PLC0415 -- rarely wanted

    code: int = importlib.import_module("sidecar.cli").main(words)
    return code


def _make_safe() -> None:
    os.umask(0o077)
    if sys.flags.isolated or getattr(sys, "frozen", False):
        return
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 -- likewise
    unsafe = {"", os.getcwd()}  # noqa: PTH109 -- likewise
    unsafe.update(os.path.abspath(entry) for entry in _python_path())  # noqa: PTH100 -- likewise
    sys.path[:] = [entry for entry in sys.path if entry not in unsafe]
    if here not in sys.path:
        sys.path.append(here)


def _stand_in_for_streams() -> None:
    """Let a process say nothing that has no stream to say it on: closed ones, a GUI of Windows."""
    if getattr(sys, "stdout", None) is None:
        sys.stdout = io.StringIO()
    if getattr(sys, "stderr", None) is None:
        sys.stderr = io.StringIO()


def _flush() -> None:
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        # What a command could not write, it has told.
        return


def _python_path() -> list[str]:
    return [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]


if __name__ == "__main__":
    main()
