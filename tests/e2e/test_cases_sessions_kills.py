"""Processes that die, disks that fill: what was acknowledged is there, nothing is half there.

Each test names the public report it comes from.
"""

import itertools
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.client import ProcessGoneError
from tests.handlers.sessions.chat import (
    BRANCH,
    PROJECT,
    SESSION,
    Chat,
    append,
    fork,
    start_run,
)

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals and limits of Linux")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "graphs.db"


def chain(count: int, *, content: str = "") -> list[dict[str, Any]]:
    """Appends of ``m0`` to ``m<count - 1>``, each below the one before."""
    parents = [None, *(f"m{number}" for number in range(count))]
    return [
        append(f"m{number}", parent, content=content)
        for number, parent in zip(range(count), parents, strict=False)
    ]


@pytest.mark.parametrize("after", range(6))
def test_a_process_that_dies_in_append_301_leaves_300_or_301_whole_messages(
    database: Path, after: int
) -> None:
    """claude-code#53821."""
    commands = chain(301, content="words " * 2_000)
    with Chat.begin(database) as chat:
        for start in range(0, 300, 100):
            chat.applied(*commands[start : start + 100])
        chat.client.start(
            "applySessionCommands", {"sessionId": SESSION, "commands": commands[300:]}
        )
        pause(after * 0.0004)
        chat.client.process.send_signal(signal.SIGKILL)
        chat.client.process.wait()
    with Chat.spawn(database) as chat:
        messages = chat.export()["messages"]

        assert len(messages) in (300, 301)
        assert {one["content"] for one in messages} == {"words " * 2_000}
        assert chat.apply(commands[300])["status"] == "applied"
        assert len(chat.transcript()) == 301


def pause(seconds: float) -> None:
    """Wait without sleeping: a kill has to come at a moment of its own."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def test_every_acknowledged_append_is_there_after_kill_9(database: Path) -> None:
    """claude-code#24494, codex#19037, opencode#35505."""
    acknowledged: list[str] = []
    rng = random.Random(7)
    with Chat.begin(database):
        pass
    for life in range(8):
        with Chat.spawn(database) as chat:
            present = chat.transcript()
            assert present[: len(acknowledged)] == acknowledged
            assert len(present) <= len(acknowledged) + 1
            acknowledged = list(present)
            for number in range(rng.randint(1, 12)):
                head = acknowledged[-1] if acknowledged else None
                message_id = f"m{life}-{number}"
                chat.applied(append(message_id, head))
                acknowledged.append(message_id)
            head = acknowledged[-1]
            command = append(f"m{life}-last", head)
            chat.client.start("applySessionCommands", {"sessionId": SESSION, "commands": [command]})
            pause(rng.random() * 0.002)
            chat.client.process.send_signal(signal.SIGKILL)
    with Chat.spawn(database) as chat:
        assert chat.transcript()[: len(acknowledged)] == acknowledged
        listed = [one["sessionId"] for one in chat.request("listSessions")["items"]]
        assert listed == [SESSION]
        assert chat.request("checkDatabase")["ok"] is True


def test_a_process_killed_in_a_run_leaves_an_interrupted_session_that_goes_on(
    database: Path,
) -> None:
    """open-science#2876, codex#12382."""
    with Chat.begin(database) as chat:
        chat.applied(append("m1"), start_run("run", "m1", 20))
        chat.events("m1", 20, messages=[{"id": "r1", "content": "half", "status": "streaming"}])
    with Chat.spawn(database) as chat:
        assert chat.greeting["interruptedSessions"] == [SESSION]
        assert chat.summary()["recovery"] == {
            "kind": "resume-required",
            "cause": "app-restart",
            "promptMessageId": "m1",
        }
        chat.applied(append("m2", "r1"))
        chat.applied(start_run("next", "m2", 30))
        assert chat.summary()["status"] == "running"


def test_a_process_killed_while_it_edits_leaves_the_old_or_the_new_branch(database: Path) -> None:
    """Roo-Code#4311, jan#8019."""
    with Chat.begin(database) as chat:
        chat.applied(*chain(20))
    count = 0
    rng = random.Random(11)
    for life in range(8):
        with Chat.spawn(database) as chat:
            here = chat.summary()["activeBranchId"]
            last = chat.transcript()[-1]
            commands = [
                fork(f"b{life}", last, parent=here),
                append(f"e{life}", "m18", branch=f"b{life}"),
            ]
            chat.client.start("applySessionCommands", {"sessionId": SESSION, "commands": commands})
            pause(rng.random() * 0.003)
            chat.client.process.send_signal(signal.SIGKILL)
            chat.client.process.wait()
        with Chat.spawn(database) as chat:
            transcript = chat.transcript()
            landed = transcript[-1] == f"e{life}"
            count += landed

            assert transcript[:19] == [f"m{number}" for number in range(19)]
            assert len(transcript) == 20
            assert transcript[-1] in (last, f"e{life}")
            assert chat.transcript(BRANCH)[-1] == "m19"
            assert len(chat.export()["conversationGraph"]["branches"]) == 1 + count


