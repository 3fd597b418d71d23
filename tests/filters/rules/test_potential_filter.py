"""The potential filter: its payoffs, atoms and means, its promise in the game, its rounds beside a fixed plan's."""

from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import Any

import flint
import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.certified.potential_checks import potential_comparisons
from filterproof.filters.rules import potential_design
from filterproof.filters.rules.discrete_pld import discrete_pld
from filterproof.filters.rules.discrete_pld import hockey_stick_at_place as height_at
from filterproof.filters.rules.potential import COMMON_RATES, PotentialFilter
from filterproof.filters.rules.potential_design import design_potential
from filterproof.filters.rules.potential_family import FIXED_POINT_ONE, payoff
from filterproof.theory.size_limits import TooLargeError

BIT = fp.RandomizedResponse.from_ratio(Fraction(5, 4))
TWO = fp.RandomizedResponse.from_ratio(Fraction(3, 2))
SMALL = (fp.RandomizedResponse(0.125), fp.RandomizedResponse(0.25))
#: It loses more one way than the other.
LOPSIDED = fp.FinitePair((0.0625, 0.9375), (0.03125, 0.96875))
EPSILON, DELTA = 1.0, 0.01


class FiveWhereSixAreDue(PotentialFilter):
    """A wrong table: every charge is five sixths of its due."""

    def _charges(self, request: fp.DominatingPair) -> np.ndarray:
        return PotentialFilter._charges(self, request) * 5 // 6


@pytest.mark.parametrize("menu", [(BIT,), (BIT, TWO)])
def test_the_worst_adversary_stays_within_delta(menu: tuple[fp.DominatingPair, ...]) -> None:
    found = fp.worst_case(PotentialFilter(EPSILON, DELTA, menu), [*menu], epsilon=EPSILON)
    assert 0.5 * DELTA < float(found.low) <= float(found.high) <= DELTA


