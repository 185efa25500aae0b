"""Which activities and groups of a graph a transcript shows (3.6).

`BranchView` holds the rule for any way of looking records up, so that the whole-graph function and
the indexed session answer alike.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from attrs import frozen

from sidecar.core.conversation.lookup import Find
from sidecar.core.conversation.paths import ancestry, resolve_active
from sidecar.core.conversation.records import (
    ACTIVITIES,
    BRANCHES,
    FRAMES,
    GROUPS,
    by_id,
    first,
    project_activity,
    project_group,
)
from sidecar.core.conversation.values import Graph, JsonObject, reference


@frozen
class BranchView:
    """What one branch shows: its ancestry and, for each branch of it, where it was cut below."""

    ancestors: frozenset[str | None]
    cuts: dict[str | None, tuple[Any, Any]]
    find_branch: Find

    @classmethod
    def of(cls, branch_id: str | None, *, find_branch: Find, find_activity: Find) -> "BranchView":
        chain = ancestry(find_branch, branch_id, "parentBranchId")
        cuts: dict[str | None, tuple[Any, Any]] = {}
        lowest: tuple[Any, Any] | None = None
        for branch in reversed(chain):
            if lowest is not None:
                cuts[branch["id"]] = lowest
            activity_id = reference(branch, "forkActivityId")
            activity = None if activity_id is None else find_activity(activity_id)
            if activity is not None:
                lowest = _moment(activity) if lowest is None else min(lowest, _moment(activity))
        return cls(frozenset(branch["id"] for branch in chain), cuts, find_branch)

    def shows_activity(self, activity: JsonObject) -> bool:
        """Whether the branch shows an activity whose prompt is on its transcript."""
        branch_id = activity.get("messageBranchId")
        if branch_id not in self.ancestors:
            return self.shows_foreign(branch_id)
        cut = self.cuts.get(branch_id)
        return cut is None or _moment(activity) < cut

    def shows_foreign(self, branch_id: str | None) -> bool:
        """Whether things of a branch outside the ancestry show: not if a cut lies between."""
        return not any(
            reference(branch, "forkActivityId") and branch["id"] not in self.ancestors
            for branch in ancestry(self.find_branch, branch_id, "parentBranchId")
        )

    def shows_group(self, group: JsonObject) -> bool:
        """Whether a group whose prompt is on the transcript shows, its members aside."""
        branch_id = group.get("messageBranchId")
        return branch_id in self.ancestors or self.shows_foreign(branch_id)


def resolve_activities(graph: Graph) -> tuple[list[JsonObject], list[JsonObject]]:
    """The flat activities and groups that the view shows, in graph order."""
    transcript = {message["id"] for message in resolve_active(graph)}
    frame = first(graph[FRAMES], graph["activeFrameId"])
    assert frame is not None
    view = BranchView.of(
        frame.get("activeBranchId"),
        find_branch=by_id(graph[BRANCHES]).get,
        find_activity=by_id(graph[ACTIVITIES]).get,
    )
    activities = shown_activities(view, graph[ACTIVITIES], transcript)
    groups = shown_groups(view, graph[GROUPS], transcript, {one["id"] for one in activities})
    return [project_activity(one) for one in activities], groups


def shown_activities(
    view: BranchView, activities: Iterable[JsonObject], transcript: Collection[str]
) -> list[JsonObject]:
    return [
        activity
        for activity in activities
        if activity.get("promptMessageId") in transcript and view.shows_activity(activity)
    ]


def shown_groups(
    view: BranchView,
    groups: Iterable[JsonObject],
    transcript: Collection[str],
    shown: Collection[str],
) -> list[JsonObject]:
    """The flat groups with their shown members; one that had members and shows none is dropped."""
    flat: list[JsonObject] = []
    for group in groups:
        if group.get("promptMessageId") not in transcript or not view.shows_group(group):
            continue
        members: Sequence[str] = group["activityIds"]
        remaining = [member for member in members if member in shown]
        if remaining or not members:
            flat.append(project_group(group, shown=remaining))
    return flat


def _moment(activity: JsonObject) -> tuple[Any, Any]:
    return activity["createdAt"], activity["sortIndex"]
