"""A process that holds a value and, asked for it, writes it as JSON: ``python dumps.py FILE``.

orjson where it is installed, else msgspec, which is about as fast.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

try:
    from orjson import dumps  # type: ignore[import-not-found]  # an optional peer
except ImportError:
    from msgspec.json import encode as dumps


def main() -> None:
    value: Any = json.loads(Path(sys.argv[1]).read_bytes())
    stdin = sys.stdin.buffer
    while line := stdin.readline():
        length = int(line.partition(b":")[2])
        stdin.readline()
        request = json.loads(stdin.read(length))
        head = b'{"jsonrpc":"2.0","id":%d,"result":' % request["id"]
        body = dumps(value)
        start = b"Content-Length: %d\r\n\r\n" % (len(head) + len(body) + 1)
        view = memoryview(b"".join((start, head, body, b"}")))
        while view:
            view = view[os.write(1, view) :]


main()
