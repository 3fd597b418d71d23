"""The divergence that an `IndividualFilter` reaches on two data sets that differ in one person.

>>> import filterproof as fp
>>> filt = fp.GaussianFilter(mu=1.0)
>>> estimate = fp.people.simulate_person(filt, [1.0, 2.0], sigma=4.0, epsilon=1.0, rounds=40, n=2000, seed=1)
>>> estimate.low <= filt.promise.delta(1.0) <= estimate.high
True
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accountants.individual import IndividualFilter, gaussian_request
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
    two `IndividualFilter` objects, with and without person 0, which receive the same requests. The control variate is a
    martingale: the divergence of Gaussian outputs with the rest of the pilot's total mu^2. The interval is `betting`.
    """
    values = _checked_norms(norms)
    people, n = len(values), check_count("n", n, least=2)
    if n * people > _MAX_PEOPLE:
        raise ValueError(
            f"n must be at most {_MAX_PEOPLE // people:,} runs with {people} people, got n={n!r}; pass a smaller n"
        )
    rounds, epsilon = check_count("rounds", rounds), one_epsilon("epsilon", epsilon)
    failure = float(check_delta("failure", failure))
    rng = np.random.default_rng(np.random.SeedSequence(check_count("seed", seed, least=0)))
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

    def simulate_worlds(n: int, most: float) -> tuple[NDArray[np.float64], ...]:
        """Return three numbers of n pairs of runs, with and without person 0, shape (n,) each.

        They are the loss at the end, and the loss and the sum of shift^2 while that sum was within `most`.
        """
        everybody, others = IndividualFilter(filt, n * people), IndividualFilter(filt, n * (people - 1))
        loss, loss_at_stop, spent, is_open = np.zeros(n), np.zeros(n), np.zeros(n), np.ones(n, dtype=bool)
        for t in range(rounds):
            # the analyst sees log P/Q in both directions
            scale = np.where((sign * loss > 0) & (t % 2 == 0), 1.0, _SMALL_SCALE)
            requests = values * scale[:, None]
            shift = (noiseless_sum(everybody, requests) - noiseless_sum(others, requests[:, 1:])) / sigma
            is_open &= spent + shift * shift <= most
            loss += shift * (sign * rng.standard_normal(n)) + shift * shift / 2
            spent[is_open] += (shift * shift)[is_open]
            loss_at_stop[is_open] = loss[is_open]
        return loss, loss_at_stop, spent

    # the mean of (1 - e^{epsilon - loss})_+ minus the martingale's gain, each in [-1, 1] + its mean
    _, _, spent = simulate_worlds(max(n // _PILOT, 2), math.inf)
    most = max(float(spent.max()), _MIN_SQUARED_MU) * (1 + 2.0**-40)
    loss, loss_at_stop, spent = simulate_worlds(n, most)
    start = float(_gaussian_hockey_stick(np.array([epsilon]), np.array([most]))[0])
    gain = -np.expm1(np.minimum(epsilon - loss, 0.0))
    scores = gain - _gaussian_hockey_stick(epsilon - loss_at_stop, most - spent)
    interval = betting((1 + scores) / 2, failure=failure)
    value, low, high = (
        min(max(2 * x - 1 + start, 0.0), 1.0) for x in (interval.value, interval.low, interval.high)
    )
    return Estimate(value, low, high, failure, n, "martingale of the true shifts, betting")


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


def _gaussian_hockey_stick(
    epsilon_left: NDArray[np.float64], squared_mu: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return H_{e^epsilon_left} of Gaussian(mu) at any real epsilon_left: (1 - e^epsilon_left)_+ for mu = 0."""
    mu = np.sqrt(np.maximum(squared_mu, _MIN_SQUARED_MU))
    value: NDArray[np.float64] = np.minimum(epsilon_left, 0.0)
    ended = -np.expm1(value)
    return np.minimum(ended + np.exp(value) * Gaussian(mu).hockey_stick(np.abs(epsilon_left)), 1.0)
