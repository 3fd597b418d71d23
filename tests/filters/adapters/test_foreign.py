"""A filter made of an accountant, a budget or a queryable grants what that grants, and raises what it raises."""

import itertools
import math
import pickle
from contextlib import suppress
from fractions import Fraction
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import filterproof as fp

MENU = (fp.RandomizedResponse(0.25), fp.RandomizedResponse(0.5))
COIN, EPSILON = fp.RandomizedResponse(0.95), attrgetter("epsilon")


class TooDearError(Exception):
    """What a purse says that denies."""


class Purse:
    """A sum of epsilons up to 1: composed by an accountant, spent by a budget, invoked as a queryable."""

    def __init__(self) -> None:
        self.spent = 0.0

    def compose(self, epsilon: float, count: int) -> None:
        if epsilon > 0.9:
            raise OverflowError("no such coin")
        self.spent += epsilon * count

    def get_epsilon(self, delta: float) -> float:
        return self.spent

    def spend(self, epsilon: float) -> Any:
        if 0.9 > epsilon > 1 - self.spent:
            raise TooDearError(f"only {1 - self.spent} is left")
        self.compose(epsilon, 1)

    def __call__(self, epsilon: float) -> None:
        self.spend(epsilon)


def spend_epsilon(purse: Purse, pair: fp.RandomizedResponse) -> Any:
    return purse.spend(float(pair.epsilon))


KINDS = ("accountant, counted", "budget, counted", "queryable", "accountant, copied", "budget, copied")
BUDGETS = ("budget, counted", "budget, copied")


def purse_filter(kind: str, make: Any = Purse, denied: Any = TooDearError, menu: Any = MENU) -> Any:
    promise = fp.PureDP(1.0)
    if kind == "queryable":
        return fp.from_queryable(make, EPSILON, promise, menu=menu, denied=denied)
    menu = menu if kind.endswith("counted") else None
    if kind in BUDGETS:
        return fp.from_budget(make, spend_epsilon, promise, menu=menu, denied=denied)
    return fp.from_accountant(make, EPSILON, promise, menu=menu)


def granted(filt: fp.PrivacyFilter, *places: int) -> list[bool]:
    session = filt.open("retry")
    return [session.request(MENU[place]) for place in places]


DENIALS = (TooDearError, (KeyError, TooDearError), lambda error: "is left" in str(error))
#: A request of each run, as a choice among the menu or as an array of parameters.
WRITTEN = (
    lambda places: fp.PairPerRun(MENU, np.array(places)),
    lambda places: fp.RandomizedResponse(0.25 * (1 + np.array(places))),
)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(KINDS),
    st.sampled_from(DENIALS),
    st.lists(st.tuples(*[st.integers(0, 1)] * 3), max_size=6),
    st.sampled_from(WRITTEN),
)
def test_many_runs_are_granted_what_a_sum_of_epsilons_grants(
    kind: str, denied: Any, requests: list[tuple[int, int, int]], write: Any
) -> None:
    filt, sums = purse_filter(kind, denied=denied), [Fraction(0)] * 3
    state = filt.start(3)
    for places in requests:
        sums = [total + Fraction(place + 1, 4) for total, place in zip(sums, places, strict=True)]
        before = repr([getattr(instance, "spent", instance) for instance in state])
        admitted = filt.admits(state, write(places)).tolist()
        after = filt.spend(state, write(places)) if all(admitted) else state
        assert admitted == [total <= 1 for total in sums]
        assert (
            repr([getattr(instance, "spent", instance) for instance in state]) == before
        )  # no state is ever changed
        if not all(admitted):
            break
        state = after


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_sent_to_another_process_and_grants_what_is_on_its_menu(kind: str) -> None:
    filt = purse_filter(kind)
    for copied in (filt,) if kind == "queryable" else (filt, pickle.loads(pickle.dumps(filt))):  # noqa: S301
        assert granted(copied, 1, 0, 1, 0, 0) == [True, True, False, True, False]
        assert repr(copied) == repr(filt)
    assert filt.open().request(fp.RandomizedResponse(0.1)) == kind.endswith("copied")  # which is on no menu


