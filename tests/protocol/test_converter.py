"""What a host is told where a value is of another type than the contract's."""

from collections.abc import Iterator
from typing import Any, Literal

import pytest
from attrs import fields, has

from protocol import graph
from protocol.commands import PAYLOAD_KINDS
from protocol.converter import decode, make_strict_converter
from protocol.errors import InvalidParamsError
from protocol.methods import METHODS
from protocol.names import camel
from protocol.scalars import read_choice

CONVERTER = make_strict_converter()
VALUES: tuple[Any, ...] = (1, 1.5, "x", [], [1], {}, {"a/b": 1}, None, True, ["x"], 2**70)
CLASSES: dict[str, Any] = {
    **{name: method.params for name, method in METHODS.items()},
    **PAYLOAD_KINDS,
    **{name: cl for name, cl in vars(graph).items() if isinstance(cl, type) and has(cl)},
}


def messages(cl: Any) -> Iterator[tuple[str, str]]:
    for attribute in fields(cl):
        for value in VALUES:
            try:
                decode(CONVERTER, {camel(attribute.name): value}, cl)
            except InvalidParamsError as error:
                yield from ((issue.path, issue.message) for issue in error.issues)


@pytest.mark.spec("W6")
@pytest.mark.parametrize("name", CLASSES)
def test_every_fault_says_what_was_expected(name: str) -> None:
    for path, message in messages(CLASSES[name]):
        assert "cannot be read" not in message, path
        assert message


@pytest.mark.spec("W6")
def test_a_word_that_is_none_of_the_choices_is_told_the_choices() -> None:
    params = {"runId": "r", "reason": "tired"}

    with pytest.raises(InvalidParamsError) as caught:
        decode(CONVERTER, params, METHODS["pauseRun"].params)

    (issue,) = caught.value.issues
    assert (issue.path, issue.message) == ("/reason", "expected one of requested, checkpoint")


@pytest.mark.spec("W6")
def test_each_member_of_a_mapping_is_looked_at() -> None:
    payload = {"nodeId": "n", "process": None, "renames": {"a": "b", "c/d": 1, "e": None}}

    with pytest.raises(InvalidParamsError) as caught:
        decode(CONVERTER, payload, PAYLOAD_KINDS["set-process"])

    assert [issue.path for issue in caught.value.issues] == ["/renames/c~1d", "/renames/e"]


@pytest.mark.spec("W6", "C3", "G24")
@pytest.mark.parametrize(
    ("payload", "message"),
    [
        ({}, "expected a string, got null"),
        ({"kind": 1}, "expected a string, got a number"),
        ({"kind": "paint"}, "there is no payload of this kind"),
        ({"kind": "restore-revision"}, "restore-revision may not run inside a definition"),
        ({"kind": "edit-in-subgraph"}, "edit-in-subgraph may not run inside a definition"),
    ],
)
def test_a_payload_of_no_kind_is_told_at_its_kind(payload: Any, message: str) -> None:
    params = {"subgraphId": "s", "payload": payload}

    with pytest.raises(InvalidParamsError) as caught:
        decode(CONVERTER, params, PAYLOAD_KINDS["edit-in-subgraph"])

    issues = [(issue.path, issue.message) for issue in caught.value.issues]
    assert issues == [("/payload/kind", message)]


@pytest.mark.spec("W6")
@pytest.mark.parametrize("value", [1, 1.0, True, None, {}, [], "1"])
def test_a_choice_of_words_takes_words_alone(value: Any) -> None:
    read = read_choice(Literal["one", 2])

    with pytest.raises(ValueError, match="one of one, 2"):
        read(value, None)
    assert (read("one", None), read(2, None)) == ("one", 2)
    with pytest.raises(ValueError, match="one of 1"):
        read_choice(Literal[1])(True, None)
