"""The least that a JSON-RPC process does: read a frame, parse it, answer with text at hand.

``python loop.py BYTES`` answers every request with a result of about so many bytes.
"""

import json
import sys


def main() -> None:
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    result = {"text": "x" * int(sys.argv[1])}
    while line := stdin.readline():
        length = int(line.partition(b":")[2])
        stdin.readline()
        request = json.loads(stdin.read(length))
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": result}
        body = json.dumps(answer, separators=(",", ":")).encode()
        stdout.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        stdout.flush()


main()
