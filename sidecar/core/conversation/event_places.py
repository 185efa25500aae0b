"""Where the writes of one run go: its branch, its prompt, the segment it is served by."""

from attrs import frozen

from sidecar.core.conversation.checks import Check
from sidecar.core.conversation.errors import ConversationRefusedError
from sidecar.core.conversation.session_graph import SessionGraph
from sidecar.core.conversation.session_index import SessionIndex
from sidecar.core.conversation.values import JsonObject, reference


@frozen
class EventPlace:
    """The run's place in the graph, and the time of the call."""

    index: SessionIndex
    branch_id: str
    prompt_id: str
    explicit_segment: str | None
    now: float

    @classmethod
    def of(
        cls, session: SessionGraph, *, prompt_id: str, segment_id: str | None, now: float
    ) -> "EventPlace":
        """Refuses a segment that is not one of the run's frame."""
        branch = session.run_branch()
        segment = session.index.segment(segment_id)
        if segment_id is not None and (
            segment is None or segment["agentFrameId"] != branch["agentFrameId"]
        ):
            raise ConversationRefusedError(Check.RESPONSE_SEGMENT_FOREIGN, segmentId=segment_id)
        return cls(session.index, branch["id"], prompt_id, segment_id, now)

    @property
    def branch(self) -> JsonObject:
        """The run's branch as it is now."""
        branch = self.index.branch(self.branch_id)
        assert branch is not None
        return branch

    def segment_for(self, message_id: str | None) -> str | None:
        """The segment of what answers, or is caused by, a message."""
        caused_by = self.index.message(message_id) or {}
        newest = self.index.newest_segment(self.branch["agentFrameId"])
        return (
            self.explicit_segment
            or reference(caused_by, "runtimeSegmentId")
            or (None if newest is None else newest["id"])
        )

    def owns(self, thing: JsonObject) -> bool:
        """Whether an activity or a group is of this run's prompt on this run's branch."""
        return bool(
            thing["promptMessageId"] == self.prompt_id
            and thing["messageBranchId"] == self.branch_id
        )

    def owns_reply(self, message: JsonObject) -> bool:
        """Whether a message is a reply that a run of this prompt wrote on this branch."""
        return (
            message["role"] == "agent"
            and message["introducedOnBranchId"] == self.branch_id
            and self.index.is_on_path(self.branch, message["id"])
            and self.index.message_descends(message["id"], self.prompt_id)
            and reference(message, "responseToMessageId") in {None, self.prompt_id}
        )
