"""The closed set of things a session rule can refuse, each under a stable slug.

There is one slug for each distinct error text of the format, so that two checks that the format
tells apart are told apart here as well. `MESSAGES` says the same to people.
"""

import enum
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final


class Check(enum.StrEnum):
    """What was wrong; the comment behind a block names its section of the format."""

    # Walks, 3.3 to 3.6 and D4.
    BRANCH_NOT_FOUND = "branch-not-found"
    MESSAGE_CYCLE = "message-cycle"
    BRANCH_MESSAGE_INVALID = "branch-message-invalid"
    VIEW_FRAME_NOT_FOUND = "view-frame-not-found"
    WALK_CYCLE = "walk-cycle"

    # Merging flat lists, 3.7 and 3.8.
    ACTIVE_FRAME_MISSING = "active-frame-missing"
    ACTIVE_BRANCH_MISSING = "active-branch-missing"
    RESPONSE_SEGMENT_FOREIGN = "response-segment-foreign"
    ACTIVITY_SEGMENT_FOREIGN = "activity-segment-foreign"
    MESSAGE_ON_OTHER_BRANCH = "message-on-other-branch"

    # Validation, 3.9.
    GRAPH_VERSION = "graph-version"
    DUPLICATE_IDS = "duplicate-ids"
    DUPLICATE_OR_MISSING_ROOT = "duplicate-or-missing-root"
    ACTIVE_FRAME_INVALID = "active-frame-invalid"
    ROOT_FRAME_INVALID = "root-frame-invalid"
    DUPLICATE_GROUP_IDS = "duplicate-group-ids"
    DUPLICATE_SEGMENT_IDS = "duplicate-segment-ids"
    FRAME_BRANCH_INVALID = "frame-branch-invalid"
    NON_ROOT_FRAME_INVALID = "non-root-frame-invalid"
    FRAME_DETACHED = "frame-detached"
    FRAME_ORIGIN_INVALID = "frame-origin-invalid"
    FRAME_PARENT_MISSING = "frame-parent-missing"
    FRAME_CYCLE = "frame-cycle"
    BRANCH_FRAME_MISSING = "branch-frame-missing"
    BRANCH_PARENT_INVALID = "branch-parent-invalid"
    BRANCH_CYCLE = "branch-cycle"
    SEGMENT_FRAME_MISSING = "segment-frame-missing"
    MESSAGE_BRANCH_INVALID = "message-branch-invalid"
    MESSAGE_SEGMENT_INVALID = "message-segment-invalid"
    MESSAGE_PARENT_INVALID = "message-parent-invalid"
    MESSAGE_OFF_BRANCH_PATH = "message-off-branch-path"
    FORK_WITHOUT_PARENT = "fork-without-parent"
    FORK_OFF_PATH = "fork-off-path"
    FORK_OFF_PARENT_PATH = "fork-off-parent-path"
    FORK_ACTIVITY_MISSING = "fork-activity-missing"
    FORK_ACTIVITY_OFF_PATH = "fork-activity-off-path"
    FORK_ACTIVITY_OFF_PARENT_PATH = "fork-activity-off-parent-path"
    REVISION_CHAIN_INVALID = "revision-chain-invalid"
    MESSAGE_UNREACHABLE = "message-unreachable"
    VIEW_ORIGIN_OFF_BRANCH = "view-origin-off-branch"
    RESPONSE_TARGET_INVALID = "response-target-invalid"
    REVISION_ROOT_INVALID = "revision-root-invalid"
    GROUP_BRANCH_INVALID = "group-branch-invalid"
    GROUP_PROMPT_INVALID = "group-prompt-invalid"
    GROUP_MEMBER_INVALID = "group-member-invalid"
    ACTIVITY_BRANCH_INVALID = "activity-branch-invalid"
    ACTIVITY_PROMPT_INVALID = "activity-prompt-invalid"
    ACTIVITY_SEGMENT_INVALID = "activity-segment-invalid"
    ACTIVITY_GROUP_INVALID = "activity-group-invalid"

    # Branching and views, 3.11 to 3.15.
    PROMPT_NOT_ACTIVE = "prompt-not-active"
    BRANCH_EXISTS = "branch-exists"
    FORK_MESSAGE_NOT_ACTIVE = "fork-message-not-active"
    FORK_ACTIVITY_NOT_ACTIVE = "fork-activity-not-active"
    BRANCH_UNKNOWN = "branch-unknown"
    BRANCH_FRAME_UNKNOWN = "branch-frame-unknown"
    FRAME_UNKNOWN = "frame-unknown"
    CONTEXT_INCOMPLETE = "context-incomplete"

    # Materialization and the shape of values, 4 and 5.
    MATERIALIZATION = "materialization"
    SCHEMA = "schema"
    MESSAGE_ABSENT = "message-absent"

    # Commands, 6.
    COMMAND_ID_USED = "command-id-used"
    COMMAND_IDENTITY = "command-identity"
    ROOT_FRAME_DAMAGED = "root-frame-damaged"
    VIEW_NOT_ROOT = "view-not-root"
    ROOT_BRANCH_DAMAGED = "root-branch-damaged"
    NOT_A_USER_MESSAGE = "not-a-user-message"
    MESSAGE_ID_USED = "message-id-used"
    APPEND_WHILE_RUNNING = "append-while-running"
    BRANCH_MOVED = "branch-moved"
    BRANCH_ID_USED = "branch-id-used"
    FORK_NOT_POSSIBLE = "fork-not-possible"
    SELECTED_BRANCH_FOREIGN = "selected-branch-foreign"
    SELECT_NOT_POSSIBLE = "select-not-possible"
    SEGMENT_ID_USED = "segment-id-used"
    RUN_PROMPT_OFF_BRANCH = "run-prompt-off-branch"
    RECOVERY_GONE = "recovery-gone"
    RUN_ACTIVE = "run-active"
    RUN_SETTLED = "run-settled"
    COMMAND_UNKNOWN = "command-unknown"

    # A runtime's writes.
    RUN_UNKNOWN = "run-unknown"
    EVENT_NOT_AGENT = "event-not-agent"
    EVENT_MESSAGE_FOREIGN = "event-message-foreign"
    EVENT_ACTIVITY_FOREIGN = "event-activity-foreign"
    EVENT_GROUP_FOREIGN = "event-group-foreign"


