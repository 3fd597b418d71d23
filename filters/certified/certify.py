"""Runs a filter, an accountant or a pair's charges, and compares the numbers at named points with the theorems.

>>> import filterproof as fp
>>> result = fp.certify(fp.ApproximateDPFilter(1.0, 1e-5))
>>> result.holds, result.theorems
(True, ('CKS',))
>>> fp.certify(fp.NonadaptiveCompositionFilter.from_ratio).holds
Traceback (most recent call last):
    ...
TypeError: thing must be a filter, an accountant, a tracker, an odometer or a pair, got a method; pass e.g. a ZCDPFilter
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial, singledispatch
from itertools import chain
from typing import Any

from filterproof.filters.accountants.clipped_sums import ClippedSums
from filterproof.filters.accountants.individual import IndividualFilter
from filterproof.filters.accountants.linear_queries import LinearQueries
from filterproof.filters.accountants.odometers import (
    DoublingOdometer,
    LineOdometer,
    MixtureOdometer,
    Odometer,
    RogersOdometer,
    StitchedOdometer,
)
from filterproof.filters.accountants.trackers import GaussianTracker, IndividualTracker, RenyiTracker, Tracker
from filterproof.filters.catalogue import (
    CATALOGUE,
    BlackwellFilter,
    ExPostFilter,
    GaussianFilter,
    GaussianResidueFilter,
    HockeyStickFilter,
    PotentialFilter,
    RealisationFilter,
    SomeOrderMarkovFilter,
)
from filterproof.filters.certified.accountant_comparisons import (
    clipped_sums_comparisons,
    individual_comparisons,
    linear_queries_comparisons,
    tracker_comparisons,
)
from filterproof.filters.certified.admission_conditions import condition_of
from filterproof.filters.certified.blackwell_checks import blackwell_comparisons
from filterproof.filters.certified.certified_numbers import CertifiedNumbers
from filterproof.filters.certified.comparison import Comparison, Comparisons
from filterproof.filters.certified.decisions import decision_boundaries
from filterproof.filters.certified.gaussian_residue_checks import residue_comparisons
from filterproof.filters.certified.guarantee_checks import filter_budget_comparison, promise_comparisons
from filterproof.filters.certified.odometer_checks import odometer_comparisons
from filterproof.filters.certified.pair_checks import charge_comparisons, pair_distribution_comparisons
from filterproof.filters.certified.potential_checks import potential_comparisons
from filterproof.filters.certified.realisation_checks import realisation_comparisons
from filterproof.filters.certified.realised_loss_checks import (
    ex_post_comparisons,
    hockey_stick_filter_comparisons,
)
from filterproof.filters.certified.some_order_checks import some_order_comparisons
from filterproof.filters.contract.contract_checks import checked_filter
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.filters.contract.library import (
    consists_of_library_values,
    instance_attributes,
    is_library_class,
)
from filterproof.filters.rules.additive import AdditiveFilter
from filterproof.filters.rules.tracker_limit import TrackerLimitFilter
from filterproof.theory.pairs import DominatingPair, example_pairs, is_ours

CertifiableObject = (
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
def certify(thing: CertifiableObject) -> CertifiedNumbers:
    """Compare the numbers that an object computes with their theorems, in ball arithmetic or fractions.

    Parameters
    ----------
    thing : filter, tracker, odometer, individual accountant, LinearQueries, ClippedSums or DominatingPair
        The object. It is not charged.

    Returns
    -------
    CertifiedNumbers

    Raises
    ------
    TypeError
        For any other object.

    Notes
    -----
    For a filter, bisection over the doubles finds the largest requests that it admits, from a fresh state and from
    others. The formula of the theorem at the same doubles must allow these requests, and hardly anything more. For a
    pair, every charge must be at least the true value. Decisions on other requests are not covered. The result names
    what is not covered: unsound filters, charges by a user's functions, and a user's own pairs.
    """
    raise TypeError(
        "thing must be a filter, an accountant, a tracker, an odometer or a pair, "
        f"got a {type(thing).__name__}; pass e.g. a ZCDPFilter"
    )


def _certified_accountant(
    thing: object, name_format: str, comparisons: Callable[[Any, str], Iterable[Comparison]]
) -> CertifiedNumbers:
    name = name_format.format(thing)
    return CertifiedNumbers.of(name, comparisons(thing, name), _user_code(thing))


#: The classes of accountants, the format of their names, and the comparisons of their numbers.
_COMPARISONS_BY_ACCOUNTANT: tuple[tuple[type, str, Callable[[Any, str], Iterable[Comparison]]], ...] = (
    (Tracker, "{!r}", tracker_comparisons),
    (Odometer, "{!r}", odometer_comparisons),
    (RogersOdometer, "{!r}", odometer_comparisons),
    (
        *(IndividualTracker, "IndividualTracker({0.tracker!r})"),
        lambda people, name: tracker_comparisons(people.tracker, name),
    ),
    (
        *(LinearQueries, "LinearQueries(norm_budget={0.norm_budget!r}, kappa={0.kappa!r})"),
        linear_queries_comparisons,
    ),
    (ClippedSums, "ClippedSums({0.people.filter!r}, clip={0.clip!r})", clipped_sums_comparisons),
)
for _kind, _format, _comparisons in _COMPARISONS_BY_ACCOUNTANT:
    certify.register(_kind)(partial(_certified_accountant, name_format=_format, comparisons=_comparisons))


@certify.register(IndividualFilter)
def _(thing: IndividualFilter) -> CertifiedNumbers:
    numbers = _certified_accountant(thing, "IndividualFilter({0.filter!r})", individual_comparisons)
    filter_numbers = certify(thing.filter)
    uncovered = dict.fromkeys(filter_numbers.uncovered + numbers.uncovered)
    return CertifiedNumbers(numbers.subject, numbers.numbers + filter_numbers.numbers, tuple(uncovered))


#: What a filter's decisions are made of, beside methods.
_TERMS = ("promise", "budget", "charge", "conversion")
#: What accountants decide by.
_VERIFIED_KINDS = FilterBase | Tracker | IndividualFilter


def _user_code(thing: object) -> list[str]:
    """Return the overriding user's code in an object or its parts."""
    order = type(thing).__mro__
    ours = [kind for kind in order if is_library_class(kind)]
    places = [(kind.__name__, vars(kind)) for kind in order[: order.index(ours[0])]]
    objections = [
        f"{of} has its own {name}: its decisions on other requests than the named ones are not known"
        for of, attributes in (*places, (type(thing).__name__, instance_attributes(thing)))
        for name, value in attributes.items()
        if (
            name in _TERMS
            or ((hasattr(value, "__get__") or callable(value)) and _is_used_by_library(ours[0], name))
        )
        and not consists_of_library_values(value)
    ]
    inner_parts = (
        value for value in instance_attributes(thing).values() if isinstance(value, _VERIFIED_KINDS)
    )
    return list(dict.fromkeys(chain(objections, *map(_user_code, inner_parts))))


