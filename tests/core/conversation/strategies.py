"""Random sessions and random commands, mostly sensible, some aimed at what does not exist.

They come from a generator with a drawn seed: long sequences of sensible steps are too rare among
values that are drawn one by one.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from attrs import define, field

from sidecar.core.conversation.errors import ConversationError
from sidecar.core.conversation.materialize import materialize
from sidecar.core.conversation.paths import path_to
from sidecar.core.conversation.records import by_id
from sidecar.core.conversation.run_end import Outcome, Settlement
from sidecar.core.conversation.run_events import RunEvents
from sidecar.core.conversation.values import Command, JsonObject, Session
from tests.core.conversation.examples import flat, tool


def random_session(rng: Random) -> Session:
    """A materialized session with some messages, activities, groups and perhaps a child frame."""
    messages = _messages(rng)
    prompts = [one["id"] for one in messages if one["role"] == "user"]
    activities = _activities(rng, prompts)
    given: Session = {
        "zeta": [1, {"a": None}],
        "id": "s",
        "projectId": "p",
        "status": "idle",
        "messages": messages,
        "activities": activities,
        "createdAt": 1,
        "updatedAt": 20,
    }
    if rng.random() < 0.6:
        given["activityGroups"] = _groups(rng, activities)
    if rng.random() < 0.3:
        given["runtimeConversationCommandIds"] = [f"old{n}" for n in range(rng.choice([2, 300]))]
    if rng.random() < 0.3 and prompts:
        given["resumeRecovery"] = {"kind": "resume-required", "promptMessageId": prompts[-1]}
        given["pendingHistoryReplay"] = {"kind": "before-message", "messageId": prompts[-1]}
    try:
        session = materialize(given)
    except ConversationError:
        plain = [{**one, "activityGroupId": None} for one in activities]
        session = materialize({**given, "activities": plain, "activityGroups": []})
    return _with_child(rng, session) if messages and rng.random() < 0.15 else session


def _messages(rng: Random) -> list[JsonObject]:
    messages: list[JsonObject] = []
    last_user: str | None = None
    for place in range(rng.randint(0, 6)):
        user = last_user is None or rng.random() < 0.5
        extra: dict[str, Any] = {} if user else {"responseToMessageId": last_user}
        status = "complete" if user else rng.choice(["complete", "streaming"])
        role = "user" if user else "agent"
        message = flat(f"m{place}", role, at=10 + place, status=status, **extra)
        last_user = message["id"] if user else last_user
        messages.append(message)
    return messages


def _activities(rng: Random, prompts: list[str]) -> list[JsonObject]:
    return [
        tool(
            f"a{place}",
            rng.choice(prompts),
            at=rng.randint(10, 14),
            sortIndex=rng.randint(0, 3),
            status=rng.choice(["completed", "in_progress"]),
        )
        for place in range(rng.randint(0, 4) if prompts else 0)
    ]


def _groups(rng: Random, activities: list[JsonObject]) -> list[JsonObject]:
    """At most one group, of all activities of one prompt."""
    if not activities or rng.random() < 0.3:
        return []
    prompt = activities[0]["promptMessageId"]
    members = [one for one in activities if one["promptMessageId"] == prompt]
    for member in members:
        member["activityGroupId"] = "g0"
    return [
        {
            "id": "g0",
            "title": "g",
            "sortIndex": 0,
            "activityIds": [one["id"] for one in members],
            "createdAt": 10,
            "updatedAt": 10,
            "promptMessageId": prompt,
        }
    ]


def _with_child(rng: Random, session: Session) -> Session:
    graph = session["conversationGraph"]
    frame = {
        "id": "f1",
        "parentFrameId": graph["rootFrameId"],
        "originMessageId": rng.choice(graph["messages"])["id"],
        "originBindingState": "validated",
        "kind": "delegate",
        "status": "running",
        "activeBranchId": "bf1",
        "createdAt": 5,
    }
    branch = {"id": "bf1", "agentFrameId": "f1", "createdAt": 5, "updatedAt": 5}
    message = {**flat("mf1"), "agentFrameId": "f1", "introducedOnBranchId": "bf1"}
    return {
        **session,
        "conversationGraph": {
            **graph,
            "frames": [*graph["frames"], frame],
            "branches": [*graph["branches"], {**branch, "headMessageId": "mf1"}],
            "messages": [*graph["messages"], message],
        },
    }


@define
class Writer:
    """Makes commands and runtime calls against a session as it is; new ids are counted up."""

    rng: Random
    made: int = 0
    sent: list[Command] = field(factory=list)

    def batch(self, session: Session) -> list[Command]:
        """Commands made against one state: the later ones of a batch are often out of date."""
        return [self.command(session) for _ in range(self.rng.choice([0, 1, 1, 1, 1, 2, 3]))]

    def command(self, session: Session) -> Command:
        if self.sent and self.rng.random() < 0.12:
            return self._again()
        kinds, weights = zip(*((kind, weight) for kind, weight, _ in _KINDS), strict=True)
        return self.of_kind(session, self.rng.choices(kinds, weights)[0])

    def of_kind(self, session: Session, kind: str) -> Command:
        self.made += 1
        make = next(make for name, _, make in _KINDS if name == kind)
        command: Command = {
            "id": self.rng.choice([f"c{self.made}"] * 30 + ["old1", ""]),
            "kind": kind,
            "timestamp": self.rng.choice([5, 20, 30, 40.5, 60]),
            **make(self, session),
        }
        self.sent.append(command)
        return command

    def fresh(self, prefix: str) -> str:
        self.made += 1
        return f"{prefix}x{self.made}"

    def known(self, session: Session, name: str) -> str:
        """Any id of one of the graph's lists, now and then an unknown one."""
        ids = [record["id"] for record in session["conversationGraph"][name]]
        return self.rng.choice(ids) if ids and self.rng.random() > 0.08 else "zz"

    def on_path(self, session: Session, *roles: str) -> str:
        """Mostly a message of the shown transcript."""
        ids = [one["id"] for one in root_path(session) if one["role"] in roles]
        if ids and self.rng.random() > 0.15:
            return str(self.rng.choice(ids))
        return self.known(session, "messages")

    def mostly(self, usual: str, session: Session, name: str) -> str:
        return usual if self.rng.random() > 0.12 else self.known(session, name)

    def events(self, session: Session) -> RunEvents:
        """A runtime's call for the active run; without one, for a run that is unknown or over."""
        rng = self.rng
        run = session.get("activeRun") or session.get("runtimeTranscriptLastRun") or _NO_RUN
        reply = self.mostly(self.fresh("r"), session, "messages")
        activity = self.mostly(self.fresh("t"), session, "activities")
        group = self.mostly(self.fresh("g"), session, "activityGroups")
        called: JsonObject = {"id": activity, "status": rng.choice(["pending", "failed"])}
        grouped = rng.random() < 0.4
        if grouped or rng.random() < 0.1:
            called["activityGroupId"] = group
        members = [activity, *([self.known(session, "activities")] if rng.random() < 0.1 else [])]
        replied = {"id": reply, "content": rng.choice(["", "hi"]), "agentFrameId": "smuggled"}
        listing = {"id": group, "activityIds": members}
        return RunEvents(
            prompt_message_id=run["promptMessageId"],
            started_at=run["startedAt"],
            event_seq=rng.choice([None, self.made, self.made, 3]),
            messages=[replied] if rng.random() < 0.6 else [],
            append_text=[(self.on_path(session, "agent"), "more")] if rng.random() < 0.2 else [],
            activities=[called] if grouped or rng.random() < 0.4 else [],
            activity_groups=[listing] if grouped else [],
            admitted=rng.random() < 0.3,
            history_accepted=rng.random() < 0.3,
            status=rng.choice([None, None, "running", "waiting-permission"]),
        )

    def settlement(self, session: Session) -> Settlement:
        run = session.get("activeRun") or session.get("runtimeTranscriptLastRun") or _NO_RUN
        return Settlement(
            prompt_message_id=run["promptMessageId"],
            started_at=run["startedAt"],
            outcome=self.rng.choice(list(Outcome)),
            error=self.rng.choice([None, "no route"]),
        )

    def _again(self) -> Command:
        command = self.rng.choice(self.sent)
        change = self.rng.choice(["none", "id", "time"])
        self.made += 1
        if change == "id":
            return {**command, "id": f"c{self.made}"}
        return {**command, "timestamp": 77} if change == "time" else command


