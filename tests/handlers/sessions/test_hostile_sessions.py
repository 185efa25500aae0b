"""Sessions from elsewhere with anything anywhere: refused, or served to their end without a fault."""

import copy
import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.store.sessions.streams import MOST_DEEP
from tests.client import RpcError
from tests.handlers.sessions.chat import PROJECT, Chat, append, fork, start_run

Json = dict[str, Any]
Place = tuple[str | int, ...]
INTERNAL = -32603
ODD: tuple[Any, ...] = (
    None,
    "x",
    "",
    "\0",
    5,
    -1,
    1.5,
    True,
    10**400,
    1e308,
    [],
    [1],
    {},
    {"a": 1},
)
IMPORTS = 250
FLAT = ("messages", "activities", "activityGroups")


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chat]:
    with Chat.begin(tmp_path_factory.mktemp("hostile") / "graphs.db") as chat:
        yield chat
        assert chat.client.close() == 0


@pytest.fixture(scope="module")
def session(chat: Chat) -> Json:
    """A session at work, with a thing of every kind."""
    chat.applied(append("m1"), start_run("run", "m1", 20))
    chat.events(
        "m1",
        20,
        messages=[{"id": "r1", "content": "done", "status": "streaming"}],
        activities=[{"id": "a1", "status": "in_progress", "activityGroupId": "g1"}, {"id": "a2"}],
        activityGroups=[{"id": "g1", "activityIds": ["a1"]}],
    )
    return {
        **chat.export(),
        "resumeRecovery": {"kind": "resume-required", "promptMessageId": "m1"},
        "pendingHistoryReplay": {"kind": "before-message", "messageId": "m1"},
    }


def requests_on(session_id: str, branch: str, choice: random.Random) -> list[tuple[str, Json]]:
    """Everything that is asked of a session in its life."""
    here = {"sessionId": session_id}
    run = {**here, "promptMessageId": "m1", "startedAt": 20}
    segment = {"id": "segment-2", "frameworkId": "codex", "startedAt": 50}
    outcomes = ["completed", "cancelled", "error", "connection-lost", "waiting"]
    cut = {
        "id": "cut",
        "kind": "fork-activity",
        "timestamp": 60,
        "branchId": "b8",
        "parentBranchId": branch,
        "messageId": "m1",
        "activityId": "a1",
    }
    resume = {"id": "re", "kind": "resume-run", "timestamp": 70}
    batches: list[list[Json]] = [
        [{"id": "seg", "kind": "open-segment", "timestamp": 50, "segment": segment}],
        [append("m9", "r2", branch=branch)],
        [cut],
        [fork("b9", "m1", parent=branch)],
        [{**resume, "run": {"promptMessageId": "m1", "startedAt": 90}}],
    ]
    before: list[tuple[str, Json]] = [
        ("getSession", {**here, "view": "active"}),
        ("getSession", {**here, "view": "graph"}),
        ("getConversationTree", here),
        ("getExecutionContext", {**here, "promptMessageId": "m1"}),
        ("getActivity", {**here, "activityId": "a1"}),
        ("recordSessionEvents", {**run, "appendText": [{"messageId": "r1", "text": "more"}]}),
        (
            "recordSessionEvents",
            {
                **run,
                "admitted": True,
                "historyAccepted": True,
                "messages": [{"id": "r1", "content": "x"}, {"id": "r2"}],
                "activities": [{"id": "a1", "title": "t"}, {"id": "a3"}],
                "activityGroups": [{"id": "g1", "title": "n"}, {"id": "g2"}],
            },
        ),
        ("settleSessionRun", {**run, "outcome": choice.choice(outcomes)}),
    ]
    during: list[tuple[str, Json]] = [
        ("applySessionCommands", {**here, "commands": batch, "answer": "full"}) for batch in batches
    ]
    after: list[tuple[str, Json]] = [
        ("searchSessions", {"query": "done"}),
        ("listSessions", {}),
        ("updateSession", {**here, "set": {"own": 1}}),
        ("archiveSession", {**here, "archived": True}),
        ("exportSession", here),
        ("deleteSession", here),
    ]
    return [*before, *during, *after]


def places_in(value: Any, place: Place = ()) -> Iterator[Place]:
    if place:
        yield place
    items: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, inner in items:
        yield from places_in(inner, (*place, key))


def put(session: Json, place: Place, value: Any) -> None:
    """Put a value in a place of a session, and in that of the graph that says the same."""
    for way in (place, ("conversationGraph", *place) if place[0] in FLAT else ()):
        found: Any = session
        for key in way[:-1]:
            found = found[key]
        if way:
            found[way[-1]] = value