def _is_used_by_library(kind: type, name: str) -> bool:
    """Whether the library's code uses this name of the class."""
    return name in ("__getattribute__", "__getattr__") or (name[:2] != "__" and hasattr(kind, name))


@certify.register(FilterBase)
def _(filt: FilterBase) -> CertifiedNumbers:
    checked_filter(filt)
    name, kind = repr(filt), type(filt).__name__
    if filt.sound is False:
        return CertifiedNumbers(name, (), (f"{kind} is a counterexample: none of its numbers is certified",))
    notes = _user_code(filt)
    if filt.sound is None:
        notes.append(
            f"{kind} is undecided: its numbers follow its own rule, and no theorem here "
            "derives its guarantee from it"
        )
    numbers, more = _filter_comparisons(filt, name)
    return CertifiedNumbers.of(name, numbers, (*notes, *more))


#: The numbers of a rule without an admission condition, the theorem of its guarantee, and what is not covered.
_COMPARISONS_BY_CLASS: Mapping[type, tuple[Callable[[Any, str], Iterable[Comparison]], str, str]] = {
    BlackwellFilter: (
        blackwell_comparisons,
        "",
        "mixtures of pairs of the menu, and those after the fourth, are not played",
    ),
    RealisationFilter: (realisation_comparisons, "realisation filter", ""),
    PotentialFilter: (
        potential_comparisons,
        "potential filter",
        "pairs that are not of the design are charged by the same inequality, in doubles",
    ),
    GaussianResidueFilter: (
        residue_comparisons,
        "GDP residue filter",
        "randomised responses of other epsilons are charged by the same function",
    ),
    HockeyStickFilter: (
        hockey_stick_filter_comparisons,
        "hockey-stick filter",
        "other pairs and losses are charged by the same function, in doubles",
    ),
    TrackerLimitFilter: (lambda filt, name: tracker_comparisons(filt.tracker, name), "", ""),
}