@pytest.mark.parametrize("kind", KINDS)
def test_an_exception_that_is_no_denial_or_is_not_named_is_raised(kind: str) -> None:
    with pytest.raises(OverflowError, match="no such coin"):
        purse_filter(kind, menu=(*MENU, COIN)).open("retry").request(COIN)
    if not kind.startswith("accountant"):
        with pytest.raises(TooDearError):
            granted(purse_filter(kind, denied=KeyError), 1, 1, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_one_object_for_all_runs_is_refused(kind: str) -> None:
    shared = Purse()
    with pytest.raises(ValueError, match="make must return a new object each time, got one Purse twice"):
        purse_filter(kind, lambda: shared)


@pytest.mark.parametrize("menu", [MENU, None], ids=["counted", "copied"])
def test_it_grants_up_to_the_target_and_no_bit_beyond(menu: Any) -> None:
    for answer, granted in ((1.0, True), (math.nextafter(1.0, 2.0), False), (math.inf, False)):
        filt = fp.from_accountant(Purse, EPSILON, fp.ZCDP(1.0), menu=menu, spent=lambda purse, x=answer: x)
        assert filt.open().request(MENU[0]) is granted


@pytest.mark.parametrize("kind", BUDGETS)
def test_a_budget_that_fails_now_and_then_grants_nothing_that_it_did_not_charge(kind: str) -> None:
    calls = itertools.count(1)

    class Flaky(Purse):
        def spend(self, epsilon: float) -> None:
            if next(calls) % 2 == 0:
                raise TooDearError("the store does not answer")
            super().spend(epsilon)

    session, uses = purse_filter(kind, Flaky).open("retry"), 0
    with suppress(RuntimeError):  # what is counted is played again, and was granted otherwise before
        uses = sum(session.request(MENU[1]) for _ in range(20))
    assert uses <= 2


def test_what_has_not_answered_yet_is_refused() -> None:
    filt = fp.from_budget(Purse, lambda purse, pair: (purse for _ in ()), fp.PureDP(1.0))
    with pytest.raises(TypeError, match="a budget must answer at once, got a generator"):
        filt.open().request(MENU[0])


def test_labels_that_an_answer_covers_are_refused_as_a_grant() -> None:
    filt = fp.from_budget(Purse, lambda purse, pair: [*pair.labels], fp.PureDP(1.0))
    labelled = fp.LabelledFilter(filt, labels={"epoch": (1, 2)}, over={"epoch": 1}, together="epoch")
    with pytest.raises(
        TypeError, match=r"grant or deny the whole request, got \['epoch'\]; .*Release\(epoch"
    ):
        labelled.open().request(labelled.at(MENU[0], epoch=(1, 2)))
    assert filt.open().request(MENU[0])  # without labels nothing but False is a denial


@pytest.mark.parametrize("kind", BUDGETS)
@pytest.mark.parametrize("no", [False, np.False_, np.array(False), np.array([False])], ids=repr)
@pytest.mark.parametrize("yes", [True, np.True_, None, 0], ids=repr)
def test_false_is_a_denial_and_nothing_else_is(kind: str, no: Any, yes: Any) -> None:
    class Polite(Purse):
        def spend(self, epsilon: float) -> Any:
            if epsilon > 1 - self.spent:
                return no
            self.spent += epsilon
            return yes

    assert granted(purse_filter(kind, Polite, denied=()), 1, 1, 1) == [True, True, False]


def test_a_budget_that_depends_on_the_order_is_not_silently_played_in_another() -> None:
    class OnlyFirst(Purse):
        """Takes what is dear as the first alone."""

        def spend(self, epsilon: float) -> None:
            if epsilon > 0.3 and self.spent:
                raise TooDearError("only as the first")
            super().spend(epsilon)

    with pytest.raises(RuntimeError, match="granted in another order"):
        granted(purse_filter("budget, counted", OnlyFirst), 1, 0, 0)