def code_of(chat: Chat, method: str, params: Json) -> int | None:
    answer = chat.client.answer_message(chat.client.start(method, params))
    return answer["error"]["code"] if "error" in answer else None


@pytest.mark.parametrize("seed", range(4))
def test_whatever_stands_anywhere_it_is_refused_or_served_without_a_fault(
    chat: Chat, session: Json, seed: int
) -> None:
    choice = random.Random(seed)
    places = list(places_in(session))
    came = 0
    for number in range(IMPORTS):
        name, place, value = f"h{seed}-{number}", choice.choice(places), choice.choice(ODD)
        odd = copy.deepcopy(session)
        put(odd, place, value)
        params = {"session": odd, "sessionId": name, "projectId": PROJECT}
        answer = chat.client.answer_message(chat.client.start("importSession", params))
        if "error" in answer:
            assert answer["error"]["code"] != INTERNAL, (place, value)
            continue
        came += 1
        for method, asked in requests_on(name, answer["result"]["activeBranchId"], choice):
            assert code_of(chat, method, asked) != INTERNAL, (place, value, method)
    assert came > IMPORTS // 5


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("messages", 1, "content"), [{"type": "text"}]),
        (("activities", 0, "updatedAt"), "soon"),
        (("activities", 0, "updatedAt"), None),
        (("activityGroups", 0, "updatedAt"), {}),
        (("activityGroups", 0, "sortIndex"), "first"),
        (("resumeRecovery", "promptMessageId"), {}),
        (("pendingHistoryReplay", "messageId"), []),
    ],
)
def test_what_no_rule_could_read_is_refused_at_its_place(
    chat: Chat, session: Json, place: Place, value: Any
) -> None:
    odd = copy.deepcopy(session)
    put(odd, place, value)

    code, details = chat.refusal("importSession", session=odd, sessionId="refused")

    assert (code, details["phase"]) == ("invalid-session", "shape")
    told = {issue["path"] for issue in details["issues"]}
    assert "/" + "/".join(map(str, place)) in told


@pytest.mark.parametrize("key", ["session", "conversationGraph", "message", "activity"])
def test_a_file_is_as_deep_as_can_be_read_again_or_no_session(
    chat: Chat, session: Json, tmp_path: Path, key: str
) -> None:
    graph_levels = {"session": 0, "conversationGraph": 0, "message": 1, "activity": 0}
    deepest = MOST_DEEP - graph_levels[key]
    for depth, comes in ((deepest, True), (deepest + 1, False), (950, False), (5_000, False)):
        name = f"deep-{key}-{depth}"
        file = tmp_path / f"{name}.json"
        file.write_text(deep(session, key, depth), "utf-8")
        params = {"path": str(file), "sessionId": name}
        answer = chat.client.answer_message(chat.client.start("importSession", params))
        assert ("result" in answer) == comes
        if not comes:
            assert answer["error"]["data"]["details"] == {"phase": "file", "check": "too-deep"}
            continue
        branch = answer["result"]["activeBranchId"]
        for method, asked in requests_on(name, branch, random.Random(1)):
            assert code_of(chat, method, asked) != INTERNAL, (depth, method)


def deep(session: Json, key: str, depth: int) -> str:
    """The session's text with a value in it that is so deep."""
    changed = copy.deepcopy(session)
    graph = changed["conversationGraph"]
    targets: dict[str, Json] = {
        "session": changed,
        "conversationGraph": graph,
        "message": graph["messages"][0],
        "activity": graph["activities"][0],
    }
    targets[key]["deep"] = "@"
    return json.dumps(changed).replace('"@"', "[" * depth + "]" * depth)


def test_a_title_is_a_title_whichever_way_it_is_set(chat: Chat) -> None:
    chat.create("titled", title="before")
    titles: list[Any] = ["x" * 1025, 5, None, {}]
    for title in titles:
        with pytest.raises(RpcError) as caught:
            chat.request("updateSession", sessionId="titled", set={"title": title})
        assert caught.value.code == -32602
        assert {issue["path"] for issue in caught.value.data["issues"]} == {"/set/title"}

    assert chat.summary("titled")["title"] == "before"
    told = chat.request("updateSession", sessionId="titled", set={"title": "x" * 1024})
    assert len(told["title"]) == 1024
    assert chat.request("updateSession", sessionId="titled", unset=["title"])["title"] is None
