import json
import os
import re
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator
from referencing import Registry
from referencing.jsonschema import DRAFT7

from protocol.openrpc import openrpc_document
from tests.hosts.npm import PACKAGE, PATIENCE, npm, prepare

README = Path(__file__).parents[2] / "README.md"
pytestmark = pytest.mark.timeout(2 * PATIENCE)


@pytest.fixture(autouse=True)
def package() -> None:
    prepare()


def test_the_client_and_a_consumer_type_check_under_strict() -> None:
    npm("run", "test:types")


def test_the_client_passes_its_tests_against_this_sidecar() -> None:
    npm("run", "test:types")
    npm("run", "test:run")


def test_the_document_is_valid_against_the_openrpc_meta_schema() -> None:
    validator = Draft7Validator(_package("@open-rpc/meta-schema"), registry=_drafts())

    faults = [fault.message for fault in _leaves(validator.iter_errors(openrpc_document()))]
    assert faults == []
    assert not validator.is_valid({"openrpc": "1.3.2", "info": {}, "methods": []})
    assert not validator.is_valid(_with_a_bad_schema())


def test_the_readme_s_example_type_checks_and_runs(tmp_path: Path) -> None:
    (example,) = _examples(README)
    source = example.replace("/absolute/path/graphs.db", str(tmp_path / "graphs.db"))
    environment = {**os.environ, "PATH": f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}"}

    with _compiled(source) as program:
        said = subprocess.run(
            ["node", program], capture_output=True, text=True, env=environment, check=True
        ).stdout

    assert "applied" in said
    assert "KSampler" in said


def test_the_examples_of_the_client_s_readme_type_check() -> None:
    examples = _examples(PACKAGE / "README.md")

    assert examples
    for example in examples:
        with _compiled(f"{example}\n{_OF_THE_HOST}"):
            pass


_OF_THE_HOST = """
declare function showBanner(text: string): void;
declare function draw(graph: unknown): void;
declare function select(nodeIds: readonly string[]): void;
"""


def _examples(page: Path) -> list[str]:
    return re.findall(r"```ts\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@contextmanager
def _compiled(source: str) -> Iterator[Path]:
    # Inside of the package its own name can be imported, as it is from a host.
    with tempfile.TemporaryDirectory(dir=PACKAGE / "build") as folder:
        program = Path(folder) / "main.ts"
        program.write_text(source, encoding="utf-8")
        options = [
            "--ignoreConfig",
            "--strict",
            "--target",
            "es2022",
            "--module",
            "nodenext",
            "--types",
            "node",
        ]
        npm("exec", "--", "tsc", *options, str(program))
        yield program.with_suffix(".js")


def _with_a_bad_schema() -> dict[str, Any]:
    document = openrpc_document()
    document["components"]["schemas"]["Node"]["type"] = "thing"
    return document


def _drafts() -> Registry[Any]:
    address = "https://meta.json-schema.tools/"
    draft = DRAFT7.create_resource(_package("@json-schema-tools/meta-schema"))
    registry: Registry[Any] = Registry()
    return registry.with_resources([(address, draft), (address.rstrip("/"), draft)])


def _package(name: str) -> dict[str, Any]:
    script = "const m = require(process.argv[1]); console.log(JSON.stringify(m.default ?? m))"
    done = subprocess.run(
        ["node", "-e", script, name], cwd=PACKAGE, capture_output=True, text=True, check=True
    )
    # The meta-schemas name their draft by their makers' address; it is draft 7 in their own words.
    return {**json.loads(done.stdout), "$schema": "http://json-schema.org/draft-07/schema#"}


def _leaves(errors: Any) -> Iterator[Any]:
    for error in errors:
        if error.context:
            yield from _leaves(error.context)
        else:
            yield error
