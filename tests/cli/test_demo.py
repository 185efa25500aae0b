import json
from pathlib import Path
from typing import Any

import comfyui_workflow_templates_json
import pytest

from tests.cli.command_line import is_picture, run

TEMPLATES = sorted(
    file
    for file in Path(comfyui_workflow_templates_json.__file__).parent.rglob("*.json")
    if "index" not in file.name
)
RED: list[dict[str, Any]] = [
    {"id": "t", "type": "tab", "label": "Flow"},
    {"id": "a", "type": "inject", "z": "t", "name": "go", "x": 100, "y": 80, "wires": [["b"]]},
    {"id": "b", "type": "debug", "z": "t", "name": "show", "x": 300, "y": 80, "wires": []},
]
N8N: dict[str, Any] = {
    "name": "Two steps",
    "nodes": [
        {"id": "1", "name": "Start", "type": "trigger", "position": [0, 0], "parameters": {}},
        {"id": "2", "name": "Set", "type": "set", "position": [220, 0], "parameters": {"v": 1}},
    ],
    "connections": {"Start": {"main": [[{"node": "Set", "type": "main", "index": 0}]]}},
}
FLOW = {
    "nodes": [{"id": "a", "position": {"x": 0, "y": 0}, "data": {"label": "[/] alone"}}],
    "edges": [],
}
API = {
    "1": {"class_type": "LoadImage", "inputs": {"image": "a.png"}},
    "2": {"class_type": "PreviewImage", "inputs": {"images": ["1", 0]}},
}


def played(folder: Path, *words: str | Path) -> list[dict[str, str]]:
    """Play the demo, look at its pictures, return what was answered."""
    done = run("demo", *words, "--output", folder / "pictures", "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    for picture in summary["pictures"]:
        assert is_picture(Path(picture))
    assert {path.name for path in (folder / "pictures").iterdir()} == {
        "before.svg",
        "run.svg",
        "after.svg",
    }
    answers: list[dict[str, str]] = summary["answers"]
    return answers


def test_the_main_job_is_played_on_the_workflow_that_ships(tmp_path: Path) -> None:
    answers = played(tmp_path)

    statuses = [answer["status"] for answer in answers]
    assert statuses.count("conflict") == 2
    assert statuses.count("historical") == 1
    assert statuses.count("rejected") == 1
    assert statuses.count("applied") == len(statuses) - 4 > 15


def test_the_play_goes_to_the_terminal(tmp_path: Path) -> None:
    done = run("demo", cwd=tmp_path)

    assert done.returncode == 0
    assert "applied" in done.stdout
    assert done.stderr == ""
    assert (tmp_path / "graph-sidecar-demo" / "after.svg").exists()


@pytest.mark.parametrize(
    "content", [RED, N8N, FLOW, API], ids=["node-red", "n8n", "react-flow", "comfyui-api"]
)
def test_files_of_other_formats_can_be_played(tmp_path: Path, content: Any) -> None:
    file = tmp_path / "file.json"
    file.write_text(json.dumps(content), encoding="utf-8")

    answers = played(tmp_path, file)

    assert answers[0]["status"] == "applied"
    assert {"historical", "conflict", "rejected"} <= {answer["status"] for answer in answers}


@pytest.mark.parametrize("file", TEMPLATES[::110], ids=lambda file: file.stem)
def test_real_workflows_can_be_played(tmp_path: Path, file: Path) -> None:
    assert played(tmp_path, file)[0]["status"] == "applied"
