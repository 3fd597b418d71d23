"""Norms of vectors, rationals as doubles and differences of Mills ratios, against their definitions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import numpy as np
from flint import arb

from filterproof.filters.certified.comparison import CLOSE, Comparison, Comparisons
from filterproof.theory.numerics.mills_ratio import mills_drop
from filterproof.theory.numerics.norms import euclidean_norms
from filterproof.theory.numerics.stable import log_fraction, mass_as_double, signed_square_round_up
from filterproof.theory.pairs.reference_values import ball_of
from tests.filters.certified.closed_form import closed_form, grid, in_balls

_CLAIMS = Comparisons("linear queries")
_MASSES = (
    *(Fraction(1, 3), Fraction(5, 2**1076), Fraction(1, 3 * 2**1060)),
    *(Fraction(1, 10**320), Fraction(1, 2**1100)),
)
_RATIOS = (Fraction(3, 2), Fraction(2, 3), 1 + Fraction(1, 2**60), Fraction(10) ** 400, Fraction(1, 10**350))
_CENTRES = (0.0, 0.5, 1.9, 2.0, 2.1, 8.0, 36.0, 1e3)


def numbers() -> Iterator[Comparison]:
    """euclidean_norms, mills_drop, mass_as_double, log_fraction and signed_square_round_up."""
    yield from _norms()
    yield from _mills_drops()
    for mass in _MASSES:
        # below the normal doubles a mass is rounded up: none becomes nothing
        value, least = mass_as_double(mass), Fraction(1, 2**1074)
        if mass < Fraction(1, 2**1022):
            says = f"mass_as_double({float(mass):.3g}), rounded up"
            yield _CLAIMS.at_least(says, value, mass, slack=0, least=least)
        else:
            yield _CLAIMS.near_truth(f"mass_as_double({mass})", value, mass, slack=2.0**-53)
    for ratio in _RATIOS:
        value = log_fraction(ratio)
        yield _CLAIMS.near_truth(
            f"log_fraction of about e^{value:.6g}", value, partial(_log, ratio), slack=CLOSE
        )
    for x in (0.1, 1e-160, 3.0):
        value, square = float(signed_square_round_up(x)), Fraction(x) ** 2
        yield _CLAIMS.at_least(
            f"signed_square_round_up({x!r})", value, square, slack=2.0**-51, least=2.0**-1074
        )
        value = float(signed_square_round_up(-x))
        yield _CLAIMS.near_truth(
            f"signed_square_round_up({-x!r})", value, -square, slack=CLOSE, least=2.0**-1074
        )


def _log(ratio: Fraction) -> arb:
    return ball_of(ratio).log()


def _norms() -> Iterator[Comparison]:
    """|v|_2 within half of (d + 6) 2^-52."""
    rows = [
        [3.0, 4.0, 0.1],
        [1e-200, 2e-200, 0.0],
        [3e200, 4e200, 1e199],
        [0.1, 0.2, 0.3],
        [1e-170, 0.0, 0.0],
    ]
    found = euclidean_norms(np.array(rows))
    for row, value in zip(rows, found, strict=True):
        says, norm = f"euclidean_norms({row!r})", partial(_norm, tuple(row))
        yield _CLAIMS.near_truth(says, float(value), norm, slack=4.5 * 2.0**-52)


def _norm(row: tuple[float, ...]) -> arb:
    return sum((arb(x) ** 2 for x in row), arb(0)).sqrt()


def _mills_drops() -> Iterator[Comparison]:
    """R(c - h) - R(c + h), h a share of c or of 1: also close together, and on both sides of c = 2."""
    points = [(c, share * max(c, 1.0)) for c, share in grid(_CENTRES, (1e-9, 6e-4, 0.01, 0.049, 0.051, 0.5))]
    code = lambda c, h: mills_drop(*np.atleast_1d(c, h)).squeeze()  # noqa: E731
    says, truth = "mills_drop({!r}, {!r})", in_balls(_mills_drop)
    yield from closed_form("Gaussian hockey-stick", says, code, truth, points, slack=2.0**-45)


def _mills_drop(centre: float, half: float) -> arb:
    return _mills(ball_of(centre) - ball_of(half)) - _mills(ball_of(centre) + ball_of(half))


def _mills(x: arb) -> arb:
    return (arb.pi() / 2).sqrt() * (x * x / 2).exp() * (x / arb(2).sqrt()).erfc()
