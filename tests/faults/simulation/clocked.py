"""Starts the sidecar with a clock that a file moves: ``clocked.py FILE ARGUMENTS``, for tests alone.

The engine's time stands off by the milliseconds that FILE holds, whenever it is asked for.
"""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.pop(0)

from sidecar.server import light_imports  # noqa: F401 -- first: what follows starts faster by it

# isort: split
from sidecar.server import engine


def shift(file: Path) -> None:
    real = engine._now  # noqa: SLF001 -- where the engine asks for the time

    def now() -> int:
        return real() + int(file.read_text("ascii"))

    vars(engine)["_now"] = now


if __name__ == "__main__":
    from sidecar.__main__ import main

    shift(Path(sys.argv[1]))
    main(sys.argv[2:])
