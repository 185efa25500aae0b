import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import sidecar.testing
from sidecar.testing.plugin import words_of

pytest_plugins = ["pytester"]
PREAMBLE = "import pytest\n"


def outcomes(pytester: pytest.Pytester, body: str, *words: str) -> dict[str, int]:
    """Run a host's tests in a process of their own and count what became of them."""
    pytester.makepyfile(PREAMBLE + body)
    result = pytester.runpytest_subprocess("-p", "no:randomly", "-p", "no:cacheprovider", *words)
    return result.parseoutcomes()


def test_the_fixture_is_there_by_itself_and_ends_cleanly(pytester: pytest.Pytester) -> None:
    body = """
def test_host(sidecar):
    sidecar.create_project("A", "p")
    assert sidecar.commit("p", {"kind": "add-node", "componentId": "X"})["status"] == "applied"

def test_each_test_has_a_fresh_database(sidecar):
    assert sidecar.request("listProjects", {})["items"] == []
"""
    assert outcomes(pytester, body) == {"passed": 2}


@pytest.mark.skipif(sys.platform != "linux", reason="the full disk is made with a limit of Linux")
def test_the_example_of_the_readme_passes_and_type_checks(pytester: pytest.Pytester) -> None:
    readme = Path(sidecar.testing.__file__).with_name("README.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
    assert example is not None

    assert outcomes(pytester, example[1]) == {"passed": 3}
    (file,) = pytester.path.glob("test_*.py")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--cache-dir",
        str(pytester.path),
        str(file),
    ]
    checked = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False)
    assert checked.returncode == 0, checked.stdout


def test_a_sidecar_that_does_not_end_well_fails_the_test(pytester: pytest.Pytester) -> None:
    body = """
import sys
LIAR = '''
import sys
from sidecar.testing.frames import framed, read_frame
answers = [b'{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"experimental":{}}}}', None,
           b'{"jsonrpc":"2.0","id":2,"result":null}', None]
for answer in answers:
    read_frame(sys.stdin.buffer)
    if answer:
        sys.stdout.buffer.write(framed(answer))
        sys.stdout.buffer.flush()
sys.exit(5)
'''

def test_host(sidecar_factory):
    sidecar_factory.command = [sys.executable, "-c", LIAR]
    sidecar_factory()
"""
    assert outcomes(pytester, body) == {"passed": 1, "errors": 1}


def test_errors_in_the_log_fail_the_test_unless_it_looked_at_them(
    pytester: pytest.Pytester,
) -> None:
    body = """
import sys
LOUD = '''
import runpy, sys
sys.stderr.write('{"level":"error","event":"made-up"}\\\\n')
sys.stderr.flush()
sys.argv = ["sidecar", *sys.argv[1:]]
runpy.run_module("sidecar", run_name="__main__")
'''

def test_careless(sidecar_factory):
    sidecar_factory.command = [sys.executable, "-c", LOUD]
    sidecar_factory().request("getStatus")

def test_careful(sidecar_factory):
    sidecar_factory.command = [sys.executable, "-c", LOUD]
    sidecar = sidecar_factory()
    sidecar.request("getStatus")
    assert [line["event"] for line in sidecar.take_errors()] == ["made-up"]
"""
    assert outcomes(pytester, body) == {"passed": 2, "errors": 1}


def test_several_sidecars_may_share_a_file_and_be_killed(pytester: pytest.Pytester) -> None:
    body = """
def test_host(sidecar_factory):
    one, two = sidecar_factory("a.db"), sidecar_factory("a.db", options=["--log-level", "debug"])
    one.create_project("A", "p")
    one.kill()
    assert two.get_project("p")["title"] == "A"

def test_initialize_can_be_left_to_the_test(sidecar_factory):
    sidecar = sidecar_factory(initialize=False)
    with pytest.raises(Exception, match="-32002"):
        sidecar.request("getStatus")
"""
    assert outcomes(pytester, body) == {"passed": 2}


def test_another_sidecar_can_be_named(pytester: pytest.Pytester) -> None:
    body = """
def test_host(sidecar):
    assert "-E" in sidecar.process.args
"""
    command = shlex.join([sys.executable, "-E", "-m", "sidecar"])

    assert outcomes(pytester, body, "--sidecar-command", command) == {"passed": 1}


def test_a_run_that_does_not_use_it_loads_nothing_of_it() -> None:
    code = (
        "import sys; before = set(sys.modules); import pytest; base = set(sys.modules)\n"
        "import sidecar.testing.plugin\n"
        "print(sorted(name for name in set(sys.modules) - base if '.' not in name))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )

    assert done.stdout.strip() == "['sidecar']"


@pytest.mark.parametrize(
    ("line", "windows", "words"),
    [
        (r"C:\app\sidecar.exe --stdio", True, [r"C:\app\sidecar.exe", "--stdio"]),
        (r'"C:\Program Files\app\sidecar.exe"', True, [r"C:\Program Files\app\sidecar.exe"]),
        (r"/opt/my\ app/sidecar '#1'", False, ["/opt/my app/sidecar", "#1"]),
        ("sidecar #1", False, ["sidecar", "#1"]),
    ],
)
def test_a_command_line_is_read_as_its_system_writes_it(
    line: str, *, windows: bool, words: list[str]
) -> None:
    assert words_of(line, windows=windows) == words
