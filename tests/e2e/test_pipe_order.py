"""What may overtake what: answers, notifications, cancellations, operations that run beside."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.client import TIMEOUT, Client, RpcError, requests
from tests.server.processes import PIPES, spawn_echo


@pytest.fixture(params=PIPES)
def client(request: pytest.FixtureRequest) -> Iterator[Client]:
    with spawn_echo(pipe=request.param) as client:
        client.initialize()
        yield client
        assert client.close() == 0
        assert client.stray == []


def code_of(client: Client, id_: int | str) -> int:
    with pytest.raises(RpcError) as caught:
        client.answer(id_)
    return caught.value.code


@contextmanager
def held_up(client: Client) -> Iterator[None]:
    """Keep the engine at work until everything that the block sends has come."""
    napping = client.start("nap", {"seconds": TIMEOUT, "look": True})
    yield
    client.cancel(napping)
    assert code_of(client, napping) == -32800


def kinds(client: Client) -> list[object]:
    """Method of a notification or id of an answer, in the order of arrival."""
    return [message.get("method", message.get("id")) for message in client.received]


def test_answers_come_in_the_order_of_requests(client: Client) -> None:
    ids = list(range(1000, 4000))

    client.send(*requests("echo", ids, {"a": [1, 2, 3]}))

    client.answer(ids[-1])
    assert kinds(client)[1:] == ids


def test_refusals_keep_their_place_among_answers(client: Client) -> None:
    client.send(
        *requests("echo", [10, 11], 1),
        b"{nope",
        *requests("nope", [12]),
        b'{"jsonrpc":"2.0","id":13,"method":"echo","params":%b}' % (b"[" * 65 + b"]" * 65),
        b"[]",
        *requests("echo", [14], 1),
    )

    client.answer(14)
    assert kinds(client)[1:] == [10, 11, None, 12, 13, None, 14]


def test_what_waits_is_served_together(client: Client) -> None:
    with held_up(client):
        client.send(*requests("echo", range(1000, 1100)))

    client.answer(1099)
    assert client.request("state")["largestBatch"] in (100, 101)


def test_a_batch_has_its_bounds(client: Client) -> None:
    with held_up(client):
        client.send(*requests("echo", range(1000, 2000)))

    client.answer(1999)
    assert client.request("state")["largestBatch"] == 256


def test_notifications_follow_the_answer_that_caused_them(client: Client) -> None:
    noisy = client.start("noisy")
    client.answer(noisy)
    client.wait_notification("after")

    assert kinds(client)[1:] == [noisy, "before", "after"]


def test_notifications_follow_the_answers_of_their_batch(client: Client) -> None:
    with held_up(client):
        client.send(*requests("noisy", [100, 101]), *requests("echo", [102]))
    client.wait_notification("after", count=2)

    order = kinds(client)[2:]
    assert order.index(100) < order.index("before")
    assert order.index(101) < len(order) - 1 - order[::-1].index("before")
    assert sorted(map(str, order)) == ["100", "101", "102", "after", "after", "before", "before"]


def test_a_request_that_waits_can_be_cancelled(client: Client) -> None:
    with held_up(client):
        waiting = client.start("echo", 1)
        other = client.start("echo", 2)
        client.cancel(waiting)

    assert code_of(client, waiting) == -32800
    assert client.answer(other) == 2


def test_a_request_in_work_can_look_for_its_cancellation(client: Client) -> None:
    napping = client.start("nap", {"seconds": 30, "look": True, "announce": True})
    client.wait_stderr("napping")
    client.cancel(napping)

    assert code_of(client, napping) == -32800


def test_a_request_that_does_not_look_is_served_to_its_end(client: Client) -> None:
    napping = client.start("nap", {"seconds": 0.3, "announce": True})
    client.wait_stderr("napping")
    client.cancel(napping)

    assert client.answer(napping) is True


def test_ids_are_told_apart_by_kind_when_cancelled(client: Client) -> None:
    with held_up(client):
        client.send(*requests("echo", [500]))
        client.cancel("500")

    assert client.answer(500) is None


def test_a_cancellation_of_true_is_not_one_of_1(client: Client) -> None:
    napping = client.start("nap", {"seconds": 0.3, "look": True, "announce": True}, id_=10)
    client.start("echo", 1, id_=0)
    client.wait_stderr("napping")
    for no_id in (True, False, 10.0, None, [10]):
        client.notify("$/cancelRequest", {"id": no_id})
    assert client.answer(napping) is True
    assert client.answer(0) == 1

    napping = client.start("nap", {"seconds": 0.3, "look": True}, id_=1)
    client.notify("$/cancelRequest", {"id": True})
    assert client.answer(napping) is True


def test_a_task_runs_beside(client: Client) -> None:
    task = client.start("task", {"steps": 3000})
    quick = client.start("echo", 1)

    assert client.answer(quick) == 1
    client.cancel(task)
    assert code_of(client, task) == -32800
    assert kinds(client)[1:] == [quick, task]


def test_a_task_reports_progress_to_whoever_gave_a_token(client: Client) -> None:
    assert client.request("task", {"steps": 10, "workDoneToken": "t"}) == "done"

    values = [note["params"]["value"] for note in client.notifications]
    assert {note["params"]["token"] for note in client.notifications} == {"t"}
    assert [values[0]["kind"], values[-1]["kind"]] == ["begin", "end"]
    assert {value["kind"] for value in values[1:-1]} == {"report"}
    shares = [value["percentage"] for value in values[:-1]]
    assert shares == sorted(shares)
    assert client.received[-1]["result"] == "done"


def test_a_task_can_be_cancelled(client: Client) -> None:
    task = client.start("task", {"steps": 3000, "workDoneToken": 1})
    client.wait_notification("$/progress")
    client.cancel(task)

    assert code_of(client, task) == -32800
    assert client.notifications[-1]["params"]["value"]["kind"] == "end"


def test_a_task_that_waits_for_its_turn_can_be_cancelled(client: Client) -> None:
    running = [client.start("task", {"steps": 3000}) for _ in range(4)]
    waiting = client.start("task", {"steps": 3000, "workDoneToken": "never begun"})
    client.cancel(waiting)
    # The cancellation has come before a place is free.
    client.request("echo")
    for task in running:
        client.cancel(task)

    assert [code_of(client, task) for task in running] == [-32800] * 4
    assert code_of(client, waiting) == -32800
    assert client.notifications == []


def test_the_id_of_a_task_is_in_work_until_it_is_answered(client: Client) -> None:
    client.start("task", {"steps": 3000}, id_="t")
    client.start("echo", 1, id_="t")

    assert code_of(client, "t") == -32600
    client.cancel("t")
    assert code_of(client, "t") == -32800
    client.start("echo", 1, id_="t")
    assert client.answer("t") == 1


def test_a_fault_in_a_task_is_told_as_any_other(client: Client) -> None:
    with pytest.raises(RpcError) as caught:
        client.request("failingTask", "canary")

    assert caught.value.code == -32603
    assert "errorId" in caught.value.data
    assert "canary" not in caught.value.message


def test_shutdown_ends_the_tasks_first(client: Client) -> None:
    task = client.start("task", {"steps": 3000})

    assert client.shutdown() == 0
    assert code_of(client, task) == -32800
    assert kinds(client)[1:-1] == [task]


def test_notifications_of_many_threads_stay_whole(client: Client) -> None:
    client.request("thread", {"each": 200})
    client.wait_notification("shout", count=800)

    for thread in range(4):
        counts = [n["params"][1] for n in client.notifications if n["params"][0] == thread]
        assert counts == list(range(200))


@pytest.mark.parametrize("pipe", PIPES)
def test_background_work_runs_each_second_where_there_is_no_quiet(pipe: str) -> None:
    with spawn_echo(pipe=pipe) as client:
        client.initialize()
        idle = client.request("state")["idle"]
        until = time.monotonic() + 2.5
        while time.monotonic() < until:
            client.request("echo")

        assert client.request("state")["idle"] > idle


@pytest.mark.parametrize("pipe", PIPES)
def test_background_work_runs_in_the_quiet(pipe: str) -> None:
    with spawn_echo(pipe=pipe) as client:
        client.initialize({"tellIdle": True})
        client.wait_notification("idled", count=3)

        assert client.request("state")["idle"] >= 3
