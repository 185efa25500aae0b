"""How long what is promised in seconds may take on the machine that the tests run on.

A promise is about a machine with a core to spare; where more wants to run, each gets its share.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_SPIN_SECONDS: Final = 0.05
"""Of processor time: several turns of whoever shares the core."""


@contextmanager
def promised(seconds: float) -> Iterator[None]:
    """Assert that the body takes less than ``seconds``, or than they are worth here and now."""
    started = time.monotonic()
    yield
    assert not is_late(time.monotonic() - started, seconds)


def is_late(took: float, seconds: float) -> bool:
    """Whether what took so long broke a promise, made in ``seconds``."""
    return took >= seconds and took >= seconds * crowding()


def crowding() -> float:
    """Return how many want to run for each core, at least 1.

    The system's count is of the last minute: those who came a second ago are hardly in it, but
    keep this thread waiting too.
    """
    counted = os.getloadavg()[0] / (os.cpu_count() or 1) if hasattr(os, "getloadavg") else 4.0
    return max(1.0, counted, _stretch())


def _stretch() -> float:
    """Return how many times as long as alone a short work of this thread takes."""
    started, worked = time.monotonic(), time.thread_time()
    while time.thread_time() - worked < _SPIN_SECONDS:
        pass
    return (time.monotonic() - started) / _SPIN_SECONDS
