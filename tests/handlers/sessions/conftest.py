from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.handlers.sessions.chat import SESSION, Chat


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "graphs.db"


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chat]:
    """One sidecar for all tests of a module, with a project."""
    with Chat.begin(tmp_path_factory.mktemp("sessions") / "graphs.db") as chat:
        chat.request("deleteSession", sessionId=SESSION)
        yield chat
        assert chat.client.close() == 0


@pytest.fixture
def chat(process: Chat) -> Iterator[Chat]:
    """The module's sidecar with one new session; sessions do not outlive a test."""
    process.create(SESSION)
    yield process
    for session in process.request("listSessions")["items"]:
        remove(process, session)
    for session in process.request("listSessions", archived=True)["items"]:
        remove(process, session)


def remove(chat: Chat, session: dict[str, object]) -> None:
    run = session["activeRun"]
    if isinstance(run, dict):
        chat.settle(
            run["promptMessageId"], run["startedAt"], "completed", str(session["sessionId"])
        )
    chat.request("deleteSession", sessionId=session["sessionId"])
