"""Estimates of what a filter lets through: the hockey-stick divergence of the released transcript."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import overload

import numpy as np

from filters import PrivacyFilter
from filters.contract.filter_base import OnDenial
from mc.engine.adversary import Adversary
from mc.engine.guard import Exceeded
from mc.engine.tiles import Game
from mc.estimate.estimator import Estimator, Method, Terms, choose
from mc.intervals import IntervalName
from mc.intervals.estimate import CONFIDENCE, Estimate, stated_failure
from mc.runs.play import Progress, Tally, play
from mc.runs.store import RunStore
from theory.arguments import check_count, check_probability, check_real
from theory.pairs.base import Direction

__all__ = ["Curve", "Method", "simulate"]

#: Tiles between the first ones of two parts of a grid: their random numbers are never shared.
APART = 2**36


@dataclass(frozen=True, slots=True)
class Curve:
    """H_{e^epsilon} at each of `epsilons`; all intervals hold together except with `failure`."""

    epsilons: tuple[float, ...]
    at: tuple[Estimate, ...]
    failure: float

    def __getitem__(self, epsilon: float) -> Estimate:
        if epsilon not in self.epsilons:
            raise KeyError(f"epsilon must be one of {self.epsilons}, got {epsilon!r}; simulate it too")
        return self.at[self.epsilons.index(epsilon)]

    def __iter__(self) -> Iterator[tuple[float, Estimate]]:
        return zip(self.epsilons, self.at, strict=True)

    def __str__(self) -> str:
        return "\n".join(f"epsilon={epsilon:g}: {one}" for epsilon, one in self)

    @property
    def swapped(self) -> Curve:
        """The curve of the other direction at -epsilons: H_{e^-eps}(Q||P) = 1 - e^{-eps} (1 - H_{e^eps}(P||Q)).

        Absolute widths grow by e^{-eps}: fine for moderate divergences, not for tails.
        """
        pairs = [(-e, _mirror(e, one)) for e, one in reversed(list(self))]
        return Curve(tuple(e for e, _ in pairs), tuple(one for _, one in pairs), self.failure)

    def type_two_floor(self, alpha: float) -> float:
        """A lower bound on the type II error of every test of Q against P with type I error alpha under Q.

        beta >= max over the grid of 1 - delta(eps) - e^eps alpha, delta at the upper ends of the intervals;
        holds for all alpha together except with `failure`. Source: Dong, Roth and Su, Proposition 2.12.
        """
        alpha = float(check_probability("alpha", alpha))
        return max(0.0, *(1 - one.high - math.exp(e) * alpha for e, one in self))


def _mirror(epsilon: float, one: Estimate) -> Estimate:
    def flip(value: float) -> float:
        return float(-np.expm1(-epsilon) + np.exp(-epsilon) * value)

    low, value, high = (min(max(flip(x), 0.0), 1.0) for x in (one.low, one.value, one.high))
    return Estimate(value, low, high, one.failure, one.n, f"{one.method}, swapped", one.rests_on, one.beyond)


@overload
def simulate(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    epsilon: float,
    n: int = ...,
    seed: int = ...,
    rounds: int | None = ...,
    confidence: float = ...,
    failure: float | None = ...,
    method: Method = ...,
    interval: IntervalName = ...,
    direction: Direction = ...,
    on_denial: OnDenial = ...,
    workers: int | None = ...,
    executor: Executor | None = ...,
    store: RunStore | str | os.PathLike[str] | None = ...,
    progress: Callable[[Progress, tuple[Estimate, ...] | None], object] | None = ...,
) -> Estimate: ...


@overload
def simulate(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    epsilon: Sequence[float],
    n: int = ...,
    seed: int = ...,
    rounds: int | None = ...,
    confidence: float = ...,
    failure: float | None = ...,
    method: Method = ...,
    interval: IntervalName = ...,
    direction: Direction = ...,
    on_denial: OnDenial = ...,
    workers: int | None = ...,
    executor: Executor | None = ...,
    store: RunStore | str | os.PathLike[str] | None = ...,
    progress: Callable[[Progress, tuple[Estimate, ...] | None], object] | None = ...,
) -> Curve: ...


def simulate(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    epsilon: float | Sequence[float],
    n: int = 1_000_000,
    seed: int = 0,
    rounds: int | None = None,
    confidence: float = CONFIDENCE,
    failure: float | None = None,
    method: Method = "auto",
    interval: IntervalName = "auto",
    direction: Direction = "PQ",
    on_denial: OnDenial = "halt",
    workers: int | None = None,
    executor: Executor | None = None,
    store: RunStore | str | os.PathLike[str] | None = None,
    progress: Callable[[Progress, tuple[Estimate, ...] | None], object] | None = None,
) -> Estimate | Curve:
    """H_{e^epsilon}(P || Q) = E_P[(1 - e^{epsilon - L})_+], P and Q the laws of the released transcript.

    n plays of the filter's own code against one adversary; direction "QP" gives H_{e^epsilon}(Q || P). A
    sequence of epsilons gives a `Curve` whose intervals hold together: they share the failure probability.
    method "plain" draws from P; "tilted" draws round by round from P^s Q^{1-s}, infinite losses weighed in a play of
    their own; "martingale" measures how far Gaussian rounds stay below the closed form of a spent budget; "auto"
    takes the one that a pilot finds narrowest. The last three need a bound on what a path is charged, and the promise
    under test gives none: see `certain` of ceiling.py for what may vouch for one. Where nothing does, a guard holds
    every path to what the filter says that it `holds`, and what it cuts off is drawn plainly and added. Every
    estimate says its method and what it rests on.
    interval is "empirical Bernstein", "KL-Chernoff", "betting" or, again by a pilot, the narrowest. Stakes of bets
    depend on n: name another interval where a store's paths are to serve a larger n later.
    failure, the probability that an interval misses, replaces confidence where 1 - failure would lose its digits.
    rounds caps the play (1000, unless the adversary knows its end). workers, executor and store say where
    the paths are played (see `play`): the bits are the same. progress is called a few times a second with the
    state of the run and the estimates so far of the epsilons that the paths under way answer.
    Raises ValueError or TypeError for arguments out of range and for a filter or adversary of wrong shapes.
    Source: 003 Theorem 6.
    """
    grid = _grid(epsilon)
    n = check_count("n", n, least=2)
    seed = check_count("seed", seed, least=0)
    failure = stated_failure(confidence, failure)
    if method not in ("auto", "plain", "tilted", "martingale"):
        raise ValueError(f"method must be auto, plain, tilted or martingale, got method={method!r}")
    game = Game.between(filt, adversary, rounds=rounds, direction=direction, on_denial=on_denial)
    each = failure / len(grid)

    def estimated(method: Method, trusting: bool) -> dict[float, Estimate]:
        parts = choose(game, grid, n=n, failure=each, method=method, interval=interval, trusting=trusting)
        least = 2 * len(parts) * max(len(part.plays(n)) for part in parts)  # an interval needs two paths
        if n < least and len(parts) > 1:
            if method != "auto":
                raise ValueError(f"n must be at least {least} for {len(parts)} orders, got n={n}; draw more")
            parts = choose(game, grid, n=n, failure=each, method="plain", interval=interval)
        shares = [n // len(parts) + (place < n % len(parts)) for place in range(len(parts))]
        found: dict[float, Estimate] = {}
        played: list[Tally] = []
        for part, share in zip(parts, shares, strict=True):
            tallies: list[Tally] = []
            for one, paths in part.plays(share):

                def told(
                    so_far: Progress,
                    part: Estimator | Terms = part,
                    tallies: list[Tally] = tallies,
                    before: int = sum(tally.n for tally in played),
                ) -> None:
                    assert progress is not None
                    ahead = part.read((*tallies, so_far.so_far), each) if so_far.done > 1 else ()
                    progress(so_far.of(before, n), ahead or None)

                tallies.append(
                    play(
                        one.game,
                        one.measure,
                        n=paths,
                        seed=seed,
                        first=len(played) * APART,
                        workers=workers,
                        executor=executor,
                        store=store,
                        progress=None if progress is None else told,
                    )
                )
                played.append(tallies[-1])
            found.update(zip(part.epsilons, part.read(tallies, each), strict=True))
        return found

    # what vouched for a bound may turn out to be wrong, and a guard to be beyond the doubles: draws alone remain
    why = ""
    found: dict[float, Estimate] = {}
    tries: tuple[tuple[Method, bool], ...] = ((method, True), (method, False), ("plain", False))
    for by, trusting in tries:
        try:
            found = estimated(by, trusting)
            break
        except Exceeded as seen:
            why = f", for {seen}"
    if why:
        found = {e: replace(one, rests_on=one.rests_on + why) for e, one in found.items()}
    if isinstance(epsilon, (int, float)):
        return found[grid[0]]
    return Curve(grid, tuple(found[e] for e in grid), failure)


def _grid(epsilon: float | Sequence[float]) -> tuple[float, ...]:
    many = np.atleast_1d(np.asarray(check_real("epsilon", _as_array(epsilon))))
    if many.size == 0:
        raise ValueError("epsilon must name at least one value, got none; pass a number or a sequence")
    return tuple(float(e) for e in many)


def _as_array(epsilon: float | Sequence[float]) -> object:
    return np.asarray(epsilon, dtype=np.float64) if isinstance(epsilon, (list, tuple, range)) else epsilon
