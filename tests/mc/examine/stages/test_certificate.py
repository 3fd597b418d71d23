"""What is built of library parts holds by the theorem that covers them; what differs from them in any way does not."""

import math
from collections.abc import Callable
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import filterproof as fp
from filterproof.filters.accounting.ledger import Budget
from filterproof.filters.catalogue import CATALOGUE
from filterproof.filters.certified.double_double import exact_limit
from filterproof.mc.examine.stages.certificate import PROVED_BY_NAME, verdict_by_theorems
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.proofs import THEOREMS
from filterproof.theory.proofs.proof import Proof
from tests.slow_cases import slow_but

pytestmark = pytest.mark.usefixtures("proved")

PROMISE = fp.ApproxDP(epsilon=1.0, delta=1e-5)


class Mine(fp.AdditiveFilter):
    """The design of the README: a promise and a charge."""

    promise = PROMISE
    charge = fp.zcdp_charge


def outcome(filt: fp.PrivacyFilter) -> Outcome | None:
    verdict = verdict_by_theorems(filt)
    return None if verdict is None else verdict.outcome


def said_of(filt: fp.PrivacyFilter) -> Verdict:
    """The verdict on the parts of a filter that is made of some."""
    verdict = verdict_by_theorems(filt)
    assert verdict is not None
    return verdict


def built(**members: Any) -> fp.PrivacyFilter:
    """A filter of a class like `Mine`, but for these members."""
    return type("Built", (Mine,), members)()


# -- what its numbers say --------------------------------------------------------------------------------------


def test_a_filter_whose_decisions_do_not_fit_its_theorem_is_undecided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exact = type(fp.zcdp_charge).__call__
    short = lambda self, request: replace(exact(self, request), x=exact(self, request).x * 0.999)  # noqa: E731
    assert outcome(fp.ZCDPFilter(0.5)) is Outcome.HOLDS
    monkeypatch.setattr(type(fp.zcdp_charge), "__call__", short)
    verdict = said_of(fp.ZCDPFilter(0.5))
    assert verdict.outcome is Outcome.UNDECIDED
    assert "is UNSOUND" in verdict.detail


# -- what holds ------------------------------------------------------------------------------------------------


def test_a_filter_of_library_parts_holds_and_says_by_what() -> None:
    verdict = said_of(Mine())
    # theorem and conversion are the kernel's, the budget is one of balls
    assert (verdict.outcome, verdict.evidence, verdict.citations) == (Outcome.HOLDS, Evidence.CERTIFIED, ())
    assert (
        "mechanisms with finitely many outcomes, with charges that their dominating pairs declare"
        in verdict.scope
    )
    for words in ("'RDP filter'", repr(Mine().budget), repr(PROMISE), "CKS at order 17.8"):
        assert words in verdict.detail


TINY, SMALL = Budget.of(Fraction(1, 10**6)), Budget.of(0.02)
PURE, ZCDP, GDP, RDP = fp.pure_charge, fp.zcdp_charge, fp.gdp_charge, fp.charges.renyi_charge.at(8.0)
JOINED = [
    *((PURE, promise) for promise in (fp.PureDP(0.7), PROMISE, fp.ZCDP(0.3), fp.RenyiDP(3.0, 0.2))),
    *((ZCDP, promise) for promise in (PROMISE, fp.ZCDP(0.3), fp.RenyiDP(3.0, 0.2), fp.ApproxDP(0.1, 0.4))),
    *((GDP, promise) for promise in (PROMISE, fp.GaussianDP(0.3), fp.RenyiDP(3.0, 0.2))),
    *((RDP, promise) for promise in (fp.ApproxDP(5.0, 1e-5), fp.RenyiDP(8.0, 0.2))),
    (ZCDP, fp.ApproxDP(20.0, 1e-300)),
    (GDP, fp.ApproxDP(20.0, 1e-300)),
]


@pytest.mark.parametrize(("charge", "promise"), slow_but(JOINED[::3], JOINED), ids=repr)
def test_a_filters_own_budget_holds_and_one_part_in_1e10_more_does_not(charge: Any, promise: Any) -> None:
    """The budgets themselves have a second route in `tests/theory/proofs`."""
    own: Any = built(charge=charge, promise=promise)
    assert outcome(own) is Outcome.HOLDS
    more = Budget.of(exact_limit(own.budget) * (1 + Fraction(1, 10**10)))
    refused = said_of(built(charge=charge, promise=promise, budget=more))
    assert refused.outcome is Outcome.UNDECIDED
    assert "not covered" in refused.detail


