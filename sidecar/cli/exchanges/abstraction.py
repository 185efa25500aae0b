"""Turning what was seen into patterns: ids become names, times and texts for people become types.

What a host chose itself stays as it is; what the sidecar minted is bound where it first comes.
"""

import re
from typing import Any, Final

from attrs import define, field

from sidecar.cli.exchanges.patterns import MATCHERS, MORE

_MINTED: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME: Final = re.compile(r"(At|Ms|Bytes|^bytes|^pages|^pid|^start)$")
_OF_THE_MACHINE: Final = {
    "owner": "object",
    "versions": "object",
    "version": "string",
    "errorId": "string",
    "path": "string",
    "limits": "object",
    "methods": "array",
}
"""Members that differ from one machine or release to the next, and what they are."""
_OF_A_DRIVE: Final = re.compile(r"[A-Za-z]:[/\\]")
_FOR_PEOPLE: Final = "message"
_CURSOR: Final = "before"


@define
class Abstraction:
    """What is known of one recording so far."""

    _names: dict[str, str] = field(factory=dict)
    """From a minted id to its name."""
    _counts: dict[str, int] = field(factory=dict)
    _folder: str | None = None

    def outgoing(self, message: Any) -> Any:
        """Return what the host sent, as a template."""
        match message:
            case {"method": "initialize", "params": {"initializationOptions": dict(options)}}:
                self._learn_folder(options.get("database"))
            case _:
                pass
        template = self._sent(message)
        match template:
            case {"method": "initialize", "params": {"processId": int()}}:
                template["params"]["processId"] = {"$ref": "processId"}
            case _:
                pass
        return template

    def incoming(self, message: Any) -> Any:
        """Return what the sidecar sent, as a pattern."""
        return self._seen(message, "")

    def _learn_folder(self, database: Any) -> None:
        if isinstance(database, str):
            self._folder = _slashed(database).rpartition("/")[0] or None

    def _sent(self, value: Any) -> Any:
        match value:
            case dict() if _looks_like_a_matcher(value):
                return {"$literal": value}
            case dict():
                return {key: self._sent(item) for key, item in value.items()}
            case list():
                return [self._sent(item) for item in value]
            case str():
                return self._known(value) or value
            case _:
                return value

    def _seen(self, value: Any, key: str) -> Any:
        match value:
            case dict() if _looks_like_a_matcher(value):
                return {"$literal": value}
            case dict() if key in _OF_THE_MACHINE:
                return {"$any": _OF_THE_MACHINE[key]}
            case dict():
                return {name: self._member(name, item, value) for name, item in value.items()}
            case list() if key == "methods":
                return {"$any": "array"}
            case list():
                return [self._seen(item, key) for item in value]
            case str():
                return self._known(value) or self._new(value, key)
            case bool() | None:
                return value
            case int() if _TIME.search(key):
                return {"$any": "integer"}
            case _:
                return value

    def _member(self, name: str, item: Any, parent: dict[str, Any]) -> Any:
        if isinstance(item, str):
            if name == _FOR_PEOPLE and ("code" in parent or "path" in parent):
                return {"$any": "string"}
            if name == _CURSOR:
                return self._bound(item, "page")
            if name in _OF_THE_MACHINE and self._known(item) is None and _varies(name, parent):
                return {"$any": "string"}
        return self._seen(item, name)

    def _known(self, text: str) -> Any:
        """Return what stands for a text that has been met, None where it has not."""
        if text in self._names:
            return {"$ref": self._names[text]}
        if self._folder is not None and _slashed(text).startswith(f"{self._folder}/"):
            return {"$path": _slashed(text)[len(self._folder) + 1 :]}
        found = {id_ for id_ in _MINTED.findall(text) if id_ in self._names}
        if found and "${" not in text:
            for id_ in found:
                text = text.replace(id_, f"${{{self._names[id_]}}}")
            return {"$text": text}
        return None

    def _new(self, text: str, key: str) -> Any:
        return self._bound(text, _stem(key)) if _MINTED.fullmatch(text) else text

    def _bound(self, text: str, stem: str) -> Any:
        if text in self._names:
            return {"$ref": self._names[text]}
        self._counts[stem] = self._counts.get(stem, 0) + 1
        name = f"{stem}{self._counts[stem]}"
        self._names[text] = name
        return {"$bind": name}


def _slashed(text: str) -> str:
    """Return a path of Windows with slashes, any other text as it is."""
    return text.replace("\\", "/") if _OF_A_DRIVE.match(text) else text


def _looks_like_a_matcher(value: dict[str, Any]) -> bool:
    return bool(MATCHERS & value.keys()) or MORE in value


def _varies(name: str, parent: dict[str, Any]) -> bool:
    """Whether a text member is the machine's: a path beside a message is a JSON Pointer."""
    return name != "path" or _FOR_PEOPLE not in parent


def _stem(key: str) -> str:
    """Return what a thing is called: ``revisionId`` is a revision, ``nodes`` holds nodes."""
    word = key.removesuffix("Id").removesuffix("s")
    return word[:1].lower() + word[1:] if word else "id"
