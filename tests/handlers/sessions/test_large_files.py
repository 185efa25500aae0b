"""Large sessions come and go by path while everything else is answered; all of one, or nothing."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.client import RpcError
from tests.handlers.sessions.chat import PROJECT, SESSION, Chat, append
from tests.handlers.sessions.large import (
    LARGE,
    MESSAGES,
    came_before,
    comes_in,
    left_of,
    nothing_left,
    progress,
    start,
    wait_for_share,
    wait_until,
    write_large,
)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_large(tmp_path_factory.mktemp("large") / "large.json")


@pytest.fixture
def chat(database: Path) -> Iterator[Chat]:
    with Chat.begin(database) as chat:
        yield chat
        assert chat.client.close() == 0


@pytest.fixture
def holding(chat: Chat, file: Path) -> Chat:
    """A chat with the large session in it."""
    comes_in(chat, file)
    return chat


def talk(chat: Chat, first: int, count: int) -> list[int | str]:
    """Append messages to the small session one after the other; return the requests' ids."""
    ids: list[int | str] = []
    for number in range(first, first + count):
        parent = f"m{number - 1}" if number else None
        commands = [append(f"m{number}", parent)]
        id_ = chat.client.start(
            "applySessionCommands", {"sessionId": SESSION, "commands": commands}
        )
        assert chat.client.answer(id_)["status"] == "applied"
        ids.append(id_)
    return ids


def code_of(chat: Chat, work: int | str) -> int:
    with pytest.raises(RpcError) as caught:
        chat.client.answer(work)
    return caught.value.code


def kinds(chat: Chat) -> list[str]:
    return [value["kind"] for value in progress(chat)]


@pytest.mark.spec("W8", "W15", "S6")
def test_others_are_answered_while_a_session_comes_in_that_nobody_sees_before_its_end(
    chat: Chat, file: Path
) -> None:
    work = start(chat, "importSession", path=str(file))
    wait_for_share(chat, 51)
    talked = talk(chat, 0, 5)
    unseen = chat.refusal("getSession", sessionId=LARGE, view="summary")[0]
    listed = [one["sessionId"] for one in chat.request("listSessions")["items"]]
    found = chat.request("searchSessions", query="amber")["items"]
    made = chat.client.answer(work)

    assert set(talked[:3]) <= set(came_before(chat, work))
    assert (unseen, listed, found) == ("unknown-session", [SESSION], [])
    assert made["messageCount"] == MESSAGES
    assert len(chat.transcript(session=LARGE)) == MESSAGES
    assert chat.request("searchSessions", query="amber")["items"]
    assert (kinds(chat)[0], kinds(chat)[-1]) == ("begin", "end")
    assert chat.transcript() == [f"m{number}" for number in range(5)]
    assert chat.request("checkDatabase")["ok"]


@pytest.mark.spec("W8")
def test_the_news_of_a_session_that_came_in_follow_the_answer(chat: Chat, file: Path) -> None:
    work = start(chat, "importSession", path=str(file))
    chat.client.answer(work)
    chat.request("getStatus")

    last = chat.client.received[-4:-1]
    assert [one.get("method") for one in last] == ["$/progress", None, "sessionChanged"]
    assert last[0]["params"]["value"] == {"kind": "end"}
    assert last[1]["id"] == work
    assert (last[2]["params"]["sessionId"], last[2]["params"]["cause"]) == (LARGE, "created")


@pytest.mark.spec("W8", "W15", "S6")
def test_others_are_answered_while_a_session_goes_out_as_it_was_at_one_moment(
    holding: Chat, tmp_path: Path
) -> None:
    target = tmp_path / "out.json"
    tail = [f"r{MESSAGES // 2 - 1}"]
    work = start(holding, "exportSession", sessionId=LARGE, path=str(target))
    talked = talk(holding, 0, 3)
    for number in range(3):
        at_end = append(f"x{number}", tail[-1], branch=f"message-branch-{LARGE}")
        holding.applied(at_end, session=LARGE)
        tail.append(f"x{number}")
    done = holding.client.answer(work)

    assert talked[0] in came_before(holding, work)
    assert done == {"path": str(target), "bytes": target.stat().st_size}
    session = json.loads(target.read_text("utf-8"))
    ids = [message["id"] for message in session["messages"]]
    assert ids[MESSAGES - 1 :] == tail[: len(ids) - MESSAGES + 1]
    assert session["conversationGraph"]["branches"][0]["headMessageId"] == ids[-1]
    assert len(session["conversationGraph"]["messages"]) == len(ids)
    assert (kinds(holding)[0], kinds(holding)[-1]) == ("begin", "end")


@pytest.mark.spec("W9", "W15")
@pytest.mark.parametrize("share", [0, 60])
def test_an_import_stops_in_the_middle_and_leaves_nothing(
    chat: Chat, database: Path, file: Path, share: int
) -> None:
    work = start(chat, "importSession", path=str(file))
    wait_for_share(chat, share)
    chat.client.cancel(work)

    assert code_of(chat, work) == -32800
    assert kinds(chat)[-1] == "end"
    assert chat.refusal("getSession", sessionId=LARGE, view="summary")[0] == "unknown-session"
    wait_until(lambda: nothing_left(database))
    comes_in(chat, file)


