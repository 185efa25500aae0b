"""What each version holds, by a replay of the commands, against every state that was shown."""

from collections.abc import Callable
from typing import Any

from attrs import define, evolve, field, frozen

from tests.faults import model
from tests.faults.checks.chain import Chain
from tests.faults.history import Call, History
from tests.faults.model import Graph


@frozen
class Step:
    """What one press of undo takes back."""

    target: int
    run_id: str | None


@frozen
class Version:
    graph: Graph
    run_id: str | None = None
    undo: Step | None = None
    redo: int | None = None
    restored: int | None = None
    """The number of the version that this one equals."""


@define
class Replay:
    """Versions by number, as far as the commands that made them are known."""

    chain: Chain
    drafts: dict[str, list[dict[str, Any]]]
    versions: dict[int, Version] = field(factory=dict)


def check(history: History, chain: Chain) -> None:
    """Replay the commands and compare."""
    drafts = {
        call.params["draftId"]: call.params["payloads"]
        for call in history.calls
        if call.method == "createDraft"
    }
    replay = Replay(chain, drafts)
    first = next((call for call in history.calls if call.method == "createProject"), None)
    if first is None:
        return
    replay.versions[1] = Version(Graph(title=first.params["title"]))
    makers = _makers(history, chain)
    for number in range(1, chain.last):
        if number + 1 in replay.versions:
            continue
        maker = makers.get(number + 1)
        if maker is None:
            chain.findings.add("unexplained-version", f"nobody made version {number + 1}")
            break
        try:
            maker(replay, number)
        except (KeyError, AttributeError) as error:
            chain.findings.add("lost-update", f"version {number + 1} does not fit: {error!r}")
            break
    _check_states(history, replay)
    _check_steps(history, replay)


Maker = Callable[[Replay, int], None]


def _makers(history: History, chain: Chain) -> dict[int, Maker]:
    """Return who made each version, by its number."""
    makers: dict[int, Maker] = {}
    landed = {
        chain.numbers[landing.revision_id]: action_id
        for action_id, landing in chain.landings.items()
        if landing.changed and landing.revision_id in chain.numbers
    }
    for number, revision in chain.listed.items():
        # A command whose answer never came is known by its version alone.
        if revision["actionId"] in chain.actions:
            landed.setdefault(number, revision["actionId"])
    for number, action_id in landed.items():
        call = chain.actions[action_id][0]
        landing = chain.landings.get(action_id)
        effects = None if landing is None else landing.effects
        if call.method == "applyDraft":
            before = chain.numbers.get(call.params["expectedRevisionId"], number - 1)
            makers[before + 1] = _draft_maker(call)
        else:
            makers[number] = _command_maker(call, effects)
    for run_id, revision_id in _arrangements(history):
        if revision_id in chain.numbers:
            makers[chain.numbers[revision_id]] = _arrangement_maker(run_id)
    for number, revision in chain.listed.items():
        if str(revision["actionId"]).startswith("arrange:"):
            makers[number] = _arrangement_maker(revision["runId"])
    return makers


def _arrangements(history: History) -> list[tuple[str, str]]:
    found = []
    for call in history.calls:
        if call.method in ("closeRun", "getRun") and call.result is not None:
            arrangement = call.result["arrangement"]
            if arrangement is not None and arrangement["status"] == "applied":
                found.append((call.result["runId"], arrangement["revisionId"]))
    return found


def _arrangement_maker(run_id: str) -> Maker:
    def make(replay: Replay, number: int) -> None:
        before = replay.versions[number]
        replay.versions[number + 1] = _edited(before, number, model.displaced(before.graph), run_id)

    return make


def _draft_maker(call: Call) -> Maker:
    def make(replay: Replay, number: int) -> None:
        version = replay.versions[number]
        made = 0
        for payload in replay.drafts[call.params["draftId"]]:
            graph = model.apply(version.graph, payload)
            if graph != version.graph:
                undo = version.undo if made else Step(number, call.params["runId"])
                version = Version(graph, call.params["runId"], undo)
                made += 1
                replay.versions[number + made] = version

    return make


