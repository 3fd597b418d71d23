"""Cases: what each law is asked about, drawn from bytes.

>>> import filterproof as fp
>>> from filters.testing.requests import Tape, requests_of
>>> case = drawn_case("the_old_state_is_left_alone", requests_of([fp.Erasure(0.1)]), Tape(b""))
>>> sorted(case)
['history', 'request']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from filters.testing.requests import Requests, Tape
from theory.pairs import DominatingPair

__all__ = ["case_bytes", "drawn_case"]

_ROUNDS, _RUNS = 12, 5


def _asked(requests: Requests, tape: Tape) -> dict[str, Any]:
    return {"history": requests.history(tape, _ROUNDS), "request": requests.request(tape)}


def _history(requests: Requests, tape: Tape) -> dict[str, Any]:
    return {"history": requests.history(tape, _ROUNDS)}


def _futures(requests: Requests, tape: Tape) -> dict[str, Any]:
    one, other = requests.history(tape, 6), requests.history(tape, 6)
    return {"history": requests.history(tape, _ROUNDS), "one": one, "other": other}


def _together(requests: Requests, tape: Tape) -> dict[str, Any]:
    return {"together": [requests.history(tape, _ROUNDS) for _ in range(tape.below(_RUNS + 1))]}


def _ladder(requests: Requests, tape: Tape) -> dict[str, Any]:
    return {"ladder": requests.ladder(tape, 80), "history": requests.history(tape, _ROUNDS)}


def _cheaper_past(requests: Requests, tape: Tape) -> dict[str, Any]:
    return {
        "ladder": requests.ladder(tape, 24),
        "then": requests.small(tape, 8) if tape.below(2) else requests.list(tape, 3),
        "after": requests.ladder(tape, 64),
        "loss": tape.loss(),
        "history": requests.history(tape, 8) if tape.below(2) else [],
    }


def _orders(requests: Requests, tape: Tape) -> dict[str, Any]:
    after, asked = requests.request(tape), requests.list(tape, 8)
    return {"requests": asked, "shuffled": _shuffled(asked, tape), "after": after}


def _shuffled(asked: list[DominatingPair], tape: Tape) -> list[DominatingPair]:
    left = list(asked)
    return [left.pop(tape.below(len(left))) for _ in asked]


#: Law -> what makes its arguments, and how many bytes that reads.
_CASES: Mapping[str, tuple[Callable[[Requests, Tape], dict[str, Any]], int]] = {
    "cheaper_is_admitted_too": (_ladder, 80),
    "a_cheaper_past_denies_no_more": (_cheaper_past, 100),
    "a_denial_changes_nothing": (_asked, 80),
    "asking_changes_nothing": (_asked, 80),
    "the_old_state_is_left_alone": (_asked, 80),
    "a_grant_is_admits_and_spend": (_asked, 80),
    "halting_absorbs": (_history, 80),
    "the_future_changes_no_past_decision": (_futures, 160),
    "runs_do_not_see_each_other": (_together, 320),
    "saving_is_invisible": (_history, 80),
    "order_does_not_matter": (_orders, 60),
    "a_larger_budget_admits_as_much": (_asked, 80),
}


def case_bytes(law: str) -> int:
    """How many bytes the longest case of a law reads."""
    return _CASES[law][1]


def drawn_case(law: str, requests: Requests, tape: Tape) -> dict[str, Any]:
    """The arguments of a law beside the filter, by name."""
    return _CASES[law][0](requests, tape)
