"""Files that another program has open just when something is done to their names (Windows)."""

import time
from collections.abc import Callable
from typing import Final

from sidecar.store.faults import HELD_BY_ANOTHER

_PATIENCE: Final = 2.0
_AGAIN: Final = 0.02


def patiently(action: Callable[[], object]) -> None:
    """Do something to a file's name, again for a while where another program has the file open.

    Windows lets nobody rename or remove what a virus scanner or an indexer looks at just then.
    """
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            action()
        except PermissionError as error:
            held = getattr(error, "winerror", None) in HELD_BY_ANOTHER
            if not held or time.monotonic() >= deadline:
                raise
            time.sleep(_AGAIN)
        else:
            return
