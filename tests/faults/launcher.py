"""Starts the sidecar with something broken in it, for tests of the checker alone.

``launcher.py FAULT ARGUMENTS``.  A checker that is worth its name catches each fault.
"""

import itertools
import sys
from collections.abc import Callable
from typing import Any, Final

if __name__ == "__main__":
    sys.path.pop(0)

import msgspec
from attrs import evolve

from protocol.commands import MoveNodes
from sidecar.handlers import commands, commit, projects, restoring
from sidecar.handlers.answers import Command, Landed, RefusedError, refused_answer
from sidecar.handlers.scene import Scene
from sidecar.handlers.sessions import commands as session_commands
from sidecar.handlers.sessions import events
from sidecar.server import connection
from sidecar.store import revisions
from sidecar.store.database import Database
from sidecar.store.revisions import RevisionRow


def forgets_actions() -> None:
    """Takes a command that comes again for a new one."""
    _replace(commands, "find_recorded", lambda _: None)


def ignores_versions() -> None:
    """Applies commands that were made for an older version."""
    _replace(commands, "check_revision", lambda _: None)


def invents_conflicts() -> None:
    """Says now and then that the version moved when it did not."""
    real, turns = commands.check_revision, itertools.count(1)

    def check(scene: Scene) -> None:
        real(scene)
        if next(turns) % 9 == 0:
            current = scene.project.revision.revision_id
            raise RefusedError("conflict", "revision-moved", "Moved.", {"current": current})

    _replace(commands, "check_revision", check)


def tears_moves() -> None:
    """Moves all nodes but the last of those that it was told to move."""
    real = vars(commit)["execute"]

    def execute(graph: Any, payload: Any, *arguments: Any, **options: Any) -> Any:
        if isinstance(payload, MoveNodes) and payload.moves is not None and len(payload.moves) > 1:
            payload = evolve(payload, moves=payload.moves[:-1])
        return real(graph, payload, *arguments, **options)

    _replace(commit, "execute", execute)


def undoes_too_much() -> None:
    """Restores the version before the one that it was told to restore."""
    real = restoring.restore

    def restore(scene: Scene, target: RevisionRow) -> Any:
        before = revisions.at(scene.tx, scene.project.row.project_key, target.number - 1)
        return real(scene, target if before is None else before)

    _replace(restoring, "restore", restore)


def shows_the_past() -> None:
    """Answers getProject now and then with what it answered before."""
    real, turns, kept = projects.get_project, itertools.count(1), [b""]

    def show(*arguments: Any) -> bytes:
        answer = real(*arguments)
        if next(turns) % 4 == 0:
            return kept[0]
        kept[0] = answer
        return answer

    _replace(projects, "get_project", show)


def loses_commits() -> None:
    """Answers as if it had committed, and rolls back, now and then."""
    real, turns = Database.commit, itertools.count(1)

    def end(database: Database, *arguments: Any) -> None:
        if next(turns) % 6 == 0:
            database.rollback()
        else:
            real(database, *arguments)

    _replace(Database, "commit", end)


def tears_batches() -> None:
    """Writes all commands of a batch but the last, and acknowledges all."""
    real = session_commands.apply_session_commands

    def apply(ctx: Any, unit: Any, raw: dict[str, Any]) -> bytes:
        ids = [command["id"] for command in raw["commands"]]
        answer = real(ctx, unit, {**raw, "commands": raw["commands"][: max(1, len(ids) - 1)]})
        return answer.replace(_json(ids[:-1]), _json(ids)) if len(ids) > 1 else answer

    _replace(session_commands, "apply_session_commands", apply)


def drops_replies() -> None:
    """Acknowledges what the assistant says in a chat, and keeps nothing of it."""
    real = events.record_session_events

    def record(ctx: Any, unit: Any, params: Any) -> bytes:
        empty = [{**message, "content": ""} for message in params.messages]
        return real(ctx, unit, evolve(params, messages=empty))

    _replace(events, "record_session_events", record)


def leaves_refused_commands() -> None:
    """Answers a conflict, and applies the command all the same."""
    real = commands._serve  # noqa: SLF001 -- likewise

    def serve(ctx: Any, unit: Any, command: Command, carry: Any, admit: Any) -> bytes:
        try:
            return real(ctx, unit, command, carry, admit)
        except RefusedError as refusal:
            if refusal.code != "revision-moved":
                raise
            current = refusal.details["current"]
            real(ctx, unit, evolve(command, expected_revision_id=current), carry, admit)
            return refused_answer(ctx, unit.tx, command, refusal)

    _replace(commands, "_serve", serve)


def tells_otherwise() -> None:
    """Tells a command that comes again of the newest version instead of its own."""
    real = commands.find_recorded

    def find(scene: Scene) -> Landed | None:
        known = real(scene)
        newest = scene.project.revision.revision_id
        return None if known is None else evolve(known, revision_id=newest)

    _replace(commands, "find_recorded", find)


def answers_twice() -> None:
    """Answers now and then twice."""
    real, turns = connection.Connection.answer, itertools.count(1)

    def answer(self: connection.Connection, request: Any, result: Any) -> None:
        real(self, request, result)
        if next(turns) % 11 == 0:
            request.answered = False
            real(self, request, result)

    _replace(connection.Connection, "answer", answer)


def refuses_good_commands() -> None:
    """Rejects now and then what is right."""
    real, turns = commands.check_revision, itertools.count(1)

    def check(scene: Scene) -> None:
        real(scene)
        if next(turns) % 9 == 0:
            raise RefusedError("rejected", "unknown-node", "No such node.", {})

    _replace(commands, "check_revision", check)


FAULTS: Final[dict[str, Callable[[], None]]] = {
    fault.__name__.replace("_", "-"): fault
    for fault in (
        forgets_actions,
        ignores_versions,
        invents_conflicts,
        tears_moves,
        undoes_too_much,
        shows_the_past,
        loses_commits,
        tears_batches,
        drops_replies,
        leaves_refused_commands,
        tells_otherwise,
        answers_twice,
        refuses_good_commands,
    )
}


def _replace(where: Any, name: str, what: Any) -> None:
    setattr(where, name, what)


def _json(value: list[str]) -> bytes:
    return msgspec.json.encode(value)


if __name__ == "__main__":
    from sidecar.__main__ import main

    FAULTS[sys.argv[1]]()
    main(sys.argv[2:])
