"""searchSessions: words, phrases, short words, all branches, pages."""

from typing import Any

import pytest

from tests.handlers.pages import assert_the_last_page_is_told
from tests.handlers.sessions.chat import BRANCH, PROJECT, SESSION, Chat, append, fork, start_run


def found(chat: Chat, query: str, **params: Any) -> list[str]:
    items = chat.request("searchSessions", query=query, **params)["items"]
    return [one["messageId"] for one in items]


@pytest.fixture
def talk(chat: Chat) -> Chat:
    texts = {
        "m1": "The quick brown fox",
        "m2": "jumps over the lazy dog; a BROWN one",
        "m3": 'Straße "quoted" 100%_x',
        "m4": "日本語のテキスト and 😀 emoji",
    }
    parent = None
    for name, text in texts.items():
        chat.applied(append(name, parent, content=text))
        parent = name
    return chat


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("brown", ["m2", "m1"]),
        ("BROWN fox", ["m1"]),
        ('"brown fox"', ["m1"]),
        ('"fox brown"', []),
        ("row", ["m2", "m1"]),
        ("ox", ["m1"]),
        ("a dog", ["m2"]),
        ("日本語", ["m4"]),
        ("語の", ["m4"]),
        ("😀", ["m4"]),
        ("straße", ["m3"]),
        ("100%_", ["m3"]),
        ("%", ["m3"]),
        ("_", ["m3"]),
        ('"quoted', ["m3"]),
        ("AND", ["m4"]),
        ("quick OR lazy", []),
        ("quick*", []),
        ("NEAR(quick)", []),
        ("nothing", []),
        ("", []),
        ('""', []),
        ("fox\0", []),
    ],
)
def test_words_are_all_there_and_everything_else_is_text(
    talk: Chat, query: str, expected: list[str]
) -> None:
    assert found(talk, query) == expected


def test_an_excerpt_shows_where_the_words_stand_in_utf16_units(talk: Chat) -> None:
    (hit,) = talk.request("searchSessions", query="emoji and")["items"]

    units = hit["excerpt"].encode("utf-16-le")
    marked = [units[2 * begin : 2 * end].decode("utf-16-le") for begin, end in hit["ranges"]]
    assert marked == ["and", "emoji"]
    assert (hit["sessionId"], hit["role"], hit["branchId"]) == (SESSION, "user", BRANCH)


def test_an_excerpt_of_a_long_text_is_short_and_around_the_match(chat: Chat) -> None:
    chat.applied(append("m1", content="x " * 5_000 + "needle" + " y" * 5_000))

    (hit,) = chat.request("searchSessions", query="needle")["items"]

    assert len(hit["excerpt"]) <= 200
    (begin, end), *_ = hit["ranges"]
    assert hit["excerpt"][begin:end] == "needle"


def test_a_match_that_is_longer_than_the_excerpt_is_marked_to_its_end(chat: Chat) -> None:
    chat.applied(append("m1", content=f"before {'x' * 500} behind"))

    (hit,) = chat.request("searchSessions", query="x" * 400)["items"]

    assert hit["ranges"] == [[7, len(hit["excerpt"])]]


def test_a_part_of_a_greek_word_is_found_in_any_case(chat: Chat) -> None:
    chat.applied(append("m1", content="ΟΔΟΣΑΣ"))

    assert found(chat, "ΟΔΟΣ") == found(chat, "οδοσ") == found(chat, "οδοσας") == ["m1"]


def test_all_branches_are_searched(talk: Chat) -> None:
    talk.applied(fork("b2", "m2"), append("m9", "m1", branch="b2", content="another dog"))

    hits = talk.request("searchSessions", query="dog")["items"]

    assert [(one["messageId"], one["onActiveBranch"]) for one in hits] == [
        ("m9", True),
        ("m2", False),
    ]


def test_a_reply_is_found_when_it_is_finished_and_as_it_is_then(chat: Chat) -> None:
    chat.applied(append("m1"), start_run("run", "m1", 20))
    chat.events("m1", 20, messages=[{"id": "r1", "content": "unicorn", "status": "streaming"}])
    streaming = found(chat, "unicorn")
    chat.events("m1", 20, appendText=[{"messageId": "r1", "text": " centaur"}])
    chat.settle("m1", 20, "completed")
    chat.applied(append("m2", "r1"), start_run("run2", "m1", 30))
    finished = found(chat, "unicorn centaur")
    chat.events("m1", 30, messages=[{"id": "r1", "content": "griffin", "status": "complete"}])

    assert (streaming, finished) == ([], ["r1"])
    assert (found(chat, "unicorn"), found(chat, "griffin")) == ([], ["r1"])


def test_hits_come_in_pages_newest_first_and_by_project(chat: Chat) -> None:
    chat.request("createProject", projectId="search", title="Other")
    chat.request("createSession", projectId="search", sessionId="s2")
    parent = None
    for number in range(5):
        chat.applied(append(f"m{number}", parent, content=f"common {number}"))
        parent = f"m{number}"
    chat.applied(append("n0", branch="message-branch-s2", content="common"), session="s2")

    first = chat.request("searchSessions", query="common", limit=4)
    rest = chat.request("searchSessions", query="common", limit=4, before=first["before"])

    ids = [one["messageId"] for one in first["items"] + rest["items"]]
    assert ids == ["n0", "m4", "m3", "m2", "m1", "m0"]
    assert found(chat, "common", projectId="search") == ["n0"]
    assert found(chat, "common", projectId=PROJECT, limit=2) == ["m4", "m3"]


@pytest.mark.spec("W12")
def test_the_last_page_of_sessions_and_of_hits_says_that_it_is_the_last(chat: Chat) -> None:
    for name in ("m1", "m2", "m3"):
        chat.create(f"of-{name}")
        chat.applied(
            append(name, content="common", branch=f"message-branch-of-{name}"), session=f"of-{name}"
        )

    for method, of, count in (("listSessions", {}, 4), ("searchSessions", {"query": "common"}, 3)):
        assert_the_last_page_is_told(chat.request, method, count, first=1, **of)


def test_what_is_deleted_is_not_found(talk: Chat) -> None:
    exported = talk.export()
    talk.request("deleteSession", sessionId=SESSION)
    gone = found(talk, "brown")
    talk.request("importSession", session=exported)

    assert (gone, found(talk, "brown")) == ([], ["m2", "m1"])