def test_a_fork_is_there_after_a_restart_and_its_first_message_too(database: Path) -> None:
    """hermes-agent#70360, #56351."""
    with Chat.begin(database) as chat:
        chat.applied(*chain(3))
        chat.applied(fork("b2", "m2"))
    with Chat.spawn(database) as chat:
        chat.applied(append("first", "m1", branch="b2"))
    with Chat.spawn(database) as chat:
        assert chat.transcript() == ["m0", "m1", "first"]
        (hit,) = chat.request("searchSessions", query="first")["items"]
        assert (hit["messageId"], hit["branchId"]) == ("first", "b2")


def test_a_disk_that_fills_acknowledges_nothing_and_goes_on_once_there_is_room(
    database: Path,
) -> None:
    """cherry-studio#15423, gemini-cli#27277."""
    with Chat.begin(database) as chat:
        limit_files(chat, 400_000)
        acknowledged: list[str] = []
        refused: dict[str, Any] = {}
        for number in itertools.count():
            head = acknowledged[-1] if acknowledged else None
            answer = chat.apply(append(f"m{number}", head, content="words " * 2_000))
            if answer["status"] != "applied":
                refused = answer
                break
            acknowledged.append(f"m{number}")

        assert (refused["status"], refused["reason"]["code"]) == ("rejected", "storage-full")
        assert refused["reason"]["details"]["retryable"] is True
        assert refused["acknowledged"] == []
        assert chat.transcript() == acknowledged
        limit_files(chat, resource.RLIM_INFINITY)
        chat.applied(append(f"m{len(acknowledged)}", acknowledged[-1]))
        assert chat.transcript()[:-1] == acknowledged
    with Chat.spawn(database) as chat:
        assert chat.transcript()[:-1] == acknowledged
        assert chat.request("checkDatabase")["ok"] is True


def test_a_restore_on_a_full_disk_is_both_or_neither(database: Path) -> None:
    with Chat.begin(database) as chat:
        first = chat.request("getProject", projectId=PROJECT)["revisionId"]
        chat.applied(append("m1"), start_run("run", "m1", 20))
        chat.settle("m1", 20, "completed")
        made = chat.request(
            "commitCommand",
            projectId=PROJECT,
            actionId="a",
            expectedRevisionId=first,
            actor="manual",
            runId=None,
            payload={"kind": "add-node", "componentId": "C", "nodeId": "n"},
        )
        restore = {
            "sessionId": SESSION,
            "messageId": "m1",
            "actionId": "r",
            "expectedRevisionId": made["revisionId"],
            "commands": [fork("b2", "m1")],
        }
        limit_files(chat, 4_096)
        full = chat.request("restoreToMessage", **restore)
        limit_files(chat, resource.RLIM_INFINITY)

        assert (full["status"], full["reason"]["code"]) == ("rejected", "storage-full")
        assert len(chat.request("getProject", projectId=PROJECT)["graph"]["nodes"]) == 1
        assert len(chat.export()["conversationGraph"]["branches"]) == 1
        again = chat.request("restoreToMessage", **restore)
        assert (again["status"], again["session"]["acknowledged"]) == ("applied", ["fork-b2"])
        assert chat.request("getProject", projectId=PROJECT)["graph"]["nodes"] == []


def limit_files(chat: Chat, size: int) -> None:
    """Let no file of the process grow beyond a size, as a quota would."""
    hard = resource.prlimit(chat.client.process.pid, resource.RLIMIT_FSIZE)[1]
    resource.prlimit(chat.client.process.pid, resource.RLIMIT_FSIZE, (size, hard))


def test_a_session_damaged_in_the_file_says_so_and_the_others_open(database: Path) -> None:
    """opencode#37821, jan#3693."""
    with Chat.begin(database) as chat:
        chat.applied(append("m1", content="the words that are looked for"))
        chat.create("s2")
        chat.applied(append("m1", branch="message-branch-s2"), session="s2")
        assert chat.client.close() == 0
    content = bytearray(database.read_bytes())
    place = content.index(b'"id":"m1","role":"user","status":"complete"')
    content[place + 6 : place + 8] = b"m7"
    database.write_bytes(content)
    os.sync()

    with Chat.spawn(database) as chat:
        states = {name: opens(chat, name) for name in (SESSION, "s2")}
        assert sorted(states.values()) == [False, True]
        assert len(chat.request("listSessions")["items"]) == 2
        check = chat.request("checkDatabase")
        assert [one["code"] for one in check["problems"]] == ["session"]


def opens(chat: Chat, session_id: str) -> bool:
    params = {"sessionId": session_id, "view": "active"}
    answer = chat.client.answer_message(chat.client.start("getSession", params))
    if "error" in answer:
        assert answer["error"]["data"]["code"] == "session-damaged"
    return "result" in answer


def test_an_answer_that_is_lost_with_its_process_is_had_again(database: Path) -> None:
    command = append("m1")
    with Chat.begin(database) as chat:
        chat.client.start("applySessionCommands", {"sessionId": SESSION, "commands": [command]})
        chat.client.process.send_signal(signal.SIGKILL)
        with pytest.raises(ProcessGoneError):
            chat.client.wait_notification("never")
    with Chat.spawn(database) as chat:
        for _ in range(2):
            answer = chat.apply(command)
            assert (answer["status"], answer["acknowledged"]) == ("applied", ["append-m1"])
        assert chat.transcript() == ["m1"]
        assert chat.summary()["revision"] == 1
