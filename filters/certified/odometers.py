"""The numbers of odometers: what they bound the loss by after given requests, held against their formulas in balls."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from flint import arb

from filters.certified.decisions import last_granted
from filters.certified.families import FAMILIES
from filters.certified.running_number import Claims, RunningNumber, Truth
from filters.holders.odometers import (
    DoublingOdometer,
    LineOdometer,
    MixtureOdometer,
    Odometer,
    RogersOdometer,
    StitchedOdometer,
)
from theory.numerics.exact import rational
from theory.pairs import Gaussian, Laplace, RandomizedResponse

__all__ = ["odometer", "stitched_lines"]

#: The bounds are raised by 10^-13 of themselves.
_SLACK = 2.0**-40
_SIZES = (2.0**-20, 0.3, 1.0, 3.1, 1e3)


def odometer(odometer_held: Odometer | RogersOdometer, name: str) -> Iterator[RunningNumber]:
    """The bound after one release of several sizes, after a mixed sequence, and the failures that it allows."""
    if isinstance(odometer_held, RogersOdometer):
        yield from _rogers(odometer_held, name)
        return
    of, start = Claims(odometer_held.theorem, name), odometer_held.start(1)
    yield of.near("bound where nothing was released", *_pair(odometer_held, start, Fraction(0)), slack=_SLACK)
    for size in _SIZES:
        mu = math.sqrt(size)
        both = _pair(odometer_held, odometer_held.spend(start, Gaussian(mu)), Fraction(mu) ** 2)
        yield of.at_least(f"bound after Gaussian({mu!r})", *both, slack=_SLACK)
    state, squares = start, Fraction(0)
    for mu, epsilon, b in ((0.1, 0.3, 4.0), (0.7, 0.2, 3.0), (0.01, 1.1, 0.5)):
        for pair in (Gaussian(mu), RandomizedResponse(epsilon), Laplace(b)):
            state = odometer_held.spend(state, pair)
        squares += Fraction(mu) ** 2 + Fraction(epsilon) ** 2 + 1 / Fraction(b) ** 2
    yield of.at_least("bound after nine requests", *_pair(odometer_held, state, squares), slack=_SLACK)
    yield from _mass(odometer_held, of, Fraction(odometer_held.xi))


def _pair(found: Odometer, state: object, squares: Fraction) -> tuple[float, Truth]:
    return float(found.epsilon(state)[0]), partial(_BOUNDS[type(found)], found, squares)  # type: ignore[arg-type]


def _ball(x: float | Fraction) -> arb:
    return arb(rational(Fraction(x)))


def _best_line(target: arb, log: arb, squares: arb) -> arb:
    k = (2 * log / target).sqrt()
    return (k + 1) * squares / 2 + log / k


def _line(found: LineOdometer, squares: Fraction) -> arb:
    return _best_line(_ball(found.target), -_ball(found.delta).log(), _ball(squares))


def _mixture(found: MixtureOdometer, squares: Fraction) -> arb:
    s, scale = _ball(squares), _ball(found.scale)
    log = -_ball(found.delta).log() + (s / scale + 1).log() / 2
    return s / 2 + (2 * (s + scale) * log).sqrt()


def _stitched(stitched: StitchedOdometer, squares: Fraction) -> arb:
    first, epoch = Fraction(stitched.first), 0
    while first * 2 ** (epoch + 1) <= squares:
        epoch += 1
    best = None
    for j in {max(epoch + step, 0) for step in (-1, 0, 1)}:
        power, zeta = arb(rational(Fraction(7, 5))), arb(rational(Fraction(7, 5))).zeta()
        log = -_ball(stitched.delta).log() + power * arb(j + 1).log() + zeta.log()
        bound = _best_line(_ball(first) * 2**j * arb(2).sqrt(), log, _ball(squares))
        best = bound if best is None else best.min(bound)
    assert best is not None
    return best


def _doubling(found: DoublingOdometer, squares: Fraction) -> arb:
    size, j = Fraction(found.first), 0
    while size < squares / 2:
        size, j = 2 * size, j + 1
    log = ((j + 1) ** 2 * arb.pi() ** 2 / 6 / _ball(found.delta)).log()
    return _ball(size) + 2 * (_ball(size) * log).sqrt()


_BOUNDS: dict[type, Callable[..., arb]] = {
    LineOdometer: _line,
    MixtureOdometer: _mixture,
    StitchedOdometer: _stitched,
    DoublingOdometer: _doubling,
}


def _rogers(rogers: RogersOdometer, name: str) -> Iterator[RunningNumber]:
    of, start = Claims(rogers.theorem, name), rogers.start(1)
    for size in (2.0**-30, 0.09, 0.96, 1.44, 16.0):
        epsilon = math.sqrt(size)
        value = float(rogers.epsilon(rogers.spend(start, RandomizedResponse(epsilon)))[0])
        truth = partial(_rogers_bound, rogers, Fraction(epsilon))
        yield of.at_least(f"bound after RandomizedResponse({epsilon!r})", value, truth, slack=_SLACK)
    yield from _mass(rogers, of, Fraction(rogers.delta) / 2)


def _rogers_bound(found: RogersOdometer, epsilon: Fraction) -> arb:
    squares, n, delta = epsilon**2, found.records, _ball(found.delta)
    e = _ball(epsilon)
    drift = e * (e.exp() - 1) / 2
    least = Fraction(1, n**2)
    if least <= squares <= 1:
        log = (110 * arb(1).exp()).log() + 2 * (arb(n).log() / delta).log()
        return drift + (2 * _ball(squares) * log).sqrt()
    log = (4 * arb(n).log() / arb(2).log() / delta).log()
    wide = (1 + (1 + n**2 * _ball(squares)).log() / 2) * _ball(least + squares)
    return drift + (2 * wide * log).sqrt()


def _mass(found: Odometer | RogersOdometer, of: Claims, allowed: Fraction) -> Iterator[RunningNumber]:
    """The last mass of an infinite loss for which there is a bound at all."""
    erasure, says = FAMILIES["Erasure(x)"], "last x of Erasure(x) with a finite bound"

    def is_bounded(x: float) -> bool:
        state: Any = found.spend(found.start(1), erasure.make(x))
        return bool(found.epsilon(state)[0] < math.inf)

    if allowed < Fraction(erasure.low):
        yield of.near(f"{says}: none", int(is_bounded(erasure.low)), 0)
        return
    last = last_granted(is_bounded, *erasure.ends)
    yield of.at_most(says, math.nan if last is None else last, allowed, slack=2.0**-40)


def stitched_lines() -> Iterator[RunningNumber]:
    """The bound of StitchedOdometer at both ends of its epochs: the least of three lines."""
    found = StitchedOdometer(1e-5, 0.125)
    for j in range(4):
        for share in (1.0, 1.015625, 1.40625, 1.984375):
            squares = 0.125 * 2**j * share
            value = float(found.bound(np.array([squares]))[0])
            says = f"StitchedOdometer(1e-5, 0.125).bound({squares!r})"
            truth = partial(_stitched, found, Fraction(squares))
            yield Claims(found.theorem).near(says, value, truth, slack=2.0**-40)
