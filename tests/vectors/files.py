"""The vector files beside this module and how an answer is compared with an expected one."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
MAIN = "session-conversation"
QUIRKS = "session-conversation-quirks"
CHANGED = "session-conversation-d1"

# Members of a group that a cut hides stay in it here, see the vectors that replace these.
DIFFERS_BY_GROUPS = frozenset(
    {"edge-group-across-cutoff-then-0001", "steps-0002", "quirk-group-across-cutoff-next"}
)
# Walks in a circle are refused here, where the origin of the vectors never returns.
DIFFERS_BY_WALKS = frozenset(
    {
        "quirk-hang-branch-cycle-activities",
        "quirk-hang-branch-cycle-context",
        "quirk-hang-frame-cycle-activate",
    }
)
# Ties are ordered by code point here.
DIFFERS_BY_ORDER = frozenset({"quirk-icu-collation"})


def vectors(name: str) -> Iterator[dict[str, Any]]:
    with (HERE / f"{name}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def comparable(answer: Any) -> Any:
    """An answer without texts for people: errors keep name, phase, cause's name and issues."""
    if not isinstance(answer, dict):
        return answer
    if "error" in answer:
        return {"error": _error(answer["error"])}
    result = answer["ok"]
    if isinstance(result, dict) and "steps" in result:
        result = {**result, "steps": [_step(step) for step in result["steps"]]}
    return {"ok": result}


def messages_and_checks(expected: Any, answer: Any) -> Iterator[tuple[str, str]]:
    """Pairs of an expected error text and the check that was found instead, causes included."""
    if "error" in expected and "error" in answer:
        yield from _pairs(expected["error"], answer["error"])
    elif isinstance(expected.get("ok"), dict) and "steps" in expected["ok"] and "ok" in answer:
        for one, other in zip(expected["ok"]["steps"], answer["ok"]["steps"], strict=True):
            if "error" in one and "error" in other:
                yield from _pairs(one["error"], other["error"])


def _pairs(expected: dict[str, Any], found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield expected["message"], found["check"]
    if "cause" in expected:
        yield expected["cause"]["message"], found["cause"]["check"]


def _step(step: dict[str, Any]) -> dict[str, Any]:
    return comparable(step) if "error" in step else step


def _error(error: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {"name": error["name"]}
    if "issues" in error:
        told["issues"] = error["issues"]
    if "phase" in error:
        told |= {"phase": error["phase"], "cause": error["cause"]["name"]}
    return told
