"""The functions of the theorems in balls, and the calls of the code that they are held against.

>>> from flint import ctx
>>> with ctx.workprec(64):
...     print(gaussian_stick(arb(1), arb(1)).str(10, radius=False))
0.1269367375
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from flint import arb, ctx

__all__ = [
    "CLOSE",
    "LEAST",
    "Call",
    "called",
    "cdf",
    "density",
    "gaussian_stick",
    "grid",
    "positive_part",
    "quantile",
    "tail",
]

#: The relative error that the docstrings of `theory` state, and the absolute one below it, where doubles end.
CLOSE, LEAST = 1e-12, 1e-300

#: The arguments of a call, and the double that came back.
Call: TypeAlias = tuple[tuple[float, ...], float]


def called(function: Callable[..., Any], points: Sequence[tuple[float, ...]]) -> Iterator[Call]:
    """What the function gives at each point, called with numbers; and with arrays, where it gives other bits."""
    columns = [np.array(column, dtype=np.float64) for column in zip(*points, strict=True)]
    together = np.broadcast_to(function(*columns), (len(points),))
    for point, other in zip(points, together, strict=True):
        alone = float(function(*point))
        yield point, alone
        if not (float(other) == alone or (np.isnan(other) and np.isnan(alone))):
            yield point, float(other)


def grid(*columns: Sequence[float]) -> list[tuple[float, ...]]:
    """Every combination of the numbers."""
    return list(product(*columns))


def tail(x: arb) -> arb:
    """P(N(0, 1) > x)."""
    return (x / arb(2).sqrt()).erfc() / 2


def cdf(x: arb) -> arb:
    """P(N(0, 1) <= x)."""
    return tail(-x)


def density(x: arb) -> arb:
    """The density of N(0, 1)."""
    return (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def quantile(p: arb) -> arb:
    """The z with P(N(0, 1) > z) = p."""
    return arb(2).sqrt() * (2 * p).erfcinv()


def positive_part(x: arb) -> arb:
    """x where it is above zero, else 0."""
    return x.max(arb(0))


def gaussian_stick(mu: arb, epsilon: arb) -> arb:
    """Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), of paper 003, equation (2.3)."""
    # the two terms cancel: as many bits more as they share
    extra = 64 + 2 * max(0, _bits(epsilon), -_bits(mu), _bits(mu), _bits(epsilon) - _bits(mu))
    with ctx.workprec(ctx.prec + min(extra, 4096)):
        return tail(epsilon / mu - mu / 2) - epsilon.exp() * tail(epsilon / mu + mu / 2)


def _bits(x: arb) -> int:
    """The exponent of the middle of the ball, 0 for zero."""
    mantissa, exponent = x.mid().man_exp()
    return int(exponent) + int(abs(mantissa).bit_length()) if mantissa != 0 else 0
