"""Hypothesis strategies for values of our JSON Schemas, and for values that are slightly off."""

from typing import Any

from hypothesis import strategies as st

Schema = dict[str, Any]
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab/~é", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=2)
    ),
    max_leaves=4,
)
WRONG = st.sampled_from(["text", 7, 0.5, True, None, [], {}, ["text"], {"a": 1}])


def values(schema: Schema, definitions: Schema) -> st.SearchStrategy[Any]:
    """Draw values that the schema allows."""
    if "$ref" in schema:
        return values(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return st.one_of([values(one, definitions) for one in schema[key]])
    return _typed(schema, definitions)


def _typed(schema: Schema, definitions: Schema) -> st.SearchStrategy[Any]:
    match schema.get("type"):
        case list(kinds):
            return st.one_of([values({**schema, "type": kind}, definitions) for kind in kinds])
        case "object":
            return _object(schema, definitions)
        case "array":
            return st.lists(values(schema["items"], definitions), max_size=2)
        case "string":
            return st.text("abä", max_size=3)
        case "integer":
            return st.integers(schema.get("minimum", -(2**63)), schema.get("maximum", 2**63 - 1))
        case "number":
            return st.integers(-9, 9) | st.floats(-1e7, 1e7).filter(lambda x: not x.is_integer())
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case _:
            return _JSON


def _object(schema: Schema, definitions: Schema) -> st.SearchStrategy[Any]:
    if "properties" not in schema:
        inner = schema.get("additionalProperties")
        each = values(inner, definitions) if inner else _JSON
        return st.dictionaries(st.text("ab", max_size=2), each, max_size=2)
    required = schema.get("required", ())
    fields = {k: values(s, definitions) for k, s in schema["properties"].items()}
    return st.fixed_dictionaries(
        {k: v for k, v in fields.items() if k in required},
        optional={k: v for k, v in fields.items() if k not in required},
    )


@st.composite
def spoiled(draw: st.DrawFn, value: Any) -> Any:
    """Draw the value with one thing changed somewhere in it; it may still be allowed."""
    if isinstance(value, dict) and value and draw(st.booleans()):
        key = draw(st.sampled_from(sorted(value)))
        return {**value, key: draw(spoiled(value[key]))}
    if isinstance(value, list) and value and draw(st.booleans()):
        index = draw(st.integers(0, len(value) - 1))
        return [*value[:index], draw(spoiled(value[index])), *value[index + 1 :]]
    return draw(_edits(value))


def _edits(value: Any) -> st.SearchStrategy[Any]:
    if not isinstance(value, dict):
        return WRONG
    added = WRONG.map(lambda wrong: {**value, "unheardOf": wrong})
    if not value:
        return WRONG | added
    dropped = st.sampled_from(sorted(value)).map(
        lambda key: {k: v for k, v in value.items() if k != key}
    )
    return WRONG | added | dropped
