"""Simulations of two data sets that differ in one person, with the code that an application runs.

>>> import filterproof as fp
>>> filt = fp.GaussianFilter(mu=1.0)
>>> estimate = fp.people.simulate_person(filt, [1.0, 2.0], sigma=4.0, epsilon=1.0, rounds=40, n=2000, seed=1)
>>> estimate.low <= filt.promise.delta(1.0) <= estimate.high
True
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accountants.constant_normals import ZERO_NOISE
from filterproof.filters.accountants.individual import IndividualFilter, gaussian_request
from filterproof.filters.accountants.linear_queries import LinearQueries
from filterproof.filters.contract.determinism import check_determinism_on_requests
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.filters.contract.parameters import one_epsilon, one_positive
from filterproof.mc.intervals.betting import betting
from filterproof.mc.intervals.estimate import FAILURE, Estimate
from filterproof.theory.argument_checks import check_count, check_delta, check_positive
from filterproof.theory.pairs import Gaussian
from filterproof.theory.pairs.base import Direction, check_direction

#: The scale of every other request after a loss that is not positive.
_SMALL_SCALE = 0.5
#: Worlds that share one `LinearQueries`, one coordinate each.
_WORLDS_PER_PAIR = 128
#: A pilot has one world for this many, and a total mu^2 below this counts as this.
_PILOT, _MIN_SQUARED_MU = 16, 1e-30
#: The most people in all worlds together, each with a state in memory.
_MAX_PEOPLE = 10**9


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
    failure: float = FAILURE,
    analysis: Callable[[NDArray[np.float64]], NDArray[np.float64]] = np.positive,
) -> Estimate:
    """Estimate the divergence of the noisy sums that `IndividualFilter` releases with and without person 0.

        H_{e^epsilon}(P || Q),  P: with person 0, Q: without

    Parameters
    ----------
    filt : PrivacyFilter
        The filter of each person.
    norms : sequence of float
        The contribution of each person to a sum at full scale, > 0; at least two people.
    sigma : float
        Standard deviation of the Gaussian noise, > 0.
    epsilon : float
        In nats, >= 0.
    rounds : int
        Number of sums.
    n : int, default 10,000
        Number of simulated runs, at least 2.
    seed : int, default 0
        Seed of the noise.
    direction : {"PQ", "QP"}
        "QP" draws the outputs without person 0 and estimates H_{e^epsilon}(Q || P).
    failure : float, default 1e-6
        Probability that the interval misses, in (0, 1).
    analysis : callable, optional
        A 1-Lipschitz function of arrays, applied to each sum before the noise. The charges are those of the sums
        (Feldman & Zrnic 2021, Example 2.8). A function with a larger slope increases the estimate.

    Returns
    -------
    Estimate
        The divergence with an interval that uses no statement of the filter.

    Raises
    ------
    ValueError
        If an argument is out of range, or there are fewer than two people.
    TypeError
        If `norms` are no numbers or `analysis` is not callable.

    Notes
    -----
    In every other round the analyst asks at full scale after a positive loss, and at half scale otherwise. Each run has
    two `IndividualFilter`s, with and without person 0, which receive the same requests. The control variate is a
    martingale: the divergence of Gaussian outputs with the rest of the pilot's total mu^2. The interval is `betting`.
    """
    values = _checked_norms(norms)
    asked_for = _TwoDataSetsSettings.of(
        len(values), n, rounds, epsilon, float(check_delta("failure", failure)), seed
    )
    check_direction(direction)
    if not callable(analysis):
        raise TypeError(
            f"analysis must be a function of arrays, got {analysis!r}; leave it out for the sum itself"
        )
    check_determinism_on_requests(
        filt, [gaussian_request(values[:3], sigma).of_run(i) for i in range(len(values[:3]))]
    )
    sign = 1.0 if direction == "PQ" else -1.0

    def noiseless_sum(people: IndividualFilter, requests: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of the active people in each run, before the noise."""
        active = people.select(gaussian_request(requests.ravel(), sigma)).reshape(requests.shape)
        return analysis(np.where(active, requests, 0.0).sum(axis=1))

    def simulate_worlds(n: int, most: float) -> _SimulatedWorlds:
        """Return n simulated pairs of runs, with and without person 0."""
        k = len(values)
        everybody, others = IndividualFilter(filt, n * k), IndividualFilter(filt, n * (k - 1))
        worlds = _SimulatedWorlds.of(n, most)
        for t in range(asked_for.rounds):
            # the analyst sees log P/Q in both directions
            requests = values * _analyst_request_scale(t, sign * worlds.loss)[:, None]
            shift = (noiseless_sum(everybody, requests) - noiseless_sum(others, requests[:, 1:])) / sigma
            worlds.add_output(shift, sign * asked_for.rng.standard_normal(n))
        return worlds

    return asked_for.estimate(simulate_worlds)


