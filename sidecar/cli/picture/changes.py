"""What differs between two states of one graph, thing by thing."""

from collections.abc import Mapping
from typing import Any, Literal

from attrs import frozen

from sidecar.cli.picture.model import Scene
from sidecar.cli.picture.reading import SECRET, SUBGRAPH, shown

Change = Literal["added", "changed", "removed"]


@frozen
class Changes:
    """The change of each thing that differs, by id, and in words what changed of a node."""

    nodes: Mapping[str, Change]
    edges: Mapping[str, Change]
    groups: Mapping[str, Change]
    words: Mapping[str, str]
    former_values: Mapping[str, Mapping[str, str]]
    """By node and parameter, what the parameter was before."""

    def count(self, change: Change) -> int:
        return sum(
            1
            for kind in (self.nodes, self.edges, self.groups)
            for one in kind.values()
            if one == change
        )


NOTHING = Changes({}, {}, {}, {}, {})

_NODE_ASPECTS = {
    "name": "renamed",
    "componentId": "component",
    "position": "moved",
    "size": "resized",
    "collapsed": "collapsed",
    "pinned": "pinned",
    "inputs": "inputs",
    "outputs": "outputs",
    "parameters": "parameters",
    "annotation": "annotation",
    "process": "process",
    "status": "status",
}
_DEFAULTS = {"enabled": "active", "status": "ok"}
_EDGE_ASPECTS = ("source", "target", "dataType", "label", "hidden", "waypoints")
_GROUP_ASPECTS = ("name", "nodeIds", "parentGroupId", "bounds", "color")


def changes_between(before: Scene, after: Scene) -> Changes:
    """The changes that lead from one scene to another; a changed definition changes instances."""
    words = {
        key: said
        for key, node in after.raw_nodes.items()
        if key in before.raw_nodes and (said := _node_words(before, after, key, node))
    }
    return Changes(
        nodes=_compared(before.raw_nodes, after.raw_nodes, set(words)),
        edges=_compared(
            before.raw_edges,
            after.raw_edges,
            _differing(before.raw_edges, after.raw_edges, _EDGE_ASPECTS),
        ),
        groups=_compared(
            before.raw_groups,
            after.raw_groups,
            _differing(before.raw_groups, after.raw_groups, _GROUP_ASPECTS),
        ),
        words=words,
        former_values={key: _former_values(before, after, key) for key in words},
    )


def _compared(
    before: Mapping[str, Any], after: Mapping[str, Any], changed: set[str]
) -> dict[str, Change]:
    found: dict[str, Change] = {}
    for key in after:
        if key not in before:
            found[key] = "added"
        elif key in changed:
            found[key] = "changed"
    for key in before:
        if key not in after:
            found[key] = "removed"
    return found


def _differing(
    before: Mapping[str, Any], after: Mapping[str, Any], aspects: tuple[str, ...]
) -> set[str]:
    return {
        key
        for key, one in after.items()
        if key in before and any(_differs(before[key], one, aspect) for aspect in aspects)
    }


def _differs(before: dict[str, Any], after: dict[str, Any], aspect: str) -> bool:
    """A field that is left out equals one that is null, false, empty or has the default."""
    default = _DEFAULTS.get(aspect)
    return (before.get(aspect) or default) != (after.get(aspect) or default)


def _node_words(before: Scene, after: Scene, key: str, node: dict[str, Any]) -> str:
    old = before.raw_nodes[key]
    said = [word for aspect, word in _NODE_ASPECTS.items() if _differs(old, node, aspect)]
    if _differs(old, node, "enabled"):
        said.append(f"{before.cards[key].enabled} → {after.cards[key].enabled}")
    component = node.get("componentId")
    if isinstance(component, str) and component.startswith(SUBGRAPH):
        definition = component.removeprefix(SUBGRAPH)
        if before.definitions.get(definition) != after.definitions.get(definition):
            said.append("inside")
    return ", ".join(said)


def _former_values(before: Scene, after: Scene, key: str) -> dict[str, str]:
    """What each changed parameter was; the secret ones stay out, whichever state says so."""
    old, new = (
        parameters if isinstance(parameters := scene.raw_nodes[key].get("parameters"), dict) else {}
        for scene in (before, after)
    )
    secret = {
        value.name
        for scene in (before, after)
        for value in scene.cards[key].values
        if value.text == SECRET
    }
    return {
        name: shown(old[name]) if name in old else "unset"
        for name in (*new, *(name for name in old if name not in new))
        if name not in secret and (name not in old or name not in new or new[name] != old[name])
    }
