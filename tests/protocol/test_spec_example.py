"""The exchange of a chat's turn that protocol/SPEC.md shows, sent as it stands there."""

import json
import re
from typing import Any, get_args

import pytest

from protocol.conversation import Framework
from sidecar.core.conversation.sanitize import FRAMEWORKS
from sidecar.testing.client import SidecarClient
from tests.protocol.test_spec import SPEC

BLOCK = re.compile(r"## Sessions\n.*?```jsonc\n(.*?)```", re.DOTALL)
PAYLOAD = '"payload":{"kind":"add-node","componentId":"SaveImage"}'


def example() -> list[tuple[str, str]]:
    """Return the requests of the example, each method with the text of its params."""
    shown = BLOCK.search(SPEC.read_text(encoding="utf-8"))
    assert shown is not None
    text = re.sub(r" +//.*", "", shown[1]).replace('"payload":{…}', PAYLOAD)
    text = text.replace("{…,", '{"projectId":"p","actionId":"a","expectedRevisionId":"v",')
    return re.findall(r"^(\w+) +(\{.*?\})$(?=\n\w|\n\Z)", text, re.DOTALL | re.MULTILINE)


@pytest.mark.spec("S1", "S3")
def test_a_turn_of_a_chat_is_as_it_is_shown(sidecar: SidecarClient) -> None:
    ids = {"v": sidecar.create_project("A", "p")["revisionId"]}
    answers: list[tuple[str, Any]] = []

    for method, shown in example():
        text = shown
        for name, known in ids.items():
            text = text.replace(f'"{name}"', json.dumps(known))
        result = sidecar.request(method, json.loads(text))
        answers.append((method, result))
        if method == "createSession":
            ids |= {"s": result["sessionId"], "b": result["activeBranchId"]}
        if method == "startRun":
            ids["r"] = result["runId"]

    assert [method for method, _ in answers] == [
        "createSession",
        "applySessionCommands",
        "startRun",
        "applySessionCommands",
        "commitCommand",
        "recordSessionEvents",
        "closeRun",
        "settleSessionRun",
    ]
    assert {a["status"] for m, a in answers if m.endswith(("Commands", "Command"))} == {"applied"}
    page = sidecar.request("getSession", {"sessionId": ids["s"], "view": "active"})
    assert [message["content"] for message in page["messages"]] == ["Add a save node", "Done."]
    assert page["nodes"][0]["startRevisionId"] == ids["v"]
    assert page["nodes"][0]["restorable"] is True
    follow_up = {"id": "c3", "timestamp": 3, "kind": "append-user", "branchId": ids["b"]}
    message = {"id": "m2", "role": "user", "content": "And now?"}
    append = {**follow_up, "parentMessageId": "m1-reply", "message": message}
    assert _apply(sidecar, ids["s"], append)["status"] == "applied"


@pytest.mark.spec("S4", "S7")
def test_a_prompt_is_edited_and_gone_back_to_as_it_is_told(sidecar: SidecarClient) -> None:
    sidecar.create_project("A", "p")
    session = sidecar.request("createSession", {"projectId": "p"})
    session_id, branch = session["sessionId"], session["activeBranchId"]
    _apply(sidecar, session_id, _prompt("m1", branch))
    _apply(sidecar, session_id, _prompt("m2", branch, "m1"))

    edited = _apply(sidecar, session_id, _fork("m2", "b2", branch), _prompt("m3", "b2", "m1"))
    first = _apply(sidecar, session_id, _fork("m1", "b3", "b2"), _prompt("m4", "b3"))

    assert (edited["status"], first["status"]) == ("applied", "applied")


@pytest.mark.spec("E8")
def test_a_refused_command_of_a_chat_has_its_place_and_a_sentence(sidecar: SidecarClient) -> None:
    sidecar.create_project("A", "p")
    session = sidecar.request("createSession", {"projectId": "p"})

    answer = _apply(sidecar, session["sessionId"], _prompt("m1", "nowhere"))

    assert answer["status"] == "rejected"
    assert answer["reason"] == {
        "code": "unknown-branch",
        "message": "There is no such branch in this session.",
        "details": {
            "index": 0,
            "commandId": "m1-appended",
            "branchId": "nowhere",
            "retryable": False,
        },
    }


@pytest.mark.spec("E8")
def test_every_fault_of_a_chat_s_commands_has_its_place_and_what_is_expected(
    sidecar: SidecarClient,
) -> None:
    sidecar.create_project("A", "p")
    session = sidecar.request("createSession", {"projectId": "p"})
    nobody = {**_prompt("m1", "b"), "message": {"id": "m1"}}
    odd = {"kind": "append-usr", "id": "c", "timestamp": 1}
    segment = {"id": "x", "frameworkId": "mine", "startedAt": 1}
    opening = {"kind": "open-segment", "id": "d", "timestamp": "now", "segment": segment}

    reason = _apply(sidecar, session["sessionId"], nobody, odd, opening)["reason"]

    assert reason["code"] == "invalid-command"
    told = {issue["path"]: issue["message"] for issue in reason["details"]["issues"]}
    assert told["/commands/0/message/role"] == "required, but missing"
    assert told["/commands/1/kind"].startswith("expected one of append-user, fork-message")
    assert told["/commands/2/timestamp"] == "expected a number"
    assert told["/commands/2/segment/frameworkId"].startswith("expected one of ")


def test_the_frameworks_of_the_contract_are_those_of_the_rules() -> None:
    assert get_args(Framework) == FRAMEWORKS


def _prompt(message_id: str, branch: str, parent: str | None = None) -> dict[str, Any]:
    after = {} if parent is None else {"parentMessageId": parent}
    message = {"id": message_id, "role": "user", "content": message_id}
    identity = {"id": f"{message_id}-appended", "timestamp": 1, "branchId": branch}
    return {"kind": "append-user", **identity, **after, "message": message}


def _fork(message_id: str, branch: str, parent: str) -> dict[str, Any]:
    identity = {"id": f"{branch}-forked", "timestamp": 1, "branchId": branch}
    return {
        "kind": "fork-message",
        **identity,
        "parentBranchId": parent,
        "messageId": message_id,
    }


def _apply(sidecar: SidecarClient, session_id: str, *commands: dict[str, Any]) -> Any:
    return sidecar.request(
        "applySessionCommands", {"sessionId": session_id, "commands": list(commands)}
    )
