"""Proving that a built program is the sidecar: what it says, how it answers, how it ends."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import psutil
from attrs import frozen

from sidecar import __version__
from sidecar.cli.binary.build import ROOT, Built
from sidecar.cli.exchanges.player import play
from sidecar.cli.exchanges.script import read_script
from sidecar.testing.client import SidecarClient

CONFORMANCE: Final = ROOT / "protocol" / "conformance"
PATIENCE: Final = 5.0
"""Seconds that a sidecar may go on after its host."""
_TICK: Final = 0.05
_LIBRARIES: Final = "LD_LIBRARY_PATH"


@frozen
class Check:
    """One thing that was looked at: None where it is right, else what is wrong."""

    name: str
    fault: str | None


def checks(built: Built) -> Iterator[Check]:
    """Look at everything, in the order in which a failure is most telling."""
    for name, look in (
        ("says its version", _version),
        ("shows help and examples", _help),
        ("plays the demo", _demo),
        ("passes the recorded exchanges", _conformance),
        ("starts other programs as a shell does", _start_others),
        ("ends with its host", _end_with_host),
        ("leaves nothing behind when it is killed", _killed),
    ):
        yield Check(name, _looked(look, built.program))
    if built.form == "file":
        name = "leaves nothing behind when it is killed while it starts"
        yield Check(name, _looked(_killed_early, built.program))


def _looked(look: Callable[[Path], str | None], program: Path) -> str | None:
    try:
        return look(program)
    except Exception as error:  # noqa: BLE001 -- a look that breaks is a fault like any other
        return f"{type(error).__name__}: {error}"


def _version(program: Path) -> str | None:
    found = json.loads(_run(program, "--version", "--json").stdout)["sidecar"]
    return None if found == __version__ else f"version {found}"


def _help(program: Path) -> str | None:
    texts = [_run(program, *words).stdout for words in (["--help"], ["inspect", "--help"])]
    return None if all("inspect" in text for text in texts) else "help lacks the commands"


def _demo(program: Path) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        done = _run(program, "demo", "--output", folder, "--json")
        pictures = sorted(path.name for path in Path(folder).glob("*.svg"))
    wanted = ["after.svg", "before.svg", "run.svg"]
    return None if (done.returncode, pictures) == (0, wanted) else done.stderr[-500:]


def _conformance(program: Path) -> str | None:
    failed = [
        f"{file.name}:{outcome.line}"
        for file in sorted(CONFORMANCE.glob("*.jsonl"))
        for outcome in play(read_script(file), [str(program)]).outcomes
        if outcome.verdict != "passed"
    ]
    return None if not failed else f"not as recorded: {', '.join(failed)}"


def _start_others(program: Path) -> str | None:
    """Look for what the program needs around itself and others must not have."""
    tell = f"import os, sys; sys.stderr.write(repr(os.environ.get({_LIBRARIES!r})))"
    with tempfile.TemporaryDirectory() as folder:
        output = str(Path(folder) / "a.jsonl")
        done = _run(program, "record", "--output", output, "--", sys.executable, "-c", tell)
    if repr(os.environ.get(_LIBRARIES)) in done.stderr:
        return None
    return f"it was told to load libraries from elsewhere: {done.stderr[-200:]}"


def _end_with_host(program: Path) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        client = SidecarClient.spawn(Path(folder) / "a.db", command=[str(program)])
        client.initialize()
        code = client.close()
    return None if code == 0 else f"exit code {code}"


def _killed(program: Path) -> str | None:
    """Kill it while it serves."""

    def serving(client: SidecarClient) -> psutil.Process:
        client.initialize()
        return psutil.Process(client.request("getStatus")["process"]["pid"])

    return _after_a_kill(program, serving)


def _killed_early(program: Path) -> str | None:
    """Kill it when the inner process has begun and knows of nothing yet."""

    def begun(client: SidecarClient) -> psutil.Process:
        outer = psutil.Process(client.process.pid)
        deadline = time.monotonic() + PATIENCE
        while not (found := outer.children()):
            if time.monotonic() > deadline:
                raise TimeoutError("no inner process began")
        return found[0]

    return _after_a_kill(program, begun)


def _after_a_kill(program: Path, awaited: Callable[[SidecarClient], psutil.Process]) -> str | None:
    """Kill the process that a host sees, hold its stdin open, and look for what goes on."""
    with tempfile.TemporaryDirectory() as folder:
        unpacked = Path(folder) / "unpacked"
        unpacked.mkdir()
        client = SidecarClient.spawn(
            Path(folder) / "a.db", command=[str(program)], env={"TMPDIR": str(unpacked)}
        )
        inner = awaited(client)
        client.process.kill()
        client.process.wait()
        goes_on = _goes_on(inner)
        left = [path.name for path in unpacked.iterdir()] if sys.platform != "win32" else []
        if goes_on:
            inner.kill()
        client.kill()
    if goes_on:
        return f"the inner process went on for more than {PATIENCE:g} s"
    return f"left behind: {', '.join(left)}" if left else None


def _goes_on(process: psutil.Process) -> bool:
    deadline = time.monotonic() + PATIENCE
    while _lives(process):
        if time.monotonic() > deadline:
            return True
        time.sleep(_TICK)
    return False


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _run(program: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(  # noqa: S603 -- what was just built
        [program, *words],
        check=False,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=120,
    )
