"""Effects of several commands told as those of one."""

from collections.abc import Sequence

from attrs import evolve

from protocol.changes import Effects
from sidecar.core.changes import Change
from sidecar.core.reports import effects_of


def folded_effects(net: Sequence[Change], parts: Sequence[Effects]) -> Effects:
    """Return the effects of commands that together did ``net``.

    Ids are those of the net changes; what was reported on the way is kept in order.
    """
    return evolve(
        effects_of(net),
        replaced_edges=tuple(edge for part in parts for edge in part.replaced_edges),
        dropped_edges=tuple(edge for part in parts for edge in part.dropped_edges),
        id_map=tuple(entry for part in parts for entry in part.id_map),
        placed=tuple(place for part in parts for place in part.placed),
        warnings=tuple(notice for part in parts for notice in part.warnings),
    )
