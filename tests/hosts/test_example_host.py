import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.hosts.npm import need_node, npm, prepare

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")


def test_the_page_works_end_to_end_in_a_headless_browser(tmp_path: Path) -> None:
    need_node()
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    if sys.platform != "linux":
        pytest.skip("the full disk is made with prlimit, which Linux alone has")
    prepare()
    pictures = os.environ.get("SCREENSHOTS", str(tmp_path))

    npm("--prefix", "example-host", "run", "build:host")
    npm("--prefix", "example-host", "run", "build:page")
    npm("--prefix", "example-host", "run", "e2e", CHROMIUM=CHROMIUM, SCREENSHOTS=pictures)

    assert {picture.stem for picture in Path(pictures).glob("*.png")} >= {
        "graph",
        "history",
        "run-checkpoint",
        "chat-branches",
        "conflict",
        "storage-full",
    }