def _command_maker(call: Call, effects: dict[str, Any] | None) -> Maker:
    def make(replay: Replay, number: int) -> None:
        before = replay.versions[number]
        run_id = call.params.get("runId")
        payload = call.params.get("payload", {})
        if call.method in ("undo", "redo"):
            target = _target(before, call.method)
            replay.versions[number + 1] = _restored(replay, number, target, "manual")
        elif payload.get("kind") == "restore-revision":
            target = replay.chain.numbers[payload["revisionId"]]
            actor = call.params["actor"]
            replay.versions[number + 1] = _restored(replay, number, target, actor, run_id)
        elif call.method == "renameProject":
            graph = evolve(before.graph, title=call.params["title"])
            replay.versions[number + 1] = _edited(before, number, graph, run_id)
        else:
            graph = model.apply(before.graph, payload)
            if call.params["actor"] == "ai" and payload["kind"] == "add-node":
                placed = None if effects is None else effects["placed"]
                graph = _placed(graph, payload["nodeId"], placed)
            replay.versions[number + 1] = _edited(before, number, graph, run_id)

    return make


def _placed(graph: Graph, node_id: str, placed: list[dict[str, Any]] | None) -> Graph:
    if placed is None:
        node = evolve(graph.nodes[node_id], position=None)
        return evolve(graph, nodes={**graph.nodes, node_id: node})
    return model.place(graph, placed)


def _target(version: Version, way: str) -> int:
    undo = None if version.undo is None else version.undo.target
    target = version.redo if way == "redo" else undo
    if target is None:
        raise KeyError(f"nothing to {way}")
    return target


def _edited(before: Version, number: int, graph: Graph, run_id: str | None) -> Version:
    extends = run_id is not None and before.run_id == run_id and before.undo is not None
    if extends and before.undo is not None and before.undo.run_id == run_id:
        return Version(graph, run_id, before.undo)
    return Version(graph, run_id, Step(number, run_id))


def _restored(
    replay: Replay, number: int, target: int, actor: str, run_id: str | None = None
) -> Version:
    before, goal = replay.versions[number], replay.versions[target]
    if actor == "manual":
        if before.undo is not None and before.undo.target == target:
            return Version(goal.graph, None, goal.undo, number, restored=target)
        if before.redo == target:
            return Version(goal.graph, None, goal.undo, goal.redo, restored=target)
    edited = _edited(before, number, goal.graph, run_id)
    return evolve(edited, restored=target)


def _check_states(history: History, replay: Replay) -> None:
    digests: dict[int, str] = {}
    for call in history.calls:
        shown = _shown(call)
        if shown is None:
            continue
        number, state = shown
        digest = model.digest(state)
        if digests.setdefault(number, digest) != digest:
            replay.chain.findings.add("version-changed", f"version {number} changed", call)
        version = replay.versions.get(number)
        if version is not None and not model.matches(version.graph, model.read(state)):
            replay.chain.findings.add("state-differs", f"version {number}: {call.method}", call)
    for number, version in replay.versions.items():
        if version.restored is None:
            continue
        one, other = digests.get(number), digests.get(version.restored)
        if one is not None and other is not None and one != other:
            replay.chain.findings.add(
                "restore-differs", f"version {number} does not equal {version.restored}"
            )


def _shown(call: Call) -> tuple[int, dict[str, Any]] | None:
    """Return the number and state of a version that an answer shows whole."""
    if call.result is None:
        return None
    if call.method == "getRevision":
        return call.result["revision"]["number"], call.result["state"]
    projection = call.projection
    if projection is None or "graph" not in projection:
        return None
    return projection["revisionNumber"], projection


def _check_steps(history: History, replay: Replay) -> None:
    chain, versions = replay.chain, replay.versions
    for number, revision in chain.listed.items():
        version = versions.get(number)
        if version is None:
            continue
        expected = None if version.restored is None else chain.ids.get(version.restored)
        if revision["restoredFrom"] != expected:
            chain.findings.add("restore-differs", f"version {number} restored another")
    pruned = any(call.method == "updateSettings" for call in history.calls)
    for calls in chain.actions.values():
        for call in calls:
            way = {"nothing-to-undo": "undo", "nothing-to-redo": "redo"}.get(call.reason["code"])
            if way is None or call.projection is None:
                continue
            version = versions.get(call.projection["revisionNumber"])
            if version is None or pruned:
                continue
            if (version.undo if way == "undo" else version.redo) is not None:
                chain.findings.add("refused-without-cause", f"there is something to {way}", call)
