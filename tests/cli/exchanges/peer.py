"""A peer that answers by a table: ``python peer.py ANSWERS.json``.

The table gives for each method the messages that come of it, ``id`` filled in where it is null;
``"die"`` ends the process with code 3.
"""

import json
import sys
from pathlib import Path

from sidecar.testing.frames import framed, read_frame


def main() -> int:
    table = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    while (body := read_frame(sys.stdin.buffer)) is not None:
        request = json.loads(body)
        for message in table[request["method"]]:
            if message == "die":
                return 3
            if "id" in message:
                message["id"] = request["id"]
            sys.stdout.buffer.write(framed(json.dumps(message).encode()))
            sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