@pytest.mark.parametrize(
    ("charge", "promise", "budget", "holds"),
    [
        (ZCDP, fp.ZCDP(0.3), Budget.of(Fraction(0.3)), True),
        (ZCDP, fp.ZCDP(0.3), Budget.of(Fraction(math.nextafter(0.3, 1.0))), False),
        # 0.3^2 is no double; the one next to 0.09 is below or above the square of the double 0.3
        (GDP, fp.GaussianDP(0.3), Budget.square_of(0.3), True),
        (GDP, fp.GaussianDP(0.3), Budget.of(0.09), Fraction(0.09) <= Fraction(0.3) ** 2),
        (ZCDP, PROMISE, SMALL, True),  # less than the theorem allows
        # what no theorem joins
        (GDP, fp.PureDP(1.0), TINY, False),
        (RDP, fp.ZCDP(0.1), TINY, False),
        (ZCDP, fp.GaussianDP(1.0), TINY, False),
    ],
)
def test_the_last_bit_of_a_budget_decides_where_a_theorem_joins_charge_and_promise(
    charge: Any, promise: Any, budget: Budget, holds: bool
) -> None:
    verdict = outcome(built(charge=charge, promise=promise, budget=budget))
    assert verdict is (Outcome.HOLDS if holds else Outcome.UNDECIDED)


BIT = fp.RandomizedResponse.from_ratio(Fraction(5, 4))
#: Smaller filters than the examples whose numbers take seconds to certify.
SMALL_EXAMPLES = {"PotentialFilter": lambda: fp.PotentialFilter(1.0, 0.01, (BIT,))}
DEAR = ("PotentialFilter", "BlackwellFilter", "RogersFilter")


