"""What is built of library parts holds by the theorem that covers them; what differs from them in any way does not."""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

import filterproof as fp
import filterproof.filters.accounting.charge_rules
from filterproof.filters.accounting.ledger import Budget
from filterproof.filters.catalogue import CATALOGUE
from filterproof.filters.certified.double_double import exact_limit
from filterproof.mc.examine.stages import certificate as room
from filterproof.mc.examine.stages.certificate import verdict_by_theorems
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.proofs.proof import Proof
from tests.slow_cases import slow_but

pytestmark = pytest.mark.usefixtures("proved")

PROMISE = fp.ApproxDP(epsilon=1.0, delta=1e-5)


class Mine(fp.AdditiveFilter):
    """The design of the README: a promise and a charge."""

    promise = PROMISE
    charge = fp.zcdp_charge


def outcome(filt: fp.PrivacyFilter) -> Outcome | None:
    found = verdict_by_theorems(filt)
    return None if found is None else found.outcome


def said_of(filt: fp.PrivacyFilter) -> Verdict:
    """The verdict on the parts of a filter that is made of some."""
    found = verdict_by_theorems(filt)
    assert found is not None
    return found


def joined(charge: Any, promise: fp.Guarantee, **more: Any) -> fp.PrivacyFilter:
    """A filter of that charge and that promise; a budget is the largest double up to a value."""
    return type("Given", (fp.AdditiveFilter,), {"charge": charge, "promise": promise} | more)()


def with_budget(charge: Any, promise: fp.Guarantee, value: Any) -> fp.PrivacyFilter:
    return joined(charge, promise, budget=Budget.of(value))


# -- what its numbers say --------------------------------------------------------------------------------------


def test_a_filter_whose_decisions_do_not_fit_its_theorem_is_undecided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exact = type(fp.zcdp_charge).__call__
    short = lambda self, request: replace(exact(self, request), x=exact(self, request).x * 0.999)  # noqa: E731
    assert outcome(fp.ZCDPFilter(0.5)) is Outcome.HOLDS
    monkeypatch.setattr(type(fp.zcdp_charge), "__call__", short)
    found = said_of(fp.ZCDPFilter(0.5))
    assert found.outcome is Outcome.UNDECIDED
    assert "is UNSOUND" in found.detail


# -- what holds ------------------------------------------------------------------------------------------------


def test_a_filter_of_library_parts_holds_and_says_by_what() -> None:
    found = said_of(Mine())
    # theorem and conversion are the kernel's, the budget is one of balls
    assert (found.outcome, found.evidence, found.citations) == (Outcome.HOLDS, Evidence.CERTIFIED, ())
    assert (
        "mechanisms with finitely many outcomes, with charges that their dominating pairs declare"
        in found.scope
    )
    for said in ("'RDP filter'", repr(Mine().budget), repr(PROMISE), "CKS at order 17.8"):
        assert said in found.detail


PURE, ZCDP, GDP, RDP = fp.pure_charge, fp.zcdp_charge, fp.gdp_charge, fp.charges.renyi_charge.at(8.0)
JOINED = [
    *((PURE, promise) for promise in (fp.PureDP(0.7), PROMISE, fp.ZCDP(0.3), fp.RenyiDP(3.0, 0.2))),
    *((ZCDP, promise) for promise in (PROMISE, fp.ZCDP(0.3), fp.RenyiDP(3.0, 0.2), fp.ApproxDP(0.1, 0.4))),
    *((GDP, promise) for promise in (PROMISE, fp.GaussianDP(0.3), fp.RenyiDP(3.0, 0.2))),
    *((RDP, promise) for promise in (fp.ApproxDP(5.0, 1e-5), fp.RenyiDP(8.0, 0.2))),
    (ZCDP, fp.ApproxDP(20.0, 1e-300)),
    (GDP, fp.ApproxDP(20.0, 1e-300)),
]


