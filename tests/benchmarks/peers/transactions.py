"""The least that a process over stdio does to be durable: the bare loop, with a bare transaction.

``python transactions.py FILE BYTES`` commits as many pages as a command of ours does before it
answers each request with a result of about so many bytes.
"""

import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[3]))

from sidecar.store.connection import PAGE_SIZE
from tests.benchmarks.floors import BareTransactions


def main() -> None:
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    database = BareTransactions(Path(sys.argv[1]), page_size=PAGE_SIZE)
    result = {"text": "x" * int(sys.argv[2])}
    while line := stdin.readline():
        length = int(line.partition(b":")[2])
        stdin.readline()
        request = json.loads(stdin.read(length))
        database.commit_pages(1)
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": result}
        body = json.dumps(answer, separators=(",", ":")).encode()
        stdout.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        stdout.flush()


main()
