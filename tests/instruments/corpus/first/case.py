"""A case of the corpus: a filter as a user would write it, and what is true of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

import filterproof as fp
from theory.arguments import Real
from theory.pairs.selection import look_up

__all__ = ["Case", "Cases", "Reached", "at_least_dust", "only", "per_run"]


@dataclass(frozen=True, slots=True)
class Reached:
    """What a game reaches: the hockey-stick divergence at `epsilon`, or the Renyi divergence of order `alpha`."""

    value: float
    epsilon: float | None = None
    alpha: float | None = None

    def promised(self, promise: fp.Guarantee) -> float:
        """The most that the promise allows there."""
        if self.alpha is None:
            return float(promise.delta(self.epsilon))
        if isinstance(promise, fp.ZCDP):
            return self.alpha * promise.rho
        assert isinstance(promise, fp.RenyiDP)
        assert promise.alpha == self.alpha
        return promise.rho


#: Plays a game through a filter's own code.
Shown: TypeAlias = Callable[[fp.PrivacyFilter], Reached]


@dataclass(frozen=True, slots=True)
class Case:
    """A filter class, constructible without arguments, and its truth.

    why: which game breaks it, or by which theorem or domination it is sound. shown: plays a game through the filter's
    own code and computes what it reaches on another route; for a sound case a game that comes near the promise, or
    None. margin: the share by which a broken filter at least exceeds its promise.
    """

    filter_class: type[fp.PrivacyFilter]
    kind: Literal["broken", "sound"]
    why: str
    shown: Shown | None = None
    margin: float = 0.001

    @property
    def name(self) -> str:
        """The words of the class's name."""
        return re.sub(r"(?<=.)(?=[A-Z])", "-", self.filter_class.__name__).lower()


class Cases(list[Case]):
    """The cases of a module; `broken` and `sound` stand above the function that shows one, which says why."""

    def broken(self, filter_class: type[fp.PrivacyFilter], margin: float = 0.001) -> Callable[[Shown], Shown]:
        return lambda shown: self._with(Case(filter_class, "broken", _words(shown), shown, margin))

    def sound(self, filter_class: type[fp.PrivacyFilter]) -> Callable[[Shown], Shown]:
        return lambda shown: self._with(Case(filter_class, "sound", _words(shown), shown))

    def _with(self, case: Case) -> Shown:
        self.append(case)
        assert case.shown is not None
        return case.shown


def _words(shown: Shown) -> str:
    return " ".join((shown.__doc__ or "").split())


def at_least_dust(charge: Real) -> Real:
    """`charge`, raised to 1e-200 where it is less: what underflows to nothing would be free for ever."""
    return np.maximum(charge, 1e-200)


def per_run(request: fp.DominatingPair, rule: Callable[[fp.DominatingPair], Real]) -> Real:
    """`rule` of the pair that each run asks for."""
    if isinstance(request, fp.Selection):
        return look_up([rule(pair) for pair in request.pairs], request.index)
    return rule(request)


def only(family: type, number: Callable[[fp.DominatingPair], Real]) -> Callable[[fp.DominatingPair], Real]:
    """The rule `number` on one family of pairs, infinite on every other."""
    return lambda pair: number(pair) if isinstance(pair, family) else np.inf
