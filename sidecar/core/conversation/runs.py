"""When a run may start or resume, and what a session looks like once it did (6.2)."""

import enum
from collections.abc import Mapping
from typing import Any, Final

from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import ConversationRefusedError
from sidecar.core.conversation.values import ABSENT, Command, JsonObject, strictly_equal

LAST_RUN: Final = "runtimeTranscriptLastRun"


class RunStep(enum.Enum):
    """What a run command does to a session that allows it."""

    STARTS = "starts"
    REPEATS = "repeats"


def run_step(session: Mapping[str, Any], command: Command) -> RunStep:
    """What a start or resume does once its prompt is known to be on the transcript."""
    run = command["run"]
    resumes = command["kind"] == "resume-run"
    if resumes and not resumable(session, run["promptMessageId"]):
        raise ConversationRefusedError(Check.RECOVERY_GONE)
    active = session.get("activeRun")
    if active:
        same_prompt = active["promptMessageId"] == run["promptMessageId"]
        if same_prompt and (resumes or strictly_equal(active["startedAt"], run["startedAt"])):
            return RunStep.REPEATS
        raise ConversationRefusedError(Check.RUN_ACTIVE)
    last = session.get(LAST_RUN)
    if not resumes and last is not None and is_run(last, run):
        return RunStep.REPEATS
    if last is not None and last["startedAt"] >= run["startedAt"]:
        raise ConversationRefusedError(Check.RUN_SETTLED)
    if last is None and run["startedAt"] <= -1:
        raise ConversationRefusedError(Check.RUN_SETTLED)
    return RunStep.STARTS


def resumable(session: Mapping[str, Any], prompt_id: str) -> bool:
    recovery = session.get("resumeRecovery") or {}
    return (
        recovery.get("kind") == "resume-required"
        and recovery.get("promptMessageId", ABSENT) == prompt_id
    )


def is_run(one: JsonObject, other: JsonObject) -> bool:
    return one["promptMessageId"] == other["promptMessageId"] and strictly_equal(
        one["startedAt"], other["startedAt"]
    )


def started(session: Mapping[str, Any], run: JsonObject) -> dict[str, Any]:
    """The fields that change when the run starts; ABSENT stands for a key that goes."""
    recovery = session.get("resumeRecovery") or {}
    kept = recovery.get("promptMessageId", ABSENT) == run["promptMessageId"]
    return {
        "activeRun": run,
        "status": "running",
        "error": ABSENT,
        "errorReportable": ABSENT,
        **({} if kept else {"resumeRecovery": ABSENT}),
    }


FORKED: Final[Mapping[str, Any]] = {
    "status": "idle",
    "activeRun": ABSENT,
    "error": ABSENT,
    "errorReportable": ABSENT,
    "branchContextResetRequired": True,
}


def replaying_history(session: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that change when a new provider context opens."""
    if session.get("pendingHistoryReplay") is not None:
        return {}
    return {"pendingHistoryReplay": {"kind": "all"}}
