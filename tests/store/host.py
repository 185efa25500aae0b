"""What a host does with changes: removals first, then the rest in the order listed."""

from typing import Any

Lists = dict[tuple[str, str | None], list[dict[str, Any]]]
ID_KEYS = {
    "node": "nodeId",
    "edge": "edgeId",
    "group": "groupId",
    "subgraph": "subgraphId",
    "component": "componentId",
}
PLURALS = {"node": "nodes", "edge": "edges", "group": "groups"}


class Host:
    """A host's copy of a state."""

    def __init__(self, state: dict[str, Any]) -> None:
        self.title = state["title"]
        self.document = state["document"]
        self.lists: Lists = {("component", None): list(state["components"])}
        graph = state["graph"]
        definitions = self.lists["subgraph", None] = []
        self._take(None, graph)
        for definition in graph["subgraphs"]:
            definition = dict(definition)  # noqa: PLW2901 -- its contents are taken out of a copy
            self._take(definition["subgraphId"], definition)
            for plural in PLURALS.values():
                del definition[plural]
            definitions.append(definition)

    def apply(self, changes: list[dict[str, Any]]) -> None:
        for change in changes:
            if change["after"] is None:
                self._remove(change)
        for change in changes:
            if change["after"] is not None:
                self._put(change)

    def state(self) -> dict[str, Any]:
        definitions = [
            {**definition, **self._contents(definition["subgraphId"])}
            for definition in self.lists["subgraph", None]
        ]
        return {
            "title": self.title,
            "document": self.document,
            "components": self.lists["component", None],
            "graph": {**self._contents(None), "subgraphs": definitions},
        }

    def _take(self, scope: str | None, contents: dict[str, Any]) -> None:
        for kind, plural in PLURALS.items():
            self.lists[kind, scope] = list(contents[plural])

    def _contents(self, scope: str | None) -> dict[str, Any]:
        return {plural: self.lists.get((kind, scope), []) for kind, plural in PLURALS.items()}

    def _remove(self, change: dict[str, Any]) -> None:
        if change["kind"] == "document":
            assert self.document == change["before"]
            self.document = None
            return
        found = self._find(change)
        things = self.lists[change["kind"], change["scope"]]
        assert things[found] == change["before"]
        del things[found]

    def _put(self, change: dict[str, Any]) -> None:
        kind = change["kind"]
        if kind in ("title", "document"):
            assert getattr(self, kind) == change["before"]
            setattr(self, kind, change["after"])
            return
        things = self.lists.setdefault((kind, change["scope"]), [])
        if "previousId" not in change:
            things[self._find(change)] = change["after"]
            return
        if change["before"] is not None:
            del things[self._find(change)]
        previous = change["previousId"]
        ids = [thing[ID_KEYS[kind]] for thing in things]
        things.insert(0 if previous is None else ids.index(previous) + 1, change["after"])

    def _find(self, change: dict[str, Any]) -> int:
        things = self.lists[change["kind"], change["scope"]]
        return [thing[ID_KEYS[change["kind"]]] for thing in things].index(change["id"])
