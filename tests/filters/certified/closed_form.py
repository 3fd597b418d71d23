"""A closed form of the code beside the value that it stands for: at which points, by which function, how near."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from flint import arb

from filterproof.filters.certified.comparison import CLOSE, Comparison, Comparisons, TrueValue

#: The absolute error below the relative one that the docstrings of `theory` state, where doubles end.
LEAST = 1e-300

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


def in_balls(function: Callable[..., arb]) -> Callable[..., TrueValue]:
    """The true value at a point of a function from doubles to a ball."""
    return lambda *at: partial(function, *at)


def closed_form(
    theorem: str,
    says: str,
    code: Callable[..., Any],
    truth: Callable[..., TrueValue],
    points: Sequence[tuple[float, ...]],
    *,
    slack: float = CLOSE,
    least: float | Callable[..., float] = 0.0,
    charge: bool = False,
) -> Iterator[Comparison]:
    """A number for each point, and for each bit that arrays change: what is claimed, by which function, how near.

    says: a format of the point's numbers, and of `at`, the point. code: a vectorised function of them. truth: what it
    stands for at a point. slack, least: the error that is declared; `least` may be a function of the point. charge:
    whether the code must lie above, as charges do, or near.
    """
    compared = Comparisons(theorem).at_least if charge else Comparisons(theorem).near_truth
    for at, value in called(code, points):
        floor = least(*at) if callable(least) else least
        yield compared(says.format(*at, at=at), value, truth(*at), slack=slack, least=floor)
