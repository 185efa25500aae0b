"""Reading the wire form of a graph for a picture.

A picture is also drawn of what is incomplete or odd: whatever is missing gets a default, whatever
has the wrong type counts as missing, and nothing raises.
"""

import math
from typing import Any

from sidecar.cli.picture import palette
from sidecar.cli.picture.model import (
    DEFAULT_SIZE,
    ROW,
    TOP_PADDING,
    Card,
    Frame,
    Port,
    Scene,
    Value,
    Wire,
)

SUBGRAPH = "subgraph:"
SECRET = "••••••"  # noqa: S105 -- what is shown in a secret's place
_LARGEST = 1e9
_LONGEST_TEXT = 1000
_LONG_INTEGER = 10**24
_SMALLEST_SIDE = 60.0

Object = dict[str, Any]


def read_scene(state: Object) -> Scene:
    """The graph of a state: its root scope; definitions show as their instances."""
    graph = _object(state.get("graph"))
    components = _by(state.get("components"), "componentId")
    definitions = _by(graph.get("subgraphs"), "subgraphId")
    nodes = _by(graph.get("nodes"), "nodeId")
    edges = _by(graph.get("edges"), "edgeId")
    groups = _by(graph.get("groups"), "groupId")
    return Scene(
        title=_text(state.get("title")),
        cards={key: _card(key, node, components, definitions) for key, node in nodes.items()},
        wires={
            key: wire
            for key, edge in edges.items()
            if (wire := _wire(key, edge)).source[0] in nodes and wire.target[0] in nodes
        },
        frames={key: _frame(key, group) for key, group in groups.items()},
        raw_nodes=nodes,
        raw_edges=edges,
        raw_groups=groups,
        definitions=definitions,
    )


def _card(key: str, node: Object, components: dict[str, Object], definitions: Object) -> Card:
    component_id = _text(node.get("componentId"))
    instance = component_id.startswith(SUBGRAPH)
    definition = _object(definitions.get(component_id.removeprefix(SUBGRAPH))) if instance else {}
    component = _object(components.get(component_id))
    inputs = _ports(node.get("inputs")) or _ports(component.get("inputs"))
    outputs = _ports(node.get("outputs")) or _ports(component.get("outputs"))
    missing = node.get("status") == "missing" or component.get("kind") == "missing"
    kind = "subgraph" if instance else "missing" if missing else _text(component.get("kind"))
    category, colour = _category(kind, node, component, (*outputs, *inputs))
    follows = _text(definition.get("name")) or _text(component.get("name"))
    size = _object(node.get("size"))
    rows = max(len(inputs), len(outputs))
    return Card(
        node_id=key,
        title=_text(node.get("name")) or follows or component_id or key,
        component=follows or component_id,
        category=category,
        colour=colour,
        x=_number(_object(node.get("position")).get("x")),
        y=_number(_object(node.get("position")).get("y")),
        width=max(_number(size.get("width"), DEFAULT_SIZE[0]), _SMALLEST_SIDE),
        height=max(_number(size.get("height"), DEFAULT_SIZE[1]), rows * ROW + 2 * TOP_PADDING),
        collapsed=node.get("collapsed") is True,
        enabled=_text(node.get("enabled")) or "active",
        missing=missing,
        pinned=node.get("pinned") is True,
        instance=instance,
        note=kind == "note",
        inputs=inputs,
        outputs=outputs,
        values=_values(_object(node.get("parameters")), component),
        annotation=_text(node.get("annotation")),
    )


def _category(
    kind: str, node: Object, component: Object, ports: tuple[Port, ...]
) -> tuple[str, str]:
    """What a card's colour stands for, and the colour; without a category it is its main type's."""
    own = _object(node.get("native")).get("color") or component.get("color")
    category = _text(_object(component.get("native")).get("category")).split("/", 1)[0]
    label = kind if palette.kind_colour(kind) else category
    colour = (
        palette.known_colour(own)
        or palette.kind_colour(kind)
        or (palette.category_colour(category) if category else None)
        or palette.darker(palette.type_colour(ports[0].data_type if ports else "*"))
    )
    return label, colour


def _ports(value: Any) -> tuple[Port, ...]:
    return tuple(
        Port(
            _text(port.get("portId")) or _text(port.get("name")),
            _text(port.get("label")) or _text(port.get("name")) or _text(port.get("portId")),
            _text(port.get("dataType")) or "*",
        )
        for port in _objects(value)
    )


def _values(parameters: Object, component: Object) -> tuple[Value, ...]:
    secret = {
        _text(spec.get("name"))
        for spec in _objects(component.get("parameters"))
        if spec.get("secret") is True
    }
    return tuple(
        Value(name, SECRET if name in secret else shown(value))
        for name, value in parameters.items()
    )


def shown(value: Any) -> str:
    """A parameter's value in a few words."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return value[:_LONGEST_TEXT]
        case float():
            return f"{value:g}"
        case int():
            return str(value) if abs(value) < _LONG_INTEGER else "a very large number"
        case list():
            return f"[{len(value)} items]"
        case dict():
            return f"{{{len(value)} entries}}"
        case _:
            return "?"


def _wire(key: str, edge: Object) -> Wire:
    source, target = _object(edge.get("source")), _object(edge.get("target"))
    return Wire(
        edge_id=key,
        source=(_text(source.get("nodeId")), _text(source.get("portId"))),
        target=(_text(target.get("nodeId")), _text(target.get("portId"))),
        data_type=_text(edge.get("dataType")),
        label=_text(edge.get("label")),
        hidden=edge.get("hidden") is True,
        waypoints=tuple(
            (_number(point.get("x")), _number(point.get("y")))
            for point in _objects(edge.get("waypoints"))
        ),
    )


def _frame(key: str, group: Object) -> Frame:
    bounds = group.get("bounds")
    return Frame(
        group_id=key,
        name=_text(group.get("name")) or key,
        node_ids=tuple(one for one in _items(group.get("nodeIds")) if isinstance(one, str)),
        parent_id=_text(group.get("parentGroupId")),
        bounds=(
            _number(bounds.get("x")),
            _number(bounds.get("y")),
            max(_number(bounds.get("width")), 1.0),
            max(_number(bounds.get("height")), 1.0),
        )
        if isinstance(bounds, dict)
        else None,
        colour=palette.known_colour(group.get("color")),
    )


def _by(value: Any, key: str) -> dict[str, Object]:
    return {one[key]: one for one in _objects(value) if isinstance(one.get(key), str)}


def _objects(value: Any) -> list[Object]:
    return [one for one in _items(value) if isinstance(one, dict)]


def _items(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _object(value: Any) -> Object:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any, default: float = 0.0) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    if not abs(value) <= _LARGEST:
        return default
    return float(value) if math.isfinite(value) else default
