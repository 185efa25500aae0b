"""Names on the wire: of fields, of places in a message, of JSON's types."""


def camel(name: str) -> str:
    """Return a Python field name as it is written on the wire."""
    head, *tail = name.rstrip("_").split("_")
    return head + "".join(word.capitalize() for word in tail)


def escape_pointer(key: str) -> str:
    """Return ``key`` as one step of a JSON Pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")


def json_name(value: object) -> str:
    """Return what JSON calls the type of ``value``."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list() | tuple():
            return "an array"
        case _:
            return "an object"
