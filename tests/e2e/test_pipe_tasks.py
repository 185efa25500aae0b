"""Operations beside the engine: what they have it do, and what becomes of them at the end."""

from collections.abc import Iterator

import pytest

from sidecar.server.tasks import MAX_RUNNING
from tests.client import Client, RpcError, requests
from tests.patience import promised
from tests.server.processes import PIPES, spawn_echo


@pytest.fixture(params=PIPES)
def client(request: pytest.FixtureRequest) -> Iterator[Client]:
    with spawn_echo(pipe=request.param) as client:
        client.initialize()
        yield client


def code_of(client: Client, id_: int | str) -> int:
    with pytest.raises(RpcError) as caught:
        client.answer(id_)
    return caught.value.code


def kinds(client: Client) -> list[object]:
    """Method of a notification or id of an answer, in the order of arrival."""
    return [message.get("method", message.get("id")) for message in client.received[1:]]


def test_errands_run_in_the_engine_s_thread_and_what_they_tell_follows_the_answer(
    client: Client,
) -> None:
    work = client.start("errands", {"count": 20, "workDoneToken": "t"})

    assert client.answer(work) == [20, True]
    client.wait_notification("landed")
    assert kinds(client) == ["$/progress", "$/progress", work, "landed"]
    assert [note["params"]["value"]["kind"] for note in client.notifications[:2]] == [
        "begin",
        "end",
    ]
    assert client.close() == 0
    assert len(client.received) == 5


def test_what_an_errand_answers_does_not_wait_for_the_errands_of_others(client: Client) -> None:
    # There is always one that waits.
    slow = [client.start("errands", {"count": 20, "seconds": 0.05}) for _ in range(3)]
    with promised(1):
        assert client.request("errands", {"count": 2}) == [2, True]
        assert client.request("echo", 1) == 1

    assert [client.answer(one) for one in slow] == [[20, True]] * 3


def test_what_must_be_done_at_once_is_done_behind_the_answer_that_made_it_so(
    client: Client,
) -> None:
    for method, params in (("press", {"seconds": 1}), ("errands", {"count": 1, "press": 1})):
        before = client.request("state")["idle"]
        with promised(0.7):
            client.request(method, params)
        client.send(*requests("echo", range(100, 110)))
        assert client.request("state")["idle"] > before


def test_reports_that_nobody_could_send_yet_are_dropped(client: Client) -> None:
    task = client.start("task", {"steps": 30, "workDoneToken": "t"})
    client.wait_notification("$/progress")
    napping = client.start("nap", {"seconds": 1})

    assert client.answer(napping) is True
    assert client.answer(task) == "done"
    reports = [n["params"]["value"]["kind"] for n in client.notifications]
    assert (reports[0], reports[-1]) == ("begin", "end")
    assert len(reports) < 20


def test_an_errand_that_fails_is_the_failure_of_its_request(client: Client) -> None:
    work = client.start("errands", {"count": 1, "fail": "no room"})

    with pytest.raises(RpcError) as caught:
        client.answer(work)
    assert (caught.value.code, caught.value.message) == (-32803, "no room")
    assert client.request("echo", 1) == 1


def test_a_fault_of_ours_is_told_although_the_task_was_cancelled(client: Client) -> None:
    work = client.start("failingTask", "when cancelled")
    client.request("echo")
    client.cancel(work)

    assert code_of(client, work) == -32603
    assert client.close() == 0
    assert [line["event"] for line in client.log] == ["internal-error"]


def test_a_task_of_a_batch_that_fails_goes_on(client: Client) -> None:
    napping = client.start("nap", {"seconds": 0.2, "announce": True})
    client.wait_stderr("napping")
    client.send(
        *requests("task", [50], {"steps": 30}), *requests("failing", [51]), *requests("echo", [52])
    )

    assert client.answer(napping) is True
    assert [code_of(client, id_) for id_ in (51, 52)] == [-32603, -32603]
    assert client.answer(50) == "done"


def test_all_that_wait_for_their_turn_are_answered_before_shutdown_is(client: Client) -> None:
    ids = list(range(1000, 1600))
    client.send(*requests("task", ids, {"steps": 3000, "workDoneToken": "t"}))

    shutdown = client.start("shutdown")
    assert client.answer(shutdown) is None
    client.notify("exit")
    assert client.wait() == 0
    order = [kind for kind in kinds(client) if kind != "$/progress"]
    assert sorted(map(int, order[:-1])) == ids  # type: ignore[arg-type]  # no notification is left
    assert order[-1] == shutdown
    assert [message["error"]["code"] for message in client.received if "error" in message] == [
        -32800
    ] * len(ids)
    assert client.log == []
    # Those that never began told nothing.
    begun = [n for n in client.notifications if n["params"]["value"]["kind"] == "begin"]
    assert len(begun) <= MAX_RUNNING


def test_shutdown_ends_what_waits_for_an_errand(client: Client) -> None:
    works = [client.start("errands", {"count": 10**9}) for _ in range(MAX_RUNNING + 1)]
    client.request("echo")

    with promised(0.4):
        assert client.shutdown() == 0
    assert [code_of(client, work) for work in works] == [-32800] * len(works)
    assert client.log == []


def test_errands_do_not_keep_a_process_whose_host_is_gone(client: Client) -> None:
    for _ in range(MAX_RUNNING):
        client.start("errands", {"count": 10**9})
    client.request("echo")

    with promised(1.5):
        assert client.close() == 0