MESSAGES: Final[Mapping[Check, str]] = MappingProxyType(
    {
        Check.BRANCH_NOT_FOUND: "There is no such branch.",
        Check.MESSAGE_CYCLE: "A message is its own ancestor.",
        Check.BRANCH_MESSAGE_INVALID: "A branch leads to a message that is missing or not its own.",
        Check.VIEW_FRAME_NOT_FOUND: "The frame in view does not exist.",
        Check.WALK_CYCLE: "A chain of parents leads back to itself.",
        Check.ACTIVE_FRAME_MISSING: "The frame in view is missing.",
        Check.ACTIVE_BRANCH_MISSING: "The frame in view has no branch to show.",
        Check.RESPONSE_SEGMENT_FOREIGN: "The reply's segment is not one of the frame in view.",
        Check.ACTIVITY_SEGMENT_FOREIGN: "The activity's segment is not one of the frame in view.",
        Check.MESSAGE_ON_OTHER_BRANCH: "A message of the flat list stands on another branch.",
        Check.GRAPH_VERSION: "The graph has a version that is not read here.",
        Check.DUPLICATE_IDS: "Two frames or two branches share an id.",
        Check.DUPLICATE_OR_MISSING_ROOT: "Messages or activities share an id, or there is no root.",
        Check.ACTIVE_FRAME_INVALID: "The graph shows a frame that it does not have.",
        Check.ROOT_FRAME_INVALID: "The root frame is bound like a child frame.",
        Check.DUPLICATE_GROUP_IDS: "Two activity groups share an id.",
        Check.DUPLICATE_SEGMENT_IDS: "Two runtime segments share an id.",
        Check.FRAME_BRANCH_INVALID: "A frame shows a branch that is missing or not its own.",
        Check.NON_ROOT_FRAME_INVALID: "A child frame claims to be the root.",
        Check.FRAME_DETACHED: "A child frame names no parent.",
        Check.FRAME_ORIGIN_INVALID: "A frame's origin does not fit its binding.",
        Check.FRAME_PARENT_MISSING: "A frame's parent does not exist.",
        Check.FRAME_CYCLE: "A frame does not descend from the root.",
        Check.BRANCH_FRAME_MISSING: "A branch belongs to no known frame.",
        Check.BRANCH_PARENT_INVALID: "A branch's parent is missing or of another frame.",
        Check.BRANCH_CYCLE: "A branch is its own ancestor.",
        Check.SEGMENT_FRAME_MISSING: "A segment belongs to no known frame.",
        Check.MESSAGE_BRANCH_INVALID: "A message was introduced on no branch of its frame.",
        Check.MESSAGE_SEGMENT_INVALID: "A message's segment is missing or of another frame.",
        Check.MESSAGE_PARENT_INVALID: "A message's parent is missing or of another frame.",
        Check.MESSAGE_OFF_BRANCH_PATH: "A message was introduced beside the branch that holds it.",
        Check.FORK_WITHOUT_PARENT: "A fork names no branch that it leaves.",
        Check.FORK_OFF_PATH: "A branch's fork point is not above its head.",
        Check.FORK_OFF_PARENT_PATH: "A branch's fork point is not on the branch it leaves.",
        Check.FORK_ACTIVITY_MISSING: "The activity that a branch is cut at does not exist.",
        Check.FORK_ACTIVITY_OFF_PATH: "The cut activity's prompt does not lie before the fork.",
        Check.FORK_ACTIVITY_OFF_PARENT_PATH: "The cut activity is not on the branch that is left.",
        Check.REVISION_CHAIN_INVALID: "A message does not replace what its branch replaces.",
        Check.MESSAGE_UNREACHABLE: "A message is on no branch.",
        Check.VIEW_ORIGIN_OFF_BRANCH: "The frame in view began at a message that is not shown.",
        Check.RESPONSE_TARGET_INVALID: "A message answers one that is not a prompt above it.",
        Check.REVISION_ROOT_INVALID: "A message's first version is not a prompt of its frame.",
        Check.GROUP_BRANCH_INVALID: "An activity group stands on no branch of its frame.",
        Check.GROUP_PROMPT_INVALID: "An activity group's prompt is not on its branch.",
        Check.GROUP_MEMBER_INVALID: "An activity group lists an activity that is not its own.",
        Check.ACTIVITY_BRANCH_INVALID: "An activity stands on no branch of its frame.",
        Check.ACTIVITY_PROMPT_INVALID: "An activity's prompt is not on its branch.",
        Check.ACTIVITY_SEGMENT_INVALID: "An activity's segment is missing or of another frame.",
        Check.ACTIVITY_GROUP_INVALID: "An activity names a group that does not list it.",
        Check.PROMPT_NOT_ACTIVE: "Only a prompt of the shown transcript can be edited.",
        Check.BRANCH_EXISTS: "The new branch's id is taken.",
        Check.FORK_MESSAGE_NOT_ACTIVE: "The message to fork at is not in the shown transcript.",
        Check.FORK_ACTIVITY_NOT_ACTIVE: "The activity to fork at is not shown.",
        Check.BRANCH_UNKNOWN: "There is no branch of this id to show.",
        Check.BRANCH_FRAME_UNKNOWN: "The branch to show belongs to no known frame.",
        Check.FRAME_UNKNOWN: "There is no such frame.",
        Check.CONTEXT_INCOMPLETE: "The frame in view has no branch or no segment to run on.",
        Check.MATERIALIZATION: "The session's graph and its lists do not fit together.",
        Check.SCHEMA: "The value does not have the expected shape.",
        Check.MESSAGE_ABSENT: "The submitted session does not hold the appended prompt.",
        Check.COMMAND_ID_USED: "The command's id belongs to another command.",
        Check.COMMAND_IDENTITY: "A command needs an id and a finite time.",
        Check.ROOT_FRAME_DAMAGED: "The session has no proper root frame.",
        Check.VIEW_NOT_ROOT: "A child frame is in view, commands need the root frame.",
        Check.ROOT_BRANCH_DAMAGED: "The root frame shows a branch that is not its own.",
        Check.NOT_A_USER_MESSAGE: "A command can append a user's message only.",
        Check.MESSAGE_ID_USED: "The message's id belongs to another message.",
        Check.APPEND_WHILE_RUNNING: "A run is at work, append when it has ended.",
        Check.BRANCH_MOVED: "The branch has moved on since the prompt was written.",
        Check.BRANCH_ID_USED: "The branch's id belongs to another branch.",
        Check.FORK_NOT_POSSIBLE: "The branch to fork is busy or is no longer the shown one.",
        Check.SELECTED_BRANCH_FOREIGN: "The branch to select is not one of the root frame.",
        Check.SELECT_NOT_POSSIBLE: "Another branch cannot be selected now.",
        Check.SEGMENT_ID_USED: "The segment's id belongs to another segment.",
        Check.RUN_PROMPT_OFF_BRANCH: "The prompt to run is not on the shown branch.",
        Check.RECOVERY_GONE: "There is no interrupted turn of this prompt to resume.",
        Check.RUN_ACTIVE: "Another run is at work already.",
        Check.RUN_SETTLED: "A run that began then or later has ended already.",
        Check.COMMAND_UNKNOWN: "There is no command of this kind.",
        Check.RUN_UNKNOWN: "This run is not at work in the session.",
        Check.EVENT_NOT_AGENT: "A run can add an agent's messages only.",
        Check.EVENT_MESSAGE_FOREIGN: "The message is neither the run's prompt nor a reply of it.",
        Check.EVENT_ACTIVITY_FOREIGN: "The activity is not one of this run.",
        Check.EVENT_GROUP_FOREIGN: "The activity group is not one of this run.",
    }
)
