"""What a single pair says of its loss in doubles, held against its true values in balls.

>>> from filters.certified.certified_numbers import CertifiedNumbers
>>> from theory.pairs import Gaussian
>>> CertifiedNumbers.of("Gaussian(1)", pair_numbers(Gaussian(1.0))).holds
True
"""

from __future__ import annotations

from collections.abc import Iterator

from filters.certified.closed_form import CLOSE
from filters.certified.running_number import Claims, RunningNumber
from theory.pairs import DominatingPair

__all__ = ["pair_numbers"]

_LEVELS = (-2.0, -0.125, 0.01, 0.6, 2.9)
_LOSSES = (-0.9, 0.013, 0.7)
_TAILS = (1e-7, 0.02, 0.37, 0.77)
_ORDERS = (1.0, 1.5, 3.0, 100.0)


def pair_numbers(pair: DominatingPair) -> Iterator[RunningNumber]:
    """The hockey-stick, the loss's distribution and quantiles, and the divergences of a single pair of the library."""
    truths = pair.truths
    orders = (1.0, 3.0) if truths.integrated else _ORDERS
    yield from _exact_masses(pair)
    for theorem, says, method, points in (
        ("Gaussian hockey-stick", "hockey-stick at {}", "hockey_stick", _LEVELS),
        ("realisation filter", "P(L <= {})", "loss_cdf", _LOSSES),
        ("realisation filter", "{}-quantile", "loss_quantile", _TAILS),
        ("Rényi divergences", "divergence of order {}", "renyi", orders),
    ):
        for at in points:
            value, truth = float(getattr(pair, method)(at)), getattr(truths, method)(at)
            yield Claims(theorem).near(
                f"{pair!r}: {says.format(at)}", value, truth, slack=CLOSE, least=2.0**-900
            )


def _exact_masses(pair: DominatingPair) -> Iterator[RunningNumber]:
    """The rationals of a pair that was made from rationals, against its definition in them."""
    rows = pair.truths.rational_masses
    if rows is None:
        return
    found = pair.exact_masses
    assert found is not None
    for place, (row, both) in enumerate(zip(rows, zip(found.p, found.q, strict=True), strict=True)):
        for word, value, truth in zip("PQ", both, row, strict=True):
            yield Claims("basic composition").equal(f"{pair!r}: mass {place} of {word}", value, truth)