@pytest.mark.parametrize(("charge", "promise"), slow_but(JOINED[::2], JOINED), ids=repr)
def test_a_filters_own_budget_holds_and_one_part_in_1e10_more_does_not(charge: Any, promise: Any) -> None:
    """The budgets themselves have a second route in `tests/theory/proofs`."""
    own: Any = joined(charge, promise)
    assert outcome(own) is Outcome.HOLDS
    refused = said_of(with_budget(charge, promise, exact_limit(own.budget) * (1 + Fraction(1, 10**10))))
    assert refused.outcome is Outcome.UNDECIDED
    assert "not covered" in refused.detail


def test_the_last_bit_of_an_exact_budget_decides() -> None:
    assert outcome(with_budget(ZCDP, fp.ZCDP(0.3), Fraction(0.3))) is Outcome.HOLDS
    above = Fraction(math.nextafter(0.3, 1.0))
    assert outcome(with_budget(ZCDP, fp.ZCDP(0.3), above)) is Outcome.UNDECIDED

    # 0.3^2 is no double; the one next to 0.09 is below or above the square of the double 0.3
    assert outcome(joined(GDP, fp.GaussianDP(0.3), budget=Budget.square_of(0.3))) is Outcome.HOLDS
    expected = Outcome.HOLDS if Fraction(0.09) <= Fraction(0.3) ** 2 else Outcome.UNDECIDED
    assert outcome(with_budget(GDP, fp.GaussianDP(0.3), 0.09)) is expected


@pytest.mark.parametrize(
    ("charge", "promise"), [(GDP, fp.PureDP(1.0)), (RDP, fp.ZCDP(0.1)), (ZCDP, fp.GaussianDP(1.0))]
)
def test_what_no_theorem_joins_does_not_hold(charge: Any, promise: Any) -> None:
    assert outcome(with_budget(charge, promise, Fraction(1, 10**6))) is Outcome.UNDECIDED


BIT = fp.RandomizedResponse.from_ratio(Fraction(5, 4))
#: How filters of the catalogue are made -> what is said of each.
PROVED: dict[str, tuple[Any, str]] = {
    "RealisationFilter": (CATALOGUE["RealisationFilter"].example, "at most N outputs"),
    "PotentialFilter": (lambda: fp.PotentialFilter(1.0, 0.01, (BIT,)), "theorem 'potential filter'"),
    "SomeOrderMarkov": (lambda: fp.SomeOrderMarkovFilter(6.0, 0.01, (2.0, 3.0, 32.0)), "'some order kept'"),
    **{
        f"{name} {kind}": (getattr(CATALOGUE[f"{name}Filter"], kind), "theorem")
        for name in ("ZCDP", "Gaussian", "Renyi", "ApproximateDP", "AllOrders", "GaussianResidue")
        for kind in ("example", "larger")
    },
}


@pytest.mark.parametrize(("make", "words"), PROVED.values(), ids=PROVED)
def test_a_sound_filter_of_the_catalogue_holds_by_its_theorem_within_its_hypotheses(
    make: Any, words: str
) -> None:
    found = said_of(make())
    assert (found.outcome, found.citations) == (Outcome.HOLDS, ())
    assert words in f"{found.detail} {found.scope}"


def test_filters_that_are_unsound_or_unproved_are_not_certified() -> None:
    for name, entry in CATALOGUE.items():
        if entry.sound is not True or entry.filter_class.theorem is None:
            found = verdict_by_theorems(entry.example())
            if issubclass(
                entry.filter_class, fp.AdditiveFilter
            ):  # its charge is none of those that a theorem covers
                assert found is not None, name
                assert (found.outcome, found.evidence) == (Outcome.UNDECIDED, Evidence.CITED), name
            else:
                assert found is None, name