@pytest.mark.spec("W9", "W15")
def test_an_export_stops_in_the_middle_and_leaves_nothing(holding: Chat, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    work = start(holding, "exportSession", sessionId=LARGE, path=str(folder / "out.json"))
    holding.client.cancel(work)

    assert code_of(holding, work) == -32800
    assert list(folder.iterdir()) == []


def test_a_file_that_gets_the_name_meanwhile_is_left_alone(holding: Chat, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    target = folder / "out.json"
    work = start(holding, "exportSession", sessionId=LARGE, path=str(target))
    target.write_text("mine", "utf-8")

    assert code_of(holding, work) == -32602
    assert target.read_text("utf-8") == "mine"
    assert list(folder.iterdir()) == [target]


def test_a_session_that_gets_the_id_meanwhile_is_left_alone(
    chat: Chat, database: Path, file: Path
) -> None:
    work = start(chat, "importSession", path=str(file))
    wait_for_share(chat, 60)
    chat.create(LARGE)
    error = chat.client.answer_message(work)["error"]

    assert error["data"]["code"] == "id-in-use"
    assert chat.summary(LARGE)["messageCount"] == 0
    wait_until(lambda: nothing_left(database))
    chat.applied(append("m0", branch=f"message-branch-{LARGE}"), session=LARGE)
    assert chat.request("checkDatabase")["ok"]


def test_two_imports_of_one_id_leave_one_session(chat: Chat, database: Path, file: Path) -> None:
    works = [chat.client.start("importSession", {"path": str(file)}) for _ in range(2)]
    answers = [chat.client.answer_message(work) for work in works]

    codes = [one["error"]["data"]["code"] for one in answers if "error" in one]
    assert codes == ["id-in-use"]
    wait_until(lambda: nothing_left(database))
    assert len(chat.transcript(session=LARGE)) == MESSAGES
    assert chat.request("checkDatabase")["ok"]


def test_a_project_that_goes_meanwhile_takes_its_place_along(
    chat: Chat, database: Path, file: Path
) -> None:
    work = start(chat, "importSession", path=str(file))
    wait_for_share(chat, 60)
    chat.request("deleteProject", projectId=PROJECT)
    error = chat.client.answer_message(work)["error"]

    assert error["data"]["code"] == "unknown-project"
    wait_until(lambda: nothing_left(database))


def test_sessions_made_while_one_comes_in_do_not_mix_with_it(chat: Chat, file: Path) -> None:
    work = start(chat, "importSession", path=str(file))
    for number in range(5):
        session = f"other-{number}"
        chat.create(session)
        chat.applied(append("m0", branch=f"message-branch-{session}"), session=session)
    chat.client.answer(work)

    assert all(chat.transcript(session=f"other-{number}") == ["m0"] for number in range(5))
    assert len(chat.transcript(session=LARGE)) == MESSAGES
    assert chat.request("checkDatabase")["ok"]


def test_what_a_killed_process_left_is_removed_at_the_next_start(
    database: Path, file: Path
) -> None:
    with Chat.begin(database) as chat:
        start(chat, "importSession", path=str(file))
        wait_for_share(chat, 60)
        chat.client.kill()
    assert left_of(database)[0] == 1
    with Chat.spawn(database) as chat:
        assert chat.request("checkDatabase")["ok"]
        wait_until(lambda: nothing_left(database))
        comes_in(chat, file)


def test_another_process_leaves_a_session_alone_that_still_comes_in(
    database: Path, file: Path
) -> None:
    with Chat.begin(database) as chat:
        work = start(chat, "importSession", path=str(file))
        wait_for_share(chat, 60)
        with Chat.spawn(database) as other:
            other.create("of-other")
            other.applied(append("m0", branch="message-branch-of-other"), session="of-other")
            assert other.request("checkDatabase")["ok"]
        assert chat.client.answer(work)["messageCount"] == MESSAGES
        assert chat.transcript(session="of-other") == ["m0"]
        assert chat.request("checkDatabase")["ok"]


@pytest.mark.parametrize("method", ["importSession", "exportSession"])
def test_a_host_that_goes_away_in_the_middle_finds_all_as_it_was(
    database: Path, file: Path, tmp_path: Path, method: str
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    of: dict[str, Any] = {
        "importSession": {"path": str(file), "sessionId": "again"},
        "exportSession": {"sessionId": LARGE, "path": str(folder / "out.json")},
    }
    with Chat.begin(database) as chat:
        comes_in(chat, file)
        start(chat, method, **of[method])
        if method == "importSession":
            wait_for_share(chat, 60)
        assert chat.client.close() == 0
    assert list(folder.iterdir()) == []
    with Chat.spawn(database) as chat:
        assert chat.refusal("getSession", sessionId="again", view="summary")[0] == "unknown-session"
        wait_until(lambda: nothing_left(database))
        assert chat.request("checkDatabase")["ok"]


def test_a_file_that_changes_while_it_is_read_is_no_session(
    chat: Chat, database: Path, tmp_path: Path
) -> None:
    changing = write_large(tmp_path / "changing.json")
    work = start(chat, "importSession", path=str(changing))
    wait_for_share(chat, 50)
    with changing.open("r+b") as end:
        end.seek(-100, 2)
        end.write(b"y" * 50)
    error = chat.client.answer_message(work)["error"]

    assert error["data"]["code"] == "invalid-session"
    assert error["data"]["details"] == {"phase": "file", "check": "changed"}
    wait_until(lambda: nothing_left(database))


def test_a_database_that_no_other_connection_sees_is_served_at_once(
    tmp_path: Path, file: Path
) -> None:
    target = tmp_path / "out.json"
    with Chat.begin(Path(":memory:")) as chat:
        comes_in(chat, file)
        done = chat.request("exportSession", sessionId=LARGE, path=str(target), workDoneToken=1)
        backup = chat.request("backupDatabase", path=str(tmp_path / "copy.db"))

        assert done["bytes"] == target.stat().st_size
        assert backup["pages"] > 1_000
        assert chat.request("checkDatabase")["checked"]["projects"] == 1
        assert chat.client.close() == 0
    with Chat.spawn(tmp_path / "copy.db") as chat:
        assert len(chat.transcript(session=LARGE)) == MESSAGES
