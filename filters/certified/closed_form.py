"""A closed form of the code beside the value that it stands for: at which points, by which function, how near.

>>> row = ClosedForm("RR zCDP", "{0!r} squared", lambda x: x * x, lambda x: TrueValue("x0**2", {"x0": x}), [(3.0,)])
>>> [(number.says, number.checked().fits) for number in row.numbers()]
[('3.0 squared', True)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from flint import arb

from filters.certified.running_number import Claims, RunningNumber
from theory.pairs.base import DominatingPair
from theory.pairs.truths import TrueValue

__all__ = [
    "CLOSE",
    "LEAST",
    "Call",
    "ClosedForm",
    "called",
    "grid",
    "in_balls",
    "of_pair",
    "positive_part",
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


def positive_part(x: arb) -> arb:
    """x where it is above zero, else 0."""
    return x.max(arb(0))


def in_balls(function: Callable[..., arb]) -> Callable[..., TrueValue]:
    """The true value that a function to a ball has at a point."""
    return lambda *at: TrueValue(partial(function, *at))


@dataclass(frozen=True, slots=True)
class ClosedForm:
    """What is claimed, by which function of the code, at which points, on which side.

    says: a format of the point's numbers, and of `at`, the point. code: a vectorised function of them. truth: what it
    stands for at a point. slack, least: the error that is declared; `least` may be a function of the point. charge:
    whether the code must lie above, as charges do, or near.
    """

    theorem: str
    says: str
    code: Callable[..., Any]
    truth: Callable[..., TrueValue]
    points: Sequence[tuple[float, ...]]
    slack: float = CLOSE
    least: float | Callable[..., float] = 0.0
    charge: bool = False

    def numbers(self) -> Iterator[RunningNumber]:
        """A number for each point, and for each bit that arrays change."""
        of = Claims(self.theorem)
        compared = of.at_least if self.charge else of.near
        for at, value in called(self.code, self.points):
            least = self.least(*at) if callable(self.least) else self.least
            says = self.says.format(*at, at=at)
            yield compared(says, value, self.truth(*at), slack=self.slack, least=least)


def of_pair(
    theorem: str,
    name: str,
    make: Callable[..., DominatingPair],
    asked: str,
    points: Iterable[tuple[float, ...]],
    *,
    arguments: int = 1,
    **errors: Any,
) -> ClosedForm:
    """A method of a pair, of one argument, or with none of them what it declares, beside the same of its truths.

    Points are the parameters of the pair, then the argument.
    """

    def answered(of: Callable[[DominatingPair], Any], *at: Any) -> Any:
        parameters = len(at) - arguments
        answer = getattr(of(make(*at[:parameters])), asked)
        return answer(*at[parameters:]) if arguments else answer

    code, truth = partial(answered, lambda pair: pair), partial(answered, lambda pair: pair.truths)
    return ClosedForm(theorem, f"{name}.{asked} at {{at!r}}", code, truth, tuple(points), **errors)