#: A filter, and what its promise is kept by.
BY_THEOREMS: list[tuple[fp.PrivacyFilter, tuple[str, ...]]] = [
    (Mine(), ("RDP filter", "CKS")),
    (fp.ApproximateDPFilter(1.0, 1e-5), ("approximate-DP filter",)),
    *(
        (CATALOGUE[name].example(), (key,))
        for name, key in (("GaussianFilter", "GDP filter"), ("BasicFilter", "basic composition"))
    ),
]


@pytest.mark.parametrize(("filt", "keys"), BY_THEOREMS, ids=lambda thing: type(thing).__name__)
def test_it_holds_if_each_of_its_theorems_does_and_as_surely_as_the_least_sure(
    filt: fp.PrivacyFilter,
    keys: tuple[str, ...],
    proofs: dict[str, Proof],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for key in keys:
        for change, expected in (
            ({"evidence": Evidence.DERIVED}, (Outcome.HOLDS, Evidence.DERIVED)),
            ({"holds": False}, (Outcome.UNDECIDED, Evidence.CITED)),
        ):
            steps = tuple(replace(one, **change) for one in proofs[key].steps)
            monkeypatch.setitem(room.PROVED_BY_NAME, key, replace(proofs[key], steps=steps))
            found = said_of(filt)
            assert (found.outcome, found.evidence) == expected
            assert found.outcome is Outcome.HOLDS or f"theorem {key!r}" in found.detail
        monkeypatch.setitem(room.PROVED_BY_NAME, key, proofs[key])


# -- calibrated filters ----------------------------------------------------------------------------------------


def calibrated_here(inner: fp.PrivacyFilter | None = None, **change: Any) -> fp.results.CalibratedFilter:
    made = fp.tabulated_filter(1.0, 1e-5, each=0.1)
    return replace(made, inner=made.inner if inner is None else inner, **change)


def test_a_calibrated_filter_holds_for_its_class_by_its_game_solved_again() -> None:
    filt = calibrated_here()
    found = said_of(filt)
    assert found.evidence is Evidence.CITED  # that randomised response dominates is cited
    assert any("Kairouz" in one for one in found.citations)
    assert "solved again" in found.detail
    for verdict in (found, fp.verify(filt, effort=0.01).verdict):
        assert (verdict.outcome, verdict.scope) == (Outcome.HOLDS, filt.scope)


class Own(fp.ZCDPFilter):
    """No filter of the catalogue."""

    theorem = None


UNCOVERED = {
    "a larger threshold": (lambda: calibrated_here(fp.ZCDPFilter(0.08)), "certificate is not confirmed"),
    "a smaller promise": (
        lambda: calibrated_here(promise=fp.ApproxDP(0.9, 1e-5)),
        "certificate is not confirmed",
    ),
    "an inner filter of one's own": (
        lambda: calibrated_here(Own(calibrated_here().threshold)),
        "its inner filter is a Own",
    ),
}


@pytest.mark.parametrize(("make", "says"), UNCOVERED.values(), ids=UNCOVERED)
def test_a_calibrated_filter_that_its_game_does_not_cover_stays_undecided(make: Any, says: str) -> None:
    found = said_of(make())
    assert found.outcome is Outcome.UNDECIDED
    assert says in found.detail


# -- what differs in any way from the parts that a theorem covers ---------------------------------------------

SMALL = Budget.of(0.02)


class Cheaper(filterproof.filters.accounting.charge_rules.ZCDPCharge):
    __slots__ = ()

    def __call__(self, request: Any) -> Any:
        return fp.charges.LinearCharge(0.0)


@dataclass(frozen=True)
class Wider(Budget):
    def covers(self, sums: Any) -> Any:
        return np.ones(len(sums[0]), dtype=bool)


class MorePrivate(fp.ApproxDP):
    """A guarantee of one's own."""


def every(self: Any, state: Any, *_: Any) -> Any:
    return np.ones(len(state[0]), dtype=bool)


def user_filter(members: dict[str, Any], **held: Any) -> fp.PrivacyFilter:
    """A filter of a class with such members, whose instance holds something."""
    filt = type("Own", (Mine,), members)()
    vars(filt).update(held)
    return filt


#: What a subclass of `Mine` says otherwise.
OTHERWISE: dict[str, dict[str, Any]] = {
    "spends nothing": {"spend": lambda self, state, request: state},
    "admits all": {"admits": every},
    "grants all": {"step": lambda self, state, request: (every(self, state), state)},
    "starts below nothing": {"start": lambda self, n: (np.full(n, -1.0), np.zeros(n))},
    "begins anew after a loss": {"observe": lambda self, state, loss: self.start(len(loss))},
    "reaches what it does not": {"is_reachable_state": every},
    "says what it can lose": {"extremal": lambda self, epsilon: fp.ZCDPFilter(9.0).extremal(epsilon)},
    "opens another filter": {"open": lambda self, *_, **__: fp.ZCDPFilter(9.0).open("retry")},
    "charges half": {"budget": SMALL, "charge": lambda self, pair: fp.zcdp_charge(fp.Gaussian(pair.mu / 2))},
    "charges by a cheaper rule": {"charge": Cheaper()},
    "computes its promise": {"promise": property(lambda self: PROMISE)},
    "computes its budget": {"budget": property(lambda self: SMALL)},
    "a budget of one's own": {"budget": Wider(1.0, 0.0, -3)},
    "a promise of one's own": {"promise": MorePrivate(1.0, 1e-5)},
    "a conversion of one's own": {"conversion": type("Easy", (type(fp.CKS),), {"__slots__": ()})()},
    "a larger budget in its constructor": {"__init__": lambda self: setattr(self, "budget", Budget.of(0.5))},
    "doubtful": {"sound": None},
    "refuted": {"sound": False},
}


class OfAnother(fp.BasicFilter, fp.AdditiveFilter):  # type: ignore[misc]
    charge = fp.pure_charge


DIFFERENT: dict[str, Callable[[], fp.PrivacyFilter]] = {
    **{name: partial(user_filter, said) for name, said in OTHERWISE.items()},
    "admits by another base": lambda: type(
        "PerRunCharge", (type("Mixin", (), {"admits": every}), Mine), {}
    )(),
    "admits by the instance": lambda: user_filter({}, admits=partial(every, None)),
    "methods of another rule": lambda: OfAnother(1.0),
}


@pytest.mark.parametrize("make", DIFFERENT.values(), ids=DIFFERENT)
def test_what_differs_from_its_parts_is_not_certified_whatever_its_numbers_are(
    make: Callable[[], fp.PrivacyFilter], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("filterproof.mc.examine.stages.certificate._certified_numbers", lambda filt: None)
    assert outcome(make()) in (None, Outcome.UNDECIDED)
    assert outcome(type("Own", (Mine,), {})()) is Outcome.HOLDS


def test_an_attribute_that_changed_after_the_fact_is_seen() -> None:
    class Own(Mine):
        budget = Budget.of(0.02)

    filt = Own()
    assert outcome(filt) is Outcome.HOLDS
    Own.budget = Budget.of(0.05)
    assert outcome(filt) is Outcome.UNDECIDED
    filt.budget = Budget.of(0.02)
    assert outcome(filt) is Outcome.HOLDS
    filt.promise = fp.ApproxDP(0.5, 1e-5)
    assert outcome(filt) is Outcome.UNDECIDED


@pytest.mark.parametrize("name", [name for name, entry in CATALOGUE.items() if entry.sound is True])
def test_no_theorem_on_a_class_of_the_catalogue_covers_what_is_derived_from_it(name: str) -> None:
    kind: Any = CATALOGUE[name].filter_class
    made, grants = CATALOGUE[name].example(), lambda self, state, _: (every(self, state), state)
    derived = type("Own", (kind,), {"admits": every, "step": grants})
    filt = derived(**{one.name: getattr(made, one.name) for one in fields(kind) if one.init})
    assert outcome(filt) in (None, Outcome.UNDECIDED)
