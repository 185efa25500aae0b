"""getConversationTree and getExecutionContext: a session's branches, and where a run would stand."""

from typing import Any

from msgspec import Raw

from protocol.json_text import dumps
from protocol.sessions import ExecutionContextParams, SessionParams
from sidecar.core.conversation.errors import ConversationError
from sidecar.core.conversation.reading import BranchNode, branch_tree, execution_context
from sidecar.handlers.context import Context
from sidecar.handlers.sessions.access import opened
from sidecar.handlers.sessions.events import session_state
from sidecar.handlers.sessions.limits import within_limit
from sidecar.store.database import Transaction


def get_conversation_tree(ctx: Context, tx: Transaction, params: SessionParams) -> bytes:
    """Show all branches in their order."""
    session = opened(ctx, tx, params.session_id)
    branches = [_branch(node) for node in branch_tree(session.graph)]
    return within_limit(ctx, dumps({"session": Raw(session.row.summary), "branches": branches}))


def get_execution_context(ctx: Context, tx: Transaction, params: ExecutionContextParams) -> bytes:
    """Show where a run of a prompt would be recorded."""
    session = opened(ctx, tx, params.session_id)
    try:
        found = execution_context(session.graph, params.prompt_message_id)
    except ConversationError as error:
        raise session_state(
            "The session has no provider context for this prompt.", {"check": error.check.value}
        ) from error
    return within_limit(
        ctx,
        dumps(
            {
                "rootFrameId": found.root_frame_id,
                "agentFrameId": found.agent_frame_id,
                "messageBranchId": found.message_branch_id,
                "messageBranchAncestry": found.message_branch_ancestry,
                "messageAncestry": found.message_ancestry,
                "promptMessageId": found.prompt_message_id,
                "runtimeSegmentId": found.runtime_segment_id,
            }
        ),
    )


def _branch(node: BranchNode) -> dict[str, Any]:
    branch = node.branch
    return {
        "branchId": branch["id"],
        "frameId": branch["agentFrameId"],
        "parentBranchId": branch.get("parentBranchId") or None,
        "forkMessageId": branch.get("forkMessageId") or None,
        "supersededMessageId": branch.get("supersededMessageId") or None,
        "forkActivityId": branch.get("forkActivityId") or None,
        "headMessageId": branch.get("headMessageId") or None,
        "messageCount": node.message_count,
        "ownMessageCount": node.own_message_count,
        "active": node.is_active,
        "running": node.has_active_run,
        "createdAt": branch["createdAt"],
        "updatedAt": branch["updatedAt"],
    }
