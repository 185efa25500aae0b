"""What React Flow nodes carry in ``data``, as parameters; Langflow's have a template of fields."""

from collections.abc import Iterator

from protocol.graph import Json, JsonObject, Node
from sidecar.formats.react_flow.names import DEFAULT_TYPE
from sidecar.formats.values import display_name


def template_of(raw: JsonObject) -> JsonObject | None:
    """Return the template of a Langflow node, or None where it is none."""
    data = raw.get("data")
    node = data.get("node") if isinstance(data, dict) else None
    template = node.get("template") if isinstance(node, dict) else None
    return template if isinstance(template, dict) else None


def read_name(raw: JsonObject) -> str | None:
    data = raw.get("data")
    if not isinstance(data, dict):
        return None
    return display_name(
        data["node"].get("display_name") if template_of(raw) is not None else data.get("label")
    )


def read_parameters(raw: JsonObject) -> JsonObject:
    """Return a node's parameters: its data, or the values of its template's fields."""
    template, data = template_of(raw), raw.get("data")
    if template is not None:
        return {
            name: field["value"]
            for name, field in template.items()
            if isinstance(field, dict) and "value" in field
        }
    if not isinstance(data, dict):
        return {}
    held = {key for key in ("label", "annotation") if isinstance(data.get(key), str)}
    return {key: value for key, value in data.items() if key not in held}


def read_annotation(raw: JsonObject) -> str | None:
    data = raw.get("data")
    text = data.get("annotation") if isinstance(data, dict) and not template_of(raw) else None
    return text if isinstance(text, str) and text else None


def read_type(raw: JsonObject) -> Json:
    """Return what names a node's component; React Flow's own nodes need not say it."""
    if template_of(raw) is not None:
        return raw["data"].get("type", raw.get("type"))
    return raw.get("type", DEFAULT_TYPE)


def make_data(node: Node, patch: JsonObject) -> JsonObject:
    """Return a node's ``data`` without residue."""
    if patch.get("template"):
        inner: JsonObject = {} if node.name is None else {"display_name": node.name}
        return {"node": {**inner, "template": dict(_fields(node, patch))}}
    data: JsonObject = {} if node.name is None else {"label": node.name}
    data |= {key: value for key, value in node.parameters.items() if key not in data}
    return data if node.annotation is None else {**data, "annotation": node.annotation}


def _fields(node: Node, patch: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    values = node.parameters
    for name, value in values.items():
        yield name, {"value": value}
    inner = patch
    for key in ("data", "node", "template"):
        inner = inner.get("in", {}).get(key, {})
    for name in inner.get("in", {}):
        if name not in values:
            yield name, {}


def offered_outputs(raw: JsonObject) -> Iterator[JsonObject]:
    """Yield what the handles of a Langflow node's outputs say."""
    if template_of(raw) is None:
        return
    outputs = raw["data"]["node"].get("outputs")
    for output in outputs if isinstance(outputs, list) else []:
        if isinstance(output, dict) and isinstance(output.get("name"), str):
            yield {
                "dataType": raw["data"].get("type"),
                "id": raw.get("id"),
                "name": output["name"],
                "output_types": output.get("types", []),
            }


def offered_inputs(raw: JsonObject) -> Iterator[JsonObject]:
    """Yield what the handles of a Langflow node's fields say that take an edge."""
    for name, field in (template_of(raw) or {}).items():
        if (
            isinstance(field, dict)
            and isinstance(field.get("input_types"), list)
            and field["input_types"]
        ):
            yield {
                "fieldName": name,
                "id": raw.get("id"),
                "inputTypes": field["input_types"],
                "type": field.get("type"),
            }
