"""Which data types an edge may join."""

ANY = "*"


def fits(source: str, target: str) -> bool:
    """Return whether what a source port gives may go into a target port.

    ``*`` fits all, ``A,B`` is a union, case does not matter, and an int fits a float.
    """
    given, taken = _alternatives(source), _alternatives(target)
    return (
        ANY in given
        or ANY in taken
        or not given.isdisjoint(taken)
        or ("int" in given and "float" in taken)
    )


def _alternatives(data_type: str) -> frozenset[str]:
    """Return the alternatives of a type; one that says nothing is anything."""
    named = frozenset(part.strip().casefold() for part in data_type.split(","))
    return named - {""} or frozenset({ANY})
