"""What a project must be like after any history: a model that shares no code with the engine.

It keeps the canonical JSON of every version, the undo and redo steps by their rule, the open run,
the drafts and the explanations.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from attrs import define, evolve, field, frozen

from tests.handlers.desk import canonical

Json = dict[str, Any]
LOOKS = {"position", "size", "bounds", "inputAnchor", "outputAnchor", "waypoints", "collapsed"}
NO_CONTENT = LOOKS | {"annotation"}
IDS = {"node": "nodeId", "edge": "edgeId", "group": "groupId", "subgraph": "subgraphId"}


@frozen
class Step:
    """One press of undo or redo."""

    target: str
    run: str | None
    commands: int


@frozen
class Version:
    """A version as the model knows it."""

    revision: str
    run: str | None
    state: Json
    text: str
    undo: Step | None = None
    redo: Step | None = None


@frozen(kw_only=True)
class Explanation:
    """What was explained, as it was then; ``since`` is the place of that version."""

    kind: str
    id: str | None
    content: str
    since: int


@define
class Model:
    """A project's whole history, kept or not."""

    versions: list[Version]
    places: dict[str, int] = field(factory=dict)
    run: Json | None = None
    drafts: dict[str, Json] = field(factory=dict)
    explanations: dict[str, Explanation] = field(factory=dict)
    actions: list[tuple[str, Json, Json]] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.places |= {one.revision: place for place, one in enumerate(self.versions)}

    @property
    def current(self) -> Version:
        return self.versions[-1]

    def find(self, revision: str) -> Version:
        return self.versions[self.places[revision]]

    def forget(self, kept: set[str]) -> None:
        """Let go of the states of all versions but some, which is what fills the memory."""
        for place, one in enumerate(self.versions):
            if one.text and one.revision not in kept:
                self.versions[place] = evolve(one, state={}, text="")

    def edited(
        self, revision: str, state: Json, *, run: str | None = None, extends: bool = False
    ) -> None:
        """A version that is an edit: part of the step before it, or a step of its own."""
        step, last = self.current.undo, self.current
        one_more = step is not None and (
            extends or (run is not None and last.run == run == step.run)
        )
        undo = (
            evolve(step, commands=step.commands + 1)
            if one_more and step is not None
            else Step(last.revision, run, 1)
        )
        self._append(Version(revision, run, state, canonical(state), undo))

    def restored(self, revision: str, state: Json, target: str, *, run: str | None) -> None:
        """A version that equals another: an undo, a redo or an edit."""
        last, goal = self.current, self.find(target)
        assert canonical(state) == goal.text
        if run is None and last.undo is not None and last.undo.target == target:
            back = evolve(last.undo, target=last.revision)
            self._append(Version(revision, None, state, goal.text, goal.undo, back))
        elif run is None and last.redo is not None and last.redo.target == target:
            self._append(Version(revision, None, state, goal.text, goal.undo, goal.redo))
        else:
            self.edited(revision, state, run=run)

    def explain(self, id_: str, kind: str, subject: str | None) -> None:
        content = content_of(self.current.state, kind, subject)
        assert content is not None
        since = len(self.versions) - 1
        self.explanations.pop(id_, None)
        self.explanations[id_] = Explanation(kind=kind, id=subject, content=content, since=since)

    def holding(self, place: int) -> dict[str, str]:
        """Return the state of each explanation that holds at the version of a place."""
        state = self.versions[place].state
        found = {}
        for id_, one in self.explanations.items():
            content = content_of(state, one.kind, one.id)
            if one.since <= place and content is not None:
                found[id_] = "current" if content == one.content else "outdated"
        return found

    def _append(self, version: Version) -> None:
        self.places[version.revision] = len(self.versions)
        self.versions.append(version)
        document = version.state["document"]
        document_id = None if document is None else document["documentId"]
        there = {id_ for kind, _, id_, _ in things_of(version.state) if kind == "node"}
        for draft in self.drafts.values():
            if draft["status"] != "open":
                continue
            if draft["documentId"] != document_id:
                draft.update(status="stale", staleReason="document-changed")
            elif not there.issuperset(draft["nodeIds"]):
                draft.update(status="stale", staleReason="node-gone")


def things_of(state: Json) -> list[tuple[str, str | None, str, Json]]:
    """Return all things of a graph: kind, scope, id and content."""
    graph = state["graph"]
    found = _contents(None, graph)
    for definition in graph["subgraphs"]:
        inner = ("nodes", "edges", "groups")
        own = {name: part for name, part in definition.items() if name not in inner}
        id_ = definition["subgraphId"]
        found.append(("subgraph", None, id_, _content("subgraph", own)))
        found += _contents(id_, definition)
    return found


def content_of(state: Json, kind: str, id_: str | None) -> str | None:
    """Return what a subject says, as text that is the same for the same content."""
    things = things_of(state)
    if kind in {"node", "edge", "group"}:
        found = [value for k, _, i, value in things if (k, i) == (kind, id_)]
        return canonical(found[0]) if found else None
    if kind == "subgraph":
        things = [one for one in things if one[1] == id_ or (one[0], one[2]) == (kind, id_)]
        if not things:
            return None
    texts = Counter(canonical(one) for one in things)
    return canonical(sorted(texts.items()))


def _contents(scope: str | None, owner: Json) -> list[tuple[str, str | None, str, Json]]:
    return [
        (kind, scope, one[IDS[kind]], _content(kind, one))
        for kind in ("node", "edge", "group")
        for one in owner[f"{kind}s"]
    ]


def _content(kind: str, value: Json) -> Json:
    if kind == "group":
        return {name: value[name] for name in ("name", "color", "nodeIds")}
    return {name: part for name, part in value.items() if name not in NO_CONTENT}