def _filter_comparisons(filt: FilterBase, name: str) -> tuple[Iterable[Comparison], tuple[str, ...]]:
    """Return the numbers of a filter and what is not covered: by its class, or by its admission condition."""
    for kind in type(filt).__mro__:
        if kind in _COMPARISONS_BY_CLASS:
            numbers, theorem, note = _COMPARISONS_BY_CLASS[kind]
            promised = promise_comparisons(filt, name, theorem) if theorem else ()
            return chain(numbers(filt, name), promised), (note,) if note else ()
    condition = condition_of(filt)
    if condition is None:
        return (), (f"no theorem here states what {type(filt).__name__} may admit",)
    comparisons = [
        promise_comparisons(filt, name, condition.theorem),
        decision_boundaries(filt, condition, name),
    ]
    if isinstance(filt, AdditiveFilter):
        comparisons.insert(1, filter_budget_comparison(filt, name))
    if isinstance(filt, ExPostFilter):
        comparisons.append(ex_post_comparisons(filt, name))
    if isinstance(filt, SomeOrderMarkovFilter):
        comparisons.append(some_order_comparisons(filt, name))
    return chain(*comparisons), ()


@certify.register(DominatingPair)
def _(pair: DominatingPair) -> CertifiedNumbers:
    numbers: list[Comparison] = []
    uncovered: list[str] = []
    for member in pair.members:
        kind = type(member).__name__
        if not is_ours(member):
            uncovered.append(f"{kind} is not a pair of the library: its true values are not known")
        elif member.shape != ():
            uncovered.append(f"{kind} of shape {member.shape} is many pairs; certify one at a time")
        else:
            numbers += [*charge_comparisons(member), *pair_distribution_comparisons(member)]
    return CertifiedNumbers.of(repr(pair), numbers, uncovered)


#: What `filterproof prove` certifies without an argument, beside the catalogue's examples and the pairs.
_ACCOUNTANTS: tuple[Callable[[], CertifiableObject], ...] = (
    lambda: GaussianTracker(0.5),
    lambda: RenyiTracker(2.0, 0.1),
    lambda: IndividualTracker(RenyiTracker(2.0, 0.25), 1),
    lambda: TrackerLimitFilter(GaussianTracker(0.3), 4),
    lambda: LineOdometer(1e-5, 1.0),
    lambda: MixtureOdometer(1e-5, 1.0, 1e-6),
    lambda: StitchedOdometer(1e-5, 0.1),
    lambda: DoublingOdometer(1e-5, 0.1, 1e-3),
    lambda: RogersOdometer(1e-5, 1000),
    lambda: IndividualFilter(GaussianFilter(1.0), 2),
    lambda: LinearQueries(1, norm_budget=5.0, kappa=1.0),
    lambda: ClippedSums(IndividualFilter(GaussianFilter(1.0), 3), clip=3.0, sigma=4.0),
)


def certify_or_fail(thing: CertifiableObject) -> CertifiedNumbers:
    """Return `certify` of an object; if no number has a theorem, a comparison that fails."""
    numbers = certify(thing)
    if numbers.numbers or getattr(thing, "sound", True) is False:
        return numbers
    none = Comparisons("RDP filter").at_least(f"{numbers.subject}: number of numbers with a theorem", 0, 1)
    return CertifiedNumbers.of(numbers.subject, [none], numbers.uncovered)


def certified_examples() -> Iterator[CertifiableObject]:
    """Yield one example of each filter of the catalogue, of each pair and of each accountant."""
    for entry in CATALOGUE.values():
        yield entry.example()
    yield from example_pairs()
    for make in _ACCOUNTANTS:
        yield make()
