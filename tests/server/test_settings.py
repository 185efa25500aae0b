from pathlib import Path

import pytest

from sidecar.server.settings import (
    OtherCommand,
    ServeSettings,
    ShowVersion,
    UsageError,
    parse,
)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], ServeSettings()),
        (["--stdio"], ServeSettings()),
        (["serve", "--stdio"], ServeSettings()),
        (["--database", "/a/b.db"], ServeSettings(database="/a/b.db")),
        (["--database=/a/b.db", "--stdio"], ServeSettings(database="/a/b.db")),
        (["--database", ":memory:"], ServeSettings(database=":memory:")),
        (["--database", "file:x?mode=memory"], ServeSettings(database="file:x?mode=memory")),
        (["--max-message", "1024"], ServeSettings(max_message=1024)),
        (["--log-level", "debug"], ServeSettings(log_level="debug")),
        (["--log-file", "/a/log"], ServeSettings(log_file="/a/log")),
        (["--version"], ShowVersion()),
        (["--version", "--json"], ShowVersion(as_json=True)),
        (["--json", "--version"], ShowVersion(as_json=True)),
        (["inspect", "--json"], OtherCommand(("inspect", "--json"))),
        (["--help"], OtherCommand(("--help",))),
    ],
)
def test_words_are_understood(words: list[str], expected: object) -> None:
    assert parse(words) == expected


def test_relative_paths_become_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    settings = parse(["--database", "a.db", "--log-file", "x/../log"])

    assert settings == ServeSettings(
        database=str(tmp_path / "a.db"), log_file=str(tmp_path / "log")
    )


@pytest.mark.parametrize(
    "words",
    [
        ["--unknown"],
        ["--json"],
        ["--database"],
        ["--database", ""],
        ["--database", "a", "--database", "b"],
        ["--stdio=1"],
        ["--max-message", "1023"],
        ["--max-message", "1073741825"],
        ["--max-message", "-1"],
        ["--max-message", "ten"],
        ["--max-message", "²²²²²"],
        ["--log-level", "loud"],
        ["--version", "--stdio"],
        ["--stdio", "inspect"],
    ],
    ids=" ".join,
)
def test_what_is_not_understood_is_a_usage_error(words: list[str]) -> None:
    with pytest.raises(UsageError):
        parse(words)