def simulate_queries(
    norms: Sequence[float],
    *,
    norm_budget: float,
    kappa: float,
    epsilon: float,
    rounds: int,
    n: int = 10_000,
    seed: int = 0,
    failure: float = FAILURE,
) -> Estimate:
    """Estimate the divergence of the answers that `LinearQueries` releases with and without person 0.

    Parameters
    ----------
    norms : sequence of float
        The contribution of each person to a sum at full scale, > 0; at least two people.
    norm_budget, kappa : float
        Parameters of `LinearQueries`, > 0.
    epsilon, rounds, n, seed, failure
        As in `simulate_person`.

    Returns
    -------
    Estimate
        The divergence with an interval that uses no statement of `LinearQueries`.

    Raises
    ------
    ValueError
        If an argument is out of range, or there are fewer than two people.

    Notes
    -----
    As in `simulate_person`, with two `LinearQueries` in place of the filters. They compute the sums without noise, and
    this function draws the noise.
    """
    values = _checked_norms(norms)
    asked_for = _TwoDataSetsSettings.of(
        len(values), n, rounds, epsilon, float(check_delta("failure", failure)), seed
    )

    def simulate_part(worlds: _SimulatedWorlds) -> None:
        """Play all rounds of some worlds with one pair of `LinearQueries`, one coordinate per world."""
        k, n = len(values), len(worlds.loss)
        everybody, others = (
            LinearQueries(n * people, norm_budget=norm_budget, kappa=kappa) for people in (k, k - 1)
        )
        for t in range(asked_for.rounds):
            scales = (np.eye(n) * _analyst_request_scale(t, worlds.loss)[:, None])[:, None, :]
            answer, without = (
                queries.answer((scales * people[None, :, None]).reshape(-1, n), ZERO_NOISE)
                for queries, people in ((everybody, values), (others, values[1:]))
            )
            worlds.add_output((answer.value - without.value) / answer.sigma, asked_for.rng.standard_normal(n))

    def simulate_worlds(n: int, most: float) -> _SimulatedWorlds:
        """Return n simulated pairs of runs, with and without person 0."""
        worlds = _SimulatedWorlds.of(n, most)
        for first in range(0, n, _WORLDS_PER_PAIR):
            simulate_part(worlds.part(slice(first, first + _WORLDS_PER_PAIR)))
        return worlds

    return asked_for.estimate(simulate_worlds)


def _checked_norms(norms: object) -> NDArray[np.float64]:
    """Return `norms` as an array, finite and positive, of at least two people."""
    if not isinstance(norms, np.ndarray | list | tuple):
        raise TypeError(f"norms must be one number per person, got norms={norms!r}; pass e.g. [1.0, 2.0]")
    given = (
        norms if isinstance(norms, np.ndarray) else np.array([one_positive("norms", norm) for norm in norms])
    )
    values = np.asarray(check_positive("norms", given))
    if values.ndim != 1 or len(values) < 2:
        raise ValueError(f"norms must hold at least two people, got shape {values.shape}; add another person")
    return values


