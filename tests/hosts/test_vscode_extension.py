from tests.hosts.npm import npm, prepare


def test_the_extension_compiles_and_its_library_drives_the_unchanged_server() -> None:
    prepare()

    npm("--prefix", "vscode-extension-sketch", "test")
