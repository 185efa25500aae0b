"""The ledger notices what is not answered, and what is answered too often."""

from tests.client import encode
from tests.faults.fuzz.oracle import Ledger


def ledger(*bodies: bytes, answers: tuple[int | str | None, ...]) -> list[str]:
    kept = Ledger()
    for body in bodies:
        kept.owe(body)
    for id_ in answers:
        kept.pay(id_)
    return kept.faults()


CALL = encode({"jsonrpc": "2.0", "id": 1, "method": "m"})
NOTE = encode({"jsonrpc": "2.0", "method": "m"})
WORD = encode({"jsonrpc": "2.0", "id": "1", "method": "m"})


def test_what_is_answered_once_is_settled() -> None:
    assert ledger(CALL, NOTE, WORD, b"{", b"[]", answers=(1, "1", None, None)) == []


def test_a_missing_answer_is_a_fault() -> None:
    assert len(ledger(CALL, CALL, answers=(1,))) == 1
    assert len(ledger(CALL, answers=("1",))) == 2
    assert len(ledger(b"{", answers=())) == 1


def test_an_answer_too_many_is_a_fault() -> None:
    assert len(ledger(CALL, answers=(1, 1))) == 1
    assert len(ledger(NOTE, answers=(None,))) == 1


def test_where_two_answers_are_right_one_is_enough_and_two_are_too_many() -> None:
    surrogate = rb'{"jsonrpc":"2.0","id":1,"method":"m","params":["\ud800"]}'

    assert ledger(surrogate, answers=(1,)) == []
    assert ledger(surrogate, answers=(None,)) == []
    assert len(ledger(surrogate, answers=(1, None))) == 1
    assert len(ledger(surrogate, answers=())) == 1
