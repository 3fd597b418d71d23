"""What many runs are charged and granted at once, beside what each of them is when it is alone.

>>> all(one.checked().fits for one in together())
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from filters.accounting.charge_rules import gdp_charge, pure_charge, renyi_charge, zcdp_charge
from filters.accounting.charges import approximate_charge, approximate_zcdp_charge
from filters.catalogue import ApproximateZCDPFilter, BasicFilter
from filters.certified.families import FAMILIES
from filters.certified.running_number import Claims, RunningNumber
from filters.certified.two_doubles import amounts
from filters.holders.individual import IndividualFilter
from filters.holders.linear_queries import LinearQueries
from filters.holders.no_noise import SILENT
from filters.rules.gdp import GaussianFilter
from theory.pairs import KOV, Erasure, Gaussian, Laplace, RandomizedResponse, Selection
from theory.pairs.truths import Exact

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
        alone = (amounts(rule(make(x)))[0] for x in xs.tolist())
        # where a charge is integrated, doubles of an array may be rounded otherwise than one alone
        wrong = sum(not _alike(*both) for both in zip(amounts(rule(make(xs)), n), alone, strict=True))
        says = f"how many of {n} runs that ask for {family} {rule!r} charges otherwise than one alone"
        yield Claims("RDP filter").equal(says, wrong, 0)


def _either(mu: Any) -> Gaussian:
    """Two runs of levels that are known, whose charges are not looked at one by one; or a run alone."""
    return Gaussian(mu) if isinstance(mu, float) else Gaussian.either(mu[0], mu[1], np.array([False, True]))


def _alike(one: Exact, other: Exact) -> bool:
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return abs(one - other) <= Fraction(1, 2**38) * abs(other)
    return one == other


def _selected() -> Iterator[RunningNumber]:
    """The epsilons, deltas, rhos and xis of a selection, run by run."""
    pair, n = Selection(_MENU, _INDEX), len(_INDEX)
    basic, zcdp = Claims("basic composition"), Claims("approximate zCDP filter")
    charged = [
        *(np.broadcast_to(one, n).tolist() for one in approximate_charge(pair, None)),
        *(amounts(one, n) for one in approximate_zcdp_charge(pair)),
    ]
    for run, (place, *values) in enumerate(zip(_INDEX.tolist(), *charged, strict=True)):
        epsilon, delta = (Fraction(own) for own in _OWN[place])
        truths = {"epsilon": epsilon, "delta": delta, "rho": epsilon**2 / 2, "xi": delta}
        for (word, truth), value in zip(truths.items(), values, strict=True):
            of = zcdp if word in ("rho", "xi") else basic
            yield of.near(f"run {run} of a selection, which asks for {_MENU[place]!r}: {word}", value, truth)
    selection = Selection((Gaussian(1.0), Erasure(0.25)), np.array([0, 1]))
    together = np.array(approximate_charge(selection, 0.5))
    each = [approximate_charge(one, 0.5) for one in selection.pairs]
    wrong = int(np.count_nonzero(np.array(each, dtype=float) != together.T))
    says = "how many epsilons and deltas at epsilon 0.5 of a selection are not those of its members"
    yield basic.equal(says, wrong, 0)


def _granted() -> Iterator[RunningNumber]:
    """An erasure of half of the outputs has no finite epsilon, and a small delta does not cover it."""
    pair = Selection((Erasure(0.5), RandomizedResponse(2.0**-10)), np.array([0, 0, 1]))
    for filt in (BasicFilter(1.0, 1e-3), ApproximateZCDPFilter(0.5, 1e-3)):
        granted = int(np.count_nonzero(filt.grant(filt.start(3), pair)[0][:2]))
        of = Claims("basic composition", repr(filt))
        yield of.equal("how many of two Erasure(p=0.5) beside another are granted", granted, 0)


def _round() -> Iterator[RunningNumber]:
    """Who takes part with a whole budget has nothing left, of however many people."""
    people = IndividualFilter(GaussianFilter(1.0), _MANY)
    of = Claims("individual filter", f"IndividualFilter(GaussianFilter(1.0), {_MANY})")
    less = np.full(_MANY, 0.5)
    less[::2] = 2.0**-10
    for says, mu, counted in (
        ("with all that they have", np.full(_MANY, 1.0), _MANY),
        ("once more", less, 0),
    ):
        taking = int(np.count_nonzero(people.select(Gaussian(mu))))
        yield of.equal(f"how many take part {says}", taking, counted)
    queries = LinearQueries(_SOME, norm_budget=1.0, kappa=1.0)
    of = Claims("linear queries", f"LinearQueries({_SOME}, norm_budget=1.0, kappa=1.0)")
    for value, counted in ((1.0, _SOME), (0.5, 0), (2.0**-10, 0)):
        answer = float(queries.answer(np.full(_SOME, value), SILENT).value[0])
        yield of.equal(f"how many count with {value!r}", answer / value, counted)
