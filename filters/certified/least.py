"""The least of several margins, where all must be zero or more; or the largest of them, where one is enough.

>>> with ctx.workprec(64):
...     print(Least(("1 - x", "log(4) - x"), {})(arb(0)))
1.00000000000000000
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import arb, ctx

from theory.claims.formula import Evaluator, compile_formula
from theory.numerics.exact import rational

__all__ = ["Least"]


@dataclass(frozen=True, slots=True)
class Least:
    """Formulas in x, in parameters and in `balls`, numbers that are roots; `some`: their maximum, not their minimum."""

    texts: tuple[str, ...]
    at: Mapping[str, Fraction]
    balls: Mapping[str, Callable[[], arb]] = field(default_factory=dict)
    some: bool = False
    _kept: dict[tuple[int, str], arb] = field(default_factory=dict, repr=False, compare=False)

    def __call__(self, x: arb) -> arb:
        values = {name: arb(rational(one)) for name, one in self.at.items()}
        values |= {name: self._ball(name) for name in self.balls} | {"x": x}
        found = _compiled(self.texts[0])(values)
        for text in self.texts[1:]:
            other = _compiled(text)(values)
            found = found.max(other) if self.some else found.min(other)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return Least, (self.texts, self.at, self.balls, self.some)

    def _ball(self, name: str) -> arb:
        key = (ctx.prec, name)
        if key not in self._kept:
            self._kept[key] = self.balls[name]()
        return self._kept[key]


@lru_cache(maxsize=4096)
def _compiled(text: str) -> Evaluator:
    return compile_formula(text)
