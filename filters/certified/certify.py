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

from collections.abc import Callable, Iterable
from functools import singledispatch
from itertools import chain
from typing import Any, TypeAlias

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
from filters.certified.pairs import as_alone, charges, pair_numbers
from filters.certified.potential import potential
from filters.certified.promised import budget_of, parameters
from filters.certified.realised import realisation
from filters.certified.residue import residue
from filters.certified.running_number import RunningNumber
from filters.certified.some_order import payments
from filters.contract.checks import checked_filter
from filters.contract.filter_base import FilterBase
from filters.contract.library import attributes, made_of_the_library, of_the_library
from filters.holders.clipped_sums import ClippedSums
from filters.holders.individual import IndividualFilter
from filters.holders.linear_queries import LinearQueries
from filters.holders.odometers import Odometer, RogersOdometer
from filters.holders.trackers import IndividualTracker, Tracker
from filters.rules.additive import AdditiveFilter
from filters.rules.blocks import BlockFilter
from theory.pairs import DominatingPair, is_ours

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


@singledispatch
def certify(thing: Thing) -> CertifiedNumbers:
    """The numbers that a filter, tracker, odometer, holder or pair runs with, each held against its theorem.

    A filter is run: the largest requests that it admits are found by bisection over the doubles, from a fresh state
    and from others, and the theorem's own formula at exactly those doubles must allow them, in balls or fractions, and
    hardly anything more. A pair's charges by every rule must be at least its true values. What is not covered is named,
    with the reason: unsound filters, charges that are functions of one's own, pairs that are not the library's.
    The decisions of other requests than those named are not looked at. `thing` itself is not charged.
    Raises TypeError for anything else.
    """
    raise TypeError(
        "thing must be a filter, a holder, a tracker, an odometer or a pair, "
        f"got a {type(thing).__name__}; pass ZCDPFilter(0.5), say"
    )


@certify.register(Tracker)
def _(thing: Tracker) -> CertifiedNumbers:
    return _of_accountant(thing, repr(thing), tracker)


@certify.register(Odometer)
@certify.register(RogersOdometer)
def _(thing: Odometer | RogersOdometer) -> CertifiedNumbers:
    return _of_accountant(thing, repr(thing), odometer)


@certify.register(IndividualTracker)
def _(thing: IndividualTracker) -> CertifiedNumbers:
    name = f"IndividualTracker({thing.tracker!r})"
    return _of_accountant(thing, name, lambda held, name: tracker(held.tracker, name))


@certify.register(IndividualFilter)
def _(thing: IndividualFilter) -> CertifiedNumbers:
    found = _of_accountant(thing, f"IndividualFilter({thing.filter!r})", individual)
    whole = certify(thing.filter)
    uncovered = dict.fromkeys(whole.uncovered + found.uncovered)
    return CertifiedNumbers(found.subject, found.numbers + whole.numbers, tuple(uncovered))


@certify.register(LinearQueries)
def _(thing: LinearQueries) -> CertifiedNumbers:
    name = f"LinearQueries(norm_budget={thing.norm_budget!r}, kappa={thing.kappa!r})"
    return _of_accountant(thing, name, linear_queries)


@certify.register(ClippedSums)
def _(thing: ClippedSums) -> CertifiedNumbers:
    name = f"ClippedSums({thing.people.filter!r}, clip={thing.clip!r})"
    return _of_accountant(thing, name, clipped_sums)


def _of_accountant(
    thing: Any, name: str, numbers: Callable[[Any, str], Iterable[RunningNumber]]
) -> CertifiedNumbers:
    return CertifiedNumbers.of(name, numbers(thing, name), _own_code(thing))


#: What a filter's decisions are made of, beside methods.
_TERMS = ("promise", "budget", "charge", "conversion")
#: What holders decide by.
_HELD = FilterBase | Tracker | IndividualFilter


