"""Two data sets that differ in one person, and everything released about either, by the code that an application runs.

>>> import filterproof as fp
>>> filt = fp.GaussianFilter(mu=1.0)
>>> found = fp.simulate_person(filt, [1.0, 2.0], sigma=4.0, epsilon=1.0, rounds=40, n=2000, seed=1)
>>> found.low <= filt.promise.delta(1.0) <= found.high
True
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from filters.contract.filter_base import FilterBase
from filters.contract.parameters import one_epsilon, one_positive
from filters.holders.individual import IndividualFilter, gaussian_request
from filters.holders.linear_queries import LinearQueries
from mc.intervals.betting import betting
from mc.intervals.estimate import CONFIDENCE, Estimate, stated_failure
from theory.arguments import check_count, check_positive
from theory.pairs import Gaussian
from theory.pairs.base import Direction, check_direction

__all__ = ["simulate_person", "simulate_queries"]

#: In every other round the analyst asks at full scale after a positive loss; else at this one.
_LESS = 0.5
#: Worlds that share a pair of `LinearQueries`, one coordinate each.
_TOGETHER = 128
#: A pilot has one world for so many, and a total mu^2 of less is as good as this one.
_PILOT, _LEAST = 16, 1e-30
#: People in all worlds together, each of whom has a state in memory.
_MOST_PEOPLE = 10**9


def simulate_person(
    filt: FilterBase,
    norms: Sequence[float],
    *,
    sigma: float,
    epsilon: float,
    rounds: int,
    n: int = 10_000,
    seed: int = 0,
    direction: Direction = "PQ",
    confidence: float = CONFIDENCE,
    failure: float | None = None,
    analysis: Callable[[NDArray[np.float64]], NDArray[np.float64]] = np.positive,
) -> Estimate:
    """H_{e^epsilon}(P || Q), P and Q the laws of the sums that `IndividualFilter` releases with and without person 0.

    Person i counts norms[i] in every sum, at full scale after a positive loss in every other round, else at half of it:
    the analyst chooses by the outputs, and gets what is left of a budget that full scale no longer fits. Each of n
    worlds has two `IndividualFilter`s, one that knows everybody and one that never heard of person 0. Both are asked
    the same, each says who takes part, and the loss of an output is that of N(sum, sigma^2) for the two sums.
    direction "QP" draws the outputs without person 0, and gives H(Q || P).
    analysis is applied to each sum before the noise: a function of arrays of slope at most one, so that charges are
    those of the sums (000, Example 2.8). That it is one is not checked: another shows in the estimate.
    Beside each path runs what Gaussian outputs up to the total mu^2 of a pilot may still lose, by the true shifts, a
    martingale that stops before a path would pass that total: what it has gained is taken off, and its mean is known.
    So the spread is what is left unspent, and nothing that the filter says is relied upon. Bets give the interval.
    Raises ValueError for norms that are not positive, fewer than two people, an unknown direction and a seed below
    zero or none, TypeError for norms that are no numbers.
    """
    values = _norms(norms)
    n, rounds, epsilon = (
        _worlds(n, len(values)),
        check_count("rounds", rounds),
        one_epsilon("epsilon", epsilon),
    )
    failure = stated_failure(confidence, failure)
    rng = np.random.default_rng(np.random.SeedSequence(check_count("seed", seed, least=0)))
    check_direction(direction)
    if not callable(analysis):
        raise TypeError(
            f"analysis must be a function of arrays, got {analysis!r}; leave it out for the sum itself"
        )
    sign = 1.0 if direction == "PQ" else -1.0

    def summed(people: IndividualFilter, asked: NDArray[np.float64]) -> NDArray[np.float64]:
        active = people.select(gaussian_request(asked.ravel(), sigma)).reshape(asked.shape)
        return analysis(np.where(active, asked, 0.0).sum(axis=1))

    def played(n: int, most: float, rng: np.random.Generator) -> _Worlds:
        k = len(values)
        everybody, others = IndividualFilter(filt, n * k), IndividualFilter(filt, n * (k - 1))
        worlds = _Worlds.of(n, most)
        for t in range(rounds):
            asked = (
                values * _scale(t, sign * worlds.loss)[:, None]
            )  # the analyst sees log P/Q in either direction
            shift = (summed(everybody, asked) - summed(others, asked[:, 1:])) / sigma
            worlds.go_on(shift, sign * rng.standard_normal(n))
        return worlds

    return _with_pilot(played, n, epsilon, failure, rng)


def simulate_queries(
    norms: Sequence[float],
    *,
    norm_budget: float,
    kappa: float,
    epsilon: float,
    rounds: int,
    n: int = 10_000,
    seed: int = 0,
    confidence: float = CONFIDENCE,
    failure: float | None = None,
) -> Estimate:
    """H_{e^epsilon}(P || Q), P and Q the laws of the answers of `LinearQueries` with and without person 0.

    As in `simulate_person`, with two `LinearQueries`, one that knows everybody and one that never heard of person 0.
    The sums behind the answers are read off by taking away the noise, which is drawn here.
    """
    values = _norms(norms)
    n, rounds, epsilon = (
        _worlds(n, len(values)),
        check_count("rounds", rounds),
        one_epsilon("epsilon", epsilon),
    )
    failure = stated_failure(confidence, failure)
    rng = np.random.default_rng(np.random.SeedSequence(check_count("seed", seed, least=0)))

    def played(n: int, most: float, rng: np.random.Generator) -> _Worlds:
        worlds = _Worlds.of(n, most)
        for first in range(0, n, _TOGETHER):
            _play_queries(
                values, rounds, (norm_budget, kappa), rng, worlds.part(slice(first, first + _TOGETHER))
            )
        return worlds

    return _with_pilot(played, n, epsilon, failure, rng)


def _norms(norms: object) -> NDArray[np.float64]:
    """`norms` as an array, finite and positive, of two people or more."""
    if not isinstance(norms, np.ndarray | list | tuple):
        raise TypeError(f"norms must be one number per person, got norms={norms!r}; pass e.g. [1.0, 2.0]")
    given = (
        norms if isinstance(norms, np.ndarray) else np.array([one_positive("norms", norm) for norm in norms])
    )
    values = np.asarray(check_positive("norms", given))
    if values.ndim != 1 or len(values) < 2:
        raise ValueError(f"norms must hold at least two people, got shape {values.shape}; add another person")
    return values


def _worlds(n: int, people: int) -> int:
    """`n` as an int of at least 2, such that the people of all worlds have a place."""
    worlds = check_count("n", n, least=2)
    if worlds * people > _MOST_PEOPLE:
        raise ValueError(
            f"n must be at most {_MOST_PEOPLE // people:,} worlds of {people} people, got n={n!r}; pass fewer"
        )
    return worlds


@dataclass(frozen=True, slots=True)
class _Worlds:
    """Losses of outputs N(shift, 1) so far, and both of them when the martingale stopped: shape (n,), in place.

    spent is the sum of shift^2 and kept the loss while that sum was within `most`; open says that it still is.
    """

    most: float
    loss: NDArray[np.float64]
    kept: NDArray[np.float64]
    spent: NDArray[np.float64]
    open: NDArray[np.bool_]

    @classmethod
    def of(cls, n: int, most: float) -> _Worlds:
        return cls(most, np.zeros(n), np.zeros(n), np.zeros(n), np.ones(n, dtype=bool))

    def part(self, where: slice) -> _Worlds:
        """Some of the worlds, the same memory."""
        return _Worlds(self.most, self.loss[where], self.kept[where], self.spent[where], self.open[where])

    def go_on(self, shift: NDArray[np.float64], noise: NDArray[np.float64]) -> None:
        """One output each; whether the martingale stops is decided before the output is known."""
        after = self.spent + shift * shift
        np.logical_and(self.open, after <= self.most, out=self.open)
        np.copyto(self.spent, after, where=self.open)
        self.loss[:] += shift * noise + shift * shift / 2
        np.copyto(self.kept, self.loss, where=self.open)


def _with_pilot(
    played: Callable[[int, float, np.random.Generator], _Worlds],
    n: int,
    epsilon: float,
    failure: float,
    rng: np.random.Generator,
) -> Estimate:
    """The mean of (1 - e^{epsilon - loss})_+ less what the martingale has gained, each value in [-1, 1] + its mean."""
    pilot = played(max(n // _PILOT, 2), math.inf, rng)
    most = max(float(pilot.spent.max()), _LEAST) * (1 + 2.0**-40)
    worlds = played(n, most, rng)
    start = float(_left(np.array([epsilon]), np.array([most]))[0])
    gain = -np.expm1(np.minimum(epsilon - worlds.loss, 0.0))
    values = gain - _left(epsilon - worlds.kept, most - worlds.spent)
    interval = betting((1 + values) / 2, failure=failure)
    value, low, high = (
        min(max(2 * x - 1 + start, 0.0), 1.0) for x in (interval.value, interval.low, interval.high)
    )
    return Estimate(value, low, high, failure, n, "martingale of the true shifts, betting")


def _left(gap: NDArray[np.float64], square: NDArray[np.float64]) -> NDArray[np.float64]:
    """H_{e^gap} of Gaussian(mu), mu^2 = square, at any real gap: (1 - e^gap)_+ where mu is 0."""
    mu = np.sqrt(np.maximum(square, _LEAST))
    value: NDArray[np.float64] = np.minimum(gap, 0.0)
    ended = -np.expm1(value)
    return np.minimum(ended + np.exp(value) * Gaussian(mu).hockey_stick(np.abs(gap)), 1.0)


def _play_queries(
    values: NDArray[np.float64],
    rounds: int,
    budget: tuple[float, float],
    rng: np.random.Generator,
    worlds: _Worlds,
) -> None:
    """One object for all worlds, since a person who counts in coordinate w alone is in world w."""
    norm_budget, kappa = budget
    noise, silent = _Recorded(rng), _Recorded(None)
    k, n = len(values), len(worlds.loss)
    everybody = LinearQueries(n * k, norm_budget=norm_budget, kappa=kappa)
    others = LinearQueries(n * (k - 1), norm_budget=norm_budget, kappa=kappa)
    world = np.eye(n)

    def asked(t: int, people: NDArray[np.float64]) -> NDArray[np.float64]:
        rows: NDArray[np.float64] = (world * _scale(t, worlds.loss)[:, None])[:, None, :] * people[
            None, :, None
        ]
        return rows.reshape(-1, n)

    for t in range(rounds):
        answer = everybody.answer(asked(t, values), noise)  # type: ignore[arg-type]
        answer_without = others.answer(asked(t, values[1:]), silent)  # type: ignore[arg-type]
        worlds.go_on((answer.value - answer_without.value) / answer.sigma - noise.last, noise.last)


class _Recorded:
    """A source of noise that keeps what it drew; of none, a source of zeros."""

    def __init__(self, rng: np.random.Generator | None) -> None:
        self._rng = rng
        self.last = np.zeros(0)

    def standard_normal(self, size: int) -> NDArray[np.float64]:
        """`size` normal numbers, or zeros."""
        self.last = np.zeros(size) if self._rng is None else self._rng.standard_normal(size)
        return self.last


def _scale(t: int, loss: NDArray[np.float64]) -> NDArray[np.float64]:
    """The scale of the analyst's request in each world."""
    return np.where((loss > 0) & (t % 2 == 0), 1.0, _LESS)
