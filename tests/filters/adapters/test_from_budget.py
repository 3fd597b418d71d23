"""A filter made of another library's budget or queryable grants what that grants, and tells denials from errors."""

from __future__ import annotations

import itertools
import pickle
from contextlib import suppress
from operator import attrgetter
from typing import Any

import numpy as np
import pytest

import filterproof as fp

MENU = (fp.RandomizedResponse(0.25), fp.RandomizedResponse(0.5))


class TooDearError(Exception):
    """What a purse says that denies."""


class Purse:
    """A budget that is checked and spent."""

    def __init__(self) -> None:
        self.left = 1.0

    def spend(self, epsilon: float) -> Any:
        if epsilon > 0.9:
            raise OverflowError("no such coin")
        if epsilon > self.left:
            raise TooDearError(f"only {self.left} is left")
        self.left -= epsilon

    def __call__(self, epsilon: float) -> str:
        self.spend(epsilon)
        return "released"


def made(kind: str, budget: Any = Purse, denied: Any = TooDearError, menu: Any = MENU) -> fp.PrivacyFilter:
    if kind == "queryable":
        return fp.from_queryable(
            budget, lambda pair: float(pair.epsilon), fp.PureDP(1.0), menu=menu, denied=denied
        )
    return fp.from_budget(
        budget,
        lambda held, pair: held.spend(float(pair.epsilon)),
        fp.PureDP(1.0),
        menu=menu if kind == "counted" else None,
        denied=denied,
    )


def granted(filt: fp.PrivacyFilter, *places: int) -> list[bool]:
    session = filt.open("retry")
    return [session.request(MENU[place]) for place in places]


KINDS = ("counted", "copied", "queryable")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "denied", [TooDearError, (KeyError, TooDearError), lambda error: "is left" in str(error)]
)
def test_it_grants_what_the_budget_grants_and_a_function_may_say_what_a_denial_is(
    kind: str, denied: Any
) -> None:
    assert granted(made(kind, denied=denied), 1, 0, 1, 0, 0) == [True, True, False, True, False]


class Total:
    """An accountant that adds up."""

    def __init__(self) -> None:
        self.epsilon = 0.0

    def compose(self, epsilon: float, count: int) -> None:
        self.epsilon += epsilon * count

    def get_epsilon(self, delta: float) -> float:
        return self.epsilon


def paid(held: Purse, pair: fp.RandomizedResponse) -> None:
    held.spend(float(pair.epsilon))


@pytest.mark.parametrize("menu", [None, MENU], ids=["copied", "counted"])
def test_what_is_made_of_functions_with_names_is_sent_to_other_processes(menu: Any) -> None:
    event, promise = attrgetter("epsilon"), fp.PureDP(1.0)
    for filt in (
        fp.from_budget(Purse, paid, promise, menu=menu, denied=TooDearError),
        fp.from_accountant(Total, event, promise, menu=menu),
    ):
        sent = pickle.loads(pickle.dumps(filt))  # noqa: S301 - its own
        assert repr(sent) == repr(filt)
        assert (
            granted(sent, 1, 0, 1, 0, 0) == granted(filt, 1, 0, 1, 0, 0) == [True, True, False, True, False]
        )


@pytest.mark.parametrize("kind", KINDS)
def test_an_exception_that_is_no_denial_or_is_not_named_is_raised(kind: str) -> None:
    coin = fp.RandomizedResponse(0.95)
    with pytest.raises(OverflowError, match="no such coin"):
        made(kind, menu=(*MENU, coin)).open("retry").request(coin)
    with pytest.raises(TooDearError):
        granted(made(kind, denied=KeyError), 1, 1, 1)


@pytest.mark.parametrize("kind", KINDS[:2])
def test_a_budget_that_fails_now_and_then_grants_nothing_that_it_did_not_charge(kind: str) -> None:
    calls = itertools.count(1)

    class Flaky(Purse):
        def spend(self, epsilon: float) -> None:
            if next(calls) % 2 == 0:
                raise TooDearError("the store does not answer")
            super().spend(epsilon)

    session, count = made(kind, Flaky).open("retry"), 0
    with suppress(RuntimeError):  # what is counted is played again, and was granted otherwise before
        count = sum(session.request(MENU[1]) for _ in range(20))
    assert count <= 2


def test_what_has_not_answered_yet_is_refused() -> None:
    filt = fp.from_budget(Purse, lambda purse, pair: (purse for _ in ()), fp.PureDP(1.0))
    with pytest.raises(TypeError, match="a budget must answer at once, got a generator"):
        filt.open().request(MENU[0])


@pytest.mark.parametrize("kind", KINDS[:2])
@pytest.mark.parametrize("no", [False, np.False_, np.array(False)], ids=repr)
@pytest.mark.parametrize("yes", [True, np.True_, None, 0], ids=repr)
def test_false_is_a_denial_and_nothing_else_is(kind: str, no: Any, yes: Any) -> None:
    class Polite(Purse):
        def spend(self, epsilon: float) -> Any:
            if epsilon > self.left:
                return no
            self.left -= epsilon
            return yes

    assert granted(made(kind, Polite, denied=()), 1, 1, 1) == [True, True, False]


def test_a_budget_that_depends_on_the_order_is_not_silently_played_in_another() -> None:
    class Moody(Purse):
        def spend(self, epsilon: float) -> None:
            if epsilon > 0.3 and self.left < 1.0:
                raise TooDearError("only as the first")
            super().spend(epsilon)

    with pytest.raises(RuntimeError, match="granted in another order"):
        granted(made("counted", Moody), 1, 0, 0)


def test_a_use_that_is_refused_when_it_is_played_again_is_an_error_though_the_next_is_granted() -> None:
    class EverySecond:
        asked = 0

        def spend(self, epsilon: float) -> bool:
            self.asked += 1
            return self.asked % 2 == 1

    with pytest.raises(RuntimeError, match="granted in another order"):
        made("counted", EverySecond).admits(np.array([[3, 0]]), MENU[1])


def test_uses_below_none_are_not_restored() -> None:
    filt = made("counted")
    session = filt.open("retry")
    assert session.request(MENU[1])
    saved: Any = session.to_dict()
    saved["state"]["values"] = [-3, 0]
    with pytest.raises(ValueError, match="state must be what granted requests can have led to"):
        fp.Session.from_dict(saved, filt, "retry")


def test_a_mechanism_of_a_queryable_is_made_once_for_each_pair() -> None:
    made_for: list[Any] = []

    def query(pair: Any) -> float:
        made_for.append(pair)
        return float(pair.epsilon)

    filt = fp.from_queryable(Purse, query, fp.PureDP(1.0), menu=MENU, denied=TooDearError)
    session = filt.open("retry")
    for _ in range(3):
        session.request(MENU[0])
    assert made_for == list(MENU)
