"""The charges of pairs by every charge rule, and their loss distributions, compared with true values in balls.

>>> from filterproof.filters.certified.certified_numbers import CertifiedNumbers
>>> from filterproof.theory.pairs import Laplace
>>> result = CertifiedNumbers.of("Laplace(30)", charge_comparisons(Laplace(30.0)))
>>> result.holds
True
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial, reduce

from flint import arb

from filterproof.filters.accounting.approximate_charges import (
    approximate_charge,
    approximate_zcdp_charge,
    upper_quantile,
)
from filterproof.filters.accounting.charge_kinds import Charge
from filterproof.filters.accounting.charge_rules import gdp_charge, pure_charge, renyi_charge, zcdp_charge
from filterproof.filters.certified.comparison import CLOSE, Comparison, Comparisons
from filterproof.filters.certified.double_double import exact_charges
from filterproof.theory.drift import mean_loss_upper_bound
from filterproof.theory.pairs import DominatingPair, normal_distribution
from filterproof.theory.pairs.reference_values import Exact, ReferenceValue, ball_of

#: The allowed excess of a charge above the true value, relative.
SLACK = 2.0**-44
#: Exponents from which their rounding is charged, and the largest relative loss by them.
_ROUNDED, _LARGEST = 48.0, 1500.0
_ORDERS = (1.0, 1.0000152587890625, 1.5, 2.0, 8.0, 16.0, 64.0, 128.0)
_INTEGRATED = (1.0, 1.5, 8.0)
#: An order at which the terms of a sampled Gaussian's moment exceed the doubles but its logarithm may be tiny.
_HIGH = 128.0
#: The excess of a sampled Gaussian's divergence of order a is at most a (1 + |log q| + 1/sigma^2) of these.
_SAMPLED = 2.0**-45
#: Orders at which the zCDP charge is compared with divergences. A sup over all orders needs a theorem, not a grid.
_GRID = (1.5, 3.0)
#: Epsilons, in units of mu, at which the GDP charge is compared with hockey-stick divergences, for moderate mu.
_UNITS = (0.0, 0.25, 1.0, 3.0)
_MODERATE = (2.0**-10, 30.0)
_TAILS = (1e-9, 1e-3, 0.13, 0.61)
#: The levels, losses, tails and orders at which a pair is evaluated.
_LEVELS = (-2.0, -0.125, 0.01, 0.6, 2.9)
_LOSSES = (-0.9, 0.013, 0.7)
_QUANTILES = (1e-7, 0.02, 0.37, 0.77)
_DIVERGENCES = (1.0, 1.5, 3.0, 100.0)


def charge_comparisons(pair: DominatingPair) -> Iterator[Comparison]:
    """Yield comparisons of every charge of a library pair with its true value."""
    yield from _pure_charge_comparisons(pair)
    yield from _zcdp_charge_comparisons(pair)
    yield from _gdp_charge_comparisons(pair)
    yield from _renyi_charge_comparisons(pair)
    yield from _approximate_charge_comparisons(pair)
    for direction in _directions(pair):
        for tail in _TAILS:
            value, truth = float(upper_quantile(direction, tail)), direction.reference_values.loss_isf(tail)
            of, says = (
                Comparisons("realisation filter", repr(direction)),
                f"upper {tail:g}-quantile of the loss",
            )
            yield of.near_truth(says, value, truth, slack=2.0**-44, least=2.0**-50)


def _room(slack: float = SLACK) -> dict[str, float]:
    """Return the allowed excess of a charge: relative, and in units of one for squares that underflow."""
    return {"slack": slack, "least": 2.0**-950}


def _exact_charge(charge: Charge) -> Exact:
    return exact_charges(charge)[0]


def _pure_charge_comparisons(pair: DominatingPair) -> Iterator[Comparison]:
    truth, of = pair.reference_values.pure_epsilon, Comparisons("basic composition", repr(pair))
    epsilon, delta = (float(value) for value in approximate_charge(pair, None))
    yield of.at_least("pure charge", _exact_charge(pure_charge(pair)), truth, **_room())
    if pair.reference_values.kov_parameters is None:
        yield of.at_least("epsilon, its delta 0", epsilon, truth, **_room())
        yield of.near_truth("delta beside its epsilon", delta, 0)
    if truth.formula is not None and epsilon < 700:
        of, value = Comparisons("Rogers filter", repr(pair)), float(mean_loss_upper_bound(epsilon))
        yield of.at_least("drift", value, "e*(exp(e) - 1)/2", slack=SLACK, least=2.0**-1040, e=epsilon)


def _zcdp_charge_comparisons(pair: DominatingPair) -> Iterator[Comparison]:
    charge, reference_values = _exact_charge(zcdp_charge(pair)), pair.reference_values
    of = Comparisons(reference_values.zcdp_theorem, repr(pair))
    room = _room(reference_values.zcdp_slack)
    yield of.at_least("zCDP charge", charge, reference_values.zcdp_rho, **room)
    if isinstance(charge, Fraction) and not _is_gaussian(pair) and (charge > 2.0**-100 or charge == 0):
        says = f"zCDP charge times the order, at orders {', '.join(map(str, _GRID))} both ways"
        of = Comparisons("Rényi divergences", repr(pair))
        both = [(a, direction.reference_values.renyi(a)) for direction in _directions(pair) for a in _GRID]
        largest = lambda: reduce(arb.max, (truth.ball() / ball_of(a) for a, truth in both))  # noqa: E731
        yield of.at_least(says, charge, largest, slack=None)


def _is_gaussian(pair: DominatingPair) -> bool:
    """Whether the pair is Gaussian(mu) itself, so that nothing has to dominate it."""
    return pair.normal_mu is not None or (
        pair.subsampled_gaussian_parameters is not None and pair.subsampled_gaussian_parameters[0] == 1
    )


def _directions(pair: DominatingPair) -> tuple[DominatingPair, ...]:
    return (pair,) if pair.swapped is pair else (pair, pair.swapped)


def _gdp_charge_comparisons(pair: DominatingPair) -> Iterator[Comparison]:
    charge, mu, reference_values = _exact_charge(gdp_charge(pair)), float(pair.gdp_mu), pair.reference_values
    of = Comparisons("GDP filter", repr(pair))
    yield of.at_least("GDP charge", charge, reference_values.gdp_mu.squared(), **_room())
    if isinstance(charge, Fraction) and _MODERATE[0] < mu < _MODERATE[1] and not _is_gaussian(pair):
        at = ", ".join(f"{unit * mu:.4g}" for unit in _UNITS)
        of, margin = Comparisons("Gaussian hockey-stick", repr(pair)), partial(_domination_margin, pair, mu)
        says = f"GDP charge dominates both ways at epsilon {at}"
        yield of.by_margin(says, charge, ">=", margin, slack=None)


def _domination_margin(pair: DominatingPair, unit: float, square: arb) -> arb:
    """Return the smallest difference of Gaussian(sqrt(square)) and the pair over the grid of epsilons."""
    mu = square.sqrt()
    gaps = (
        normal_distribution.hockey_stick(mu, ball_of(share * unit))
        - direction.reference_values.hockey_stick(share * unit).ball()
        for direction in _directions(pair)
        for share in _UNITS
    )
    return reduce(arb.min, gaps)


def _renyi_charge_comparisons(pair: DominatingPair) -> Iterator[Comparison]:
    for order in _INTEGRATED if pair.reference_values.integrated else _ORDERS:
        yield _renyi_charge_comparison(pair, order, _larger_true_value(pair, "renyi", order))
    if pair.subsampled_gaussian_parameters is not None:
        yield subsampled_gaussian_comparison(pair, _HIGH)


def _renyi_charge_comparison(pair: DominatingPair, order: float, truth: ReferenceValue) -> Comparison:
    says, value = f"Rényi charge of order {order:.6g}", _exact_charge(renyi_charge(pair, order))
    # the possible rounding loss of large exponents is charged as well
    exponent = max(order - 1, 1.0) * float(pair.pure_epsilon)
    slack = SLACK + (min(exponent, _LARGEST) * 2.0**-50 if _ROUNDED < exponent < math.inf else 0.0)
    if (sampled := pair.subsampled_gaussian_parameters) is not None:
        q, sigma = float(sampled[0]), float(sampled[1])
        slack += order * (1 - math.log(q) + 1 / (sigma * sigma)) * _SAMPLED
    return Comparisons("RDP filter", repr(pair)).at_least(says, value, truth, **_room(slack))


def subsampled_gaussian_comparison(pair: DominatingPair, order: float) -> Comparison:
    """Return the comparison of a sampled Gaussian's Rényi charge at an integer order, for removal."""
    removal = next(way for way in _directions(pair) if way.subsampled_gaussian_parameters[2] == "removal")  # type: ignore[index]
    return _renyi_charge_comparison(pair, order, removal.reference_values.renyi(order))


