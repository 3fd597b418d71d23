"""What `filterproof prove` certifies without an argument: the catalogue's examples, pairs and accountants."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from filterproof.filters.accountants.clipped_sums import ClippedSums
from filterproof.filters.accountants.individual import IndividualFilter
from filterproof.filters.accountants.linear_queries import LinearQueries
from filterproof.filters.accountants.odometers import (
    DoublingOdometer,
    LineOdometer,
    MixtureOdometer,
    RogersOdometer,
    StitchedOdometer,
)
from filterproof.filters.accountants.trackers import GaussianTracker, IndividualTracker, RenyiTracker
from filterproof.filters.catalogue import CATALOGUE, GaussianFilter
from filterproof.filters.certified.certified_numbers import CertifiedNumbers
from filterproof.filters.certified.certify import CertifiableObject, certify
from filterproof.filters.certified.comparison import Comparisons
from filterproof.filters.rules.tracker_limit import TrackerLimitFilter
from filterproof.theory.pairs import example_pairs

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
