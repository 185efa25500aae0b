from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

import pytest

from sidecar.cli.exchanges.patterns import ABSENT, Bindings, PatternError, differences, fill


def bindings(**values: Any) -> Bindings:
    return Bindings(PurePosixPath("/fresh"), values)


@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        pytest.param({"a": [1, None]}, {"a": [1, None]}, id="equal"),
        pytest.param({"b": 1, "a": 2}, {"a": 2, "b": 1}, id="another order of members"),
        pytest.param({"$any": "string"}, "x", id="type"),
        pytest.param({"$any": "string|null"}, None, id="one of two types"),
        pytest.param({"$any": "number"}, 0.5, id="number"),
        pytest.param({"$any": "value"}, [True], id="any value"),
        pytest.param({"$ref": "known"}, "v", id="reference"),
        pytest.param({"$text": "run:${known}/1"}, "run:v/1", id="text with a reference"),
        pytest.param({"$path": "main.db"}, "/fresh/main.db", id="path"),
        pytest.param({"$literal": {"$any": "string"}}, {"$any": "string"}, id="literal"),
        pytest.param({"a": 1, "$more": True}, {"a": 1, "b": 2}, id="further members"),
    ],
)
def test_what_matches_has_no_differences(pattern: Any, value: Any) -> None:
    assert differences(pattern, value, bindings(known="v")) == []


@pytest.mark.parametrize(
    ("pattern", "value", "path"),
    [
        pytest.param(1, 1.0, "", id="integer and float"),
        pytest.param(1, True, "", id="integer and boolean"),
        pytest.param({"$any": "integer"}, True, "", id="boolean as integer"),
        pytest.param({"a": {"b/c": 1}}, {"a": {"b/c": 2}}, "/a/b~1c", id="nested"),
        pytest.param([1], [1, 2], "/1", id="longer array"),
        pytest.param([1, 2], [1], "/1", id="shorter array"),
        pytest.param({"a": 1}, {}, "/a", id="missing member"),
        pytest.param({}, {"a": 1}, "/a", id="further member"),
        pytest.param({"a": 1, "$more": True}, {"b": 2}, "/a", id="missing beside further ones"),
        pytest.param({"$ref": "known"}, "w", "", id="reference"),
        pytest.param({"$text": "${known}"}, "w", "", id="text"),
        pytest.param({"$path": "main.db"}, "main.db", "", id="path"),
        pytest.param({"$literal": 1}, 1.0, "", id="literal"),
        pytest.param([], {}, "", id="array and object"),
    ],
)
def test_a_difference_says_where(pattern: Any, value: Any, path: str) -> None:
    found = differences(pattern, value, bindings(known="v"))

    assert [difference.path for difference in found] == [path]


def test_every_difference_is_found() -> None:
    found = differences({"a": 1, "b": 2, "c": 3}, {"a": 0, "b": 2, "d": 4}, bindings())

    assert {(d.path, d.expected, d.found) for d in found} == {
        ("/a", 1, 0),
        ("/c", 3, ABSENT),
        ("/d", ABSENT, 4),
    }


def test_a_bound_name_stands_for_its_value() -> None:
    known = bindings()

    assert differences({"id": {"$bind": "x", "$any": "string"}}, {"id": "7"}, known) == []
    assert fill({"given": [{"$ref": "x"}]}, known) == {"given": ["7"]}
    assert differences({"$ref": "x"}, "8", known) != []


def test_a_bound_name_may_demand_a_type() -> None:
    assert differences({"$bind": "x", "$any": "string"}, 7, bindings()) != []


@pytest.mark.parametrize(
    "pattern", [{"$ref": "unknown"}, {"$any": "colour"}, {"$raw": "x"}, {"$text": "${unknown}"}]
)
def test_a_pattern_that_says_nothing_is_refused(pattern: Any) -> None:
    with pytest.raises(PatternError):
        differences(pattern, "x", bindings())


@pytest.mark.parametrize("template", [{"$any": "string"}, {"$bind": "x"}, {"$ref": "unknown"}])
def test_what_is_no_value_cannot_be_sent(template: Any) -> None:
    with pytest.raises(PatternError):
        fill(template, bindings())


def test_user_data_that_looks_like_a_matcher_is_sent_as_it_is() -> None:
    assert fill({"p": {"$literal": {"$ref": "x"}}}, bindings()) == {"p": {"$ref": "x"}}


def test_a_path_is_sent_and_awaited_as_its_system_writes_it() -> None:
    fresh = Bindings(PureWindowsPath(r"C:\Temp\fresh"))

    assert fill({"$path": "a/main.db"}, fresh) == r"C:\Temp\fresh\a\main.db"
    assert differences({"$path": "main.db"}, r"C:\Temp\fresh\main.db", fresh) == []
