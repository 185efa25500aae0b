"""Owner records, which tell the process that something at work belongs to, as a row keeps them."""

from typing import Any

from protocol.json_text import loads
from sidecar.store.faults import damaged


def owner_of(text: str) -> dict[str, Any]:
    """Return the owner record of a row's text, else ``storage-corrupt``."""
    try:
        owner = loads(text)
    except ValueError as error:
        raise damaged("owner") from error
    if not isinstance(owner, dict) or not isinstance(owner.get("pid"), int):
        raise damaged("owner")
    return owner
