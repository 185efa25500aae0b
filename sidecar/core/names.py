"""Names of things: display text, never an identity."""

from unicodedata import category, normalize

from sidecar.core.errors import RejectedError
from sidecar.core.limits import MAX_NAME


def clean_name(raw: str, path: str = "/name") -> str:
    """Return a name as it is kept: NFC and trimmed; ``invalid-name`` where nothing fit is left.

    A name has 1 to 255 characters and no control characters.
    """
    name = normalize("NFC", raw).strip()
    if not 1 <= len(name) <= MAX_NAME:
        raise _refusal(f"A name has 1 to {MAX_NAME} characters.", path)
    if any(category(c) in {"Cc", "Cs"} for c in name):
        raise _refusal("A name has no control characters.", path)
    return name


def clean_optional_name(raw: str | None, path: str = "/name") -> str | None:
    """Return a name as it is kept; null stays null and follows what the thing is made of."""
    return None if raw is None else clean_name(raw, path)


def _refusal(message: str, path: str) -> RejectedError:
    return RejectedError("invalid-name", message, {"path": path})
