import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks.surroundings import host_environment


def test_the_second_start_finds_its_modules_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    (tmp_path / "measured.py").write_text("", encoding="utf-8")

    subprocess.run(
        [sys.executable, "-c", "import measured"], cwd=tmp_path, env=host_environment(), check=True
    )

    assert [path.stem for path in (tmp_path / "__pycache__").iterdir()] == [
        f"measured.{sys.implementation.cache_tag}"
    ]
