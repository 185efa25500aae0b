"""``python tee.py FOLDER COMMAND…``: run a command and keep a copy of what goes in and comes out."""

import contextlib
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO


def main(folder: str, command: list[str]) -> None:
    """Pass both streams on, byte for byte, and end as the command ends."""
    kept = Path(tempfile.mkdtemp(dir=folder))
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin is not None
    assert child.stdout is not None
    inward = [sys.stdin.fileno(), child.stdin, kept / "said"]
    threading.Thread(target=_copy, args=inward, daemon=True).start()
    _copy(child.stdout.fileno(), sys.stdout.buffer, kept / "answered")
    # At once: the thread may still wait for a host that says nothing more.
    os._exit(child.wait())


def _copy(source: int, target: IO[bytes], kept: Path) -> None:
    # Nobody may be there to read any more.
    with kept.open("wb", buffering=0) as copy, contextlib.suppress(BrokenPipeError), target:
        while chunk := os.read(source, 1 << 16):
            copy.write(chunk)
            target.write(chunk)
            target.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
