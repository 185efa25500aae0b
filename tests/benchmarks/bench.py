"""What rows of the benchmark share: a folder, filled databases, contenders, how long to measure."""

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from attrs import define

from sidecar.store.schema import SCHEMA_VERSION
from tests.benchmarks import graphs
from tests.benchmarks.fill import fill, text_of
from tests.benchmarks.wire import Wire

CACHE: Final = Path(__file__).parents[2] / ".benchmarks"
"""Ignored by git; what is slow to make is kept there."""
PEERS: Final = Path(__file__).with_name("peers")


@define
class Bench:
    """One run.  ``folder`` is on a real file system; ``install`` lets peers be fetched."""

    folder: Path
    rounds: int
    install: bool

    def filled(self, sizes: Sequence[int]) -> Path:
        """Return a fresh database with the projects ``p<size>``."""
        recipe = f"{SCHEMA_VERSION} {sizes} {Path(graphs.__file__).read_text(encoding='utf-8')}"
        kept = CACHE / f"filled-{hashlib.sha256(recipe.encode()).hexdigest()[:16]}.db"
        if not kept.exists():
            CACHE.mkdir(exist_ok=True)
            draft = kept.with_suffix(".draft")
            draft.unlink(missing_ok=True)
            fill(draft, sizes)
            draft.replace(kept)
        path = self.fresh()
        shutil.copyfile(kept, path)
        return path

    def fresh(self) -> Path:
        """Return a path in a folder of its own where nothing is yet."""
        folder = self.folder / str(len(list(self.folder.iterdir())))
        folder.mkdir()
        return folder / "a.db"

    def node_peer(self) -> Sequence[str] | str:
        """Return the command of the Node peer, or why there is none."""
        if not (shutil.which("node") and shutil.which("npm")):
            return "Node and npm are not installed"
        home = CACHE / "node"
        if not (home / "node_modules" / "better-sqlite3" / "build").exists():
            if not self.install:
                return "not installed yet: run with --install once (npm, some minutes)"
            home.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(PEERS / "node" / "package.json", home / "package.json")
            command = ["npm", "install", "--no-audit", "--no-fund"]
            try:
                done = subprocess.run(
                    command, cwd=home, capture_output=True, text=True, check=False, timeout=600
                )
            except subprocess.TimeoutExpired:
                return "npm install took too long"
            if done.returncode:
                return f"npm install failed: {done.stderr.strip()[-200:]}"
        shutil.copyfile(PEERS / "node" / "server.js", home / "server.js")
        return ["node", str(home / "server.js"), str(self.fresh())]

    def stock_peer(self) -> Sequence[str]:
        """Return the command of the peer on stock pygls."""
        return [sys.executable, str(PEERS / "stock.py"), str(self.fresh())]


def opened(command: Sequence[str], size: int, *, as_text: bool) -> AbstractContextManager[Wire]:
    """Return a peer with a graph of so many nodes."""
    wire = Wire(command)
    wire.request("initialize")
    if as_text:
        wire.request("open", projectId="p", graph=text_of(size))
    else:
        wire.request("open", projectId="p", graph=graphs.graph(size))
    return wire
