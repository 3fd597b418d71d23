"""Certify: run a filter, a holder or a pair's charges, and hold its numbers at named points against their theorems.

>>> import filterproof as fp
>>> found = fp.certify(fp.ApproximateDPFilter(1.0, 1e-5))
>>> found.holds, found.theorems
(True, ('CKS',))
>>> fp.certify(fp.NaturalFilter.from_ratio).holds
Traceback (most recent call last):
    ...
TypeError: thing must be a filter, a holder, a tracker, an odometer or a pair, got a method; pass ZCDPFilter(0.5), say
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np

from filters.accounting.charge_rules import gdp_charge, pure_charge, renyi_charge, zcdp_charge
from filters.catalogue import (
    BlackwellFilter,
    ExPostFilter,
    GaussianResidueFilter,
    HockeyStickFilter,
    PotentialFilter,
    RealisationFilter,
    SomeOrderMarkovFilter,
)
from filters.certified.blackwell import blackwell
from filters.certified.certified_numbers import CertifiedNumbers
from filters.certified.decisions import decisions
from filters.certified.holders import clipped_sums, individual, linear_queries, tracker
from filters.certified.laws import law_of
from filters.certified.observed import added, turned_out
from filters.certified.odometers import odometer
from filters.certified.pairs import charges, pair_numbers
from filters.certified.potential import potential
from filters.certified.promised import budget_of, parameters
from filters.certified.realised import realisation
from filters.certified.residue import residue
from filters.certified.running_number import Claims, RunningNumber
from filters.certified.some_order import payments
from filters.certified.two_doubles import amounts
from filters.contract.checks import checked_filter
from filters.contract.filter_base import FilterBase
from filters.contract.library import of_the_library
from filters.holders.clipped_sums import ClippedSums
from filters.holders.individual import IndividualFilter
from filters.holders.linear_queries import LinearQueries
from filters.holders.odometers import Odometer, RogersOdometer
from filters.holders.trackers import IndividualTracker, Tracker
from filters.rules.additive import AdditiveFilter
from filters.rules.blocks import BlockFilter
from theory.pairs import DominatingPair, is_ours

__all__ = ["certify"]

Thing = (
    FilterBase
    | Tracker
    | Odometer
    | RogersOdometer
    | IndividualFilter
    | IndividualTracker
    | LinearQueries
    | ClippedSums
    | DominatingPair
)


def certify(thing: Thing) -> CertifiedNumbers:
    """The numbers that a filter, tracker, odometer, holder or pair runs with, each held against its theorem.

    A filter is run: the largest requests that it admits are found by bisection over the doubles, from a fresh state
    and from others, and the theorem's own formula at exactly those doubles must allow them, in balls or fractions, and
    hardly anything more. A pair's charges by every rule must be at least its true values. What is not covered is named,
    with the reason: unsound filters, charges that are functions of one's own, pairs that are not the library's.
    The decisions of other requests than those named are not looked at. `thing` itself is not charged.
    Raises TypeError for anything else.
    """
    if isinstance(thing, DominatingPair):
        return _pair(thing)
    if isinstance(thing, FilterBase):
        checked_filter(thing)
    name = _name(thing)
    match thing:
        case FilterBase():
            return _filter(thing, name)
        case Tracker():
            numbers = tracker(thing, name)
        case IndividualTracker():
            numbers = tracker(thing.tracker, name)
        case Odometer() | RogersOdometer():
            numbers = odometer(thing, name)
        case IndividualFilter():
            whole = _filter(thing.filter, repr(thing.filter))
            own = CertifiedNumbers.of(name, individual(thing, name))
            return CertifiedNumbers(
                name, (*own.numbers, *whole.numbers), (*whole.uncovered, *_own_code(thing))
            )
        case LinearQueries():
            numbers = linear_queries(thing, name)
        case ClippedSums():
            numbers = clipped_sums(thing, name)
        case _:
            raise TypeError(
                "thing must be a filter, a holder, a tracker, an odometer or a pair, "
                f"got a {type(thing).__name__}; pass ZCDPFilter(0.5), say"
            )
    return CertifiedNumbers.of(name, numbers, _own_code(thing))


def _own_code(thing: object) -> list[str]:
    """What a class that is not the library's brings in the place of the library's code, of which nothing is known."""
    order = type(thing).__mro__
    ours = [kind for kind in order if of_the_library(kind)]
    return [
        f"{kind.__name__} has a {name} of its own: what it decides of other requests than those named is not known"
        for kind in order[: order.index(ours[0])]
        for name, held in vars(kind).items()
        if hasattr(held, "__get__")
        and (name in ("__getattribute__", "__getattr__") or (name[:2] != "__" and hasattr(ours[0], name)))
    ]


def _name(thing: object) -> str:
    match thing:
        case IndividualFilter():
            return f"IndividualFilter({thing.filter!r})"
        case IndividualTracker():
            return f"IndividualTracker({thing.tracker!r})"
        case LinearQueries():
            return f"LinearQueries(norm_budget={thing.norm_budget!r}, kappa={thing.kappa!r})"
        case ClippedSums():
            return f"ClippedSums({thing.people.filter!r}, clip={thing.clip!r})"
    return repr(thing)


def _filter(filt: FilterBase, name: str) -> CertifiedNumbers:
    if filt.sound is False:
        reason = f"{type(filt).__name__} is kept as a counterexample: no number of it is certified"
        return CertifiedNumbers(name, (), (reason,))
    notes = _own_code(filt)
    if filt.sound is None:
        notes.append(
            f"{type(filt).__name__} is undecided: its numbers are those of its own rule, from which nothing that is "
            "proved gives its promise"
        )
    numbers: Iterable[RunningNumber]
    match filt:
        case BlackwellFilter():
            numbers = blackwell(filt, name)
            notes.append("pairs of the menu after the first randomised response are not played")
        case RealisationFilter():
            numbers = chain(realisation(filt, name), parameters(filt, name, "realisation filter"))
        case PotentialFilter():
            numbers = chain(potential(filt, name), parameters(filt, name, "potential filter"))
            notes.append("pairs that are not of the design are charged by the same inequality, in doubles")
        case GaussianResidueFilter():
            numbers = chain(residue(filt, name), parameters(filt, name, "GDP residue filter"))
            notes.append("randomised responses of other epsilons are charged by the same function")
        case HockeyStickFilter():
            numbers = chain(added(filt, name), parameters(filt, name, "hockey-stick filter"))
            notes.append("other pairs and losses are charged by the same function, in doubles")
        case BlockFilter():
            numbers = tracker(filt.tracker, name)
        case _:
            law = law_of(filt)
            if law is None:
                return CertifiedNumbers(
                    name, (), (*notes, f"no theorem here says what {type(filt).__name__} may admit")
                )
            own = budget_of(filt, name) if isinstance(filt, AdditiveFilter) else iter(())
            numbers = chain(parameters(filt, name, law.theorem), own, decisions(filt, law, name))
            if isinstance(filt, ExPostFilter):
                numbers = chain(numbers, turned_out(filt, name))
            if isinstance(filt, SomeOrderMarkovFilter):
                numbers = chain(numbers, payments(filt, name))
    return CertifiedNumbers.of(name, numbers, notes)


def _pair(pair: DominatingPair) -> CertifiedNumbers:
    name = repr(pair)
    members = pair.members
    numbers: list[RunningNumber] = []
    uncovered: list[str] = []
    for member in members:
        if not is_ours(member):
            uncovered.append(
                f"{type(member).__name__} is not a pair of the library: what is true of it is not known"
            )
        elif member.shape != ():
            uncovered.append(
                f"{type(member).__name__} of shape {member.shape} is many pairs; certify one at a time"
            )
        else:
            numbers += [*charges(member), *pair_numbers(member)]
    if pair.choice is not None and not uncovered:
        numbers += _selected(pair)
    return CertifiedNumbers.of(name, numbers, uncovered)


def _selected(pair: DominatingPair) -> Iterator[RunningNumber]:
    """How many runs of a selection are charged otherwise than the member that they ask for."""

    index, members = np.asarray(pair.choice), pair.members
    n = len(index)
    for rule in (pure_charge, zcdp_charge, gdp_charge, renyi_charge.at(2.0)):
        own = [amounts(rule(one), n) for one in members]
        wrong = sum(
            due != own[place][run]
            for run, (due, place) in enumerate(zip(amounts(rule(pair), n), index, strict=True))
        )
        yield Claims("RDP filter").near(
            f"{n} runs of a selection that {rule!r} charges otherwise than the member", wrong, 0
        )
