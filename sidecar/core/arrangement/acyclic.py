"""Breaking cycles: which edges point back is decided by one depth-first walk, in given order."""

from sidecar.core.arrangement.model import Link


def without_cycles(count: int, links: list[Link]) -> list[Link]:
    """The same edges with self-loops left out and the back edges turned round."""
    forward = [link for link in links if link.source != link.target]
    back = _back_edges(count, forward)
    return [_turned(link) if number in back else link for number, link in enumerate(forward)]


def _turned(link: Link) -> Link:
    return Link(link.target, link.source, link.target_order, link.source_order)


def _back_edges(count: int, links: list[Link]) -> set[int]:
    outgoing: list[list[int]] = [[] for _ in range(count)]
    incoming = [0] * count
    for number, link in enumerate(links):
        outgoing[link.source].append(number)
        incoming[link.target] += 1
    back: set[int] = set()
    state = [_NEW] * count
    # Sources first, so that a walk starts in the middle of a graph only inside a cycle.
    for root in sorted(range(count), key=lambda vertex: incoming[vertex] > 0):
        if state[root] == _NEW:
            _walk(root, outgoing, links, state, back)
    return back


_NEW, _OPEN, _DONE = range(3)


def _walk(
    root: int, outgoing: list[list[int]], links: list[Link], state: list[int], back: set[int]
) -> None:
    state[root] = _OPEN
    stack = [(root, iter(outgoing[root]))]
    while stack:
        vertex, rest = stack[-1]
        number = next(rest, None)
        if number is None:
            state[vertex] = _DONE
            stack.pop()
            continue
        target = links[number].target
        if state[target] == _OPEN:
            back.add(number)
        elif state[target] == _NEW:
            state[target] = _OPEN
            stack.append((target, iter(outgoing[target])))
