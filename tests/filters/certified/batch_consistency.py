"""Charges and grants of several runs at once, compared with those of each run alone."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from filterproof.filters.accounting.approximate_charges import approximate_charge, approximate_zcdp_charge
from filterproof.filters.accounting.charge_rules import gdp_charge, pure_charge, renyi_charge, zcdp_charge
from filterproof.filters.catalogue import ApproximateZCDPFilter, BasicFilter
from filterproof.filters.certified.comparison import Comparison, Comparisons
from filterproof.filters.certified.decisions import FAMILIES
from filterproof.filters.certified.double_double import exact_charges
from filterproof.theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    Gaussian,
    Laplace,
    PairPerRun,
    RandomizedResponse,
)
from filterproof.theory.pairs.reference_values import Exact

_RULES = (pure_charge, zcdp_charge, gdp_charge, renyi_charge.at(2.0), renyi_charge.at(128.0))
#: How many runs ask at once, and the parameters with which they ask.
_RUNS = (1, 2, 5)
_ASKED = np.array([0.5, 0.0625, 0.75, 0.3, 0.9])
#: Menus of members of one per run and of shared ones; of all in the last the epsilon and the delta are known by name.
_MENUS = (
    PairPerRun((Gaussian(np.array([1.0, 2.0, 3.0])), Gaussian(0.5), Laplace(2.0)), np.array([2, 0, 1])),
    PairPerRun((Gaussian(1.0), Erasure(0.25)), np.array([0, 1])),
    PairPerRun(
        (Erasure(0.5), KOV(0.25, 0.125), Laplace(4.0), RandomizedResponse(0.5)),
        np.array([0, 1, 2, 3, 1, 0, 2]),
    ),
)


def batch_consistency() -> Iterator[Comparison]:
    """Arrays of one, two and five runs, and selections."""
    for family, asked in FAMILIES.items():
        for n in _RUNS:
            yield from as_alone(family, asked.make(_ASKED[:n]), n)
    for menu in _MENUS:
        yield from as_alone("one of a menu", menu, len(menu.index))
    yield from _granted()


def _charged(pair: DominatingPair, n: int) -> dict[str, list[Exact]]:
    """What each of n runs is charged, by the names of what charges it."""
    found = {repr(rule): exact_charges(rule(pair), n) for rule in _RULES}
    for name, charge in zip(("rho beside xi", "xi"), approximate_zcdp_charge(pair), strict=True):
        found[name] = exact_charges(charge, n)
    for level in (None, 0.5):
        for name, charged in zip(("epsilon", "delta"), approximate_charge(pair, level), strict=True):
            found[f"the {name} at {level}"] = np.broadcast_to(charged, n).tolist()
    return found


def as_alone(says: str, pair: DominatingPair, n: int) -> Iterator[Comparison]:
    """How many of n runs are charged otherwise than each alone, by every rule."""
    runs = [pair.of_run(run) for run in range(n)]
    # of many one member
    alone = {key: _charged(one, 1) for key, one in {id(one): one for one in runs}.items()}
    for name, charged in _charged(pair, n).items():
        wrong = sum(
            not _is_equal(due, alone[id(one)][name][0]) for due, one in zip(charged, runs, strict=True)
        )
        claim = f"how many of {n} runs that ask for {says} {name} charges otherwise than one alone"
        yield Comparisons("RDP filter").equal(claim, wrong, 0)


def _is_equal(one: Exact, other: Exact) -> bool:
    # where a charge is integrated, doubles of an array may be rounded otherwise than one alone
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return abs(one - other) <= Fraction(1, 2**38) * abs(other)
    return one == other


def _granted() -> Iterator[Comparison]:
    """An erasure of half of the outputs has no finite epsilon, and a small delta does not cover it."""
    pair = PairPerRun((Erasure(0.5), RandomizedResponse(2.0**-10)), np.array([0, 0, 1]))
    for filt in (BasicFilter(1.0, 1e-3), ApproximateZCDPFilter(0.5, 1e-3)):
        granted = int(np.count_nonzero(filt.step(filt.start(3), pair)[0][:2]))
        of = Comparisons("basic composition", repr(filt))
        yield of.equal("how many of two Erasure(p=0.5) beside another are granted", granted, 0)
