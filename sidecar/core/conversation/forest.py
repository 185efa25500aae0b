"""Ancestor tests over a fixed set of parent links, each in constant time after one linear pass."""

from collections.abc import Iterable


class Forest:
    """Nodes numbered by a depth-first walk; a node under a cycle gets no number.

    An ancestor's interval of numbers encloses its descendants'; a node is its own ancestor.
    """

    def __init__(self, parents: Iterable[tuple[str, str | None]]) -> None:
        children: dict[str | None, list[str]] = {}
        self._size = 0
        for node, parent in parents:
            children.setdefault(parent, []).append(node)
            self._size += 1
        self._enter: dict[str | None, int] = {}
        self._leave: dict[str | None, int] = {}
        self._number(children)

    def _number(self, children: dict[str | None, list[str]]) -> None:
        stack = [(root, False) for root in children.get(None, ())]
        while stack:
            node, left = stack.pop()
            if left:
                self._leave[node] = len(self._enter)
                continue
            self._enter[node] = len(self._enter)
            stack.append((node, True))
            stack += [(child, False) for child in children.get(node, ())]

    def __contains__(self, node: str) -> bool:
        return node in self._enter

    def is_whole(self) -> bool:
        """Whether every node descends from one without a parent."""
        return len(self._enter) == self._size

    def is_ancestor(self, ancestor: str | None, node: str | None) -> bool:
        enter = self._enter.get(ancestor)
        place = self._enter.get(node)
        if enter is None or place is None:
            return False
        return enter <= place < self._leave[ancestor]
