"""The pytest plugin: fixtures that spawn a real sidecar process.

Installed with graph-sidecar and loaded by pytest by itself; what a run does not use costs it
nothing.  In a host's tests::

    def test_my_host_shows_what_landed(sidecar):
        sidecar.create_project("A workflow", "p")
        answer = sidecar.commit("p", {"kind": "add-node", "componentId": "Blur"})
        assert answer["status"] == "applied"

    def test_my_host_survives_a_full_disk(sidecar):
        sidecar.create_project("A workflow", "p")
        with full_disk(sidecar):                  # from sidecar.testing.faults
            answer = sidecar.commit("p", {"kind": "add-node", "componentId": "Blur"})
        assert answer["reason"]["code"] == "storage-full"

    def test_two_windows(sidecar_factory):
        one = sidecar_factory("shared.db")
        two = sidecar_factory("shared.db")        # another process on the same file

    def test_a_crash(sidecar_factory):
        first = sidecar_factory("app.db")
        first.kill()
        second = sidecar_factory("app.db")

In the end every sidecar is shut down; a test fails whose sidecar does not end with exit code 0 or
logged errors that the test did not look at (``take_errors``).  ``--sidecar-command`` or
``sidecar_command`` in the configuration has the command line to start, for a packaged sidecar.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from sidecar.testing.client import SidecarClient
    from sidecar.testing.factory import SidecarFactory


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the setting that name another sidecar."""
    text = "command line of the sidecar to test with (default: the installed one)"
    group = parser.getgroup("graph-sidecar")
    group.addoption("--sidecar-command", metavar="COMMAND", help=text)
    parser.addini("sidecar_command", text, default="")


@pytest.fixture
def sidecar(sidecar_factory: "SidecarFactory") -> "SidecarClient":
    """A sidecar on a fresh database, initialized."""
    return sidecar_factory()


@pytest.fixture
def sidecar_factory(request: pytest.FixtureRequest, tmp_path: Path) -> "Iterator[SidecarFactory]":
    """Start sidecars: several ones, on given files, with options, before initialize."""
    from sidecar.testing.factory import SidecarFactory  # noqa: PLC0415 -- what is not used is free

    factory = SidecarFactory(tmp_path, command=_command(request.config))
    yield factory
    faults = factory.close()
    if faults:
        pytest.fail("\n".join(faults), pytrace=False)


def _command(config: pytest.Config) -> list[str] | None:
    given = config.getoption("--sidecar-command") or config.getini("sidecar_command")
    return words_of(given) if given else None


def words_of(line: str, *, windows: bool = sys.platform == "win32") -> list[str]:
    """Return the words of a command line; on Windows a backslash is a part of a path."""
    import shlex  # noqa: PLC0415 -- what is not used is free

    words = shlex.shlex(line, posix=True, punctuation_chars=False)
    words.whitespace_split = True
    words.commenters = ""
    if windows:
        words.escape = ""
    return list(words)
