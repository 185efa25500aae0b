"""References to nodes by name inside expressions: they follow a rename, whole names alone."""

import re
from collections.abc import Mapping
from typing import Final

from protocol.graph import Json

_QUOTED: Final = r"""(?P<quote>["'`])(?P<name>(?:\\.|(?!(?P=quote)).)*)(?P=quote)"""
_REFERENCE: Final = re.compile(
    rf"""(?P<head>\$\(\s*|\$node\[\s*|\$items\(\s*){_QUOTED}""", re.DOTALL
)
_DOTTED: Final = re.compile(r"(?P<head>\$node\.)(?P<name>[A-Za-z_]\w*)")


def renamed(value: Json, names: Mapping[str, str]) -> Json:
    """Return a parameter value whose expressions use the new names.

    An expression is a text that begins with ``=``; nothing else is looked into.
    """
    if isinstance(value, str):
        return _in_text(value, names) if value.startswith("=") and "$" in value else value
    if isinstance(value, dict):
        return {key: renamed(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [renamed(item, names) for item in value]
    return value


def _in_text(text: str, names: Mapping[str, str]) -> str:
    def quoted(match: re.Match[str]) -> str:
        quote = match["quote"]
        new = names.get(_unescaped(match["name"]))
        return match[0] if new is None else f"{match['head']}{quote}{_escaped(new, quote)}{quote}"

    def dotted(match: re.Match[str]) -> str:
        new = names.get(match["name"])
        return match[0] if new is None else f'$node["{_escaped(new, chr(34))}"]'

    return _DOTTED.sub(dotted, _REFERENCE.sub(quoted, text))


def _unescaped(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name, flags=re.DOTALL)


def _escaped(name: str, quote: str) -> str:
    return name.replace("\\", "\\\\").replace(quote, "\\" + quote)
