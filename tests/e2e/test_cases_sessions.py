"""Situations in which other chat apps lost, doubled or mixed up messages, over real stdio.

Each test names the public report it comes from.
"""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.handlers.sessions.chat import (
    BRANCH,
    PROJECT,
    SESSION,
    Chat,
    append,
    fork,
    select,
    start_run,
)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "graphs.db"


@pytest.fixture
def chat(database: Path) -> Iterator[Chat]:
    with Chat.begin(database) as chat:
        yield chat


def told(answer: dict[str, Any]) -> tuple[str, str | None]:
    return answer["status"], (answer["reason"] or {}).get("code")


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def test_a_used_message_id_and_a_parent_that_does_not_exist_are_refused(chat: Chat) -> None:
    """claude-code#24304."""
    chat.applied(append("m1"))
    before = chat.export()

    used = chat.apply(append("m1", "m1", content="other", command_id="c2"))
    orphan = chat.apply(append("m2", "nobody"))

    assert told(used) == ("rejected", "message-id-reused")
    assert told(orphan) == ("rejected", "unknown-message")
    assert chat.export() == before


def test_a_resume_sent_three_times_is_one_run_of_the_right_prompt(chat: Chat) -> None:
    """open-science#936, #191."""
    chat.applied(append("m1"), append("m2", "m1"))
    chat.applied(start_run("run", "m2", 20))
    chat.settle("m2", 20, "connection-lost")
    resume = start_run("resume", "m2", 30, kind="resume-run")

    answers = [chat.apply(resume) for _ in range(3)]
    chat.events("m2", 30, admitted=True)
    late = chat.apply(resume)

    assert [told(one) for one in [*answers, late]] == [("applied", None)] * 4
    assert chat.summary()["activeRun"]["promptMessageId"] == "m2"
    assert [one["revision"] for one in answers] == [4, 4, 4]
    assert chat.transcript() == ["m1", "m2"]


def test_a_retry_after_256_other_commands_and_a_restart_is_acknowledged(database: Path) -> None:
    """odysseus#6255, chatwoot#15743."""
    lost = append("m1")
    with Chat.begin(database) as chat:
        chat.applied(lost)
        for start in range(0, 300, 100):
            chat.applied(*(select(f"c{start + n}", BRANCH, BRANCH) for n in range(100)))
        chat.applied(append("m2", "m1"))
    with Chat.spawn(database) as chat:
        before = chat.export()
        answer = chat.apply(lost)

        assert (told(answer), answer["acknowledged"]) == (("applied", None), ["append-m1"])
        assert chat.export() == before