_NO_RUN: JsonObject = {"promptMessageId": "m0", "startedAt": 1}


def root_branch(session: Session) -> JsonObject:
    graph = session["conversationGraph"]
    root = next(one for one in graph["frames"] if one["id"] == graph["rootFrameId"])
    return next(one for one in graph["branches"] if one["id"] == root["activeBranchId"])


def root_path(session: Session) -> list[JsonObject]:
    return path_to(by_id(session["conversationGraph"]["messages"]), root_branch(session))


def _append(writer: Writer, session: Session) -> JsonObject:
    rng, branch = writer.rng, root_branch(session)
    head = branch.get("headMessageId")
    message = flat(writer.fresh("m"), rng.choice(["user"] * 30 + ["agent"]), at=30)
    smuggled = rng.randint(0, 24)
    if smuggled < 2:
        message["responseToMessageId"] = writer.on_path(session, "user")
    if smuggled == 2:
        message["supersedesMessageId"] = writer.on_path(session, "user")
    if smuggled == 3:
        message["id"] = writer.known(session, "messages")
    if rng.random() < 0.08:
        head = writer.known(session, "messages")
    parent = {} if head is None else {"parentMessageId": head}
    on = writer.mostly(branch["id"], session, "branches")
    return {"branchId": on, "message": message, **parent}


