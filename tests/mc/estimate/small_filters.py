"""A filter of any promise and any sum, an adversary that lists nothing, and one that chooses by the loss."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import filterproof as fp


def one_each(request: fp.DominatingPair) -> float:
    return 1.0


def rho(request: fp.DominatingPair) -> Any:
    return request.zcdp_rho


class Grants(fp.PrivacyFilter):
    """Promises what it is told to, and grants requests while their costs, 1 each, add up to `most` or less."""

    def __init__(
        self,
        promise: fp.Guarantee,
        most: float = math.inf,
        cost: Callable[[fp.DominatingPair], Any] = one_each,
    ) -> None:
        self.promise, self.most, self.cost = promise, most, cost

    def start(self, n: int) -> Any:
        return np.zeros(n)

    def admits(self, state: Any, request: Any) -> Any:
        return state + self.cost(request) <= self.most

    def spend(self, state: Any, request: Any) -> Any:
        return state + self.cost(request)


#: Promises 0.02-zCDP and lets ten times as much through.
TEN_TIMES = Grants(fp.ZCDP(0.02), 0.2, rho)


@dataclass(frozen=True)
class Silent(fp.Adversary):
    """Asks for one pair, then for another or the same for ever, and lists neither: only the filter bounds a path."""

    pair: fp.DominatingPair
    then: fp.DominatingPair | None = None

    @property
    def requests_only_gaussians(self) -> bool:
        return all(pair is None or pair.normal_mu is not None for pair in (self.pair, self.then))

    def request(self, view: fp.AdversaryView) -> fp.DominatingPair:
        return self.then if view.round and self.then is not None else self.pair


SKEWED = fp.FinitePair(tuple(Fraction(a, 10) for a in (7, 2, 1)), tuple(Fraction(b, 20) for b in (8, 7, 5)))


@dataclass(frozen=True)
class Tree(fp.Adversary):
    """After the first round the request hangs on the sign of the loss so far."""

    steps: tuple[Any, ...]

    @property
    def horizon(self) -> int:
        return len(self.steps)

    def request(self, view: fp.AdversaryView) -> fp.DominatingPair:
        first, *_ = self.steps
        return first if view.round == 0 else fp.PairPerRun(self.steps[view.round], view.loss > 0)
