"""The table of the protocol page, row by row: raw bytes in, messages out, over real pipes."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.client import Client, ProcessGoneError, RpcError, encode, frame
from tests.server.processes import PIPES, spawn_echo

CAP = 100_000


@pytest.fixture(params=PIPES)
def client(request: pytest.FixtureRequest) -> Iterator[Client]:
    with spawn_echo("--max-message", str(CAP), pipe=request.param) as client:
        client.initialize()
        yield client
        if client.process.poll() is None:
            assert client.request("echo", {"still": "alive"}) == {"still": "alive"}
            assert client.close() == 0
        assert client.stray == []


def call(**members: Any) -> bytes:
    return encode({"jsonrpc": "2.0", "id": 7, "method": "echo", **members})


def params(text: bytes, tail: bytes = b"") -> bytes:
    return b'{"jsonrpc":"2.0","id":7,"method":"echo","params":%b%b}' % (text, tail)


def nested(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


HEADERS = {
    "lower-case": b"content-length:%d\r\n\r\n",
    "upper-case": b"CONTENT-LENGTH: %d\r\n\r\n",
    "blanks": b"Content-Length:    %d  \r\n\r\n",
    "type-first": b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
    "unknown-last": b"Content-Length: %d\r\nX-Anything: 1:2\r\n\r\n",
}


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS.keys())
def test_headers_are_read_in_any_form(client: Client, header: bytes) -> None:
    body = call(params={"a": 1})

    client.send_raw(header % len(body) + body)

    assert client.answer(7) == {"a": 1}


REFUSED = {
    # Not JSON: -32700 with id null.
    "utf-8": (params(b'"\xff"'), None, -32700),
    "utf-8-in-a-key": (params(b'{"\xc3":1}'), None, -32700),
    "utf-8-elsewhere": (b'{"jsonrpc":"2.0","id":7,"method":"echo","x":"\xff"}', None, -32700),
    "raw-surrogate": (params(b'"\xed\xa0\x80"'), None, -32700),
    "lone-surrogate": (params(b'"\\ud800"'), None, -32700),
    "lone-low-surrogate": (params(b'["\\udc00"]'), None, -32700),
    "surrogate-in-the-id": (b'{"jsonrpc":"2.0","id":"\\ud800","method":"echo"}', None, -32700),
    "nothing": (b"", None, -32700),
    "no-json": (b"{nope", None, -32700),
    "cut": (b'{"jsonrpc":"2.0","id":7,"method":"echo"', None, -32700),
    "two-values": (call() + b" {}", None, -32700),
    "trailing-comma": (params(b"[1,]"), None, -32700),
    "single-quotes": (params(b"{'a':1}"), None, -32700),
    "comment": (params(b"[/* */]"), None, -32700),
    "control-character": (params(b'"\x01"'), None, -32700),
    "byte-order-mark": (b"\xef\xbb\xbf" + call(), None, -32700),
    "nan": (params(b"NaN"), None, -32700),
    "infinity": (params(b"[-Infinity]"), None, -32700),
    "huge-float": (params(b"1e400"), None, -32700),
    "digits": (params(b"1" * 4301), None, -32700),
    "digits-in-the-id": (
        b'{"jsonrpc":"2.0","id":%b,"method":"echo"}' % (b"1" * 4301),
        None,
        -32700,
    ),
    "broken-array": (b"[1,", None, -32700),
    # No message: -32600 with id null.
    "batch": (b"[" + call() + b"]", None, -32600),
    "empty-batch": (b"[]", None, -32600),
    "number": (b"5", None, -32600),
    "string": (b'"echo"', None, -32600),
    "null": (b"null", None, -32600),
    "no-version": (b'{"id":7,"method":"echo"}', None, -32600),
    "old-version": (call(jsonrpc="1.0"), None, -32600),
    "number-version": (call(jsonrpc=2.0), None, -32600),
    "null-id": (call(id=None), None, -32600),
    "float-id": (call(id=1.0), None, -32600),
    "bool-id": (call(id=True), None, -32600),
    "array-id": (call(id=[7]), None, -32600),
    "object-id": (call(id={}), None, -32600),
    "empty-object": (b'{"jsonrpc":"2.0"}', None, -32600),
    # A readable id is given back.
    "number-method": (call(method=5), 7, -32600),
    "null-method": (call(method=None), 7, -32600),
    "id-alone": (b'{"jsonrpc":"2.0","id":7}', 7, -32600),
    "unknown-method": (call(method="nope"), 7, -32601),
    "empty-method": (call(method=""), 7, -32601),
    "initialize-again": (call(method="initialize", params={}), 7, -32600),
    # Limits.
    "depth": (params(nested(65)), 7, -32602),
    "depth-in-objects": (params(b'{"a":' * 65 + b"1" + b"}" * 65), 7, -32602),
    "great-depth": (params(nested(40_000)), 7, -32602),
    "great-depth-behind": (
        b'{"params":%b,"id":7,"method":"echo","jsonrpc":"2.0"}' % nested(40_000),
        7,
        -32602,
    ),
    "great-depth-no-method": (b'{"jsonrpc":"2.0","id":7,"a":%b}' % nested(40_000), None, -32600),
    "great-depth-batch": (nested(40_000), None, -32600),
}


@pytest.mark.parametrize(("body", "id_", "code"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_request_is_refused(
    client: Client, body: bytes, id_: int | None, code: int
) -> None:
    client.send(body)

    answer = client.read_message()

    assert (answer["jsonrpc"], answer["id"], answer["error"]["code"]) == ("2.0", id_, code)
    # The id that it may have had is free.
    client.send(call(params=["again"]))
    assert client.answer(7) == ["again"]


@pytest.mark.parametrize(
    "text",
    [
        b'{"jsonrpc":"1.0","id":1,"method":"exit"}',
        b'{"a":{"jsonrpc":"2.0","method":"exit"}}',
        b'{"__class__":1,"type_name":2,"constructor":3,"__proto__":{"x":1},"":4,"a b":5,"def":6}',
        b'{"z":1,"a":2,"m":3}',
        b"[1,1.0,-0.0,18446744073709551616,-9007199254740993,1e300]",
        '{"é":"\u2028😀","\\u0000":"\\u0000"}'.encode(),
        b"1" * 4300,
        b'"' + b"x" * 50_000 + b'"',
        nested(64),
        b'{"%b":1}' % (b"k" * 10_000),
    ],
    ids=lambda text: text[:20].decode(),
)
def test_user_data_comes_back_as_the_same_json(client: Client, text: bytes) -> None:
    client.send(params(text))

    answer = client.answer(7)

    # As text, so that the order of keys and the kind of numbers count.
    assert json.dumps(answer) == json.dumps(json.loads(text))


@pytest.mark.parametrize("tail", [b"", b',"id":7,"method":"echo"'], ids=["", "members-behind"])
def test_the_last_of_doubled_keys_wins(client: Client, tail: bytes) -> None:
    client.send(params(b'{"a":1,"a":{"b":1},"a":{"b":2,"b":3}}', tail))

    assert client.answer(7) == {"a": {"b": 3}}


@pytest.mark.parametrize("body", [call(), call(params=None)], ids=["absent", "null"])
def test_params_may_be_missing(client: Client, body: bytes) -> None:
    client.send(body)

    assert client.answer(7) is None


@pytest.mark.parametrize("id_", [0, -1, 2**70, "", "a b", "é\u2028", "7", "x" * 1000])
def test_ids_come_back_as_they_were(client: Client, id_: int | str) -> None:
    client.send(call(id=id_, params=[id_]))

    assert client.answer(id_) == [id_]


@pytest.mark.parametrize(
    ("size", "outcome"), [(CAP, "answered"), (CAP + 1, "skipped"), (16 * CAP, "skipped")]
)
def test_a_body_at_the_cap(client: Client, size: int, outcome: str) -> None:
    body = params(b'"' + b"x" * (size - len(params(b'""'))) + b'"')
    assert len(body) == size

    client.send(body)

    if outcome == "answered":
        assert len(client.answer(7)) == size - len(params(b'""'))
    else:
        answer = client.answer_message(None)
        assert answer["error"]["code"] == -32600
        assert answer["error"]["data"] == {"size": size, "limit": CAP}


def test_unknown_notifications_and_replies_are_ignored(client: Client) -> None:
    client.notify("nope", {"a": 1})
    client.notify("$/nope")
    client.notify("$/setTrace", {"value": "verbose"})
    client.notify("$/cancelRequest", {"id": 99})
    client.notify("$/cancelRequest", {"id": [99]})
    client.notify("$/cancelRequest")
    client.notify("crash")
    client.send({"jsonrpc": "2.0", "id": 5, "result": 1})
    client.send({"jsonrpc": "2.0", "id": "x", "error": {"code": 1, "message": "m"}})

    state = client.request("state")
    assert state["notified"] == [["nope", {"a": 1}]]
    assert [message["id"] for message in client.received] == [1, 2]


def test_a_fault_is_told_by_an_error_id_and_nothing_else(client: Client) -> None:
    with pytest.raises(RpcError) as caught:
        client.request("failing", {"text": "canary"})

    assert caught.value.code == -32603
    assert list(caught.value.data) == ["errorId"]
    assert "canary" not in caught.value.message
    client.request("echo")
    # The log is written by a thread; the end of the process is the end of the log.
    assert client.close() == 0
    [line] = [line for line in client.log if line["event"] == "internal-error"]
    assert line["errorId"] == caught.value.data["errorId"]
    assert line["exceptions"][0]["type"] == "ValueError"
    assert "canary" not in client.stderr


@pytest.mark.parametrize(("method", "code"), [("forgotten", -32603), ("refusing", -32803)])
def test_every_request_is_answered_once(client: Client, method: str, code: int) -> None:
    ids = [client.start("echo", 1), client.start(method), client.start("echo", 2)]

    assert client.answer(ids[0]) == 1
    with pytest.raises(RpcError) as caught:
        client.answer(ids[1])
    assert caught.value.code == code
    assert client.answer(ids[2]) == 2
    assert len(client.received) == 4


def test_a_second_answer_is_a_fault_of_the_engine_and_not_sent(client: Client) -> None:
    assert client.request("twice") == 1
    assert client.request("echo", 5) == 5
    assert len(client.received) == 3


def test_an_id_in_work_is_not_taken_again(client: Client) -> None:
    client.send(
        *(
            {"jsonrpc": "2.0", "id": "same", "method": "echo", "params": number}
            for number in (1, 2)
        ),
        {"jsonrpc": "2.0", "id": "other", "method": "echo"},
    )

    assert client.read_message()["result"] == 1
    assert client.read_message()["error"]["code"] == -32600
    assert client.answer("other") is None
    client.start("echo", 3, id_="same")
    assert client.answer("same") == 3


FATAL = {
    "no-length": b"X: 1\r\n\r\n{}",
    "doubled": b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    "words": b"Content-Length: two\r\n\r\n{}",
    "negative": b"Content-Length: -2\r\n\r\n{}",
    "absurd": b"Content-Length: %d\r\n\r\n" % (16 * CAP + 1),
    "twenty-digits": b"Content-Length: 99999999999999999999\r\n\r\n",
    "long": b"X: " + b"y" * 4096,
    "no-colon": b"hello\r\n",
    "bare-json": call() + b"\n",
}


@pytest.mark.parametrize("data", FATAL.values(), ids=FATAL.keys())
@pytest.mark.parametrize("pipe", PIPES)
def test_a_stream_that_cannot_be_followed_ends_the_process(data: bytes, pipe: str) -> None:
    with spawn_echo("--max-message", str(CAP), pipe=pipe) as client:
        client.initialize()
        client.send_raw(frame(call(params=1)) + data)

        assert client.answer(7) == 1
        assert client.wait() == 1
        assert [line["event"] for line in client.log] == ["framing-fault"]


@pytest.mark.parametrize("pipe", PIPES)
def test_requests_before_initialize_and_after_shutdown_are_refused(pipe: str) -> None:
    with spawn_echo(pipe=pipe) as client:
        for method in ("echo", "shutdown", "rpc.discover"):
            with pytest.raises(RpcError) as caught:
                client.request(method)
            assert caught.value.code == -32002
        client.notify("early", {"a": 1})
        client.initialize()
        assert client.request("state")["notified"] == []

        assert client.request("shutdown") is None
        for method in ("echo", "shutdown", "initialize"):
            with pytest.raises(RpcError) as caught:
                client.request(method)
            assert caught.value.code == -32600
        client.notify("exit")
        assert client.wait() == 0


def test_exit_without_shutdown_is_a_fault_of_the_host() -> None:
    with spawn_echo() as client:
        client.initialize()
        client.notify("exit")

        assert client.wait() == 1


def test_initialize_takes_an_object() -> None:
    with spawn_echo() as client:
        with pytest.raises(RpcError) as caught:
            client.request("initialize", [1])
        assert caught.value.code == -32602
        assert caught.value.data["issues"][0]["path"] == ""
        assert client.request("initialize") == {
            "capabilities": {},
            "serverInfo": {"name": "echo"},
        }


def test_a_refused_initialize_may_be_tried_again_or_end_the_process() -> None:
    with spawn_echo() as client:
        with pytest.raises(RpcError) as caught:
            client.initialize({"fail": {"code": "x"}})
        assert (caught.value.code, caught.value.data) == (-32803, {"code": "x"})
        with pytest.raises(RpcError) as caught:
            client.initialize({"crash": "canary"})
        assert caught.value.code == -32603
        client.initialize()
    with spawn_echo() as client:
        with pytest.raises(RpcError):
            client.initialize({"fail": {"code": "storage-corrupt"}, "exit": 3})
        assert client.wait() == 3
        with pytest.raises(ProcessGoneError):
            client.answer(99)
