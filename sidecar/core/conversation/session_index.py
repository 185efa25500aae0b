"""The things of a session in memory with every index that commands, events and reading need.

Things are put and, only to take an edit back, removed in the reverse order of their coming; their
links (parents, branches, prompts) never change after they came.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from sidecar.core.conversation.kinds import LISTS, Kind
from sidecar.core.conversation.lineage import Lineage
from sidecar.core.conversation.things import Thing
from sidecar.core.conversation.values import ABSENT, JsonObject, reference

_NONE: dict[str, None] = {}


class SessionIndex:
    """Looks up records and ancestors; records may be stubs."""

    def __init__(self, root_frame_id: str, things: Iterable[tuple[Kind, Thing]]) -> None:
        self._root_frame_id = root_frame_id
        self._tables: dict[Kind, dict[str, Thing]] = {kind: {} for kind in LISTS}
        self._entries: dict[tuple[str, Any], str] = {}
        self._by_prompt: dict[tuple[Kind, str], dict[str, None]] = {}
        self._newest_segment: dict[str, str] = {}
        self._revisions: dict[str, dict[str, None]] = {}
        self.introduced: Counter[str] = Counter()
        self.streaming: dict[str, None] = {}
        for kind, thing in things:
            self._tables[kind][thing.value["id"]] = thing
        self._messages = self._lineage(Kind.MESSAGE, "parentMessageId")
        self._branches = self._lineage(Kind.BRANCH, "parentBranchId")
        for kind, table in self._tables.items():
            for thing in table.values():
                self._link(kind, thing.value)

    # Looking up.

    @property
    def root_frame_id(self) -> str:
        return self._root_frame_id

    def thing(self, kind: Kind, identity: str) -> Thing | None:
        return self._tables[kind].get(identity)

    def things(self, kind: Kind) -> Iterator[Thing]:
        """In list order."""
        yield from self._tables[kind].values()

    def count(self, kind: Kind) -> int:
        return len(self._tables[kind])

    def frame(self, identity: str | None, /) -> JsonObject | None:
        return self._value(Kind.FRAME, identity)

    def branch(self, identity: str | None, /) -> JsonObject | None:
        return self._value(Kind.BRANCH, identity)

    def message(self, identity: str | None, /) -> JsonObject | None:
        return self._value(Kind.MESSAGE, identity)

    def activity(self, identity: str | None, /) -> JsonObject | None:
        return self._value(Kind.ACTIVITY, identity)

    def group(self, identity: str | None, /) -> JsonObject | None:
        return self._value(Kind.GROUP, identity)

    def segment(self, identity: str | None, /) -> JsonObject | None:
        return self._value(Kind.SEGMENT, identity)

    def branch_descends(self, branch_id: str | None, ancestor_id: str | None) -> bool:
        return self._branches.descends(branch_id, ancestor_id)

    def message_descends(self, message_id: str | None, ancestor_id: str | None) -> bool:
        return self._messages.descends(message_id, ancestor_id)

    def first_entry(self, branch_id: str | None, parent: Any) -> JsonObject | None:
        return self.message(self._entries.get((branch_id or "", parent)))

    def length(self, branch: JsonObject) -> int:
        """How many messages the branch's transcript has."""
        head = reference(branch, "headMessageId")
        return 0 if head is None else self._messages.depth(head) + 1

    def is_on_path(self, branch: JsonObject, message_id: str | None) -> bool:
        return self.message_descends(reference(branch, "headMessageId"), message_id)

    def of_prompt(self, kind: Kind, prompt_id: str) -> Iterable[str]:
        """The ids of the activities or groups of a prompt, in list order."""
        return tuple(self._by_prompt.get((kind, prompt_id), _NONE))

    def newest_of_prompt(self, kind: Kind, prompt_id: str) -> JsonObject | None:
        newest = next(reversed(self._by_prompt.get((kind, prompt_id), _NONE)), None)
        return self._value(kind, newest)

    def newest_segment(self, frame_id: str) -> JsonObject | None:
        return self.segment(self._newest_segment.get(frame_id))

    def revisions(self, message: JsonObject) -> Iterable[str]:
        """The ids of all versions of a prompt, the oldest first; of a reply, its own."""
        root = reference(message, "revisionRootMessageId")
        return (message["id"],) if root is None else tuple(self._revisions[root])

    # Changing.

    def next_rank(self, kind: Kind) -> int:
        newest = next(reversed(self._tables[kind].values()), None)
        return 0 if newest is None else newest.rank + 1

    def put(self, kind: Kind, identity: str, thing: Thing) -> None:
        """Add a thing at the end of its list, or exchange the value of one."""
        table = self._tables[kind]
        before = table.get(identity)
        table[identity] = thing
        if before is None:
            self._add(kind, thing.value)
        elif kind is Kind.MESSAGE:
            self._note_streaming(thing.value)

    def remove(self, kind: Kind, identity: str) -> None:
        """Take back the thing of its kind that came last."""
        thing = self._tables[kind].pop(identity)
        self._unlink(kind, thing.value)

    def _value(self, kind: Kind, identity: str | None) -> JsonObject | None:
        thing = None if identity is None else self._tables[kind].get(identity)
        return None if thing is None else thing.value

    def _lineage(self, kind: Kind, parent_key: str) -> Lineage:
        table = self._tables[kind]
        return Lineage((one, reference(thing.value, parent_key)) for one, thing in table.items())

    def _add(self, kind: Kind, value: JsonObject) -> None:
        if kind is Kind.MESSAGE:
            self._messages.add(value["id"], reference(value, "parentMessageId"))
        elif kind is Kind.BRANCH:
            self._branches.add(value["id"], reference(value, "parentBranchId"))
        self._link(kind, value)

    def _link(self, kind: Kind, value: JsonObject) -> None:
        if kind is Kind.MESSAGE:
            self._link_message(value)
        elif kind is Kind.SEGMENT:
            self._newest_segment[value["agentFrameId"]] = value["id"]
        elif kind in {Kind.ACTIVITY, Kind.GROUP}:
            of_prompt = self._by_prompt.setdefault((kind, value["promptMessageId"]), {})
            of_prompt[value["id"]] = None

    def _link_message(self, message: JsonObject) -> None:
        branch_id = message["introducedOnBranchId"]
        self.introduced[branch_id] += 1
        if self._enters(message):
            key = (branch_id, message.get("parentMessageId", ABSENT))
            self._entries.setdefault(key, message["id"])
        root = reference(message, "revisionRootMessageId")
        if root is not None:
            self._revisions.setdefault(root, {})[message["id"]] = None
        self._note_streaming(message)

    def _unlink(self, kind: Kind, value: JsonObject) -> None:
        identity = value["id"]
        if kind is Kind.MESSAGE:
            self._unlink_message(value)
            self._messages.remove(identity)
        elif kind is Kind.BRANCH:
            self._branches.remove(identity)
        elif kind is Kind.SEGMENT:
            self._forget_segment(value["agentFrameId"])
        elif kind in {Kind.ACTIVITY, Kind.GROUP}:
            del self._by_prompt[kind, value["promptMessageId"]][identity]

    def _unlink_message(self, message: JsonObject) -> None:
        identity, branch_id = message["id"], message["introducedOnBranchId"]
        self.introduced[branch_id] -= 1
        key = (branch_id, message.get("parentMessageId", ABSENT))
        if self._entries.get(key) == identity:
            del self._entries[key]
        root = reference(message, "revisionRootMessageId")
        if root is not None:
            del self._revisions[root][identity]
        self.streaming.pop(identity, None)

    def _forget_segment(self, frame_id: str) -> None:
        """Segments are few, and going back to the one before is rare."""
        segments = [thing.value for thing in self.things(Kind.SEGMENT)]
        older = [one["id"] for one in segments if one["agentFrameId"] == frame_id]
        if older:
            self._newest_segment[frame_id] = older[-1]
        else:
            del self._newest_segment[frame_id]

    def _enters(self, message: JsonObject) -> bool:
        parent = self.message(reference(message, "parentMessageId"))
        return parent is None or parent["introducedOnBranchId"] != message["introducedOnBranchId"]

    def _note_streaming(self, message: JsonObject) -> None:
        if message.get("status") == "streaming":
            self.streaming[message["id"]] = None
        else:
            self.streaming.pop(message["id"], None)
