import pytest

from tests.hosts.npm import PATIENCE, npm, prepare

pytestmark = pytest.mark.timeout(2 * PATIENCE)


def test_the_extension_compiles_and_its_library_drives_the_unchanged_server() -> None:
    prepare()

    npm("--prefix", "vscode-extension-sketch", "test")
