import pytest

from protocol.errors import ErrorCode
from sidecar.server.envelope import (
    Call,
    Note,
    Refusal,
    RefusedParamsError,
    Reply,
    decode_params,
    read_message,
)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"m"}', Call(1, "m", None)),
        (b'{"jsonrpc":"2.0","id":"a","method":"m","params":null}', Call("a", "m", b"null")),
        (b'{"jsonrpc":"2.0","id":1,"method":"m","params": {"a": 1} }', Call(1, "m", b'{"a": 1}')),
        (b'{"params":[1],"method":"m","id":-5,"jsonrpc":"2.0"}', Call(-5, "m", b"[1]")),
        (b'{"jsonrpc":"2.0","id":1,"method":"m","extra":{"id":2}}', Call(1, "m", None)),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}', Call(2, "m", None)),
        (b'{"jsonrpc":"2.0","id":1,"method":"m","params":1,"params":2}', Call(1, "m", b"2")),
        (
            b'{"jsonrpc":"2.0","id":123456789012345678901,"method":"m"}',
            Call(123456789012345678901, "m", None),
        ),
        (b'{"jsonrpc":"2.0","method":"m"}', Note("m", None)),
        (b'{"jsonrpc":"2.0","id":1,"result":null}', Reply(1, b"null", None)),
        (b'{"jsonrpc":"2.0","id":1,"error":{"code":1}}', Reply(1, None, b'{"code":1}')),
        (b' \r\n\t{"jsonrpc":"2.0","id":1,"method":"m"} \n', Call(1, "m", None)),
        (bytearray(b'{"jsonrpc":"2.0","id":1,"method":"m","params":{}}'), Call(1, "m", b"{}")),
    ],
)
def test_messages_are_told_apart(body: bytes, expected: object) -> None:
    assert read_message(body) == expected


@pytest.mark.parametrize("text", [b"null", None])
def test_absent_and_null_params_are_the_same(text: bytes | None) -> None:
    assert decode_params(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b'{"a":1,"a":2}', {"a": 2}),
        (b"123456789012345678901234567890", 123456789012345678901234567890),
        (b"1" * 4300, int("1" * 4300)),
        (b'"\\ud83d\\ude00\\u0000"', "😀\0"),
        (b"1e-400", 0.0),
    ],
)
def test_params_keep_what_json_allows(text: bytes, value: object) -> None:
    assert decode_params(text) == value


def test_integers_and_floats_stay_apart() -> None:
    assert [type(number) for number in decode_params(b"[1,1.0,-0.0,1e2]")] == [
        int,
        float,
        float,
        float,
    ]


@pytest.mark.parametrize(
    "text",
    [
        b'"\\ud800"',
        b'"\\udc00x"',
        b'["\\ud800\\ud800"]',
        b"1" * 4301,
        b"-" + b"1" * 4301,
        b"[1e400]",
    ],
    ids=lambda text: text[:12].decode(),
)
def test_params_that_nobody_can_hold_are_no_json(text: bytes) -> None:
    with pytest.raises(RefusedParamsError) as caught:
        decode_params(text)

    assert caught.value.code == ErrorCode.PARSE_ERROR


def test_a_refusal_of_deep_params_finds_members_on_both_sides() -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    ahead = b'{"jsonrpc":"2.0","id":"x]{","method":"m","params":' + deep + b"}"
    behind = b'{"params":' + deep + b',"jsonrpc":"2.0","method":"m","id":7}'

    for body, id_ in ((ahead, "x]{"), (behind, 7)):
        refusal = read_message(body)
        assert isinstance(refusal, Refusal)
        assert (refusal.id, refusal.code) == (id_, ErrorCode.INVALID_PARAMS)


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"jsonrpc":"2.0","id":1,"params":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
    ids=["open-arrays", "open-objects", "arrays", "no-method"],
)
def test_deep_messages_without_a_readable_method_are_invalid_requests(body: bytes) -> None:
    refusal = read_message(body)

    assert isinstance(refusal, Refusal)
    assert (refusal.id, refusal.code) == (None, ErrorCode.INVALID_REQUEST)
