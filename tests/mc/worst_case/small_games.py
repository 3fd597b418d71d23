"""Small filters with simple, exactly known behaviour, and a solver that shares nothing with the real one."""

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar
from zlib import crc32

import mpmath
import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.state import State
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.adversary import Adversary
from filterproof.mc.worst_case.plan import plan_of_strategy
from filterproof.theory.guarantees import ApproxDP, Guarantee
from filterproof.theory.numerics.stable import log_fraction
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.pairs.base import Direction
from tests.mc.losses.enumerated import real
from tests.theory.test_pair_reference_values import masses


@dataclass(frozen=True)
class SquaresFilter(PrivacyFilter):
    """CONT while the sum of squared levels, level = epsilon / unit rounded to an integer, stays <= units.

    The promise is empty.
    """

    unit: float
    units: int
    promise: ClassVar[Guarantee] = ApproxDP(0.0, 1.0)

    def start(self, n: int) -> State:
        return np.zeros(n, dtype=np.int64)

    def _charge(self, request: DominatingPair) -> NDArray[np.int64]:
        return np.rint(np.asarray(request.pure_epsilon) / self.unit).astype(np.int64) ** 2

    def admits(self, state: State, request: DominatingPair) -> NDArray[np.bool_]:
        return state + self._charge(request) <= self.units

    def spend(self, state: State, request: DominatingPair) -> State:
        return state + self._charge(request)


@dataclass(frozen=True)
class CountFilter(PrivacyFilter):
    """CONT for `most` rounds; the promise is empty."""

    most: int
    promise: ClassVar[Guarantee] = ApproxDP(0.0, 1.0)

    def start(self, n: int) -> State:
        return np.zeros(n, dtype=np.int64)

    def admits(self, state: State, request: DominatingPair) -> NDArray[np.bool_]:
        return np.asarray(state < self.most)

    def spend(self, state: State, request: DominatingPair) -> State:
        return state + 1


@dataclass(frozen=True)
class LossFilter(PrivacyFilter):
    """CONT while the realised loss stays strictly below a limit, for at most `most` rounds; the promise is empty."""

    limit: float
    most: int
    promise: ClassVar[Guarantee] = ApproxDP(0.0, 1.0)

    def start(self, n: int) -> State:
        return np.zeros(n), np.zeros(n, dtype=np.int64)

    def admits(self, state: State, request: DominatingPair) -> NDArray[np.bool_]:
        loss, released = state
        return (loss < self.limit) & (released < self.most)

    def spend(self, state: State, request: DominatingPair) -> State:
        return state[0], state[1] + 1

    def observe(self, state: State, loss: NDArray[Any]) -> State:
        # to nine digits: sums of the same losses in another order are the same state
        return np.round(state[0] + loss, 9), state[1]


@dataclass(frozen=True)
class WhimFilter(PrivacyFilter):
    """A filter that looks at losses and follows no rule: each request is admitted or not for each history of signs."""

    menu: tuple[DominatingPair, ...]
    seed: int
    promise: ClassVar[Guarantee] = ApproxDP(0.0, 1.0)

    def start(self, n: int) -> State:
        return np.zeros(n, dtype=np.int64)

    def admits(self, state: State, request: DominatingPair) -> NDArray[np.bool_]:
        position = self.menu.index(request)
        return np.array(
            [crc32(f"{self.seed} {position} {seen}".encode()) % 2 for seen in state], dtype=np.bool_
        )

    def spend(self, state: State, request: DominatingPair) -> State:
        return 5 * state + self.menu.index(request)

    def observe(self, state: State, loss: NDArray[Any]) -> State:
        return 3 * state + 2 + np.sign(loss).astype(np.int64)


class Purse:
    """Equal to every other, whatever it holds."""

    requests, is_open = 0, False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Purse)

    def __hash__(self) -> int:
        return 7


@dataclass(frozen=True)
class PurseFilter(PrivacyFilter):
    """Two requests, any number if the first is of the `opening` epsilon; counted in objects, in place."""

    opening: float
    promise: ClassVar[Guarantee] = ApproxDP(0.0, 1.0)

    def start(self, n: int) -> State:
        state = np.empty(n, dtype=object)
        state[:] = [Purse()] * n
        return state

    def admits(self, state: State, request: DominatingPair) -> NDArray[np.bool_]:
        return np.array([purse.is_open or purse.requests < 2 for purse in state], dtype=np.bool_)

    def spend(self, state: State, request: DominatingPair) -> State:
        for purse, epsilon in zip(state, np.broadcast_to(request.pure_epsilon, len(state)), strict=True):
            purse.is_open |= not purse.requests and epsilon == self.opening
            purse.requests += 1
        return state


def played(
    filt: PrivacyFilter,
    menu: Sequence[DominatingPair],
    pays: Callable[[Any, Any], Any],
    rounds: int,
    direction: str = "PQ",
    number: Callable[[Any], Any] = Fraction,
) -> Any:
    """The value of the game by plain recursion over whole histories: one run, nothing merged.

    A history in which one stops pays by its masses in the world that is drawn from and in the other: rationals, or
    by `real` mpmath's numbers, of the digits that are set.
    """
    distributions = [[(number(p), number(q)) for p, q in masses_of(pair)] for pair in menu]

    def best(state: State, drawn: Any, other: Any, left: int) -> Any:
        most = pays(drawn, other)
        for request, distribution in zip(menu, distributions, strict=True) if left else ():
            if filt.admits(state, request)[0]:
                spent = filt.spend(copy.deepcopy(state), request)
                total = 0
                for p, q in distribution:
                    here, there = (p, q) if direction == "PQ" else (q, p)
                    if here:
                        loss = np.array([_loss(p, q)])
                        total += best(filt.observe(spent, loss), drawn * here, other * there, left - 1)
                most = max(most, total)
        return most

    return best(filt.start(1), number(1), number(1), rounds)


def play_out(
    filt: PrivacyFilter, menu: Sequence[DominatingPair], ratio: Any, rounds: int, direction: str = "PQ"
) -> Any:
    """What the best strategy is worth by its hockey-stick divergence."""
    number = Fraction if isinstance(ratio, Fraction) else real
    return played(filt, menu, lambda drawn, other: max(drawn - ratio * other, 0), rounds, direction, number)


def masses_of(pair: DominatingPair) -> list[tuple[Any, Any]]:
    exact = pair.exact_masses  # type: ignore[attr-defined]
    return masses(pair) if exact is None else list(zip(exact.p, exact.q, strict=True))


def _loss(p: Any, q: Any) -> float:
    if not p * q:
        return math.inf if p else -math.inf
    return log_fraction(p / q) if isinstance(p, Fraction) else float(mpmath.log(p / q))


def strategy_value(
    strategy: Adversary, filt: PrivacyFilter, ratio: Fraction, rounds: int, direction: Direction = "PQ"
) -> Fraction:
    """The exact hockey-stick divergence that a strategy reaches: it is asked in every history, by itself."""
    plan = plan_of_strategy(strategy, filt, rounds=rounds, direction=direction)
    return max(1 - ratio, Fraction(0)) if plan is None else plan.value(filt, ratio, direction)
