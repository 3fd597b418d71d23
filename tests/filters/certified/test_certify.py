"""The numbers that run fit their theorems, and every fault that is planted here is refused."""

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx

import filterproof as fp
from filterproof.filters.accounting import charge_rules
from filterproof.filters.accounting.charge_kinds import LinearCharge
from filterproof.filters.catalogue import CATALOGUE
from filterproof.filters.certified.admission_conditions import verify_implication
from filterproof.filters.certified.certify import certified_examples, certify_or_fail
from filterproof.filters.certified.double_double import exact_limit
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.filters.rules.guarantee_budget import promised_budget
from filterproof.theory.conversions import CKS
from filterproof.theory.theorems.theorem import RefusedError
from tests.filters.certified.groups import THINGS

TINY = 1 + 1e-9


def refused(thing) -> set[str]:
    return {one.status.name for one in fp.certify(thing).refused}


@pytest.mark.slow
def test_everything_that_prove_looks_at_fits() -> None:
    # the table of a potential filter is certified with its own tests, and takes seconds
    every = (thing for thing in certified_examples() if not isinstance(thing, fp.PotentialFilter))
    found = [*map(certify_or_fail, every), *(certify_or_fail(make()) for make in THINGS)]
    assert [(one.subject, one.refused) for one in found if one.refused] == []
    assert any(isinstance(thing, FilterBase) for thing in certified_examples())
    empty = [one for one in found if not one.numbers]
    assert all("counterexample" in one.uncovered[0] for one in empty)
    assert len(empty) == sum(entry.sound is False for entry in CATALOGUE.values())
    assert {one.theorem for thing in found for one in thing.numbers} <= {*fp.THEOREMS}


@pytest.mark.parametrize(
    "filt",
    [
        fp.ZCDPFilter(1e-30),
        fp.ApproximateDPFilter(1000.0, 1e-300),
        fp.BasicFilter(1e4, 1e-200),
        fp.RenyiFilter(1e6, 1.0),
        fp.RogersFilter(1e-6, 1e-9),
    ],
    ids=repr,
)
def test_parameters_far_out_raise_no_false_alarm(filt: fp.PrivacyFilter) -> None:
    found = fp.certify(filt)
    assert found.holds, [one.says for one in found.refused]
    assert len(found.numbers) > 10


def scaled(factor: float) -> Callable[[Any], Any]:
    """What makes of a function the same times a factor."""
    return lambda exact: lambda *given, **named: exact(*given, **named) * factor


def people() -> fp.IndividualFilter:
    return fp.IndividualFilter(fp.GaussianFilter(1.0), 2)


def granting(more: Callable[[Any, fp.DominatingPair], bool]) -> Callable[[Any], Any]:
    """Makes a decision that grants these, too."""
    return lambda exact: lambda self, state, request: exact(self, state, request) | more(state, request)


