"""A case of the corpus: a filter as a user would write it, and what is true of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

import filterproof as fp
from theory.arguments import Real
from theory.pairs.selection import look_up

__all__ = ["Case", "Reached", "at_least_dust", "broken", "only", "per_run", "sound"]


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


@dataclass(frozen=True, slots=True)
class Case:
    """A filter class, constructible without arguments, and its truth.

    breaks: which game breaks it; because: by which theorem or domination it is sound. shown: plays a game through the
    filter's own code and computes what it reaches on another route; for a sound case a game that comes near the
    promise, or None. margin: the share by which a broken filter at least exceeds its promise.
    """

    name: str
    kind: Literal["broken", "sound"]
    filter_class: type[fp.PrivacyFilter]
    breaks: str = ""
    because: str = ""
    shown: Callable[[fp.PrivacyFilter], Reached] | None = None
    margin: float = 0.001


def broken(
    name: str,
    filter_class: type[fp.PrivacyFilter],
    *,
    breaks: str,
    shown: Callable[[fp.PrivacyFilter], Reached],
    margin: float = 0.001,
) -> Case:
    """A broken case."""
    return Case(name, "broken", filter_class, breaks=breaks, shown=shown, margin=margin)


def sound(
    name: str,
    filter_class: type[fp.PrivacyFilter],
    *,
    because: str,
    shown: Callable[[fp.PrivacyFilter], Reached] | None = None,
) -> Case:
    """A sound case."""
    return Case(name, "sound", filter_class, because=because, shown=shown)


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
