"""Random histories of one project, every step of them checked against the model."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest

from protocol.errors import RequestFailedError
from tests.core.arrays import apply_changes
from tests.handlers.desk import canonical, node, state_of
from tests.handlers.engine import Engine, Owners
from tests.handlers.model import Json, Model, Version, content_of

PROJECT = "p"
COMFYUI: Json = {
    "version": 0.4,
    "nodes": [{"id": 1, "type": "T", "pos": [0, 0]}, {"id": 2, "type": "U", "pos": [400, 0]}],
    "links": [],
}
MANY = 14
"""Nodes from which on more are removed than added."""


class Machine:
    """Engines on one file, a model of it, and mirrors that know changes alone.

    ``mirror`` follows the answers; each engine's host has a mirror that follows what it is told.
    """

    def __init__(self, path: Path, random: Random, *, processes: int = 1) -> None:
        self.random = random
        alive: set[int] = set()
        self.engines = [
            Engine(path, owners=Owners(number, alive)) for number in range(1, processes + 1)
        ]
        self.engine = self.engines[0]
        self.numbers = 0
        shown = self.engine.call("createProject", projectId=PROJECT, title="P")
        state = state_of(shown)
        self.model = Model([Version(shown["revisionId"], None, state, canonical(state))])
        self.mirror = deepcopy(state)
        self.told = [deepcopy(state) for _ in self.engines]
        self.steps: list[tuple[Callable[[], None], int]] = [
            (self.person_edits, 24),
            (self.run_edits, 14),
            (self.undo, 10),
            (self.redo, 7),
            (self.restore, 5),
            (self.rename_project, 1),
            (self.repeat, 3),
            (self.be_refused, 3),
            (self.start_run, 2),
            (self.pause_run, 2),
            (self.resume_run, 3),
            (self.cancel_run, 1),
            (self.close_run, 2),
            (self.explain, 4),
            (self.remove_explanation, 1),
            (self.create_draft, 3),
            (self.apply_draft, 3),
            (self.discard_draft, 1),
            (self.change_settings, 1),
            (self.prune, 2),
            (self.reopen, 1),
        ]

    def run(self, steps: int) -> None:
        """Take steps, and check the whole file at the end."""
        try:
            moves = [move for move, _ in self.steps]
            weights = [weight for _, weight in self.steps]
            for number in range(1, steps + 1):
                self.engine = self.random.choice(self.engines)
                self.random.choices(moves, weights)[0]()
                self.check()
                if number % 250 == 0:
                    self.check_all()
            self.check_all()
        finally:
            for engine in self.engines:
                engine.close()

    # Edits.

    def person_edits(self) -> None:
        self.commit(self.payload())

    def run_edits(self) -> None:
        run = self.model.run
        if run is None:
            self.start_run()
            return
        paused = run["status"] == "paused"
        answer = self.commit(self.payload(), run=run["runId"])
        if paused:
            assert answer["reason"]["code"] == "run-not-running"

    def rename_project(self) -> None:
        answer = self.command("renameProject", title=self.random.choice(("P", "Q")))
        if answer["changed"]:
            self.model.edited(self.seen(answer), self.mirror)

    def restore(self) -> None:
        target = self.random.choice(self.kept())
        run = self.model.run if self.random.random() < 0.3 else None
        self.commit(
            {"kind": "restore-revision", "revisionId": target},
            run=None if run is None else run["runId"],
        )

    def undo(self) -> None:
        self._step("undo")

    def redo(self) -> None:
        self._step("redo")

    def _step(self, method: str) -> None:
        step = getattr(self.model.current, method)
        gone = step is None or step.target not in self.kept()
        answer = self.command(method)
        run = self.model.run
        if run is not None and run["status"] == "running":
            assert answer["reason"]["code"] == "run-open"
        elif gone:
            assert answer["reason"]["code"] == f"nothing-to-{method}"
        else:
            assert answer["status"] == "applied"
            self.model.restored(self.seen(answer), self.mirror, step.target, run=None)

    def repeat(self) -> None:
        """Send an action again that was applied before, for whatever version."""
        if not self.model.actions:
            return
        method, params, first = self.random.choice(self.model.actions[-50:])
        answer = self.engine.call(method, **{**params, "expectedRevisionId": "any"})
        assert answer["status"] == "historical"
        for name in ("revisionId", "changed", "effects"):
            assert answer[name] == first[name]

    def be_refused(self) -> None:
        payloads: list[Json] = [
            {"kind": "remove-node", "nodeId": "nobody"},
            {"kind": "add-node", "componentId": "c", "groupId": "nobody"},
            {"kind": "restore-revision", "revisionId": "never"},
            {"kind": "import-workflow", "content": {"nodes": []}},
            {"kind": "nothing"},
        ]
        answer = self.command("commitCommand", payload=self.random.choice(payloads))
        assert answer["status"] == "rejected"
        params = self.params("commitCommand", {"payload": self.payload()})
        answer = self.engine.call("commitCommand", **{**params, "expectedRevisionId": "never"})
        assert answer["reason"]["code"] == "revision-moved"

    def commit(self, payload: Json, *, run: str | None = None) -> Json:
        actor = "manual" if run is None else "ai"
        answer = self.command("commitCommand", payload=payload, actor=actor, runId=run)
        if answer["status"] == "applied":
            if answer["changed"]:
                revision = self.seen(answer)
                if payload["kind"] == "restore-revision":
                    target = payload["revisionId"]
                    self.model.restored(revision, self.mirror, target, run=run)
                else:
                    self.model.edited(revision, self.mirror, run=run)
            self.count_step(run)
        return answer

    # Runs.

    def start_run(self) -> None:
        self.model.run = self.engine.call(
            "startRun", projectId=PROJECT, stepLimit=self.random.randint(1, 9)
        )

    def pause_run(self) -> None:
        run = self.model.run
        if run is not None:
            self.engine.call("pauseRun", runId=run["runId"])
            if run["status"] == "running":
                run.update(status="paused", pauseReason="requested")

    def resume_run(self) -> None:
        resumed = self.engine.call("resumeRun", projectId=PROJECT)
        run = self.model.run
        if run is None:
            self.model.run = resumed
        elif run["status"] == "paused":
            run.update(status="running", pauseReason=None, steps=0)
            run["owner"] = self.engine.owners.current()

    def cancel_run(self) -> None:
        run = self.model.run
        if run is not None:
            ended = self.engine.call("cancelRun", runId=run["runId"])
            assert ended["status"] == "cancelled"
            self.model.run = None

    def close_run(self) -> None:
        run = self.model.run
        if run is None:
            return
        ended = self.engine.call("closeRun", runId=run["runId"])
        self.model.run = None
        arrangement = ended["arrangement"]
        assert arrangement["status"] in {"applied", "nothing"}
        if arrangement["status"] == "applied":
            state = state_of(self.engine.call("getProject", projectId=PROJECT))
            assert only_places_differ(self.mirror, state)
            self.mirror = state
            self.model.edited(arrangement["revisionId"], state, run=run["runId"])

    def count_step(self, run_id: str | None) -> None:
        run = self.model.run
        if run is None or run_id is None:
            return
        run["steps"] += 1
        if run["steps"] >= run["stepLimit"]:
            run.update(status="paused", pauseReason="checkpoint")

    # Explanations and drafts.

    def explain(self) -> None:
        graph = self.mirror["graph"]
        subjects: list[tuple[str, str | None]] = [("graph", None)]
        for kind in ("node", "edge", "group", "subgraph"):
            subjects += [(kind, one[f"{kind}Id"]) for one in graph[f"{kind}s"]]
        kind, id_ = self.random.choice(subjects)
        if len(self.model.explanations) > 12:
            self.remove_explanation()
        explanation = self.random.choice([self.new("e"), *self.model.explanations])
        self.engine.call(
            "setExplanation",
            projectId=PROJECT,
            explanationId=explanation,
            subject={"kind": kind, "id": id_},
            text="Why",
            author="ai",
        )
        self.model.explain(explanation, kind, id_)

    def remove_explanation(self) -> None:
        if self.model.explanations:
            id_ = self.random.choice(list(self.model.explanations))
            params = {"projectId": PROJECT, "explanationId": id_}
            assert self.engine.call("removeExplanation", **params)["deleted"]
            del self.model.explanations[id_]

    def create_draft(self) -> None:
        nodes = [one["nodeId"] for one in self.mirror["graph"]["nodes"]]
        draft = self.engine.call(
            "createDraft",
            projectId=PROJECT,
            draftId=self.new("d"),
            title="D",
            nodeIds=self.some(nodes, 2),
            payloads=[self.inner_payload() for _ in range(self.random.randint(1, 3))],
        )
        assert draft["baseRevisionId"] == self.model.current.revision
        self.model.drafts[draft["draftId"]] = draft

    def apply_draft(self) -> None:
        if not self.model.drafts:
            return
        draft = self.random.choice(list(self.model.drafts.values()))
        run = self.model.run if self.random.random() < 0.4 else None
        run_id = None if run is None else run["runId"]
        was_open = draft["status"] == "open"
        told = len(self.engine.notes)
        answer = self.command(
            "applyDraft",
            draftId=draft["draftId"],
            actor="manual" if run is None else "ai",
            runId=run_id,
        )
        if run is not None and run["status"] == "paused":
            assert answer["reason"]["code"] == "run-not-running"
        elif not was_open:
            assert answer["reason"]["code"] == "draft-state"
        elif answer["status"] == "rejected":
            assert "payloadIndex" in answer["reason"]["details"]
        else:
            draft["status"] = "applied"
            self.seen(answer)
            self._follow(self.engine.notes[told:], run_id)
            self.count_step(run_id)

    def _follow(self, notes: list[tuple[str, Json]], run: str | None) -> None:
        """Take the versions of a draft from what was told: not all of them need be kept."""
        state, extends = self.model.current.state, False
        for method, told in notes:
            if method == "projectChanged" and told["origin"] == "self":
                state = apply_changes(state, told["changes"])
                self.model.edited(told["revisionId"], state, run=run, extends=extends)
                extends = True
        assert self.model.current.text == canonical(self.mirror)

    def discard_draft(self) -> None:
        found = [one for one in self.model.drafts.values() if one["status"] != "applied"]
        if found:
            draft = self.random.choice(found)
            self.engine.call("discardDraft", draftId=draft["draftId"])
            draft.update(status="discarded", staleReason=None)

    # The file.

    def change_settings(self) -> None:
        self.engine.call(
            "updateSettings",
            maxRevisions=self.random.choice((8, 20, 50)),
            minRevisions=self.random.choice((1, 5)),
            maxRevisionBytes=self.random.choice((0, 20_000, 1 << 28)),
        )

    def prune(self) -> None:
        self.engine.prune()

    def reopen(self) -> None:
        self._hear(self.engines.index(self.engine))
        gone, run = self.engine.owners.current(), self.model.run
        closed = self.engine.reopen()
        stale = run is not None and run["owner"] == gone
        assert closed == ([run["runId"]] if run is not None and stale else [])
        if stale:
            self.model.run = None

    # Checks.

    def check(self) -> None:
        """Compare what the engine shows with the model."""
        shown = self.engine.call("getProject", projectId=PROJECT)
        current = self.model.current
        assert shown["revisionId"] == current.revision
        assert shown["revisionNumber"] == len(self.model.versions)
        assert canonical(state_of(shown)) == current.text
        kept = self.kept()
        for name in ("undo", "redo"):
            step, told = getattr(current, name), shown[name]
            if told is None:
                assert step is None or step.target not in kept
            else:
                assert step is not None
                assert told["targetRevisionId"] == step.target
                assert (told["runId"], told["commands"]) == (step.run, step.commands)
                assert step.target in kept
        self._check_run(shown["openRun"])
        assert self._holding() == self.model.holding(len(self.model.versions) - 1)
        self.check_version(self.random.choice(kept))

    def check_version(self, revision: str) -> None:
        known = self.model.find(revision)
        state = self.engine.call("getRevision", projectId=PROJECT, revisionId=revision)["state"]
        assert canonical(state) == known.text
        assert self._holding(revision) == self.model.holding(self.model.places[revision])

    def check_all(self) -> None:
        """Compare every kept version, the file with itself, and what hosts were told."""
        for place in range(len(self.engines)):
            self._hear(place)
        kept = self.kept()
        assert kept[0] == self.model.current.revision
        for revision in kept[:100]:
            self.check_version(revision)
        gone = [one for one in self.model.versions if one.revision not in set(kept)]
        if gone:
            lost = self.random.choice(gone).revision
            with pytest.raises(RequestFailedError) as caught:
                self.engine.call("getRevision", projectId=PROJECT, revisionId=lost)
            assert caught.value.code == "pruned-revision"
        drafts = self.engine.call("listDrafts", projectId=PROJECT)["items"]
        assert {one["draftId"]: one for one in drafts} == self.model.drafts
        assert self.engine.faults() == []
        self._tidy()

    def _hear(self, place: int) -> None:
        """Bring a host's mirror forward by what it was told, as far as that goes."""
        engine = self.engines[place]
        engine.context.watch.poll(engine.database)
        for method, params in engine.notes:
            if method == "projectCreated":
                self.told[place] = deepcopy(self.model.find(params["revisionId"]).state)
            elif method == "projectChanged" and params["changes"] is not None:
                self.told[place] = apply_changes(self.told[place], params["changes"])
            elif method == "projectChanged":
                assert params["origin"] == "other"
                self.told[place] = deepcopy(self.mirror)
                break
        engine.notes.clear()
        assert canonical(self.told[place]) == self.model.current.text

    def _tidy(self) -> None:
        """Let go of what no later check needs: histories of 30,000 steps must fit in memory."""
        self.engine.prune()
        self.model.forget(set(self.kept()))
        del self.model.actions[:-200]

    def kept(self) -> list[str]:
        """Return the ids of all versions to be had, newest first."""
        items = self.engine.call("listRevisions", projectId=PROJECT, limit=500)["items"]
        return [one["revisionId"] for one in items]

    def _check_run(self, shown: Json | None) -> None:
        run = self.model.run
        assert (shown is None) == (run is None)
        if shown is not None and run is not None:
            for name in ("runId", "status", "pauseReason", "steps", "stepLimit", "owner"):
                assert shown[name] == run[name]
            assert shown["expectedRevisionId"] == self.model.current.revision

    def _holding(self, revision: str | None = None) -> dict[str, str]:
        items = self.engine.call("listExplanations", projectId=PROJECT, revisionId=revision)
        return {one["explanationId"]: one["state"] for one in items["items"]}

    # Requests.

    def command(self, method: str, **fields: Any) -> Json:
        params = self.params(method, fields)
        answer: Json = self.engine.call(method, **params)
        if answer["status"] == "applied":
            self.model.actions.append((method, params, answer))
        else:
            assert answer["changes"] == []
        return answer

    def params(self, method: str, fields: Json) -> Json:
        params: Json = {
            "actionId": self.new("a"),
            "expectedRevisionId": self.model.current.revision,
            "projection": "changes",
            **fields,
        }
        if method != "applyDraft":
            params["projectId"] = PROJECT
        if method == "commitCommand":
            params = {"actor": "manual", "runId": None, **params}
        return params

    def seen(self, answer: Json) -> str:
        """Bring the mirror to the version of an answer, by its changes alone."""
        self.mirror = apply_changes(self.mirror, answer["changes"])
        revision: str = answer["revisionId"]
        return revision

    # Payloads.

    def payload(self) -> Json:
        choice = self.random.random()
        if choice < 0.01:
            return {"kind": "open-native", "content": COMFYUI}
        if choice < 0.03 and len(self.mirror["graph"]["nodes"]) < MANY:
            return {"kind": "import-workflow", "content": COMFYUI}
        definitions = self.mirror["graph"]["subgraphs"]
        if definitions and choice < 0.2:
            definition = self.random.choice(definitions)
            inner = self._payload(definition)
            return {
                "kind": "edit-in-subgraph",
                "subgraphId": definition["subgraphId"],
                "payload": inner,
            }
        return self.inner_payload()

    def inner_payload(self) -> Json:
        return self._payload(self.mirror["graph"])

    def _payload(self, owner: Json) -> Json:
        random = self.random
        nodes = [one["nodeId"] for one in owner["nodes"]]
        edges = [one["edgeId"] for one in owner["edges"]]
        groups = [one["groupId"] for one in owner["groups"]]
        one = random.choice(nodes) if nodes else "nobody"
        place = {"x": random.randint(-900, 900), "y": random.randint(-900, 900)}
        added = {"kind": "add-node", **node(self.new("n"), **place)}
        removed = {"kind": "remove-node", "nodeId": one, "reconnect": random.random() < 0.5}
        value = random.randint(0, 3)
        payloads: list[Json] = [
            added,
            added if len(nodes) < MANY else removed,
            removed,
            {"kind": "move-node", "nodeId": one, "position": place},
            {"kind": "move-nodes", "nodeIds": self.some(nodes, 3), "delta": {"x": 10, "y": 0}},
            {"kind": "rename-node", "nodeId": one, "name": random.choice((None, "a", "b"))},
            {"kind": "annotate-node", "nodeId": one, "annotation": random.choice((None, "x"))},
            {"kind": "set-parameter", "nodeId": one, "name": "p", "value": value},
            self._connect(nodes),
            self._connect(nodes),
            {"kind": "remove-edge", "edgeId": random.choice(edges) if edges else "nothing"},
            {"kind": "add-group", "name": "G", "nodeIds": self.some(nodes, 3)},
            {"kind": "remove-group", "groupId": random.choice(groups) if groups else "nothing"},
            {"kind": "create-subgraph", "nodeIds": self.some(nodes, 3)},
            {"kind": "dissolve-subgraph", "nodeId": self._instance(owner) or one},
        ]
        return random.choice(payloads)

    def _connect(self, nodes: list[str]) -> Json:
        if len(nodes) < 2:
            return {"kind": "remove-node", "nodeId": "nobody"}
        source, target = self.random.sample(nodes, 2)
        return {
            "kind": "connect",
            "source": {"nodeId": source, "portId": "out"},
            "target": {"nodeId": target, "portId": "in"},
        }

    def _instance(self, owner: Json) -> str | None:
        found = [
            one["nodeId"] for one in owner["nodes"] if one["componentId"].startswith("subgraph:")
        ]
        return self.random.choice(found) if found else None

    def some(self, ids: list[str], most: int) -> list[str]:
        return self.random.sample(ids, self.random.randint(0, min(most, len(ids))))

    def new(self, prefix: str) -> str:
        self.numbers += 1
        return f"{prefix}{self.numbers}"


def only_places_differ(before: Json, after: Json) -> bool:
    """Whether two states have the same content and differ in looks alone."""
    return content_of(before, "graph", None) == content_of(after, "graph", None)
