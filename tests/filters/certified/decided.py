"""Budgets, and what filters that look at losses decide, at parameters of the house's own."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from filters.accounting.charge_rules import gdp_charge, pure_charge, renyi_charge, zcdp_charge
from filters.certified.decisions import last_granted
from filters.certified.laws import joined
from filters.certified.odometers import bound_of
from filters.certified.promised import budget_number
from filters.certified.realised import goes_on, lost, released
from filters.certified.running_number import Claims, RunningNumber
from filters.contract.checks import checked_spend
from filters.holders.odometers import StitchedOdometer
from filters.rules.kappa import KappaFilter
from filters.rules.promised import promised_budget
from filters.rules.realisation import RealisationFilter
from theory.conversions import CKS, SIMPLE
from theory.guarantees import ZCDP, ApproxDP, GaussianDP, PureDP, RenyiDP
from theory.pairs import Gaussian

_PAIR, _THEOREM = Gaussian(0.5), "realisation filter"


def budgets(epsilon: float, delta: float) -> Iterator[RunningNumber]:
    """`promised_budget` for every charge and every promise that it joins, by both conversions."""
    approximate = ApproxDP(epsilon, delta)
    promises = (PureDP(epsilon), approximate, ZCDP(epsilon), RenyiDP(2.5, epsilon), GaussianDP(epsilon))
    rules = (pure_charge, zcdp_charge, gdp_charge, renyi_charge.at(2.5), renyi_charge.at(64.0))
    for rule, promise, conversion in product(rules, promises, (CKS, SIMPLE)):
        if joined(rule, promise, conversion) is None:
            continue
        if conversion is SIMPLE and promise is not approximate:
            continue
        try:
            budget = promised_budget(rule, promise, conversion)
        except ValueError:  # nothing above zero is left at this order
            continue
        says = f"promised_budget({rule!r}, {promise!r}, {conversion})"
        yield from budget_number(says, budget, rule, promise, conversion)


def kappa_decisions(kappa: float, rounds: int) -> Iterator[RunningNumber]:
    """How many outputs are released on paths of losses: release i+1 while |l^{(i-1)}| < kappa, at most `rounds`."""
    inside, over = math.nextafter(kappa, 0.0), math.nextafter(kappa, math.inf)
    paths: tuple[tuple[float, ...], ...] = (
        (0.0,) * (rounds + 3),
        *((first, 0.0, 0.0, 0.0) for first in (inside, -inside, kappa, -kappa, over, -over)),
        (kappa / 2, kappa / 4, kappa / 2, 0.0, 0.0),
        (-kappa / 2, -kappa / 4, -kappa / 2, 0.0, 0.0),
        (kappa / 2, kappa, -kappa, 0.0, 0.0, 0.0),
        (4 * kappa, -4 * kappa, 0.0, 0.0),
    )
    for losses in paths:
        of, says = Claims("kappa", f"KappaFilter({kappa!r}, {rounds})"), f"releases on the losses {losses!r}"
        found = released(KappaFilter(kappa, rounds), _PAIR, losses)
        yield of.equal(says, found, _allowed(kappa, rounds, losses))


def _allowed(kappa: float, rounds: int, losses: Sequence[float]) -> int:
    """The rule: release i+1 is decided by the loss of the first i-1 outputs."""
    count = 0
    while count < min(rounds, len(losses)):
        known = sum((Fraction(loss) for loss in losses[: max(count - 1, 0)]), Fraction(0))
        if not abs(known) < Fraction(kappa):
            break
        count += 1
    return count


def realised_decisions() -> Iterator[RunningNumber]:
    """The largest loss with which a realisation filter goes on: with both quantiles it is at most epsilon, exactly."""
    for epsilon in (10.0, 9.7, 8.3, 7.77, 8.9, 13.1, 11.9, 12.34):
        filt = RealisationFilter(epsilon, 1e-5, 48, (_PAIR,))
        of = Claims(_THEOREM, repr(filt))
        for earlier in ((), (0.1, 0.2, 0.3, 0.7)):
            # of the output after that no decision knows the loss yet
            asked = lambda x, filt=filt, earlier=earlier: goes_on(filt, _PAIR, (*earlier, x, 0.0))  # noqa: E731
            low = last_granted(asked, 0.0, epsilon)
            assert low is not None
            state: Any = checked_spend(filt, lost(filt, _PAIR, (*earlier, low)), _PAIR, 1)
            quantiles = Fraction(float(state[2][0])) + Fraction(float(state[6][0]))
            truth = Fraction(epsilon) - quantiles - sum(map(Fraction, earlier), Fraction(0))
            yield of.at_most(f"last loss with which it goes on after {earlier!r}", low, truth, slack=2.0**-40)


def stitched_lines() -> Iterator[RunningNumber]:
    """The bound of StitchedOdometer at both ends of its epochs: the least of three lines."""
    found = StitchedOdometer(1e-5, 0.125)
    for j in range(4):
        for share in (1.0, 1.015625, 1.40625, 1.984375):
            squares = 0.125 * 2**j * share
            value = float(found.bound(np.array([squares]))[0])
            says = f"StitchedOdometer(1e-5, 0.125).bound({squares!r})"
            yield Claims(found.theorem).near(says, value, bound_of(found, Fraction(squares)), slack=2.0**-40)
