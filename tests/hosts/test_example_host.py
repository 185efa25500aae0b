import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hosts.npm import PATIENCE, npm, prepare_example_host

PICTURES = {"graph", "history", "run-checkpoint", "chat-branches", "conflict", "storage-full"}


@pytest.mark.timeout(2 * PATIENCE)
def test_the_page_works_end_to_end_in_a_headless_browser(tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("the full disk is made with prlimit, which Linux alone has")
    prepare_example_host()
    browser = chromium()
    pictures = os.environ.get("SCREENSHOTS", str(tmp_path))

    npm("--prefix", "example-host", "run", "e2e", CHROMIUM=browser, SCREENSHOTS=pictures)

    assert {picture.stem for picture in Path(pictures).glob("*.png")} >= PICTURES


def chromium() -> str:
    """Return the browser's path; where there is none, install Debian's, or skip the test."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or _installed()
    if found is None:
        pytest.skip("Chromium is not installed, and apt-get could not install it (as root)")
    return found


@functools.cache
def _installed() -> str | None:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return None
    command = ["apt-get", "install", "--yes", "--no-install-recommends", "chromium"]
    subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
    return shutil.which("chromium")
