import pytest

from sidecar.cli.binary.targets import target_triple


@pytest.mark.parametrize(
    ("system", "machine", "libc", "triple"),
    [
        ("linux", "x86_64", "glibc", "x86_64-unknown-linux-gnu"),
        ("linux", "x86_64", "", "x86_64-unknown-linux-musl"),
        ("linux", "aarch64", "glibc", "aarch64-unknown-linux-gnu"),
        ("linux", "armv7l", "glibc", "armv7-unknown-linux-gnueabihf"),
        ("darwin", "arm64", "", "aarch64-apple-darwin"),
        ("darwin", "x86_64", "", "x86_64-apple-darwin"),
        ("win32", "AMD64", "", "x86_64-pc-windows-msvc"),
    ],
)
def test_machines_have_rust_s_names(system: str, machine: str, libc: str, triple: str) -> None:
    assert target_triple(system, machine, libc) == triple


@pytest.mark.parametrize(("system", "machine"), [("linux", "s390x"), ("plan9", "x86_64")])
def test_a_machine_without_a_name_is_an_error(system: str, machine: str) -> None:
    with pytest.raises(ValueError, match="target triple"):
        target_triple(system, machine, "glibc")
