"""What the program says to somebody who does not know it yet."""

import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sidecar.cli.app import EXAMPLES
from sidecar.server.settings import USAGE
from sidecar.testing.client import SidecarClient
from tests.cli.command_line import MODULE, run

DEADLINE = 30.0


def test_an_unknown_command_is_told_with_all_that_there_are() -> None:
    said = run("replya").stderr

    assert '"replya"' in said
    assert [name for name in EXAMPLES if name not in said] == []


def test_words_that_are_too_many_are_told_as_they_were_given(tmp_path: Path) -> None:
    done = run("demo", "a.json", "b.json", "two words", cwd=tmp_path)

    assert done.returncode == 2
    assert "b.json two words." in done.stderr
    assert "[" not in done.stderr


def test_who_checks_what_is_no_database_is_not_sent_to_check_it(tmp_path: Path) -> None:
    letter = tmp_path / "letter"
    letter.write_text("no database" * 500, encoding="utf-8")

    said = run("check", letter).stderr

    assert "no database" in said
    assert "check command" not in said


def test_a_backup_that_would_overwrite_names_the_file(tmp_path: Path) -> None:
    with SidecarClient.spawn(tmp_path / "app.db") as sidecar:
        sidecar.initialize()
        sidecar.close()

    said = run("backup", "app.db", "app.db", cwd=tmp_path).stderr

    assert said.startswith("graph-sidecar: app.db: there is something at this path")


def test_the_help_says_of_every_flag_what_it_does() -> None:
    help_ = run("--help").stdout
    flags = {
        flag
        for flag in re.findall(r"--[a-z-]+", USAGE)
        if flag not in ("--version", "--json", "--help")
    }

    assert flags
    told = {flag for flag in flags if re.search(rf"^ +{flag}\b.*  ", help_, re.MULTILINE)}
    assert told == flags


@pytest.mark.skipif(sys.platform == "win32", reason="terminals are another thing on Windows")
def test_on_a_terminal_it_says_that_it_waits_for_a_host() -> None:
    import pty  # noqa: PLC0415 -- there is none on Windows

    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(MODULE[0], MODULE)
    try:
        said = "".join(_lines(terminal, until="--help"))
    finally:
        os.write(terminal, b"\x04")
        _, status = os.waitpid(pid, 0)
        os.close(terminal)

    assert "waits for a host" in said
    assert "graph-sidecar demo" in said
    assert os.waitstatus_to_exitcode(status) == 0


def test_on_a_pipe_it_says_nothing() -> None:
    done = run("--stdio")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def _lines(terminal: int, until: str) -> Iterator[str]:
    """Yield what a terminal shows up to these words; nothing is awaited for ever."""
    text = ""
    signal.alarm(int(DEADLINE))
    while until not in text:
        piece = os.read(terminal, 4096).decode()
        text += piece
        yield piece
    signal.alarm(0)
