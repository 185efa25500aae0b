"""Lists that come in pages, over any host."""

from collections.abc import Callable
from typing import Any


def assert_the_last_page_is_told(
    request: Callable[..., Any], method: str, count: int, *, first: int, **of: Any
) -> None:
    """Ask for a list of ``count`` items in pages of several sizes; one begins behind ``first``."""
    for limit in (count - 1, count, count + 1):
        page = request(method, **of, limit=limit)
        assert len(page["items"]) == min(limit, count)
        assert (page["before"] is None) == (limit >= count)
    beginning = request(method, **of, limit=first)
    rest = request(method, **of, limit=count - first, before=beginning["before"])
    assert (len(rest["items"]), rest["before"]) == (count - first, None)
