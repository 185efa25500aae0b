"""The rules of protocol/SPEC.md and the tests that hold the program to them."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from protocol.errors import (
    COMMAND_CODES,
    CONFLICT_CODES,
    REQUEST_FAILED_CODES,
    SESSION_CODES,
    STORAGE_CODES,
)
from tests.protocol.spec_citations import CITED

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "protocol" / "SPEC.md"
RULE = re.compile(r"^- \*\*([A-Z]\d+)\*\* \S", re.MULTILINE)


def test_ids_of_rules_are_distinct_and_run_on() -> None:
    found = rules()

    assert [id_ for id_, times in Counter(found).items() if times > 1] == []
    for letter in dict.fromkeys(id_[0] for id_ in found):
        numbers = [int(id_[1:]) for id_ in found if id_[0] == letter]
        assert numbers == list(range(1, len(numbers) + 1))


def test_every_rule_is_cited_by_a_test() -> None:
    assert [id_ for id_ in rules() if id_ not in cited()] == []


def test_no_test_cites_a_rule_that_is_not_there() -> None:
    assert sorted(cited() - set(rules())) == []


def test_the_tests_that_are_named_exist() -> None:
    names = [name for names in CITED.values() for name in names]

    assert [name for name in names if name.partition("::")[2] not in _tests_of(name)] == []


def test_every_code_is_told() -> None:
    text = SPEC.read_text(encoding="utf-8")
    of_statuses, rest = text.partition("**E6**")[2].split("**E7**")
    of_requests, of_sessions = rest.split("**E8**")

    assert _codes_in(of_statuses) == {*COMMAND_CODES, *CONFLICT_CODES}
    assert _codes_in(of_sessions) == set(SESSION_CODES) - set(STORAGE_CODES)
    for code in set(REQUEST_FAILED_CODES) - set(STORAGE_CODES):
        assert f"`{code}`" in of_requests


def _codes_in(text: str) -> set[str]:
    return set(re.findall(r"`([a-z]+(?:-[a-z]+)+)`", text))


def rules() -> list[str]:
    """Return the ids of all rules, in their order."""
    return RULE.findall(SPEC.read_text(encoding="utf-8"))


@cache
def cited() -> frozenset[str]:
    """Return the ids that a test cites, by its marker or in the table."""
    marked = {
        id_
        for path in (ROOT / "tests").rglob("test_*.py")
        if "pytest.mark.spec(" in (text := path.read_text(encoding="utf-8"))
        for id_ in _marked(ast.parse(text))
    }
    return frozenset(marked | set(CITED))


def _marked(tree: ast.Module) -> Iterator[str]:
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name.startswith("test_"):
            for mark in function.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.spec":
                    yield from (str(ast.literal_eval(id_)) for id_ in mark.args)


def _tests_of(name: str) -> set[str]:
    path = ROOT / name.partition("::")[0]
    if not path.is_file():
        return set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        one.name
        for one in ast.walk(tree)
        if isinstance(one, ast.FunctionDef) and one.name.startswith("test_")
    }