def _fork(writer: Writer, session: Session) -> JsonObject:
    return {
        "branchId": writer.mostly(writer.fresh("b"), session, "branches"),
        "parentBranchId": writer.mostly(root_branch(session)["id"], session, "branches"),
        "messageId": writer.on_path(session, "user"),
    }


def _fork_activity(writer: Writer, session: Session) -> JsonObject:
    fork = _fork(writer, session)
    activities = session["conversationGraph"]["activities"]
    activity = writer.rng.choice(activities) if activities else {"id": "zz"}
    after = activity.get("promptMessageId") if writer.rng.random() < 0.6 else None
    return {
        **fork,
        "messageId": after or writer.on_path(session, "user", "agent"),
        "activityId": activity["id"],
    }


def _select(writer: Writer, session: Session) -> JsonObject:
    return {
        "branchId": writer.known(session, "branches"),
        "previousBranchId": writer.mostly(root_branch(session)["id"], session, "branches"),
    }


def _segment(writer: Writer, session: Session) -> JsonObject:
    rng = writer.rng
    return {
        "segment": {
            "id": writer.mostly(writer.fresh("g"), session, "runtimeSegments"),
            "frameworkId": rng.choice(["claude-code", "codex", "codex", "nonsense"]),
            "startedAt": rng.randint(1, 50),
        }
    }


def _run(writer: Writer, session: Session) -> JsonObject:
    last = (session.get("runtimeTranscriptLastRun") or _NO_RUN)["startedAt"]
    started_at = writer.rng.choice([last + 1, last + 2, 30])
    return {"run": {"promptMessageId": writer.on_path(session, "user"), "startedAt": started_at}}


def _nothing(_writer: Writer, _session: Session) -> JsonObject:
    return {}


_KINDS: tuple[tuple[str, int, Callable[[Writer, Session], JsonObject]], ...] = (
    ("append-user", 9, _append),
    ("fork-message", 4, _fork),
    ("fork-activity", 4, _fork_activity),
    ("select-branch", 3, _select),
    ("open-segment", 2, _segment),
    ("start-run", 2, _run),
    ("resume-run", 1, _run),
    ("rename", 1, _nothing),
)
