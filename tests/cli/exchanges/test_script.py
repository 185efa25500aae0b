import json
from pathlib import Path
from typing import Any

import pytest

from sidecar.cli.exchanges.script import Exit, Expect, Restart, ScriptError, Send, read_script


def written(folder: Path, *lines: Any) -> Path:
    path = folder / "file.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_lines_are_grouped_into_exchanges(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {"description": "Two questions, one answered twice."},
        {"->": {"method": "a"}},
        {"->": {"method": "b"}},
        {"<-": 1},
        {"<-": 2},
        {"->": {"method": "commitCommand", "params": {"payload": {"kind": "add-node"}}}},
        {"<-": 3},
        {"restart": "kill"},
        {"->": {"method": "c"}},
        {"exit": 1},
    )

    script = read_script(path)

    assert script.description == "Two questions, one answered twice."
    assert [(one.title, one.line) for one in script.exchanges] == [
        ("a", 2),
        ("commitCommand add-node", 6),
        ("restart (kill)", 8),
        ("c", 9),
    ]
    assert script.exchanges[0].steps == (
        Send(2, {"method": "a"}),
        Send(3, {"method": "b"}),
        Expect(4, 1),
        Expect(5, 2),
    )
    assert script.exchanges[2].steps == (Restart(8, "kill"),)
    assert script.exchanges[3].steps == (Send(9, {"method": "c"}), Exit(10, 1))


@pytest.mark.parametrize(
    "line",
    [
        {"=>": 1},
        {"->": 1, "<-": 2},
        {"exit": "0"},
        {"restart": "gently"},
        [],
        {"description": "not at the top"},
    ],
)
def test_a_line_that_says_nothing_is_refused(tmp_path: Path, line: Any) -> None:
    with pytest.raises(ScriptError):
        read_script(written(tmp_path, {"->": 1}, line))


@pytest.mark.parametrize("content", [b"{not json\n", b"\xff\xfe\n"])
def test_a_file_that_is_no_text_of_json_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(content)

    with pytest.raises(ScriptError):
        read_script(path)
