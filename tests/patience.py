"""How long what is promised in seconds may take on the machine that the tests run on.

A promise is about a machine with a core to spare; where more wants to run, each gets its share.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def promised(seconds: float) -> Iterator[None]:
    """Assert that the body takes less than ``seconds``, or than they are worth here and now."""
    started = time.monotonic()
    yield
    assert time.monotonic() - started < seconds * crowding()


def crowding() -> float:
    """Return how much there is to run for each core, at least 1; 4 where nobody counts it."""
    if not hasattr(os, "getloadavg"):
        return 4.0
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
