"""What many runs are charged and granted at once, beside what each of them is when it is alone.

>>> all(one.checked().fits for one in together())
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from filters.accounting.amounts import Charge
from filters.accounting.charge_rules import gdp_charge, pure_charge, renyi_charge, zcdp_charge
from filters.accounting.charges import approximate_charge, approximate_zcdp_charge
from filters.catalogue import ApproximateZCDPFilter, BasicFilter
from filters.certified.families import FAMILIES
from filters.certified.running_number import Claims, RunningNumber
from filters.holders.individual import IndividualFilter
from filters.holders.linear_queries import LinearQueries
from filters.holders.no_noise import SILENT
from filters.rules.gdp import GaussianFilter
from theory.pairs import KOV, Erasure, Gaussian, Laplace, RandomizedResponse, Selection

__all__ = ["together"]

_RULES = (pure_charge, zcdp_charge, gdp_charge, renyi_charge.at(2.0), renyi_charge.at(128.0))
#: How many runs ask at once, and the parameters with which they ask.
_RUNS = (1, 2, 5)
_ASKED = (0.5, 0.0625, 0.75, 0.3, 0.9)
#: Of these the epsilon and the delta are known by name.
_MENU = (Erasure(0.5), KOV(0.25, 0.125), Laplace(4.0), RandomizedResponse(0.5))
_OWN = ((0.0, 0.5), (0.25, 0.125), (0.25, 0.0), (0.5, 0.0))
_INDEX = np.array([0, 1, 2, 3, 1, 0, 2])
#: More people than are charged in one copy of their sums.
_MANY = 200_000
#: As many as are added up in compiled loops, where there is a compiler.
_SOME = 64


def together() -> Iterator[RunningNumber]:
    """Arrays of one, two and five runs, selections, and a round of very many people."""
    for family, asked in FAMILIES.items():
        for n in _RUNS:
            yield from _array(family, asked.make, n)
    yield from _array("one of two Gaussians", _either, 2)
    yield from _selected()
    yield from _granted()
    yield from _round()


def _array(family: str, make: Callable[[Any], Any], n: int) -> Iterator[RunningNumber]:
    """How many runs of an array are charged otherwise than each alone."""
    xs = np.array(_ASKED[:n])
    for rule in _RULES:
        high, low = _each(rule(make(xs)), n)
        wrong = 0
        for run, x in enumerate(xs.tolist()):
            top, rest = _each(rule(make(x)), 1)
            # where a charge is integrated, doubles of an array may be rounded otherwise than one alone
            wrong += int(not _alike(_sum(high[run], low[run]), _sum(top[0], rest[0])))
        says = f"how many of {n} runs that ask for {family} {rule!r} charges otherwise than one alone"
        yield Claims("RDP filter").equal(says, wrong, 0)


def _either(mu: Any) -> Gaussian:
    """Two runs of levels that are known, whose charges are not looked at one by one; or a run alone."""
    return Gaussian(mu) if isinstance(mu, float) else Gaussian.either(mu[0], mu[1], np.array([False, True]))


def _each(charge: Charge, n: int) -> tuple[Any, Any]:
    with np.errstate(over="ignore", invalid="ignore"):  # what is infinite has no second double
        high, low = charge.exact(1.0)
    return np.broadcast_to(high, (n,)), np.broadcast_to(low, (n,))


def _sum(high: float, low: float) -> Fraction | float:
    return Fraction(float(high)) + Fraction(float(low)) if np.isfinite(high) else float(high)


def _alike(one: Fraction | float, other: Fraction | float) -> bool:
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return abs(one - other) <= Fraction(1, 2**38) * abs(other)
    return one == other


def _selected() -> Iterator[RunningNumber]:
    """The epsilons, deltas, rhos and xis of a selection, run by run."""
    pair = Selection(_MENU, _INDEX)
    epsilons, deltas = (np.broadcast_to(one, _INDEX.shape) for one in approximate_charge(pair, None))
    rhos, xis = (_each(one, len(_INDEX)) for one in approximate_zcdp_charge(pair))
    for run, place in enumerate(_INDEX.tolist()):
        says = f"run {run} of a selection, which asks for {_MENU[place]!r}"
        epsilon, delta = (Fraction(own) for own in _OWN[place])
        yield Claims("basic composition").near(f"{says}: epsilon", float(epsilons[run]), epsilon)
        yield Claims("basic composition").near(f"{says}: delta", float(deltas[run]), delta)
        rho, xi = (_sum(high[run], low[run]) for high, low in (rhos, xis))
        yield Claims("approximate zCDP filter").near(f"{says}: rho", rho, epsilon**2 / 2)
        yield Claims("approximate zCDP filter").near(f"{says}: xi", xi, delta)
    mu = Gaussian(1.0)
    selection = Selection((mu, Erasure(0.25)), np.array([0, 1]))
    wrong = 0
    for run, one in enumerate(selection.pairs):
        own = approximate_charge(one, 0.5)
        wrong += sum(
            float(np.ravel(a)[run]) != float(b)
            for a, b in zip(approximate_charge(selection, 0.5), own, strict=True)
        )
    says = "how many epsilons and deltas at epsilon 0.5 of a selection are not those of its members"
    yield Claims("basic composition").equal(says, wrong, 0)


def _granted() -> Iterator[RunningNumber]:
    """An erasure of half of the outputs has no finite epsilon, and a small delta does not cover it."""
    pair = Selection((Erasure(0.5), RandomizedResponse(2.0**-10)), np.array([0, 0, 1]))
    for filt in (BasicFilter(1.0, 1e-3), ApproximateZCDPFilter(0.5, 1e-3)):
        granted = np.asarray(filt.grant(filt.start(3), pair)[0])
        says = f"{filt!r}: how many of two Erasure(p=0.5) beside another are granted"
        yield Claims("basic composition").equal(says, int(np.count_nonzero(granted[:2])), 0)


def _round() -> Iterator[RunningNumber]:
    """Who takes part with a whole budget has nothing left, of however many people."""
    people, everything = IndividualFilter(GaussianFilter(1.0), _MANY), Gaussian(np.full(_MANY, 1.0))
    says = f"IndividualFilter(GaussianFilter(1.0), {_MANY})"
    first = int(np.count_nonzero(people.select(everything)))
    yield Claims("individual filter").equal(
        f"{says}: how many take part with all that they have", first, _MANY
    )
    mu = np.full(_MANY, 0.5)
    mu[::2] = 2.0**-10
    second = int(np.count_nonzero(people.select(Gaussian(mu))))
    yield Claims("individual filter").equal(f"{says}: how many take part once more", second, 0)
    queries, rng = LinearQueries(_SOME, norm_budget=1.0, kappa=1.0), SILENT
    for value, counted in ((1.0, _SOME), (0.5, 0), (2.0**-10, 0)):
        answer = queries.answer(np.full(_SOME, value), rng)
        says = f"LinearQueries({_SOME}, norm_budget=1.0, kappa=1.0): how many count with {value!r}"
        yield Claims("linear queries").equal(says, float(answer.value[0]) / value, counted)