def _larger_true_value(pair: DominatingPair, method: str, at: float) -> ReferenceValue:
    """Return the larger true value of both directions; infinite if one is."""
    reference_values: tuple[ReferenceValue, ...] = tuple(
        getattr(direction.reference_values, method)(at) for direction in _directions(pair)
    )
    endless = [truth for truth in reference_values if truth.formula is None]
    if endless or (len(reference_values) == 1 and method == "renyi"):
        return (endless or reference_values)[0]
    return ReferenceValue(lambda: reduce(arb.max, (truth.ball() for truth in reference_values)))


def _approximate_charge_comparisons(pair: DominatingPair) -> Iterator[Comparison]:
    basic, zcdp = (
        Comparisons(theorem, repr(pair)) for theorem in ("basic composition", "approximate zCDP filter")
    )
    declared = [float(value) for value in approximate_charge(pair, 0.5)]
    rho, xi = map(_exact_charge, approximate_zcdp_charge(pair))
    reference_values = pair.reference_values
    if (own := reference_values.kov_parameters) is not None:
        for word, value, truth in zip(("epsilon", "delta"), declared, own, strict=True):
            yield basic.at_least(f"its own {word}", value, truth, slack=0)
        yield zcdp.at_least("rho beside xi", rho, own[0] ** 2 / 2, **_room())
        yield zcdp.at_least("xi", xi, own[1], **_room(0.0))
        return
    room = _room(reference_values.zcdp_slack)
    yield zcdp.at_least("rho beside xi = 0", rho, reference_values.zcdp_rho, **room)
    yield zcdp.near_truth("xi", xi, 0)
    if reference_values.pure_epsilon.formula is None:
        yield basic.at_least("the epsilon at which it is charged", declared[0], Fraction(1, 2), slack=0)
        larger, room = (
            _larger_true_value(pair, "hockey_stick", 0.5),
            _room(reference_values.hockey_stick_slack),
        )
        yield basic.at_least("its delta at epsilon 0.5", declared[1], larger, **room)


