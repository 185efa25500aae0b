"""``graph-sidecar demo``: the main job, played on a real workflow over real stdio."""

import json
import tempfile
from importlib import resources
from pathlib import Path

from rich.console import Console

from sidecar.cli.demo.play import Play
from sidecar.cli.demo.stage import Stage
from sidecar.testing.client import SidecarClient

SAMPLE = "sample.json"


def run(file: Path | None, output: Path, *, as_json: bool = False) -> int:
    """Play the demo on a workflow file (default: one that ships with it); return the exit code.

    Writes ``before.svg``, ``after.svg`` and ``run.svg`` (what the assistant's run changed) into
    ``output``.
    """
    content = _read(file)
    output.mkdir(parents=True, exist_ok=True)
    console = Console(stderr=as_json)
    # Where a process goes on for a moment after its end, a launcher's, Windows keeps its files.
    with tempfile.TemporaryDirectory(
        prefix="graph-sidecar-demo-", ignore_cleanup_errors=True
    ) as folder:
        database = Path(folder) / "demo.db"
        with SidecarClient.spawn(database) as client:
            stage = Stage(client, console, output)
            stage.open(database, file.name if file else SAMPLE)
            Play(stage).all(content)
            code = client.close()
    if as_json:
        print(json.dumps(stage.summary))
    return code


def _read(file: Path | None) -> str:
    if file is not None:
        return file.read_text(encoding="utf-8-sig")
    return resources.files("sidecar.cli").joinpath(SAMPLE).read_text(encoding="utf-8")
