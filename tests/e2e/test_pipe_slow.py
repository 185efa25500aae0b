"""Messages that do not come whole: told of in the log, and no hindrance for anything."""

import threading

import pytest

from tests.client import frame, requests
from tests.patience import promised
from tests.server.processes import PIPES, spawn_echo

SLOW = 0.5
STALLED = "message-stalled"
MESSAGE = frame({"jsonrpc": "2.0", "id": 7, "method": "echo", "params": "x" * 40})


@pytest.mark.parametrize("pipe", PIPES)
@pytest.mark.parametrize("cut", [1, 10, 30], ids=["header-begun", "header-cut", "body-cut"])
def test_half_a_message_is_told_of_once_and_may_still_come(pipe: str, cut: int) -> None:
    with spawn_echo("--slow-message", str(SLOW), pipe=pipe) as client:
        client.initialize()
        client.send_raw(MESSAGE[:cut])
        client.wait_stderr(STALLED)
        threading.Event().wait(2 * SLOW)
        client.send_raw(MESSAGE[cut:])

        assert client.answer(7) == "x" * 40
        assert client.close() == 0
        assert [(line["event"], line["level"], line["seconds"]) for line in client.log] == [
            (STALLED, "warning", SLOW)
        ]


@pytest.mark.parametrize("pipe", PIPES)
def test_a_message_that_comes_byte_by_byte_is_told_of(pipe: str) -> None:
    with spawn_echo("--slow-message", str(SLOW), pipe=pipe) as client:
        client.initialize()
        for byte in MESSAGE:
            client.send_raw(bytes([byte]))
            threading.Event().wait(3 * SLOW / len(MESSAGE))

        assert client.answer(7) == "x" * 40
        assert client.close() == 0
        assert [line["event"] for line in client.log] == [STALLED]


def test_each_message_has_its_own_time() -> None:
    with spawn_echo("--slow-message", str(SLOW)) as client:
        client.initialize()
        for _ in range(4):
            # The end of one and the beginning of the next come together.
            client.send_raw(MESSAGE[:30])
            threading.Event().wait(SLOW / 2)
            client.send_raw(MESSAGE[30:] + MESSAGE[:10])
            threading.Event().wait(SLOW / 4)
            client.send_raw(MESSAGE[10:])
            client.answer(7)

        assert client.close() == 0
        assert client.log == []


def test_a_silent_host_and_one_that_is_served_slowly_are_not_told_of() -> None:
    with spawn_echo("--slow-message", str(SLOW)) as client:
        client.initialize()
        threading.Event().wait(2 * SLOW)
        client.send(*requests("nap", range(10, 13), {"seconds": SLOW, "look": True}))
        client.send_raw(MESSAGE[:30])
        client.answer(12)
        client.send_raw(MESSAGE[30:])

        assert client.answer(7) == "x" * 40
        assert client.close() == 0
        assert client.log == []


@pytest.mark.parametrize("pipe", PIPES)
def test_the_end_of_a_stream_that_stalled_ends_the_process(pipe: str) -> None:
    with spawn_echo("--slow-message", "0.1", pipe=pipe) as client:
        client.initialize()
        client.send_raw(MESSAGE[:30])
        client.wait_stderr(STALLED)

        with promised(1):
            assert client.close() == 1