def pair_distribution_comparisons(pair: DominatingPair) -> Iterator[Comparison]:
    """Yield comparisons of a library pair's divergences, loss distribution and quantiles."""
    reference_values = pair.reference_values
    orders = (1.0, 3.0) if reference_values.integrated else _DIVERGENCES
    yield from _rational_mass_comparisons(pair)
    for attribute, theorem, share in (
        ("pure_epsilon", "basic composition", SLACK),
        ("zcdp_rho", reference_values.zcdp_theorem, reference_values.zcdp_slack),
        ("gdp_mu", "GDP filter", SLACK),
    ):
        value, truth = float(getattr(pair, attribute)), getattr(reference_values, attribute)
        says = f"{pair!r}: {attribute} as it is declared"
        yield Comparisons(theorem).at_least(says, value, truth, **_room(share))
    for theorem, says, method, points in (
        ("Gaussian hockey-stick", "hockey-stick at {}", "hockey_stick", _LEVELS),
        ("realisation filter", "P(L <= {})", "loss_cdf", _LOSSES),
        ("realisation filter", "{}-quantile", "loss_isf", _QUANTILES),
        ("Rényi divergences", "divergence of order {}", "renyi", orders),
    ):
        for at in points:
            value, truth = float(getattr(pair, method)(at)), getattr(reference_values, method)(at)
            yield Comparisons(theorem).near_truth(
                f"{pair!r}: {says.format(at)}", value, truth, slack=CLOSE, least=2.0**-900
            )


def _rational_mass_comparisons(pair: DominatingPair) -> Iterator[Comparison]:
    """Yield comparisons of a pair's rational masses with its definition."""
    rows = pair.reference_values.rational_masses
    if rows is None:
        return
    masses = pair.exact_masses
    assert masses is not None
    for place, (row, both) in enumerate(zip(rows, zip(masses.p, masses.q, strict=True), strict=True)):
        for word, value, truth in zip("PQ", both, row, strict=True):
            yield Comparisons("basic composition").equal(f"{pair!r}: mass {place} of {word}", value, truth)
