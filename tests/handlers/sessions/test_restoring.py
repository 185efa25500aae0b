"""Chat and graph together: versions at prompts, and both back to one, or neither."""

from pathlib import Path
from typing import Any

import pytest

from tests.handlers.sessions.chat import BRANCH, PROJECT, SESSION, Chat, append, fork, start_run


class Work:
    """A graph that grows by one node an answer, and the chat that it grows by."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self.revision = chat.request("getProject", projectId=PROJECT, projection="none")[
            "revisionId"
        ]
        self.versions = [self.revision]

    def edit(self, node: str) -> None:
        answer = self.chat.request(
            "commitCommand",
            projectId=PROJECT,
            actionId=f"{node}-{self.revision}",
            expectedRevisionId=self.revision,
            actor="manual",
            runId=None,
            payload={"kind": "add-node", "componentId": "C", "nodeId": node},
            projection="none",
        )
        assert answer["status"] == "applied"
        self.revision = answer["revisionId"]
        self.versions.append(self.revision)

    def answer(self, prompt: str, at: float, node: str) -> None:
        self.chat.applied(start_run(f"run-{prompt}-{at}", prompt, at))
        self.edit(node)
        self.chat.settle(prompt, at, "completed")

    def restore(self, message_id: str, *commands: dict[str, Any], **params: Any) -> Any:
        return self.chat.request(
            "restoreToMessage",
            **{
                "sessionId": SESSION,
                "messageId": message_id,
                "actionId": "restore",
                "expectedRevisionId": self.revision,
                "commands": list(commands),
                **params,
            },
        )

    def nodes(self) -> list[str]:
        graph = self.chat.request("getProject", projectId=PROJECT)["graph"]
        return [node["nodeId"] for node in graph["nodes"]]


@pytest.fixture
def work(database: Path) -> Any:
    """``m1`` built ``n1``, ``m2`` built ``n2``."""
    with Chat.begin(database) as chat:
        work = Work(chat)
        chat.applied(append("m1"))
        work.answer("m1", 20, "n1")
        chat.applied(append("m2", "m1"))
        work.answer("m2", 30, "n2")
        yield work


def node_of(chat: Chat, message_id: str) -> dict[str, Any]:
    page = chat.request("getSession", sessionId=SESSION, view="active", limit=500)
    (node,) = (one for one in page["nodes"] if one["messageId"] == message_id)
    return dict(node)


def test_a_prompt_keeps_where_its_first_run_began_and_its_last_ended(work: Work) -> None:
    work.edit("n3")
    work.answer("m2", 40, "n4")

    shown = node_of(work.chat, "m2")

    assert (shown["startRevisionId"], shown["endRevisionId"]) == (
        work.versions[1],
        work.versions[4],
    )
    assert shown["restorable"] is True


def test_chat_and_graph_go_back_to_a_prompt_together(work: Work) -> None:
    answer = work.restore("m2", fork("b2", "m2"), append("m3", "m1", branch="b2"))

    assert (answer["status"], answer["changed"]) == ("applied", True)
    assert answer["session"]["acknowledged"] == ["fork-b2", "append-m3"]
    assert answer["session"]["revision"] == work.chat.summary()["revision"]
    assert {one["kind"] for one in answer["session"]["changes"]} >= {"branch", "message"}
    assert (work.nodes(), work.chat.transcript()) == (["n1"], ["m1", "m3"])
    causes = [
        (note["method"], note["params"].get("cause"))
        for note in work.chat.client.notifications[-2:]
    ]
    assert sorted(causes, key=str) == [("projectChanged", None), ("sessionChanged", "restored")]


def test_the_same_action_again_answers_both_halves_and_does_nothing(work: Work) -> None:
    first = work.restore("m2", fork("b2", "m2"))
    before = work.chat.export()

    again = work.restore("m2", fork("b2", "m2"))

    assert (again["status"], again["revisionId"]) == ("historical", first["revisionId"])
    assert again["session"]["acknowledged"] == ["fork-b2"]
    assert work.chat.export() == before


def test_the_action_id_for_another_restore_is_refused(work: Work) -> None:
    work.restore("m2", fork("b2", "m2"))

    for message_id, commands in (("m1", [fork("b2", "m2")]), ("m2", [fork("b3", "m2")])):
        answer = work.restore(message_id, *commands)
        assert (answer["status"], answer["reason"]["code"]) == ("rejected", "action-id-reused")


def unchanged(work: Work, answer: dict[str, Any]) -> tuple[str, str]:
    """Return status and code of a restore that must have left everything as it was."""
    assert (work.nodes(), work.chat.transcript()) == (["n1", "n2"], ["m1", "m2"])
    assert answer["session"]["changes"] == []
    assert (answer["revisionId"], answer["changed"]) == (None, False)
    return answer["status"], answer["reason"]["code"]


def test_a_command_that_is_refused_leaves_the_graph_too(work: Work) -> None:
    answer = work.restore("m2", fork("b2", "m2"), append("m3", "m2", branch="b2"))

    assert unchanged(work, answer) == ("conflict", "branch-moved")
    assert answer["reason"]["details"]["index"] == 1
    assert work.restore("m2", fork("b2", "m2"))["status"] == "applied"


def test_a_restore_while_the_chats_run_works_is_deferred(work: Work) -> None:
    work.chat.applied(start_run("run", "m2", 50))

    answer = work.restore("m2", fork("b2", "m2"))

    assert unchanged(work, answer) == ("deferred", "run-active")


def test_a_running_run_of_the_graph_comes_before_the_version(work: Work) -> None:
    work.chat.request("startRun", projectId=PROJECT, runId="g1")

    answer = work.restore("m2", fork("b2", "m2"), expectedRevisionId="nobody")

    assert unchanged(work, answer) == ("conflict", "run-open")


def test_a_version_that_moved_comes_before_the_commands(work: Work) -> None:
    answer = work.restore("m2", fork("b2", "nobody"), expectedRevisionId=work.versions[0])

    assert unchanged(work, answer) == ("conflict", "revision-moved")


@pytest.mark.parametrize(
    ("message_id", "code"),
    [("nobody", "unknown-message"), ("r1", "not-a-prompt"), ("m9", "no-recorded-revision")],
)
def test_only_prompts_with_a_version_can_be_gone_back_to(
    work: Work, message_id: str, code: str
) -> None:
    work.chat.applied(append("m9", "m2"), start_run("x", "m9", 90))
    work.chat.events("m9", 90, messages=[{"id": "r1", "content": "x"}])
    work.chat.settle("m9", 90, "completed")
    if code == "no-recorded-revision":
        work.chat.applied(append("never", "r1"))
        message_id = "never"

    answer = work.restore(message_id)

    assert (answer["status"], answer["reason"]["code"]) == ("rejected", code)
    assert work.nodes() == ["n1", "n2"]


def test_a_version_that_was_pruned_is_refused_and_told_beforehand(work: Work) -> None:
    work.chat.request("updateSettings", maxRevisions=1, minRevisions=1, maxRevisionBytes=0)
    work.edit("n3")
    work.edit("n4")

    answer = work.restore("m1", fork("b2", "m1"))

    assert node_of(work.chat, "m1")["restorable"] is False
    assert (answer["status"], answer["reason"]["code"]) == ("rejected", "pruned-revision")
    assert work.chat.transcript() == ["m1", "m2"]
    assert answer["session"]["acknowledged"] == []


def test_undo_afterwards_takes_back_the_graph_alone(work: Work) -> None:
    restored = work.restore("m1", fork("b2", "m1"))

    undone = work.chat.request(
        "undo", projectId=PROJECT, actionId="u", expectedRevisionId=restored["revisionId"]
    )

    assert undone["status"] == "applied"
    assert (work.nodes(), work.chat.transcript()) == (["n1", "n2"], [])


def test_undo_afterwards_takes_it_back_too_where_it_led_where_undo_would_have(work: Work) -> None:
    restored = work.restore("m2", fork("b2", "m2"))

    undone = work.chat.request(
        "undo", projectId=PROJECT, actionId="u", expectedRevisionId=restored["revisionId"]
    )

    assert restored["projection"]["redo"] is None
    assert undone["status"] == "applied"
    assert (work.nodes(), work.chat.transcript()) == (["n1", "n2"], ["m1"])


def test_a_restore_needs_no_commands(work: Work) -> None:
    before = work.chat.export()

    answer = work.restore("m1")

    assert (answer["status"], answer["session"]["acknowledged"]) == ("applied", [])
    assert (work.nodes(), work.chat.export()) == ([], before)


def test_a_run_that_starts_in_a_restore_begins_at_the_restored_version(work: Work) -> None:
    answer = work.restore(
        "m2",
        fork("b2", "m2"),
        append("m3", "m1", branch="b2"),
        start_run("run", "m3", 60),
    )

    assert node_of(work.chat, "m3")["startRevisionId"] == answer["revisionId"]


def test_what_does_not_fit_is_rejected_with_its_issues(work: Work) -> None:
    for params in ({"actionId": 7}, {"commands": "x"}, {"more": 1}, {"sessionId": "nobody"}):
        answer = work.restore("m2", **params)
        code = "unknown-session" if "sessionId" in params else "invalid-command"
        assert (answer["status"], answer["reason"]["code"]) == ("rejected", code)
        assert (answer["session"] is None) == ("sessionId" in params)


def test_the_first_branch_stays_as_it_was(work: Work) -> None:
    work.restore("m2", fork("b2", "m2"), append("m3", "m1", branch="b2"))

    assert work.chat.transcript(BRANCH) == ["m1", "m2"]
