"""A start loads little; what follows is loaded while nobody waits."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from protocol.methods import METHODS, PROTOCOL_VERSION
from sidecar.server.assembly import Serving
from sidecar.server.preloading import QUIET_SECONDS, Preloader
from sidecar.store.database import Database
from tests.client import Client
from tests.server.serving import serving_on

LATER = (
    "cattrs",
    "protocol.commands",
    "protocol.graph",
    "protocol.projects",
    "protocol.sessions",
    "sidecar.core.apply",
    "sidecar.core.conversation.things",
    "sidecar.handlers.commit",
    "sidecar.server.assembly",
    "sidecar.store.codec",
    "zstandard",
)


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    database = Database.open(str(tmp_path / "a.db"))
    yield serving_on(database)
    database.close()


def test_a_start_loads_nothing_that_the_greeting_does_not_need(tmp_path: Path) -> None:
    script = f"""
import sys
from sidecar.server.app import SidecarEngine
from sidecar.server.settings import parse
engine = SidecarEngine(parse(["--database", {str(tmp_path / "a.db")!r}]), None, None)
engine.initialize({{}})
print([name for name in {LATER!r} if name in sys.modules])
engine.close()
"""

    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"


def test_a_request_that_comes_with_the_greeting_is_served(tmp_path: Path) -> None:
    with Client.spawn(
        [sys.executable, "-m", "sidecar", "--database", str(tmp_path / "a.db")]
    ) as client:
        first = client.start("initialize", {"capabilities": {}})
        second = client.start("createProject", {"title": "A"})

        assert (
            client.answer(first)["capabilities"]["experimental"]["protocolVersion"]
            == PROTOCOL_VERSION
        )
        assert client.answer(second)["title"] == "A"


def test_everything_is_loaded_at_last(serving: Serving) -> None:
    preloader = Preloader(serving)

    while preloader.work(quiet=1.0) is not None:
        pass

    assert preloader.work(quiet=1.0) is None
    for method in METHODS.values():
        assert method.params is not None


def test_what_may_never_be_needed_waits_for_quiet(serving: Serving) -> None:
    preloader = Preloader(serving)
    while preloader.work(quiet=0.0) == 0.0:
        pass

    assert preloader.work(quiet=QUIET_SECONDS / 2) == pytest.approx(QUIET_SECONDS / 2)
    assert preloader.work(quiet=QUIET_SECONDS) == 0.0
