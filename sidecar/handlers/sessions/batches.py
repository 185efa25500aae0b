"""Batches of conversation commands: read, applied to a session in memory, refused with a reason.

What applySessionCommands and restoreToMessage have in common; nothing here writes rows.
"""

from collections.abc import Mapping
from typing import Any

from attrs import define, frozen

from protocol.errors import RequestFailedError
from protocol.sessions import Submitted
from sidecar.core.conversation import outcomes, payloads, sanitize
from sidecar.core.conversation.errors import ConversationError
from sidecar.core.conversation.session_commands import Applied, apply_commands
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.values import Command, JsonObject
from sidecar.handlers.sessions.access import Edited
from sidecar.store import runs
from sidecar.store.database import Transaction
from sidecar.store.sessions import commands as recorded_commands
from sidecar.store.sessions.cache import OpenSession


@define
class RefusedBatchError(Exception):
    """Why a batch does not land: a status, a code, a sentence for the person, facts."""

    status: str
    code: str
    message: str
    details: Mapping[str, Any]
    retryable: bool = False

    @property
    def reason(self) -> dict[str, Any]:
        """The wire form; ``details`` tells of every refusal whether a retry may help."""
        details = {"index": None, "commandId": None, **self.details, "retryable": self.retryable}
        return {"code": self.code, "message": self.message, "details": details}


@frozen
class Batch:
    """A request's commands, checked and reduced to what they mean."""

    commands: list[Command]

    def find(self, command_id: str) -> Command:
        """Return the first command of an id."""
        return next(one for one in self.commands if one["id"] == command_id)


def read_batch(sent: tuple[JsonObject, ...], submitted: Submitted | None) -> Batch:
    """Return the commands of a request; their messages may lack what a stored one has."""
    given: JsonObject = sanitize.own_messages(list(sent))
    if submitted is not None:
        given = {
            "messages": list(submitted.messages or ()),
            "conversationGraph": submitted.conversation_graph,
        }
    try:
        commands = sanitize.sanitize(list(sent), given)
        payloads.completed(commands)
    except ConversationError as error:
        raise refusal_of(error, outcomes.NoFacts()) from error
    return Batch(commands)


def apply_batch(tx: Transaction, edited: Edited, batch: Batch) -> Applied:
    """Apply a batch to the session in memory, or raise and leave it as it was.

    What is told of new commands is what was asked for, without what was filled in.
    """
    session = edited.opened.graph
    commands = _completed(session, batch.commands)
    try:
        with edited.edit.whole_or_nothing():
            applied = apply_commands(
                edited.edit,
                commands,
                recorded=lambda command: recorded_commands.recorded(
                    tx, edited.key, batch.find(command["id"])
                ),
            )
            _check_graph_runs(tx, edited, commands, applied)
    except ConversationError as error:
        facts = outcomes.SessionFacts(session, commands[: error.index or 0])
        raise refusal_of(error, facts) from error
    return Applied(applied.acknowledged, tuple(batch.find(one["id"]) for one in applied.new))


def acknowledged_of(tx: Transaction, opened: OpenSession, batch: Batch) -> list[str]:
    """Return the ids of a refused batch whose commands are on record all the same."""
    return [
        identity
        for identity, command in {one["id"]: one for one in batch.commands}.items()
        if _is_on_record(tx, opened, identity)
        and recorded_commands.recorded(tx, opened.key, command) is not False
    ]


def refusal_of(error: ConversationError, facts: outcomes.Facts) -> RefusedBatchError:
    """Return how a batch that a rule refused is answered."""
    outcome = outcomes.outcome_of(error, facts)
    return RefusedBatchError(
        outcome.status.value, outcome.code, outcome.message, outcome.details, outcome.retryable
    )


def refusal_of_request(error: RequestFailedError) -> RefusedBatchError:
    """Return how a batch for a session that cannot be had is answered."""
    return RefusedBatchError(
        "rejected", error.code, error.message, error.details or {}, error.retryable
    )


def _completed(session: SessionGraph, commands: list[Command]) -> list[Command]:
    """Fill in what new messages lack; one that is there already is compared as it was sent."""
    complete = payloads.completed(commands)
    return [
        one if _is_sent_again(session, one) else other
        for one, other in zip(commands, complete, strict=True)
    ]


def _is_sent_again(session: SessionGraph, command: Command) -> bool:
    message = command.get("message")
    return message is not None and session.index.message(message["id"]) is not None


def _check_graph_runs(
    tx: Transaction, edited: Edited, commands: list[Command], applied: Applied
) -> None:
    """Refuse a start-run beside a run of the graph that is not at work in this project."""
    if "activeRun" not in edited.edit.changed_fields():
        return
    for command in applied.new:
        run_id = command.get("graphRunId")
        if run_id is None or edited.opened.graph.head.runs.graph_run_id != run_id:
            continue
        run = runs.find(tx, run_id)
        at_work = run is not None and run.status == "running"
        if at_work and run is not None and run.project_key == edited.project.project_key:
            continue
        raise RefusedBatchError(
            "conflict",
            "run-not-running",
            "The assistant's run of the graph is not running, so its answer was not begun.",
            {
                "index": commands.index(command),
                "commandId": command["id"],
                "runId": run_id,
                "status": None if run is None else run.status,
            },
        )


def _is_on_record(tx: Transaction, opened: OpenSession, identity: str) -> bool:
    return opened.graph.knows(identity) or recorded_commands.is_known(tx, opened.key, identity)
