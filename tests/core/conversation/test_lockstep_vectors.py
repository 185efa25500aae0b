"""The indexed session against the whole-session functions, on every recorded session."""

import copy
from collections.abc import Iterator

from sidecar.core.conversation.errors import ConversationError
from sidecar.core.conversation.materialize import materialize
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.values import Command, Session
from tests.core.conversation.lockstep import expected_batch, found_batch
from tests.vectors.files import MAIN, QUIRKS, vectors
from tests.vectors.runner import patched


def batches() -> Iterator[tuple[str, Session, list[Command]]]:
    """Every batch of the vectors with the session that it meets, where that can be read."""
    for name in (MAIN, QUIRKS):
        for vector in vectors(name):
            given = vector["input"]
            steps = given.get("steps") or [{"commands": given.get("commands", [])}]
            if vector["op"] not in {"apply", "applySteps"}:
                continue
            session = given["session"]
            for step in steps:
                if "patch" in step:
                    session = patched(session, step["patch"])
                    continue
                readable = readable_form(session)
                if readable is None:
                    continue
                yield vector["name"], readable, step["commands"]
                session = expected_batch(readable, step["commands"])[0]


def readable_form(session: Session) -> Session | None:
    try:
        return materialize(session)
    except ConversationError:
        return None


def test_every_recorded_batch_gives_the_same_session_and_the_same_verdict() -> None:
    count = 0
    for name, session, commands in batches():
        given = copy.deepcopy(session)

        found = found_batch(SessionGraph.from_session(session), commands)

        assert found == expected_batch(session, commands), name
        assert session == given, name
        count += 1
    assert count > 250


def test_every_recorded_session_comes_back_as_it_was_with_its_keys_in_order() -> None:
    for name, session, _ in batches():
        back = SessionGraph.from_session(session).to_session()

        assert back == session, name
        assert list(back) == list(session), name
        assert list(back["conversationGraph"]) == list(session["conversationGraph"]), name
