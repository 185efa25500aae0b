"""What is written of a session is what is read of it, after any writes, kept or taken back."""

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.core.conversation.errors import ConversationError
from sidecar.core.conversation.kinds import LISTS
from sidecar.core.conversation.run_events import RunEvents, record_events
from sidecar.core.conversation.session_commands import apply_commands
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.values import Command
from sidecar.store.database import Database, Transaction
from sidecar.store.sessions import commands as recorded
from sidecar.store.sessions import rows, texts
from sidecar.store.sessions.checks import session_problems
from tests.core.conversation.examples import append, flat, session
from tests.core.conversation.strategies import Writer, random_session
from tests.core.conversation.test_lockstep import random_write
from tests.store.sessions.builders import Sessions, TakenBackError, save

SEEDS = st.integers(0, 2**32)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_a_session_read_from_its_rows_is_the_one_in_memory(seed: int) -> None:
    rng = Random(seed)
    with TemporaryDirectory() as folder:
        stored = Sessions.at(Path(folder) / "graphs.db")
        try:
            walk(stored, rng)
        finally:
            stored.database.close()


def walk(stored: Sessions, rng: Random) -> None:
    first, writer = random_session(rng), Writer(rng)
    plain = SessionGraph.from_session(first)
    stored.add(first)
    expected = {**first, "runtimeConversationCommandIds": list(plain.command_ids)[-256:]}
    if "runtimeConversationCommandIds" not in first:
        del expected["runtimeConversationCommandIds"]
    assert stored.exported("s") == expected
    plain.command_ids = plain.command_ids[-256:]
    for _ in range(8):
        write = random_write(writer, plain.to_session())
        kept = rng.random() < 0.7
        try:
            with stored.editing("s") as (tx, opened, edit):
                told = write(edit)
                save(tx, opened, edit, told_new(opened.graph, told))
                if not kept:
                    raise TakenBackError  # noqa: TRY301 -- the block is what is taken back
        except TakenBackError:
            continue
        except ConversationError:
            continue
        else:
            with plain.edit() as same:
                write(same)
                same.commit()
        finally:
            check(stored, plain)


def told_new(graph: SessionGraph, told: object) -> tuple[Command, ...]:
    """Stand-ins for the commands of a batch that are in the list now."""
    if not isinstance(told, tuple):
        return ()
    return tuple({"id": one} for one in told if one in graph.command_ids)


def check(stored: Sessions, plain: SessionGraph) -> None:
    read = stored.read("s")
    with stored.database.read() as tx:
        cached = stored.cache.open(tx, "s")
        assert cached is not None
        read.loader.tx = tx
        # Command ids have a test of their own.
        for graph in (read.graph, cached.graph):
            graph.command_ids = plain.command_ids
        assert read.graph.to_session() == cached.graph.to_session() == plain.to_session()
        assert read.graph.head.runs == cached.graph.head.runs == plain.head.runs
        ranks = [
            [[thing.rank for thing in graph.index.things(kind)] for kind in LISTS]
            for graph in (read.graph, cached.graph)
        ]
        assert ranks[0] == ranks[1]
        assert list(session_problems(tx)) == []
        check_texts(tx, plain)


def check_texts(tx: Transaction, plain: SessionGraph) -> None:
    """Every finished message is found by what it says, and no other one."""
    messages = plain.to_session()["conversationGraph"]["messages"]
    wanted = [one["id"] for one in messages if "text of" in texts.text_of(one)]
    found = []
    for entry in texts.candidates(tx, ["text of"], before=None, on_damage=fail):
        message = texts.read_message(tx, entry.thing_key)
        assert message is not None
        found.append(message["id"])
    assert sorted(found) == sorted(wanted)


def fail() -> None:
    raise AssertionError("the index is damaged")


def test_an_event_number_is_kept_though_nothing_else_changed(tmp_path: Path) -> None:
    stored = Sessions.at(tmp_path / "graphs.db")
    stored.add(session(flat("m1")))
    events = RunEvents(prompt_message_id="m1", started_at=20, event_seq=7)
    start = {"id": "c", "kind": "start-run", "timestamp": 20, "run": events.run}
    with stored.editing("s") as (tx, opened, edit):
        apply_commands(edit, [start])
        save(tx, opened, edit, (start,))
    with stored.editing("s") as (tx, opened, edit):
        record_events(edit, events, now=21)
        save(tx, opened, edit)

    assert stored.read("s").graph.head.runs.event_seq == 7
    stored.database.close()


def test_commands_are_listed_256_long_and_kept_for_good(tmp_path: Path) -> None:
    stored = Sessions.at(tmp_path / "graphs.db")
    stored.add(session(flat("m0")))
    parent, sent = "m0", []
    for number in range(1, 301):
        command = append(f"c{number}", flat(f"m{number}"), after=parent)
        parent = f"m{number}"
        sent.append(command)
    for start in range(0, 300, 100):
        stored.apply("s", *sent[start : start + 100])

    read = stored.read("s")
    with stored.database.read() as tx:
        told = [recorded.recorded(tx, read.key, one) for one in (sent[0], sent[-1])]
        other = recorded.recorded(tx, read.key, {**sent[0], "timestamp": 99})
        unknown = recorded.recorded(tx, read.key, {**sent[0], "id": "never"})
    assert read.graph.command_ids == tuple(f"c{number}" for number in range(45, 301))
    assert (told, other, unknown) == ([True, True], False, None)
    stored.database.close()


def test_a_digest_covers_what_a_person_wrote_and_no_more() -> None:
    one = append("c1", flat("m1", content="hi"), after=None)
    same = {**one, "message": {**one["message"], "status": "error", "updatedAt": 99, "x": 1}}
    other = {**one, "message": {**one["message"], "content": "ho"}}

    assert recorded.digest_of(one) == recorded.digest_of(same)
    assert recorded.digest_of(one) == recorded.digest_of(dict(reversed(one.items())))
    assert recorded.digest_of(one) != recorded.digest_of(other)
    assert len(recorded.digest_of(one)) == 16


def test_a_cached_session_is_read_again_when_another_process_wrote(tmp_path: Path) -> None:
    stored = Sessions.at(tmp_path / "graphs.db")
    stored.add(session(flat("m0")))
    stored.apply("s", append("c1", flat("m1"), after="m0"))
    other = Sessions(Database.open(str(tmp_path / "graphs.db")))
    other.apply("s", append("c2", flat("m2"), after="m1"))

    stored.apply("s", append("c3", flat("m3"), after="m2"))

    assert len(stored.exported("s")["messages"]) == 4
    with stored.database.read() as tx:
        assert rows.find(tx, "s").revision == 3  # type: ignore[union-attr]
    other.database.close()
    stored.database.close()


def test_the_cache_keeps_the_sessions_used_last(tmp_path: Path) -> None:
    stored = Sessions.at(tmp_path / "graphs.db")
    stored.cache = type(stored.cache)(max_things=5)
    for name in ("s", "t", "u"):
        one = session(flat("m0"), flat("m1"), flat("m2"))
        graph = dict(one["conversationGraph"])
        stored.add({**one, "id": name, "conversationGraph": graph})
        with stored.database.read() as tx:
            assert stored.cache.open(tx, name) is not None

    assert [name in stored.cache for name in ("s", "t", "u")] == [False, False, True]
    stored.database.close()
