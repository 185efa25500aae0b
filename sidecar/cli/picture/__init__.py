"""A graph as an SVG picture, and the difference of two states as one.

Nothing in the picture runs or loads anything: text of the graph is text, colours are checked, and
there are no scripts, links or outside resources.
"""

from typing import Any

from sidecar.cli.picture.changes import NOTHING, changes_between
from sidecar.cli.picture.page import draw_page
from sidecar.cli.picture.reading import read_scene

__all__ = ["render"]


def render(
    state: dict[str, Any], *, before: dict[str, Any] | None = None, title: str | None = None
) -> str:
    """The root graph of a project state, given in wire form, as one SVG document.

    With `before`, an earlier state of the same graph, what was added is outlined green, what
    changed amber, and what was removed stands in its old place as a red ghost. Fields may be
    missing; nothing raises.
    """
    scene = read_scene(state)
    if before is None:
        return draw_page(scene, None, NOTHING, title)
    earlier = read_scene(before)
    return draw_page(scene, earlier, changes_between(earlier, scene), title)
