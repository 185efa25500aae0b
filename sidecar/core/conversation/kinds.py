"""The kinds of things in a session, and the lists that hold them.  Light: every start loads it."""

import enum
from collections.abc import Mapping
from typing import Final

from sidecar.core.conversation.records import (
    ACTIVITIES,
    BRANCHES,
    FRAMES,
    GROUPS,
    MESSAGES,
    SEGMENTS,
)


class Kind(enum.StrEnum):
    """What a change is about; a session is its fields without the lists."""

    SESSION = "session"
    FRAME = "frame"
    BRANCH = "branch"
    MESSAGE = "message"
    ACTIVITY = "activity"
    GROUP = "group"
    SEGMENT = "segment"


LISTS: Final[Mapping[Kind, str]] = {
    Kind.FRAME: FRAMES,
    Kind.BRANCH: BRANCHES,
    Kind.MESSAGE: MESSAGES,
    Kind.ACTIVITY: ACTIVITIES,
    Kind.GROUP: GROUPS,
    Kind.SEGMENT: SEGMENTS,
}