def _own_code(thing: object) -> list[str]:
    """What is not the library's in it, or in what it holds, and runs in the place of the library's code."""
    order = type(thing).__mro__
    ours = [kind for kind in order if of_the_library(kind)]
    places = [(kind.__name__, vars(kind)) for kind in order[: order.index(ours[0])]]
    found = [
        f"{of} has a {name} of its own: what it decides of other requests than those named is not known"
        for of, held_there in (*places, (type(thing).__name__, attributes(thing)))
        for name, held in held_there.items()
        if (name in _TERMS or ((hasattr(held, "__get__") or callable(held)) and _is_used(ours[0], name)))
        and not made_of_the_library(held)
    ]
    held_within = (held for held in attributes(thing).values() if isinstance(held, _HELD))
    return list(dict.fromkeys(chain(found, *map(_own_code, held_within))))


def _is_used(kind: type, name: str) -> bool:
    """Whether the library's code asks for it, of its class."""
    return name in ("__getattribute__", "__getattr__") or (name[:2] != "__" and hasattr(kind, name))


@certify.register(FilterBase)
def _(filt: FilterBase) -> CertifiedNumbers:
    checked_filter(filt)
    name, kind = repr(filt), type(filt).__name__
    if filt.sound is False:
        return CertifiedNumbers(
            name, (), (f"{kind} is kept as a counterexample: no number of it is certified",)
        )
    notes = _own_code(filt)
    if filt.sound is None:
        notes.append(
            f"{kind} is undecided: its numbers are those of its own rule, from which nothing that is "
            "proved gives its promise"
        )
    numbers, more = _numbers(filt, name)
    return CertifiedNumbers.of(name, numbers, (*notes, *more))


#: Numbers, and what is not covered.
_Found: TypeAlias = tuple[Iterable[RunningNumber], tuple[str, ...]]


@singledispatch
def _numbers(filt: FilterBase, name: str) -> _Found:
    """The numbers of a filter of that class: of one that adds up charges by its law."""
    law = law_of(filt)
    if law is None:
        return (), (f"no theorem here says what {type(filt).__name__} may admit",)
    found = [parameters(filt, name, law.theorem), decisions(filt, law, name)]
    if isinstance(filt, AdditiveFilter):
        found.insert(1, budget_of(filt, name))
    if isinstance(filt, ExPostFilter):
        found.append(turned_out(filt, name))
    if isinstance(filt, SomeOrderMarkovFilter):
        found.append(payments(filt, name))
    return chain(*found), ()


@_numbers.register
def _(filt: BlackwellFilter, name: str) -> _Found:
    return blackwell(filt, name), (
        "mixtures of pairs of the menu, and those after the fourth, are not played",
    )


@_numbers.register
def _(filt: RealisationFilter, name: str) -> _Found:
    return chain(realisation(filt, name), parameters(filt, name, "realisation filter")), ()


@_numbers.register
def _(filt: PotentialFilter, name: str) -> _Found:
    note = "pairs that are not of the design are charged by the same inequality, in doubles"
    return chain(potential(filt, name), parameters(filt, name, "potential filter")), (note,)


@_numbers.register
def _(filt: GaussianResidueFilter, name: str) -> _Found:
    note = "randomised responses of other epsilons are charged by the same function"
    return chain(residue(filt, name), parameters(filt, name, "GDP residue filter")), (note,)


@_numbers.register
def _(filt: HockeyStickFilter, name: str) -> _Found:
    note = "other pairs and losses are charged by the same function, in doubles"
    return chain(added(filt, name), parameters(filt, name, "hockey-stick filter")), (note,)


@_numbers.register
def _(filt: BlockFilter, name: str) -> _Found:
    return tracker(filt.tracker, name), ()


@certify.register(DominatingPair)
def _(pair: DominatingPair) -> CertifiedNumbers:
    numbers: list[RunningNumber] = []
    uncovered: list[str] = []
    for member in pair.members:
        kind = type(member).__name__
        if not is_ours(member):
            uncovered.append(f"{kind} is not a pair of the library: what is true of it is not known")
        elif member.shape != ():
            uncovered.append(f"{kind} of shape {member.shape} is many pairs; certify one at a time")
        else:
            numbers += [*charges(member), *pair_numbers(member)]
    if pair.choice is not None and not uncovered:
        numbers += as_alone("a selection", pair, len(pair.choice))
    return CertifiedNumbers.of(repr(pair), numbers, uncovered)