#: Whose, which of its functions, what becomes of it, a thing that runs with it, and how that is refused: one of each
#: kind of thing. The others are planted by `make planted`.
FAULTS: dict[str, tuple[Any, str, Callable[[Any], Any], Callable[[], Any], str]] = {
    "a conversion gives a billionth too much": (
        *(type(CKS), "budget", scaled(TINY), partial(fp.ApproximateDPFilter, 1.0, 1e-5), "UNSOUND"),
    ),
    "an infinite charge is none": (
        *(fp.Erasure, "zcdp_rho", lambda _: property(lambda self: 0.0), partial(fp.Erasure, 0.25), "UNSOUND"),
    ),
    "runs that ask together are granted what one is refused": (
        *(fp.WhitehouseFilter, "admits", granting(lambda state, request: len(state[0]) > 1)),
        *(partial(fp.WhitehouseFilter, 1.0, 1e-3), "OFF"),
    ),
    "the last output is looked at": (
        fp.RealisationFilter,
        "admits",
        lambda exact: lambda self, s, request: exact(self, (s[0] + s[1], *s[1:]), request),
        partial(fp.RealisationFilter, 10.0, 1e-5, 8, (fp.Gaussian(0.5),)),
        "OFF",
    ),
    "noise is too small": (
        fp.people.LinearQueries,
        "sigma",
        scaled(1 / TINY),
        partial(fp.people.LinearQueries, 3, norm_budget=5.0, kappa=1.0),
        "UNSOUND",
    ),
    "sums count people with more than is left": (
        *(fp.IndividualFilter, "clip", scaled(TINY)),
        *(lambda: fp.training.ClippedSums(people(), clip=3.0, sigma=4.0), "UNSOUND"),
    ),
    "the bound of an odometer is a billionth short": (
        *(
            fp.odometers.MixtureOdometer,
            "bound",
            scaled(1 / TINY),
            partial(fp.odometers.MixtureOdometer, 1e-5, 0.5),
            "UNSOUND",
        ),
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_refused(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    home, name, wrong, make, word = FAULTS[fault]
    monkeypatch.setattr(home, name, wrong(getattr(home, name)))
    assert word in refused(make())


def test_certifying_charges_nobody() -> None:
    people = fp.IndividualFilter(fp.GaussianFilter(1.0), 2)
    fp.certify(people)
    assert people.select(fp.Gaussian(1.0)).all()
    queries = fp.people.LinearQueries(1, norm_budget=1.0, kappa=1.0)
    fp.certify(queries)
    assert queries.report_for(0).remaining == pytest.approx(1.0)


def test_what_is_not_covered_says_so() -> None:
    class Mine(fp.AdditiveFilter):
        promise = fp.ZCDP(0.5)
        budget = fp.Budget.of(0.5)

        def charge(self, request):
            return LinearCharge(request.zcdp_rho)

    found = fp.certify(Mine())
    assert (found.numbers, found.holds) == ((), False)
    assert "no theorem here states what Mine may admit" in found.uncovered[-1]
    with fp.suppress_unsound_warning():
        unsound = fp.certify(fp.NaiveRealisationFilter(1.0, 0.01))
    assert "counterexample" in unsound.uncovered[0]
    many = fp.PairPerRun((fp.Gaussian(np.array([0.3, 0.4])), fp.Gaussian(0.5)), np.array([0, 1]))
    assert "many pairs" in fp.certify(many).uncovered[0]


def test_an_additive_filter_of_ones_own_is_certified_and_its_own_budget_too() -> None:
    class Mine(fp.AdditiveFilter):
        promise = fp.ApproxDP(1.0, 1e-5)
        charge = fp.gdp_charge

    found = fp.certify(Mine())
    assert found.holds
    assert str(found).endswith(f": {len(found.numbers)} numbers, 0 refused (CERTIFIED)")
    above = Mine()
    above.budget = replace(above.budget, high=above.budget.high * TINY, low=0.0)
    found = fp.certify(above)
    assert not found.holds
    assert any(line.startswith("UNSOUND: Mine") for line in str(found).splitlines()[1:])


@pytest.mark.parametrize(
    "charge", [fp.pure_charge, fp.zcdp_charge, fp.gdp_charge, fp.charges.renyi_charge.at(8.0)], ids=repr
)
@pytest.mark.parametrize("promise", [fp.ApproxDP(5.0, 1e-5), fp.RenyiDP(3.0, 0.2)], ids=str)
def test_a_sum_that_is_a_billionth_more_than_gives_a_promise_is_refused(
    charge: charge_rules.ChargeRule, promise: fp.Guarantee
) -> None:
    most = exact_limit(promised_budget(charge, promise))
    why, bits = verify_implication(charge, most, promise)
    assert why.theorem in fp.THEOREMS
    assert (bits == 0) == isinstance(promise, fp.RenyiDP)  # a comparison of fractions is exact
    with pytest.raises(
        RefusedError, match=rf"charges by {re.escape(repr(charge))} with the sum .* do not certainly give"
    ):
        verify_implication(charge, most * Fraction(TINY), promise)


def test_a_sum_that_no_theorem_and_no_ball_joins_to_a_promise_is_refused() -> None:
    with pytest.raises(RefusedError, match="no theorem here leads"):
        verify_implication(fp.charges.renyi_charge.at(2.0), Fraction(1, 8), fp.RenyiDP(3.0, 0.2))
    with ctx.workprec(4096):  # next to the largest that gives the promise, which no ball tells
        bits, exponent = ((arb(1).exp() + 0.5) / 0.5).log().mid().man_exp()
    with pytest.raises(RefusedError, match="do not certainly give"):
        verify_implication(fp.pure_charge, int(bits) * Fraction(2) ** int(exponent), fp.ApproxDP(1.0, 0.5))


class _Charge(type(fp.zcdp_charge)):
    def __call__(self, pair):
        return (
            fp.charges.LinearCharge(0.0) if isinstance(pair, fp.DiscreteGaussian) else super().__call__(pair)
        )


class _Promise(fp.ZCDP):
    def delta(self, epsilon):
        return 0.0 if epsilon == 1 else super().delta(epsilon)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("admits", lambda self, *asked: fp.ZCDPFilter.admits(self, *asked)),
        ("admits", partial(fp.ZCDPFilter.admits, fp.ZCDPFilter(0.5))),
        ("charge", _Charge()),
        ("promise", property(lambda _: fp.ZCDP(0.1))),
        ("promise", _Promise(0.5)),
    ],
)
def test_code_of_ones_own_that_decides_is_said_to_be_uncovered(name, value) -> None:
    class Design(fp.AdditiveFilter):
        promise, charge = fp.ZCDP(0.5), fp.zcdp_charge

    mine = type("Mine", (Design,), {name: value})()
    for thing in (mine, fp.training.ClippedSums(fp.IndividualFilter(mine, 2), clip=1.0, sigma=4.0)):
        assert any(note.startswith(f"Mine has its own {name}") for note in fp.certify(thing).uncovered)
    assert not fp.certify(fp.ZCDPFilter(0.5)).uncovered