@pytest.mark.parametrize("name", CATALOGUE)
def test_of_the_catalogue_each_sound_filter_holds_by_its_theorem_and_nothing_derived_from_it(
    name: str,
) -> None:
    entry, kind = CATALOGUE[name], cast(Any, CATALOGUE[name].filter_class)
    small = SMALL_EXAMPLES.get(name, entry.example)()
    for example in (small, *([] if name in DEAR else [entry.larger()])):
        if entry.sound is True:
            verdict = said_of(example)
            assert (verdict.outcome, verdict.citations) == (Outcome.HOLDS, ())
            assert issubclass(kind, fp.AdditiveFilter) or f"theorem {kind.theorem!r}" in verdict.detail
            assert name != "RealisationFilter" or verdict.scope.endswith(THEOREMS[kind.theorem].hypotheses)
        else:
            assert outcome(example) is (Outcome.UNDECIDED if issubclass(kind, fp.AdditiveFilter) else None)
    derived = type(
        "Own", (kind,), {"admits": every, "step": lambda self, state, _: (every(self, state), state)}
    )
    with fp.suppress_unsound_warning():
        filt = derived(**{field.name: getattr(example, field.name) for field in fields(kind) if field.init})
    assert outcome(filt) in (None, Outcome.UNDECIDED)


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (Mine, "RDP filter"),
        (Mine, "CKS"),
        (lambda: fp.IndividualFilter(fp.GaussianFilter(1.0), 3), "GDP filter"),
        (lambda: fp.ApproximateDPFilter(1.0, 1e-5), "approximate-DP filter"),
    ]
    + [
        (CATALOGUE[name].example, CATALOGUE[name].filter_class.theorem)
        for name in ("GaussianFilter", "BasicFilter")
    ],
)
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"evidence": Evidence.DERIVED}, (Outcome.HOLDS, Evidence.DERIVED)),
        ({"holds": False}, (Outcome.UNDECIDED, Evidence.CITED)),
    ],
)
def test_it_holds_if_each_of_its_theorems_does_and_as_surely_as_the_least_sure(
    make: Callable[[], Any],
    key: str,
    change: dict[str, Any],
    expected: object,
    proofs: dict[str, Proof],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps = tuple(replace(step, **change) for step in proofs[key].steps)
    monkeypatch.setitem(PROVED_BY_NAME, key, replace(proofs[key], steps=steps))
    verdict = said_of(make())
    assert (verdict.outcome, verdict.evidence) == expected
    assert verdict.outcome is Outcome.HOLDS or f"theorem {key!r}" in verdict.detail


# -- calibrated filters ----------------------------------------------------------------------------------------


def calibrated_here(inner: fp.PrivacyFilter | None = None, **change: Any) -> fp.results.CalibratedFilter:
    filt = fp.tabulated_filter(1.0, 1e-5, each=0.1)
    return replace(filt, inner=filt.inner if inner is None else inner, **change)


def test_a_calibrated_filter_holds_for_its_class_by_its_game_solved_again() -> None:
    filt = calibrated_here()
    by_theorem = said_of(filt)
    assert by_theorem.evidence is Evidence.CITED  # that randomised response dominates is cited
    assert any("Kairouz" in citation for citation in by_theorem.citations)
    assert "solved again" in by_theorem.detail
    for verdict in (by_theorem, fp.verify(filt, effort=0.01).verdict):
        assert (verdict.outcome, verdict.scope) == (Outcome.HOLDS, filt.scope)


UNCOVERED: dict[str, tuple[Callable[[], fp.PrivacyFilter], str]] = {
    "a larger threshold": (lambda: calibrated_here(fp.ZCDPFilter(0.08)), "certificate is not confirmed"),
    "a smaller promise": (
        lambda: calibrated_here(promise=fp.ApproxDP(0.9, 1e-5)),
        "certificate is not confirmed",
    ),
    "an inner filter of one's own": (
        lambda: calibrated_here(
            type("Own", (fp.ZCDPFilter,), {"theorem": None})(calibrated_here().threshold)
        ),
        "its inner filter is a Own",
    ),
}


@pytest.mark.parametrize(("make", "says"), UNCOVERED.values(), ids=UNCOVERED)
def test_a_calibrated_filter_that_its_game_does_not_cover_stays_undecided(make: Any, says: str) -> None:
    verdict = said_of(make())
    assert verdict.outcome is Outcome.UNDECIDED
    assert says in verdict.detail


# -- what differs in any way from the parts that a theorem covers ---------------------------------------------


def every(self: Any, state: Any, *_: Any) -> Any:
    return np.ones(len(state[0]), dtype=bool)


def own(name: str) -> Callable[[type[fp.AdditiveFilter]], Any]:
    """An equal of what a class has by this name, of a class that is not the library's."""

    def equal(base: type[fp.AdditiveFilter]) -> Any:
        value = getattr(base, name)
        made = object.__new__(type("Own", (type(value),), {"__slots__": ()}))
        for field in fields(value):
            object.__setattr__(made, field.name, getattr(value, field.name))
        return made

    return equal


#: A member, what it is for a class that had another, and what the verdict says of it: None where it holds.
EDITS: list[tuple[str, Callable[[type[fp.AdditiveFilter]], Any], str | None]] = [
    *((name, lambda base: every, f"has its own {name}") for name in (
        "start", "admits", "spend", "step", "observe", "open", "is_reachable_state", "extremal",
    )),
    ("charge", own("charge"), "its charge is not a charge of the library"),
    ("charge", lambda base: lambda self, pair: base.charge(pair), "its charge is not a charge of the library"),
    ("promise", own("promise"), "its promise is not a guarantee of the library"),
    ("promise", lambda base: property(lambda self: base.promise), "it computes its promise"),
    ("budget", own("budget"), "its budget is a Own, not a plain Budget"),
    ("budget", lambda base: property(lambda self: base.budget), "it computes its budget"),
    ("budget", lambda base: Budget.of(10**6), "not covered"),
    ("conversion", own("conversion"), "not one of the library's"),
    ("sound", lambda base: None, "declares sound=None"),
    ("sound", lambda base: False, "declares sound=False"),
    ("budget", lambda base: TINY, None),
    ("affordable", lambda base: every, None),
]  # fmt: skip


@given(
    st.sampled_from(JOINED[:-2]),
    st.sampled_from(EDITS),
    st.sampled_from(["class", "base", "mixin", "instance"]),
)
@settings(max_examples=200)
def test_a_filter_holds_by_its_parts_where_nothing_that_decides_differs_from_the_librarys(
    joined: Any, edit: Any, place: str
) -> None:
    (charge, promise), (name, member, says) = joined, edit
    base = type("Base", (fp.AdditiveFilter,), {"charge": charge, "promise": promise})
    changed = {name: member(base)}
    kinds = {
        "class": type("Mine", (base,), changed),
        "base": type("Mine", (type("Between", (base,), changed),), {}),
        "mixin": type("Mine", (type("Mixin", (), changed), base), {}),
    }
    assume(place in kinds or not (isinstance(changed[name], property) or name == "extremal"))
    filt = kinds.get(place, base)()
    if place not in kinds:
        vars(filt).update(changed)
    verdict = said_of(filt)
    assert verdict.outcome is (Outcome.HOLDS if says is None else Outcome.UNDECIDED)
    assert says is None or says in verdict.detail
