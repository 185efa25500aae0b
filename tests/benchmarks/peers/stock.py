"""The same design with what Python has at hand: stock pygls, stdlib json, stdlib sqlite3.

A commit edits the graph in memory and writes what changed; ``python stock.py DATABASE``.
"""

import json
import sqlite3
import sys
from typing import Any

from pygls.protocol import JsonRPCProtocol, default_converter
from pygls.server import JsonRPCServer

server = JsonRPCServer(JsonRPCProtocol, default_converter)
database = sqlite3.connect(sys.argv[1], isolation_level=None, check_same_thread=False)
database.execute("PRAGMA journal_mode = WAL")
database.execute("PRAGMA synchronous = FULL")
database.execute("CREATE TABLE IF NOT EXISTS changes (number INTEGER PRIMARY KEY, change TEXT)")
database.execute("CREATE TABLE IF NOT EXISTS nodes (id TEXT PRIMARY KEY, node TEXT)")
nodes: dict[str, Any] = {}


@server.feature("initialize")
def initialize(_: Any) -> Any:
    return {"capabilities": {}}


@server.feature("open")
def open_graph(params: Any) -> Any:
    for node in json.loads(params.graph)["nodes"]:
        nodes[node["nodeId"]] = node
    return {"nodes": len(nodes)}


@server.feature("commit")
def commit(params: Any) -> Any:
    payload = params.payload
    node = nodes[payload.nodeId]
    before = json.dumps(node)
    node["parameters"][payload.name] = payload.value
    after = json.dumps(node)
    database.execute("BEGIN IMMEDIATE")
    database.execute("INSERT OR REPLACE INTO nodes VALUES (?, ?)", (payload.nodeId, after))
    change = json.dumps({"before": before, "after": after})
    written = database.execute("INSERT INTO changes (change) VALUES (?)", (change,))
    database.execute("COMMIT")
    server.protocol.notify("projectChanged", {"revisionId": str(written.lastrowid)})
    return {"status": "applied", "revisionId": str(written.lastrowid), "changes": [change]}


if __name__ == "__main__":
    server.start_io()