@dataclass(frozen=True, slots=True)
class _TwoDataSetsSettings:
    """The checked parameters of a simulation of two data sets, and its random generator."""

    n: int
    rounds: int
    epsilon: float
    failure: float
    rng: np.random.Generator

    @classmethod
    def of(
        cls, people: int, n: int, rounds: int, epsilon: float, failure: float, seed: int
    ) -> _TwoDataSetsSettings:
        """Return the checked parameters; the people of all worlds must fit into memory."""
        worlds = check_count("n", n, least=2)
        if worlds * people > _MAX_PEOPLE:
            raise ValueError(
                f"n must be at most {_MAX_PEOPLE // people:,} runs with {people} people, got n={n!r}; pass a smaller n"
            )
        rounds, epsilon = check_count("rounds", rounds), one_epsilon("epsilon", epsilon)
        rng = np.random.default_rng(np.random.SeedSequence(check_count("seed", seed, least=0)))
        return cls(worlds, rounds, epsilon, failure, rng)

    def estimate(self, simulate_worlds: Callable[[int, float], _SimulatedWorlds]) -> Estimate:
        """Return the mean of (1 - e^{epsilon - loss})_+ minus the martingale's gain, each in [-1, 1] + its mean."""
        pilot = simulate_worlds(max(self.n // _PILOT, 2), math.inf)
        most = max(float(pilot.spent.max()), _MIN_SQUARED_MU) * (1 + 2.0**-40)
        worlds = simulate_worlds(self.n, most)
        start = float(_gaussian_divergence(np.array([self.epsilon]), np.array([most]))[0])
        gain = -np.expm1(np.minimum(self.epsilon - worlds.loss, 0.0))
        values = gain - _gaussian_divergence(self.epsilon - worlds.loss_at_stop, most - worlds.spent)
        interval = betting((1 + values) / 2, failure=self.failure)
        value, low, high = (
            min(max(2 * x - 1 + start, 0.0), 1.0) for x in (interval.value, interval.low, interval.high)
        )
        return Estimate(value, low, high, self.failure, self.n, "martingale of the true shifts, betting")


@dataclass(frozen=True, slots=True)
class _SimulatedWorlds:
    """Losses of outputs N(shift, 1) so far, and those at the stop of the martingale: shape (n,), in place.

    `spent` is the sum of shift^2 and `loss_at_stop` the loss while that sum was within `most`; `open` says that it
    still is.
    """

    most: float
    loss: NDArray[np.float64]
    loss_at_stop: NDArray[np.float64]
    spent: NDArray[np.float64]
    open: NDArray[np.bool_]

    @classmethod
    def of(cls, n: int, most: float) -> _SimulatedWorlds:
        return cls(most, np.zeros(n), np.zeros(n), np.zeros(n), np.ones(n, dtype=bool))

    def part(self, where: slice) -> _SimulatedWorlds:
        """Return a slice of the worlds as views of the same arrays."""
        return _SimulatedWorlds(
            self.most, self.loss[where], self.loss_at_stop[where], self.spent[where], self.open[where]
        )

    def add_output(self, shift: NDArray[np.float64], noise: NDArray[np.float64]) -> None:
        """Add one output N(shift, 1) per world: update its loss, and stop the martingale if needed."""
        after = self.spent + shift * shift
        np.logical_and(self.open, after <= self.most, out=self.open)
        np.copyto(self.spent, after, where=self.open)
        self.loss[:] += shift * noise + shift * shift / 2
        np.copyto(self.loss_at_stop, self.loss, where=self.open)


def _gaussian_divergence(gap: NDArray[np.float64], square: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return H_{e^gap} of Gaussian(mu), mu^2 = square, at any real gap: (1 - e^gap)_+ for mu = 0."""
    mu = np.sqrt(np.maximum(square, _MIN_SQUARED_MU))
    value: NDArray[np.float64] = np.minimum(gap, 0.0)
    ended = -np.expm1(value)
    return np.minimum(ended + np.exp(value) * Gaussian(mu).hockey_stick(np.abs(gap)), 1.0)


def _analyst_request_scale(t: int, loss: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the scale of the request: 1 in even rounds at a positive loss, else smaller."""
    return np.where((loss > 0) & (t % 2 == 0), 1.0, _SMALL_SCALE)
