"""One batch through both forms of the rules, each told as a session and a verdict."""

from collections.abc import Sequence

from sidecar.core.conversation.apply import apply
from sidecar.core.conversation.errors import ConversationError
from sidecar.core.conversation.session_commands import apply_commands
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.values import Command, Session

Verdict = tuple[str, str, int | None, str | None] | None


def expected_batch(session: Session, commands: Sequence[Command]) -> tuple[Session, Verdict]:
    """By the whole-session functions; a batch without a new command changes nothing."""
    known = set(session.get("runtimeConversationCommandIds") or ())
    try:
        after = apply(session, commands)
    except ConversationError as error:
        return session, verdict(error)
    return (session if all(one["id"] in known for one in commands) else after), None


def found_batch(graph: SessionGraph, commands: Sequence[Command]) -> tuple[Session, Verdict]:
    """By the indexed session, which is left in the state that the batch leads to."""
    told: Verdict = None
    with graph.edit() as edit:
        try:
            apply_commands(edit, commands)
        except ConversationError as error:
            told = verdict(error)
            assert edit.changes() == []
            assert not edit.head_changed
        edit.commit()
    return graph.to_session(), told


def verdict(error: ConversationError) -> Verdict:
    return type(error).__name__, error.check.value, error.index, error.command_id
