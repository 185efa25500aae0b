"""Ancestor tests in a growing forest: logarithmic each, with one jump pointer a node.

A node jumps to an ancestor so that a walk to any depth takes O(log n) steps, whatever the shape;
adding a leaf takes constant time and moves nobody.
"""

from collections.abc import Iterable

from attrs import define


@define(eq=False)
class _Link:
    parent: "_Link | None"
    jump: "_Link | None"
    depth: int


class Lineage:
    """Nodes by id; a node counts as its own ancestor."""

    __slots__ = ("_links",)

    def __init__(self, parents: Iterable[tuple[str, str | None]] = ()) -> None:
        self._links: dict[str | None, _Link] = {}
        pending = dict(parents)
        for start in pending:
            chain: list[str] = []
            node: str | None = start
            while node is not None and node not in self._links:
                chain.append(node)
                node = pending[node]
            for one in reversed(chain):
                self.add(one, pending[one])

    def __contains__(self, node: str) -> bool:
        return node in self._links

    def add(self, node: str, parent: str | None) -> None:
        """Add a leaf below a known node, or a root."""
        above = None if parent is None else self._links[parent]
        self._links[node] = _Link(above, _jump(above), 0 if above is None else above.depth + 1)

    def remove(self, node: str) -> None:
        """Take back the leaf that was added last."""
        del self._links[node]

    def depth(self, node: str) -> int:
        """How many ancestors the node has, itself not counted."""
        return self._links[node].depth

    def descends(self, node: str | None, ancestor: str | None) -> bool:
        """Whether `ancestor` is `node` or above it; unknown ids descend from nothing."""
        below, above = self._links.get(node), self._links.get(ancestor)
        if above is None:
            return False
        while below is not None and below.depth > above.depth:
            jump = below.jump
            below = jump if jump is not None and jump.depth >= above.depth else below.parent
        return below is above


def _jump(parent: _Link | None) -> _Link | None:
    """Twice as far as the parent jumps when its last two jumps are equally long, else the parent."""
    if parent is None or parent.jump is None or parent.jump.jump is None:
        return parent
    first, second = parent.jump, parent.jump.jump
    if parent.depth - first.depth == first.depth - second.depth:
        return second
    return parent