def test_the_table_that_runs_is_certified_and_what_is_wrong_in_it_is_refused() -> None:
    kinds = (PotentialFilter, FiveWhereSixAreDue, PotentialFilter)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(potential_design, "_LEVELS", 50)  # few, to be looked at one by one
        honest, wrong, lowered = (kind(EPSILON, 1.1 * DELTA, (BIT,)) for kind in kinds)
    found = fp.certify(honest)
    assert found.holds
    assert found.theorems[0] == "potential filter"
    (charge, *_) = (one for one in found.numbers if "charge of" in one.says)
    assert callable(charge.margin)
    with flint.ctx.workprec(256):
        whole, less = (charge.margin(flint.arb(int(charge.value)) - part) for part in (0, 0.5))
    assert whole == less  # charges are whole, and what is tried is rounded up
    assert found.evidence is fp.Evidence.CERTIFIED
    refused = fp.certify(wrong).refused
    assert len(refused) > 10
    assert all("charge of" in one.says and one.status.name == "UNSOUND" for one in refused)
    family = lowered._design.backward
    late = replace(family, heights=family.heights.copy())
    late.heights.flags.writeable = True
    late.heights[len(late.at) // 2 :, 40] -= FIXED_POINT_ONE >> 12
    object.__setattr__(lowered, "_design", replace(lowered._design, backward=late))
    (payoffs,) = (
        one for one in islice(potential_comparisons(lowered, "lowered"), 2) if "payoffs" in one.says
    )
    assert payoffs.status.name == "OFF"


def test_strangers_pairs_are_denied() -> None:
    session = PotentialFilter(EPSILON, DELTA, (BIT,)).open("retry")
    for name in ("Stranger", "Gaussian"):  # whose true values are not known
        assert not session.request(type(name, (fp.Gaussian,), {})(0.01))
    assert session.request(fp.Gaussian(0.01))


def test_tampered_families_are_not_valid() -> None:
    clock = design_potential(EPSILON, DELTA, (BIT,))
    family = clock.forward
    assert clock.is_valid(EPSILON, DELTA)
    assert not clock.is_valid(EPSILON, DELTA / 2)
    assert not clock.is_valid(EPSILON / 2, DELTA)
    assert not replace(clock, budget=clock.budget * 2).is_valid(EPSILON, DELTA)
    assert not replace(family, top=FIXED_POINT_ONE - 1).is_valid(EPSILON)
    dented, turned, steep = (family.heights.copy() for _ in range(3))
    dented[-1, -family.first] -= FIXED_POINT_ONE >> 20
    turned[[1, -1]] = turned[[-1, 1]]  # a level below the one before
    steep[-1, -1] = family.top  # no chord to z = 0 goes on from there
    for heights in (dented, turned, steep):
        assert not replace(family, heights=heights).is_valid(EPSILON)


def test_the_share_that_is_said_to_be_left_is_rounded_down() -> None:
    filt = PotentialFilter(EPSILON, DELTA, SMALL)
    levels = np.arange(0, filt._first_level, filt._first_level // 1000)
    left = filt.remaining(levels)
    shares = [Fraction(int(level), filt._first_level) for level in levels]
    assert all(share * (1 - Fraction(2) ** -50) <= x <= share for x, share in zip(left, shares, strict=True))


@pytest.mark.parametrize(
    "pair",
    [
        *(fp.SubsampledGaussian(0.05, 1.0), fp.Gaussian(0.3), fp.Laplace(2.0), TWO),
        *(fp.KOV(0.2, 0.01), fp.Erasure(0.05)),
    ],
    ids=repr,
)
def test_atoms_dominate_their_pair(pair: fp.DominatingPair) -> None:
    for side in (pair, pair.swapped):
        distribution = discrete_pld(side, 64)
        t = (1 - 1 / 64) ** -distribution.places.astype(float)
        total = sum(map(Fraction, distribution.masses.tolist()), Fraction(distribution.infinite))
        assert 0 <= total - 1 <= Fraction(distribution.excess_mass) < 1e-14
        for epsilon in np.linspace(-3, 3, 41):
            own = float(side.hockey_stick(epsilon))
            atoms = distribution.infinite + float(
                np.maximum(distribution.masses * (1 - np.exp(epsilon) / t), 0).sum()
            )
            assert own <= atoms + 1e-12
            assert atoms <= own + 2e-3


@pytest.mark.parametrize("pair", [fp.Gaussian(0.3), fp.Laplace(2.0), fp.RandomizedResponse(0.25)], ids=repr)
def test_heights_are_at_least_the_hockey_stick_at_the_loss_itself(pair: fp.DominatingPair) -> None:
    """In more digits, at a rational just above the loss; those of the code are of one just below."""
    for place in (-17, -3, 1, 2, 12):
        with flint.ctx.workprec(500):
            loss = -(1 - flint.arb(1) / 64).log() * place
            above = Fraction(int((loss * flint.arb(2) ** 400).upper().ceil().unique_fmpz()), 2**400)
            assert height_at(pair, place, 64) >= pair.reference_values.hockey_stick(above).ball()


def test_the_payoff_is_rounded_up_at_every_knot() -> None:
    for epsilon, parts, first in ((1.0, 64, -90), (0.3, 100, -20), (2.0, 64, -200)):
        heights = payoff(epsilon, parts, first, 300)
        with flint.ctx.workprec(300):
            for i, height in enumerate(heights.tolist()):
                z = flint.arb(flint.fmpq(parts - 1, parts)) ** (first + i)
                due = ((1 - flint.arb(epsilon).exp() * z) * FIXED_POINT_ONE).max(flint.arb(0))
                assert due <= height < due + 1.001


@pytest.mark.slow
def test_nine_tenths_of_a_fixed_plan_are_kept_when_rates_may_change() -> None:
    """At (2, 1e-5): what each mechanism alone is granted, beside the rounds that a fixed plan of it may have.

    Of a fixed plan from `Composition`; a Renyi filter keeps 879, 137 of the first two.
    """
    menu = COMMON_RATES
    filt = PotentialFilter(2.0, 1e-5, menu)
    start = filt.start(1)
    plans = dict(zip((*menu, fp.SubsampledGaussian(0.03, 1.2)), (1202, 240, 144, 210), strict=True))
    found = []
    for pair, plan in plans.items():
        assert float(fp.Composition({pair: plan + 1}).delta(2.0).low) > 1e-5
        found.append(int(filt.rounds(start, pair)[0]))
        assert found[-1] >= 0.9 * plan
        assert float(fp.Composition({pair: found[-1]}).delta(2.0).high) <= 1e-5
    session = filt.open("retry")
    granted = [session.request(menu[2]) for _ in range(found[2] + 1)]
    assert granted == [True] * found[2] + [False]


@pytest.mark.parametrize(
    ("epsilon", "design", "needed"),
    [
        (1e6, (fp.Gaussian(1.0),), "heights of a table"),
        pytest.param(1.0, (fp.Gaussian(0.01),) * 120, "one for each mechanism", marks=pytest.mark.slow),
    ],
)
def test_a_design_that_needs_too_large_a_table_is_refused(epsilon: float, design: Any, needed: str) -> None:
    with pytest.raises(TooLargeError, match=rf"^design must need at most .* {needed}, got \d+; pass fewer"):
        fp.PotentialFilter(epsilon, 1e-5, design)
