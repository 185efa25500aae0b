"""What a person sets on a session, its creation and its end."""

from typing import Any

import pytest

from tests.client import RpcError
from tests.handlers.sessions.chat import PROJECT, SESSION, Chat, add_frame, append, start_run


def test_a_session_begins_with_its_messages_in_a_row(chat: Chat) -> None:
    messages = [
        {"id": "m1", "role": "user", "content": "hi"},
        {"id": "r1", "role": "agent", "content": "hello", "custom": {"b": 1, "a": 2}},
    ]

    made = chat.create(
        "s2",
        title="Talk",
        cwd="/work",
        frameworkId="codex",
        providerId="p1",
        backendId="b1",
        model="m",
        messages=messages,
    )

    session = chat.export("s2")
    assert (made["title"], made["cwd"], made["messageCount"]) == ("Talk", "/work", 2)
    assert (made["revision"], made["status"], made["headMessageId"]) == (0, "idle", "r1")
    assert list(session["messages"][1]["custom"]) == ["b", "a"]
    (segment,) = session["conversationGraph"]["runtimeSegments"]
    assert (segment["frameworkId"], segment["providerId"], segment["model"]) == ("codex", "p1", "m")


def test_the_same_creation_again_answers_the_same_and_is_not_announced(chat: Chat) -> None:
    first = chat.create("s2", title="Talk")
    told = len(chat.client.notifications)

    again = chat.create("s2", title="Talk")

    assert again == first
    assert chat.client.notifications[told:] == []
    assert chat.refusal("createSession", projectId=PROJECT, sessionId="s2", title="Other") == (
        "id-in-use",
        {"sessionId": "s2"},
    )


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"projectId": "nobody"}, "unknown-project"),
        ({"messages": [{"id": "m1", "role": "god"}]}, "invalid-session"),
        ({"messages": [{"id": "m1"}]}, "invalid-session"),
        (
            {"messages": [{"id": "m", "role": "user"}, {"id": "m", "role": "user"}]},
            "invalid-session",
        ),
    ],
)
def test_what_holds_no_session_is_refused(chat: Chat, params: dict[str, Any], code: str) -> None:
    assert chat.refusal("createSession", **{"projectId": PROJECT, **params})[0] == code


@pytest.mark.parametrize("session_id", ["", "x" * 257, "😀" * 129])
def test_an_id_has_1_to_256_utf16_units(chat: Chat, session_id: str) -> None:
    with pytest.raises(RpcError) as caught:
        chat.create(session_id)

    assert caught.value.code == -32602


@pytest.mark.parametrize("session_id", ["\0nul\0", "😀" * 120, "a/b c'\""])
def test_an_id_may_be_any_text_of_that_length(chat: Chat, session_id: str) -> None:
    chat.create(session_id)
    chat.applied(append("m1", branch=f"message-branch-{session_id}"), session=session_id)

    assert chat.transcript(session=session_id) == ["m1"]
    assert chat.request("deleteSession", sessionId=session_id) == {"deleted": True}


def test_title_pin_archive_and_preferences_are_set_and_told(chat: Chat) -> None:
    renamed = chat.request("renameSession", sessionId=SESSION, title="New")
    pinned = chat.request("pinSession", sessionId=SESSION, pinned=True)
    archived = chat.request("archiveSession", sessionId=SESSION, archived=True)
    chat.request(
        "updateSession", sessionId=SESSION, set={"cwd": "/x", "agentModel": "m", "mine": 1}
    )
    updated = chat.request("updateSession", sessionId=SESSION, unset=["agentModel", "absent"])

    assert (renamed["title"], pinned["pinned"], archived["archived"]) == ("New", True, True)
    assert (updated["cwd"], updated["revision"]) == ("/x", 5)
    session = chat.export()
    assert ("agentModel" in session, session["mine"]) == (False, 1)
    assert chat.request("listSessions")["items"] == []
    assert len(chat.request("listSessions", archived=True)["items"]) == 1
    back = chat.request("archiveSession", sessionId=SESSION, archived=False)
    assert back["archived"] is False


def test_what_is_so_already_writes_nothing(chat: Chat) -> None:
    chat.request("pinSession", sessionId=SESSION, pinned=True)
    told = len(chat.client.notifications)

    again = chat.request("pinSession", sessionId=SESSION, pinned=True)

    assert again["revision"] == 1
    assert chat.client.notifications[told:] == []


@pytest.mark.parametrize(
    ("params", "places"),
    [
        ({"set": {"status": "running"}}, ["/set/status"]),
        ({"set": {"a/b": 1, "conversationGraph": {}}}, ["/set/conversationGraph"]),
        ({"unset": ["mine", "messages"]}, ["/unset/1"]),
        ({"set": {"revision": 7}, "unset": ["id"]}, ["/set/revision", "/unset/0"]),
        ({"set": {"agentConfiguration": 7}}, ["/set/agentConfiguration"]),
    ],
)
def test_what_is_no_preference_is_refused(
    chat: Chat, params: dict[str, Any], places: list[str]
) -> None:
    before = chat.export()

    with pytest.raises(RpcError) as caught:
        chat.request("updateSession", sessionId=SESSION, **params)

    assert caught.value.code == -32602
    assert [issue["path"] for issue in caught.value.data["issues"]] == places
    assert chat.export() == before


def test_a_session_with_a_run_at_work_cannot_be_deleted(chat: Chat) -> None:
    chat.applied(append("m1"), start_run("run", "m1", 20))

    code, details = chat.refusal("deleteSession", sessionId=SESSION)
    chat.settle("m1", 20, "completed")

    assert (code, details["activeRun"]["promptMessageId"]) == ("session-state", "m1")
    assert chat.request("deleteSession", sessionId=SESSION) == {"deleted": True}
    assert chat.request("deleteSession", sessionId=SESSION) == {"deleted": False}


def test_a_deleted_session_takes_its_commands_with_it(chat: Chat) -> None:
    chat.applied(append("m1"))
    chat.request("deleteSession", sessionId=SESSION)
    chat.create(SESSION)

    answer = chat.apply(append("m2", command_id="append-m1"))

    assert (answer["status"], chat.transcript()) == ("applied", ["m2"])


def test_a_deleted_project_takes_its_sessions_with_it(chat: Chat) -> None:
    chat.request("createProject", projectId="gone", title="Gone")
    chat.request("createSession", projectId="gone", sessionId="s2")
    told = len(chat.client.notifications)

    chat.request("deleteProject", projectId="gone")

    assert chat.refusal("getSession", sessionId="s2", view="summary")[0] == "unknown-session"
    notes = [
        (note["method"], note["params"]["projectId"]) for note in chat.client.notifications[told:]
    ]
    assert notes == [("sessionChanged", "gone"), ("projectDeleted", "gone")]


def test_a_frame_is_put_in_view_where_the_frames_above_show_its_beginning(chat: Chat) -> None:
    chat.applied(append("m1"))
    session = chat.export()
    add_frame(session, "m1")
    chat.request("importSession", session=session, sessionId="s2")

    shown = chat.request("selectFrame", sessionId="s2", frameId="child")
    refused = chat.apply(append("m2", "m1", branch="message-branch-s2"), session="s2")
    again = chat.request("selectFrame", sessionId="s2", frameId="child")

    assert (shown["activeFrameId"], shown["activeBranchId"]) == ("child", "child-branch")
    assert (refused["status"], refused["reason"]["code"]) == ("conflict", "view-not-root")
    assert again["revision"] == shown["revision"]
    code, _ = chat.refusal("selectFrame", sessionId="s2", frameId="nobody")
    assert code == "unknown-frame"
