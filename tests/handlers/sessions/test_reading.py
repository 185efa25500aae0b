"""getSession, getActivity, the tree, the context, lists: what a host sees of sessions."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.client import RpcError
from tests.handlers.sessions.chat import BRANCH, PROJECT, SESSION, Chat, append, fork, start_run

LARGE = "é" + "large\n" * 300_000


def page(chat: Chat, **params: Any) -> Any:
    return chat.request("getSession", **{"sessionId": SESSION, "view": "active", **params})


def talk(chat: Chat, count: int) -> None:
    """``m0`` to ``m<count - 1>``, one below the other."""
    parents = [None, *(f"m{number}" for number in range(count))]
    chat.applied(
        *(append(f"m{n}", parent) for n, parent in zip(range(count), parents, strict=False))
    )


def test_pages_lead_from_the_newest_messages_to_the_oldest(chat: Chat) -> None:
    talk(chat, 7)

    newest = page(chat, limit=3)
    older = page(chat, limit=3, before=newest["before"])
    oldest = page(chat, limit=3, before=older["before"])

    shown = [[one["id"] for one in part["messages"]] for part in (newest, older, oldest)]
    assert shown == [["m4", "m5", "m6"], ["m1", "m2", "m3"], ["m0"]]
    assert oldest["before"] is None


def test_a_cursor_keeps_its_branch_and_place_while_messages_come(chat: Chat) -> None:
    talk(chat, 5)
    newest = page(chat, limit=2)
    chat.applied(append("m5", "m4"), fork("b2", "m5"), append("m6", "m4", branch="b2"))

    older = page(chat, limit=2, before=newest["before"])

    assert (older["branchId"], [one["id"] for one in older["messages"]]) == (BRANCH, ["m1", "m2"])


@pytest.mark.parametrize("cursor", ["", "x", "!!", "kqRwYWdlAQ", "lKRwYWdloWKhbQ"])
def test_a_cursor_that_was_never_given_is_refused(chat: Chat, cursor: str) -> None:
    talk(chat, 1)

    with pytest.raises(RpcError) as caught:
        page(chat, before=cursor)

    assert caught.value.code == -32602


def test_any_branch_can_be_read_and_none_is_selected_by_it(chat: Chat) -> None:
    talk(chat, 2)
    chat.applied(fork("b2", "m1"), append("m9", "m0", branch="b2"))

    other = page(chat, branchId=BRANCH)

    assert [one["id"] for one in other["messages"]] == ["m0", "m1"]
    assert chat.summary()["activeBranchId"] == "b2"
    assert chat.refusal("getSession", sessionId=SESSION, view="active", branchId="no") == (
        "unknown-branch",
        {"branchId": "no"},
    )


def test_messages_are_flat_and_nodes_tell_where_they_stand(chat: Chat) -> None:
    talk(chat, 2)
    chat.applied(fork("b2", "m1"), append("m9", "m0", branch="b2"))

    shown = page(chat)

    assert "agentFrameId" not in shown["messages"][1]
    assert shown["nodes"][1] == {
        "messageId": "m9",
        "parentMessageId": "m0",
        "introducedOnBranchId": "b2",
        "versions": [
            {"messageId": "m1", "branchId": BRANCH},
            {"messageId": "m9", "branchId": "b2"},
        ],
        "startRevisionId": None,
        "endRevisionId": None,
        "restorable": False,
    }


def test_the_graph_is_paged_in_the_order_of_its_lists(chat: Chat) -> None:
    talk(chat, 4)
    chat.applied(start_run("run", "m3", 20))
    chat.events("m3", 20, activities=[{"id": "a1"}, {"id": "a2"}])
    names = ("frames", "branches", "messages", "activities", "activityGroups", "runtimeSegments")
    whole = chat.export()["conversationGraph"]

    found: dict[str, list[Any]] = {name: [] for name in names}
    before = None
    sizes: list[int] = []
    while len(sizes) == 0 or before is not None:
        part = page(chat, view="graph", limit=3, before=before)
        sizes.append(sum(len(part[name]) for name in names))
        for name in names:
            found[name] += part[name]
        before = part["before"]

    assert sizes == [3, 3, 3]
    assert found == {name: whole[name] for name in names}


def test_a_large_value_is_left_out_and_read_in_parts(chat: Chat) -> None:
    talk(chat, 1)
    chat.applied(start_run("run", "m0", 20))
    answer = chat.events(
        "m0",
        20,
        activities=[{"id": "a1", "rawOutput": LARGE, "a/b~": [LARGE], "rawInput": {"x": 1}}],
    )

    (change,) = (one for one in answer["changes"] if one["kind"] == "activity")
    shown = page(chat)
    whole = chat.request("getActivity", sessionId=SESSION, activityId="a1")

    paths = [one["path"] for one in shown["omitted"]]
    assert paths == ["/rawOutput", "/a~1b~0"]
    assert shown["omitted"] == change["omitted"] == whole["omitted"]
    assert shown["activities"][0]["rawOutput"] is None
    assert shown["activities"][0]["rawInput"] == {"x": 1}
    assert list(whole["activity"])[-1] != "rawOutput"
    assert parts(chat, "/rawOutput") == LARGE
    assert parts(chat, "/a~1b~0") == [LARGE]
    assert parts(chat, "/a~1b~0/0") == LARGE
    assert parts(chat, "/rawInput/x") == 1
    assert chat.export()["activities"][0]["rawOutput"] == LARGE


def parts(chat: Chat, path: str) -> Any:
    """Return a value put together from all its parts."""
    texts, offset, total = [], 0, None
    while offset is not None:
        part = chat.request(
            "getActivity", sessionId=SESSION, activityId="a1", path=path, offset=offset
        )
        texts.append(part["text"])
        offset, total = part["nextOffset"], part["total"]
    text = "".join(texts)
    assert len(text.encode()) == total
    assert (len(texts) > 1) == (total > 1 << 20)
    return json.loads(text)


@pytest.mark.parametrize(
    "more",
    [
        {"path": path}
        for path in (
            *("/no", "rawInput", "/title/x", "", "/rawInput/list/2", "/rawInput/list/-1"),
            *("/rawInput/list/00", "/rawInput/list/+1", "/rawInput/list/ 1", "/rawInput/~2"),
        )
    ],
)
def test_a_path_that_leads_nowhere_is_refused(chat: Chat, more: dict[str, Any]) -> None:
    talk(chat, 1)
    chat.applied(start_run("run", "m0", 20))
    given = {"list": [1, 2], "~2": 3}
    chat.events("m0", 20, activities=[{"id": "a1", "title": "t", "rawInput": given}])

    with pytest.raises(RpcError) as caught:
        chat.request("getActivity", sessionId=SESSION, activityId="a1", **more)

    assert caught.value.code == -32602
    assert chat.refusal("getActivity", sessionId=SESSION, activityId="a2")[0] == "unknown-activity"


def test_a_large_value_that_shrinks_is_no_longer_left_out(chat: Chat) -> None:
    talk(chat, 1)
    chat.applied(start_run("run", "m0", 20))
    chat.events("m0", 20, activities=[{"id": "a1", "rawOutput": LARGE}])

    chat.events("m0", 20, activities=[{"id": "a1", "rawOutput": "short"}])

    shown = page(chat)
    assert (shown["omitted"], shown["activities"][0]["rawOutput"]) == ([], "short")


def test_an_answer_that_no_message_can_hold_is_too_large(database: Path) -> None:
    with Chat.begin(database, "--max-message", "100000") as chat:
        talk(chat, 1)
        for number in range(1, 6):
            chat.applied(append(f"m{number}", f"m{number - 1}", content="x" * 30_000))

        code, details = chat.refusal("getSession", sessionId=SESSION, view="active")
        small = page(chat, limit=2)

        assert (code, details["limit"]) == ("too-large", 100_000)
        assert len(small["messages"]) == 2
        assert chat.refusal("exportSession", sessionId=SESSION)[0] == "too-large"
        assert chat.refusal("getSession", sessionId=SESSION, view="graph")[0] == "too-large"


def test_no_answer_is_longer_than_a_message_may_be(database: Path) -> None:
    cap = 200_000
    with Chat.begin(database, "--max-message", str(cap)) as chat:
        chat.applied(append("m0", content="x" * 150_000), start_run("run", "m0", 20))
        grown = [
            chat.events(
                "m0",
                20,
                messages=[{"id": "r0", "content": ""}] if not number else [],
                appendText=[{"messageId": "r0", "text": "y" * 90_000}],
            )
            for number in range(4)
        ]
        chat.settle("m0", 20, "completed")
        chat.request("updateSession", sessionId=SESSION, set={"a": "z" * 150_000})
        chat.request("updateSession", sessionId=SESSION, set={"b": "z" * 150_000})
        full = chat.apply(append("m1", "r0"), answer="full")
        for number in range(3):
            chat.create(f"wide-{number}", cwd="z" * 100_000)
        listed = chat.refusal("listSessions")
        few = chat.request("listSessions", limit=1)

        assert [one["changed"] for one in grown] == [True] * 4
        assert [one["changes"] is None for one in grown] == [False, False, True, True]
        assert (full["status"], full["changes"], full["page"]) == ("applied", None, None)
        assert listed[0] == "too-large"
        assert len(few["items"]) == 1
        longest = max(len(json.dumps(one).encode()) for one in chat.client.received)
        assert longest <= cap


def test_the_tree_has_every_branch_with_its_counts(chat: Chat) -> None:
    talk(chat, 3)
    chat.applied(fork("b2", "m2"), append("m9", "m1", branch="b2"), start_run("run", "m9", 20))

    tree = chat.request("getConversationTree", sessionId=SESSION)

    first, second = tree["branches"]
    assert (first["branchId"], first["messageCount"], first["active"]) == (BRANCH, 3, False)
    assert (second["parentBranchId"], second["forkMessageId"]) == (BRANCH, "m1")
    assert (second["supersededMessageId"], second["headMessageId"]) == ("m2", "m9")
    assert (second["messageCount"], second["ownMessageCount"]) == (3, 1)
    assert (second["active"], second["running"], first["running"]) == (True, True, False)


def test_the_context_of_a_prompt_names_all_it_stands_on(chat: Chat) -> None:
    talk(chat, 2)

    assert chat.request("getExecutionContext", sessionId=SESSION, promptMessageId="new") == {
        "rootFrameId": f"root-frame-{SESSION}",
        "agentFrameId": f"root-frame-{SESSION}",
        "messageBranchId": BRANCH,
        "messageBranchAncestry": [BRANCH],
        "messageAncestry": ["m0", "m1", "new"],
        "promptMessageId": "new",
        "runtimeSegmentId": f"runtime-segment-{SESSION}",
    }


def test_sessions_are_listed_by_their_newest_transcript_write(chat: Chat) -> None:
    for name in ("s2", "s3"):
        chat.create(name, title=f"Title {name}")
    chat.applied(append("m1"))
    chat.request("pinSession", sessionId="s2", pinned=True)

    listed = [one["sessionId"] for one in chat.request("listSessions")["items"]]
    first = chat.request("listSessions", limit=2)
    second = chat.request("listSessions", limit=2, before=first["before"])

    assert listed == [SESSION, "s3", "s2"]
    assert [one["sessionId"] for one in first["items"] + second["items"]] == listed
    assert chat.request("listSessions", query="TITLE S3")["items"][0]["sessionId"] == "s3"
    assert chat.request("listSessions", query="%")["items"] == []
    assert len(chat.request("listSessions", projectId=PROJECT)["items"]) == 3
    assert chat.refusal("listSessions", projectId="nobody")[0] == "unknown-project"


def test_a_session_that_is_not_there_is_named(chat: Chat) -> None:
    calls: dict[str, dict[str, Any]] = {
        "getSession": {"view": "summary"},
        "exportSession": {},
        "getConversationTree": {},
        "pinSession": {"pinned": True},
        "getExecutionContext": {"promptMessageId": "m"},
    }
    for method, more in calls.items():
        code, details = chat.refusal(method, sessionId="nobody", **more)
        assert (code, details) == ("unknown-session", {"sessionId": "nobody"}), method
