"""Requests in front of the handlers: cancelled while they wait, or before a file that fails."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from sidecar.server.assembly import Serving
from sidecar.server.requests import Chunks, Request
from sidecar.store.database import Database
from sidecar.store.schema import SCHEMA_VERSION
from tests.server.serving import serving_on


@define
class Host:
    """What answers go to; ``cancels`` is cancelled as soon as anybody looks for news."""

    cancels: set[int] = field(factory=set)
    requests: dict[int, Request] = field(factory=dict)
    answers: list[tuple[int, int | None]] = field(factory=list)
    """Ids in the order of the answers, with the code of each error."""

    def create(self, number: int) -> Request:
        request = Request(self, number, "createProject", None, 1)
        request.params = {"projectId": f"p{number}", "title": "Project"}
        self.requests[number] = request
        return request

    def answer(self, request: Request, result: Chunks) -> None:  # noqa: ARG002 -- its order alone
        assert isinstance(request.id, int)
        self.answers.append((request.id, None))

    def refuse(self, request: Request, code: int, message: str, data: Any) -> None:  # noqa: ARG002 -- likewise
        assert isinstance(request.id, int)
        self.answers.append((request.id, code))

    def glance(self) -> None:
        for number in self.cancels:
            self.requests[number].cancel_requested = True


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    database = Database.open(str(tmp_path / "a.db"))
    yield serving_on(database)
    database.close()


@pytest.mark.spec("W8", "W9")
@pytest.mark.parametrize("cancelled", [set(), {1}, {2}, {3}, {1, 2, 3}])
def test_a_cancelled_write_is_answered_at_its_place(serving: Serving, cancelled: set[int]) -> None:
    host = Host(cancelled)

    serving.dispatcher.serve([host.create(number) for number in (1, 2, 3)])

    assert host.answers == [
        (number, -32800 if number in cancelled else None) for number in (1, 2, 3)
    ]
    with serving.context.database.read() as tx:
        made = {name for (name,) in tx.execute("SELECT project_id FROM projects")}
    assert made == {f"p{number}" for number in (1, 2, 3) if number not in cancelled}


def test_the_first_request_is_told_what_is_wrong_with_the_file(tmp_path: Path) -> None:
    """Another process, newer than this one, took the file between the greeting and the request."""
    database = Database.open(str(tmp_path / "a.db"))
    newer = database.sibling()
    with newer.write() as tx:
        tx.pragma("user_version", SCHEMA_VERSION + 1)
    host = Host()
    serving = serving_on(database)

    serving.dispatcher.serve([host.create(1)])

    assert host.answers == [(1, -32803)]
    newer.close()
    database.close()