def test_one_command_id_from_two_clients_at_once_has_one_effect(chat: Chat, database: Path) -> None:
    """openclaw#126680, elizaOS#15394."""
    with Chat.spawn(database) as other:
        answers: list[Any] = []

        def send(client: Chat) -> None:
            answers.append(client.apply(append("m1")))

        threads = [threading.Thread(target=send, args=(one,)) for one in (chat, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert [told(one) for one in answers] == [("applied", None)] * 2
        assert [one["acknowledged"] for one in answers] == [["append-m1"]] * 2
        assert chat.transcript() == other.transcript() == ["m1"]
        assert chat.summary()["revision"] == 1


def test_a_command_id_sent_again_with_another_text_is_refused(chat: Chat) -> None:
    """open-science#1507."""
    chat.applied(append("m1", content="first"))
    before = chat.export()

    answer = chat.apply(append("m1", content="second"))

    assert told(answer) == ("rejected", "command-id-reused")
    assert chat.export() == before


def test_a_window_that_saw_3_of_10_messages_overwrites_nothing(chat: Chat) -> None:
    """open-science#1391, DeepSeek-V3#1624."""
    ids = [f"m{number}" for number in range(10)]
    for parent, message_id in zip([None, *ids], ids, strict=False):
        chat.applied(append(message_id, parent))

    answer = chat.apply(append("mine", "m3"))

    assert told(answer) == ("conflict", "branch-moved")
    assert answer["reason"]["details"]["headMessageId"] == "m9"
    assert chat.transcript() == ids


def test_a_parent_that_is_a_placeholder_is_refused(chat: Chat) -> None:
    """LibreChat#13611."""
    chat.applied(append("m1"))
    for placeholder in ("00000000-0000-0000-0000-000000000000", "undefined", "null", BRANCH):
        answer = chat.apply(append("m2", placeholder, command_id=placeholder))
        assert told(answer) == ("rejected", "unknown-message")
    for nothing in ("", None):
        answer = chat.apply({**append("m2"), "parentMessageId": nothing})
        assert told(answer) == ("rejected", "invalid-command")
    assert chat.transcript() == ["m1"]


def test_a_second_append_with_the_old_head_is_deferred_then_a_conflict(chat: Chat) -> None:
    """LibreChat#3380, open-webui/computer#296."""
    chat.applied(append("m1"), start_run("run", "m1", 20))
    second = append("m2", "m1")

    during = chat.apply(second)
    chat.events("m1", 20, messages=[{"id": "r1", "content": "answer"}])
    chat.settle("m1", 20, "completed")
    after = chat.apply(second)

    assert [told(during), told(after)] == [("deferred", "run-active"), ("conflict", "branch-moved")]
    assert during["acknowledged"] == after["acknowledged"] == []
    assert len(chat.export()["conversationGraph"]["branches"]) == 1
    assert chat.transcript() == ["m1", "r1"]


def test_branches_stay_what_they_were_through_20_switches_and_a_restart(database: Path) -> None:
    """llama.cpp#16406, #19300, jan#8357."""
    with Chat.begin(database) as chat:
        chat.applied(append("m1"))
        chat.answer("m1", 20, reply="r1", text="one")
        chat.applied(append("m2", "r1"))
        chat.answer("m2", 30, reply="r2", text="two")
        chat.applied(fork("b2", "m2"), append("m3", "r1", branch="b2"))
        chat.answer("m3", 40, reply="r3", text="three")
        before = {one: canonical(messages(chat, one)) for one in (BRANCH, "b2")}
        switch(chat, range(10))
    with Chat.spawn(database) as chat:
        switch(chat, range(10, 20))

        assert {one: canonical(messages(chat, one)) for one in (BRANCH, "b2")} == before
        assert chat.transcript("b2") == ["m1", "r1", "m3", "r3"]
        assert chat.transcript(BRANCH) == ["m1", "r1", "m2", "r2"]


def switch(chat: Chat, numbers: range) -> None:
    for number in numbers:
        there, here = (BRANCH, "b2") if number % 2 == 0 else ("b2", BRANCH)
        chat.applied(select(f"select-{number}", there, here))
        assert chat.summary()["activeBranchId"] == there


def messages(chat: Chat, branch: str) -> list[Any]:
    page = chat.request("getSession", sessionId=SESSION, view="active", branchId=branch, limit=500)
    return [page["messages"], page["activities"]]


def test_a_run_on_one_branch_writes_there_while_the_person_looks_at_another(chat: Chat) -> None:
    """PaperDebugger#79, slickgpt#83."""
    chat.applied(
        append("m1"), append("m2", "m1"), fork("b2", "m2"), append("m3", "m1", branch="b2")
    )
    chat.applied(start_run("run", "m3", 20))

    for number in range(5):
        looked = chat.request("getSession", sessionId=SESSION, view="active", branchId=BRANCH)
        assert [one["id"] for one in looked["messages"]] == ["m1", "m2"]
        text = [{"messageId": "r3", "text": str(number)}] if number else []
        reply = [] if number else [{"id": "r3", "content": "0", "status": "streaming"}]
        chat.events("m3", 20, eventSeq=number, messages=reply, appendText=text)

    assert chat.transcript(BRANCH) == ["m1", "m2"]
    assert chat.transcript("b2") == ["m1", "m3", "r3"]
    assert chat.export()["messages"][-1]["content"] == "01234"


def test_clocks_that_step_by_ten_minutes_invert_nothing(chat: Chat) -> None:
    """opencode#25024, #28618."""
    times = [1_000_000, 400_000, 1_600_000, 400_001, 1_000_001]
    parent = None
    for number, at in enumerate(times):
        chat.applied(append(f"m{number}", parent, at=at))
        parent = f"m{number}"
        chat.create(f"s{number}x")

    assert chat.transcript() == [f"m{number}" for number in range(5)]
    listed = [one["sessionId"] for one in chat.request("listSessions")["items"]]
    assert listed == ["s4x", SESSION, "s3x", "s2x", "s1x", "s0x"]
    assert chat.summary()["updatedAt"] >= 1_600_000
    chat.applied(start_run("one", "m4", 1_000_000))
    chat.events("m4", 1_000_000, messages=[{"id": "r1", "content": "a", "updatedAt": 9}])
    chat.events("m4", 1_000_000, messages=[{"id": "r1", "content": "b", "updatedAt": 3}])
    assert chat.export()["messages"][-1]["content"] == "b"


def test_of_two_messages_in_one_millisecond_only_the_edited_one_is_superseded(chat: Chat) -> None:
    """Roo-Code#6932."""
    chat.applied(append("m1", at=10), append("m2", "m1", at=10))

    chat.applied(fork("b2", "m2", at=10), append("m3", "m1", branch="b2", at=10))

    graph = {one["id"]: one for one in chat.export()["conversationGraph"]["messages"]}
    assert chat.transcript() == ["m1", "m3"]
    assert graph["m3"]["supersedesMessageId"] == "m2"
    assert graph["m3"]["revisionRootMessageId"] == "m2"
    assert "supersedesMessageId" not in graph["m1"]


def test_two_processes_on_one_session_have_one_order_and_whole_batches(
    chat: Chat, database: Path
) -> None:
    """claude-code#39151, claudecodeui#883."""
    with Chat.spawn(database) as other:
        clients = {"a": chat, "b": other}
        landed: dict[str, list[str]] = {"a": [], "b": []}

        def talk(name: str) -> None:
            client = clients[name]
            for number in range(25):
                head = client.summary()["headMessageId"]
                one, two = f"{name}{number}-1", f"{name}{number}-2"
                answer = client.apply(append(one, head), append(two, one))
                if answer["status"] == "applied":
                    landed[name] += [one, two]
                else:
                    assert told(answer) == ("conflict", "branch-moved")

        threads = [threading.Thread(target=talk, args=(name,)) for name in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        transcript = chat.transcript()
        assert transcript == other.transcript()
        assert sorted(transcript) == sorted(landed["a"] + landed["b"])
        assert [one.split("-")[0] for one in transcript[::2]] == [
            one.split("-")[0] for one in transcript[1::2]
        ]
        for name in clients:
            assert [one for one in transcript if one.startswith(name)] == landed[name]


def test_regenerating_keeps_both_answers(chat: Chat) -> None:
    """Fork the prompt, append the same text under a new id, start a run."""
    chat.applied(append("m1", content="question"))
    chat.answer("m1", 20, reply="r1", text="first answer")

    chat.applied(
        fork("b2", "m1"),
        append("m1-again", content="question", branch="b2"),
        start_run("again", "m1-again", 40),
    )
    chat.events("m1-again", 40, messages=[{"id": "r2", "content": "second answer"}])
    chat.settle("m1-again", 40, "completed")

    page = chat.request("getSession", sessionId=SESSION, view="active")
    assert chat.transcript() == ["m1-again", "r2"]
    assert chat.transcript(BRANCH) == ["m1", "r1"]
    versions = [one["messageId"] for one in page["nodes"][0]["versions"]]
    assert versions == ["m1", "m1-again"]


def test_the_assistants_step_and_the_persons_are_undone_one_by_one(chat: Chat) -> None:
    """opencode#10287, #32529."""
    graph = Graph(chat)
    run = chat.request("startRun", projectId=PROJECT, runId="g1")
    graph.add("by-ai-1", run["runId"])
    graph.add("by-ai-2", run["runId"])
    graph.add("by-person")
    chat.request("closeRun", runId="g1")
    graph.look()

    steps = [graph.step("undo") for _ in range(3)]

    assert [nodes for _, nodes in steps] == [["by-ai-1", "by-ai-2"], [], []]
    assert [answer for answer, _ in steps] == [
        ("applied", None),
        ("applied", None),
        ("rejected", "nothing-to-undo"),
    ]


def test_five_edits_undone_and_redone_give_the_same_json_at_each_step(chat: Chat) -> None:
    """ComfyTV#420, opencode#27664."""
    graph = Graph(chat)
    states = [graph.look()]
    for number in range(5):
        graph.add(f"n{number}")
        states.append(graph.look())

    undone = []
    for _ in range(5):
        graph.step("undo")
        undone.append(graph.look())
    redone = []
    for _ in range(5):
        graph.step("redo")
        redone.append(graph.look())
    graph.restore(graph.versions[2])
    restored = graph.look()
    graph.step("undo")

    assert undone == states[-2::-1]
    assert redone == states[1:]
    assert (restored, graph.look()) == (states[2], states[5])


class Graph:
    """The project beside the chat."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self.count = 0
        self.revision = ""
        self.look()
        self.versions = [self.revision]

    def look(self) -> str:
        project = self.chat.request("getProject", projectId=PROJECT)
        self.revision = project["revisionId"]
        return canonical(project["graph"])

    def add(self, node: str, run_id: str | None = None) -> None:
        payload = {"kind": "add-node", "componentId": "C", "nodeId": node}
        answer = self._send("commitCommand", payload=payload, runId=run_id)
        assert told(answer) == ("applied", None)
        self.versions.append(self.revision)

    def restore(self, revision_id: str) -> None:
        payload = {"kind": "restore-revision", "revisionId": revision_id}
        assert told(self._send("commitCommand", payload=payload, runId=None)) == ("applied", None)

    def step(self, way: str) -> tuple[tuple[str, str | None], list[str]]:
        answer = self._send(way)
        nodes = json.loads(self.look())["nodes"]
        return told(answer), [node["nodeId"] for node in nodes]

    def _send(self, method: str, **params: Any) -> Any:
        self.count += 1
        if "runId" in params:
            params["actor"] = "manual" if params["runId"] is None else "ai"
        answer = self.chat.request(
            method,
            projectId=PROJECT,
            actionId=f"{method}-{self.count}x",
            expectedRevisionId=self.revision,
            **params,
        )
        self.revision = answer["projection"]["revisionId"]
        return answer
