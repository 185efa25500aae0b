"""A large session as a file, and what is looked at while it comes in or goes out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from tests.benchmarks.sessions import session_file
from tests.handlers.sessions.chat import PROJECT, Chat

LARGE = "large"
MESSAGES = 400
MIB = 24
TOKEN = "large"


def write_large(path: Path, *, mib: int = MIB) -> Path:
    """Write a session file that takes a while to read; return its path."""
    session_file(path, LARGE, MESSAGES, mib << 20)
    return path


def start(chat: Chat, method: str, **params: Any) -> int | str:
    """Ask for long work, and wait until it is under way."""
    seen = len(progress(chat))
    work = chat.client.start(method, {**params, "workDoneToken": TOKEN})
    chat.client.wait_notification("$/progress", count=seen + 1)
    return work


def progress(chat: Chat) -> list[dict[str, Any]]:
    """Return the values of all progress that was told."""
    notes = [note for note in chat.client.notifications if note["method"] == "$/progress"]
    return [note["params"]["value"] for note in notes]


def wait_for_share(chat: Chat, share: int) -> None:
    """Wait until the work has told that it is so far."""
    wait_until(lambda: any(one.get("percentage", 0) >= share for one in progress(chat)))


def wait_until(holds: Callable[[], bool], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def came_before(chat: Chat, id_: int | str) -> list[Any]:
    """Return the ids of the answers that came before the one to a request."""
    ids = [one.get("id") for one in chat.client.received if "method" not in one]
    return ids[: ids.index(id_)]


@contextmanager
def beside(database: Path) -> Iterator[apsw.Connection]:
    """Look at the file as another process would."""
    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
    connection.set_busy_timeout(5_000)
    try:
        yield connection
    finally:
        connection.close()


def left_of(database: Path) -> tuple[int, int]:
    """Return how many sessions come in pieces, and how many things belong to no session."""
    with beside(database) as connection:
        staged = connection.execute("SELECT count(*) FROM session_values WHERE thing_key < 0").get
        things = connection.execute(
            "SELECT count(*) FROM session_things"
            " WHERE thing_key >> 35 NOT IN (SELECT session_key FROM sessions)"
        ).get
    return int(staged), int(things)


def nothing_left(database: Path) -> bool:
    return left_of(database) == (0, 0)


def comes_in(chat: Chat, file: Path) -> None:
    """Import the large session and see that it is there as a whole."""
    made = chat.request("importSession", path=str(file))
    assert (made["sessionId"], made["projectId"]) == (LARGE, PROJECT)
    assert made["messageCount"] == MESSAGES
    assert len(chat.transcript(session=LARGE)) == MESSAGES
    assert chat.request("checkDatabase")["ok"]
