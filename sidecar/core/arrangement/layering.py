"""Layers: every edge runs to a later layer, and the edges are as short in total as can be.

This is the network simplex of Gansner, Koutsofios, North and Vo, "A Technique for Drawing
Directed Graphs" (1993), section 2. Its work is counted; cut short, it still gives valid layers.
"""

from heapq import heappop, heappush

from sidecar.core.arrangement.model import Link

WORK = 600_000


def layers_of(count: int, links: list[Link], work: int = WORK) -> list[int]:
    """The layer, from 0, of each vertex of a connected graph without cycles."""
    if not count:
        return []
    simplex = _Simplex(count, links)
    simplex.run(work)
    first = min(simplex.layer)
    return [number - first for number in simplex.layer]


def _longest_paths(sources: list[list[int]], targets: list[list[int]]) -> list[int]:
    layer = [0] * len(sources)
    waiting = [len(found) for found in sources]
    order = [vertex for vertex, count in enumerate(waiting) if not count]
    for vertex in order:
        for target in targets[vertex]:
            layer[target] = max(layer[target], layer[vertex] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                order.append(target)
    return layer


class _Simplex:
    """A spanning tree of edges that join neighbouring layers, improved edge by edge.

    The subtree of a vertex hangs on the edge to its parent. Its surplus is how many more edges
    leave it than enter it: the gain of moving the whole subtree one layer to the right.
    """

    def __init__(self, count: int, links: list[Link]) -> None:
        self.sources: list[list[int]] = [[] for _ in range(count)]
        self.targets: list[list[int]] = [[] for _ in range(count)]
        for link in links:
            self.sources[link.target].append(link.source)
            self.targets[link.source].append(link.target)
        self.layer = _longest_paths(self.sources, self.targets)
        self.parent = [-1] * count
        self.children: list[dict[int, None]] = [{} for _ in range(count)]
        self.leads_up = [False] * count
        """Whether the edge between a vertex and its parent runs to the parent."""
        self.surplus = [
            len(self.targets[vertex]) - len(self.sources[vertex]) for vertex in range(count)
        ]
        for vertex in reversed(self._grow()):
            if self.parent[vertex] >= 0:
                self.surplus[self.parent[vertex]] += self.surplus[vertex]

    def run(self, work: int) -> None:
        """Exchange tree edges until none gains, or the work is used up."""
        count = len(self.layer)
        vertex = idle = 0
        while idle < count and work > 0:
            gain = self.surplus[vertex] if self.leads_up[vertex] else -self.surplus[vertex]
            if self.parent[vertex] >= 0 and gain < 0:
                work -= self._exchange(vertex)
                idle = 0
            else:
                work -= 1
                idle += 1
            vertex = (vertex + 1) % count

    def _grow(self) -> list[int]:
        """Grow the tree from the first vertex, and shift all outside to where an edge is tight."""
        layer = self.layer
        order = [0]
        inside = [False] * len(layer)
        inside[0] = True
        shift = 0
        # Edges out of and into the tree, by slack as it was before any shift.
        leaving: list[tuple[int, int, int]] = []
        entering: list[tuple[int, int, int]] = []
        self._reach(0, inside, leaving, entering)
        while len(order) < len(layer):
            _drop_inside(leaving, inside)
            _drop_inside(entering, inside)
            out_slack = leaving[0][0] + shift if leaving else None
            in_slack = entering[0][0] - shift if entering else None
            leads_up = out_slack is None or (in_slack is not None and in_slack < out_slack)
            _, vertex, parent = heappop(entering if leads_up else leaving)
            shift += (in_slack or 0) if leads_up else -(out_slack or 0)
            layer[vertex] += shift
            inside[vertex] = True
            self.parent[vertex], self.leads_up[vertex] = parent, leads_up
            self.children[parent][vertex] = None
            order.append(vertex)
            self._reach(vertex, inside, leaving, entering)
        return order

    def _reach(
        self,
        vertex: int,
        inside: list[bool],
        leaving: list[tuple[int, int, int]],
        entering: list[tuple[int, int, int]],
    ) -> None:
        here = self.layer[vertex] + 1
        for target in self.targets[vertex]:
            if not inside[target]:
                heappush(leaving, (self.layer[target] - here, target, vertex))
        here = self.layer[vertex] - 1
        for source in self.sources[vertex]:
            if not inside[source]:
                heappush(entering, (here - self.layer[source], source, vertex))

    def _exchange(self, vertex: int) -> int:
        """Move a vertex's subtree until another edge gets tight, and hang it there."""
        subtree = self._subtree(vertex)
        to_left = self.leads_up[vertex]
        looked = sum(len(self.sources[one]) + len(self.targets[one]) for one in subtree)
        slack, inner, outer = self._entering(subtree, to_left=to_left)
        if slack:
            step = -slack if to_left else slack
            for member in subtree:
                self.layer[member] += step
        depth = self._rehang(vertex, inner, outer, leads_up=not to_left)
        return looked + len(subtree) + depth

    def _subtree(self, vertex: int) -> list[int]:
        found = [vertex]
        for member in found:
            found.extend(self.children[member])
        return found

    def _entering(self, subtree: list[int], *, to_left: bool) -> tuple[int, int, int]:
        """The shortest edge that stops the subtree's move: its slack, inner and outer end."""
        members = set(subtree)
        neighbours = self.sources if to_left else self.targets
        layer = self.layer
        best: tuple[int, int, int] | None = None
        for inner in subtree:
            for outer in neighbours[inner]:
                if outer not in members:
                    slack = abs(layer[inner] - layer[outer]) - 1
                    if best is None or slack < best[0]:
                        best = (slack, inner, outer)
        assert best is not None, "a subtree that gains by a move has an edge on that side"
        return best

    def _rehang(self, vertex: int, inner: int, outer: int, *, leads_up: bool) -> int:
        """Take a subtree off its parent and hang it, rerooted at `inner`, under `outer`."""
        parent, leads = self.parent, self.leads_up
        whole = self.surplus[vertex]
        steps = self._add_upwards(parent[vertex], -whole) + self._add_upwards(outer, whole)
        del self.children[parent[vertex]][vertex]
        child, above, handed = inner, outer, whole
        while True:
            old_parent, old_leads, old_surplus = parent[child], leads[child], self.surplus[child]
            parent[child], leads[child] = above, leads_up
            self.surplus[child] = handed
            self.children[above][child] = None
            if child == vertex:
                return steps
            del self.children[old_parent][child]
            handed = whole - old_surplus
            leads_up = not old_leads
            child, above = old_parent, child
            steps += 1

    def _add_upwards(self, vertex: int, amount: int) -> int:
        steps = 0
        while vertex >= 0:
            self.surplus[vertex] += amount
            vertex = self.parent[vertex]
            steps += 1
        return steps


def _drop_inside(edges: list[tuple[int, int, int]], inside: list[bool]) -> None:
    while edges and inside[edges[0][1]]:
        heappop(edges)
