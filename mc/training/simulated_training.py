"""Simulated training on two data sets that differ in one person, and the divergence of its releases.

>>> import filterproof as fp
>>> import numpy as np
>>> features = np.array([[3.0, 1.0], [2.0, -1.0], [0.5, 0.0]])
>>> people = fp.training.LogisticTraining(features, np.array([0, 1, 1]), rate=0.1)
>>> sums = fp.training.ClippedSums.factory(fp.GaussianFilter(mu=1.0), clip=1.0, sigma=2.0)
>>> estimate = fp.training.simulate_training(people, sums, epsilon=1.0, steps=12, n=4000)
>>> estimate.low <= fp.GaussianDP(1.0).delta(1.0)
True
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from filterproof.filters import GuaranteeScope
from filterproof.filters.contract.parameters import one_epsilon, one_positive
from filterproof.mc.estimate.path_bound import PathBound, bounds_of_guarantee_scope
from filterproof.mc.intervals import Moments, clopper_pearson, empirical_bernstein
from filterproof.mc.intervals.estimate import (
    FAILURE,
    PLAIN_DRAWS,
    Estimate,
)
from filterproof.mc.training.neighbouring_trainings import TwoTrainings
from filterproof.mc.training.training import MakeSums, Training
from filterproof.theory.argument_checks import check_count, check_delta
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.pairs.base import Direction, check_direction

#: The most numbers in the vectors of all worlds that are played at once.
_AT_ONCE = 1 << 21
#: The most worlds that are played at once.
_MAX_RUNS = 1 << 13
#: The relative allowance for the rounding of sums of squares along a path.
_SLACK = 1e-9
#: The largest epsilon and sum of squares.
_MAX_EPSILON = 500.0


def simulate_training(
    training: Training,
    make: MakeSums,
    *,
    epsilon: float,
    steps: int,
    person: int = 0,
    n: int = 10_000,
    seed: int = 0,
    direction: Direction = "PQ",
    squares: float | None = None,
    together: int | None = None,
    failure: float = FAILURE,
) -> Estimate:
    """Estimate the divergence of everything that a training releases with and without one person.

        H_{e^epsilon}(P || Q),  P: with the person, Q: without

    Parameters
    ----------
    training : Training
        The analysis.
    make : callable
        make(people, runs) returns the object that releases noisy sums, e.g. `ClippedSums.factory(...)`.
    epsilon : float
        In nats, from 0 to 500.
    steps : int
        Number of releases.
    person : int, default 0
        Index of the person.
    n : int, default 10,000
        Number of simulated trainings, at least 2.
    seed : int, default 0
        Seed of the noise.
    direction : {"PQ", "QP"}
        "QP" draws the releases without the person and estimates H_{e^epsilon}(Q || P).
    squares : float, optional
        Bound on the sum of squared shifts in units of sigma, > 0. By default the guarantee suggests it.
    together : int, optional
        Number of trainings that share one object; 1 makes them independent by construction.
    failure : float, default 1e-6
        Probability that the interval misses, in (0, 1).

    Returns
    -------
    Estimate
        The divergence. `rests_on` names the theorem or the budget monitor that bounds the weights.

    Raises
    ------
    ValueError
        If an argument is out of range, no bound is known and `squares` is missing, or sigma differs with and without
        the person.
    TypeError
        If `make` returns different kinds of sums for different numbers of runs.

    Notes
    -----
    Each run trains on both data sets at once. The loss of a release is that of N(sum, sigma^2 I) for the two sums, with
    the sigma that the object states; `audit_training` uses no such statement. Outputs are drawn from a tilted
    distribution and weighted. A budget monitor stops a run before its squared shifts exceed `squares`. For the
    library's `ClippedSums` over a filter that sums squares, a theorem excludes such runs. Otherwise n further plain
    runs estimate their probability.
    """
    epsilon, steps, n = checked_epsilon(epsilon), check_count("steps", steps), check_count("n", n, least=2)
    failure = float(check_delta("failure", failure))
    check_direction(direction)
    sample = TwoTrainings(training, make, person=person, runs=1)
    shift_bound = sample.squared_shift_bound if squares is None else None
    if squares is not None:
        bound = one_positive("squares", squares)
    else:
        bound = _suggested_squared_shift_bound(sample.promise) if shift_bound is None else shift_bound
    _checked_magnitude("squares", bound)

    def iter_world_losses(
        seeds: np.random.SeedSequence, order: float, shift_bound: float | None
    ) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]]:
        """Yield, in batches of worlds, losses, sums of squared shifts, and whether the monitor stopped."""
        for runs in world_batch_sizes(training, n, together):
            rng = np.random.default_rng(seeds.spawn(1)[0])
            two = TwoTrainings(training, make, person=person, runs=runs)
            if shift_bound is not None and two.squared_shift_bound != shift_bound:
                raise TypeError(
                    f"make must return the same kind of sums for every number of runs, got another for runs={runs}; "
                    "return one kind, or pass squares="
                )
            loss, spent, beyond = np.zeros(runs), np.zeros(runs), np.zeros(runs, dtype=np.bool_)
            for _ in range(steps):
                sums = two.sums()
                if abs(two.sigma - two.other_sigma) > 0:
                    raise ValueError(
                        f"sigma must be the same with and without the person, got {two.sigma!r} and "
                        f"{two.other_sigma!r}; such noise reveals the person; use audit_training"
                    )
                drawn, base = sums if direction == "PQ" else reversed(sums)
                shift = (drawn - base) / two.sigma
                square = np.einsum("ij,ij->i", shift, shift)
                beyond |= ~(spent + square <= bound * (1 + _SLACK))
                z = rng.standard_normal(shift.shape)
                gone_on = ~beyond
                moved = np.einsum("ij,ij->i", shift, z)
                loss[gone_on] += ((order - 0.5) * square + moved)[gone_on]
                spent[gone_on] += square[gone_on]
                two.go_on(base + two.sigma * (order * shift + z))
            yield loss, spent, beyond

    # every release is Gaussian(mu), and its D_s is s mu^2/2
    ceiling = PathBound(bounds_of_guarantee_scope(GuaranteeScope(zcdp=bound / 2), "", ruled=False))
    order = ceiling.best_order(epsilon)
    upper = math.exp(ceiling.log_bound(order, epsilon))
    inside_seeds, outside_seeds = np.random.SeedSequence(check_count("seed", seed, least=0)).spawn(2)
    gains, passed = [], 0
    for loss, spent, beyond in iter_world_losses(inside_seeds, order, shift_bound):
        weight = np.exp((order - 1) * (order * spent / 2 - loss))
        gain = weight * -np.expm1(np.minimum(epsilon - loss, 0.0))
        gains.append(Moments.of(np.where(beyond, 0.0, gain), upper))
        passed += int(np.count_nonzero(beyond))
    name = f"two data sets, tilted to order {order:.4g}"
    if shift_bound is not None:
        if passed:
            raise RuntimeError(
                f"{passed} runs exceeded the bound {bound:.9g} of the library's filter; report this error"
            )
        mean = empirical_bernstein(Moments.merge(gains), failure=failure)
        rests = "Koskela, Tobaben & Honkela (2023), Theorem 12: each person's ledger admits no larger sum of squares"
        return replace(mean, method=f"{name}, {mean.method}", rests_on=rests).at_most_one
    inside = empirical_bernstein(Moments.merge(gains), failure=failure / 2)
    outside_hits = sum(
        int(np.count_nonzero(beyond)) for _, _, beyond in iter_world_losses(outside_seeds, 1.0, None)
    )
    outside = clopper_pearson(outside_hits, n, failure=failure / 2)
    # a path beyond the bound gains between 0 and 1
    rests = f"{PLAIN_DRAWS}, and a guard at a sum of squared shifts of {bound:.6g}"
    high, method = inside.high + outside.high, f"{name}, {inside.method}"
    return Estimate(inside.value, inside.low, high, failure, 2 * n, method, rests, outside_hits).at_most_one


def world_batch_sizes(training: Training, n: int, together: int | None) -> Iterator[int]:
    """Yield the sizes of the batches in which n worlds are simulated: `together`, or as many as fit."""
    if together is None:
        numbers = training.people * training.start(1).size
        together = max(min(_AT_ONCE // max(numbers, 1), _MAX_RUNS), 1)
    most = check_count("together", together)
    for first in range(0, n, most):
        yield min(most, n - first)


def checked_epsilon(epsilon: object) -> float:
    """Return `epsilon` as a number; raise ValueError beyond 500 in absolute value."""
    return _checked_magnitude("epsilon", one_epsilon("epsilon", epsilon))


def _checked_magnitude(name: str, number: float) -> float:
    """Return the number; raise ValueError beyond 500 in absolute value."""
    if abs(number) > _MAX_EPSILON:
        raise ValueError(
            f"{name} must be at most {_MAX_EPSILON:g} in absolute value, got {name}={number!r}; pass a smaller one"
        )
    return number


def _suggested_squared_shift_bound(promise: Guarantee) -> float:
    """Return the bound on a sum of squared shifts that the guarantee suggests."""
    holds = GuaranteeScope.suggested_from_promise(promise)
    squares = (
        math.inf if holds is None else PathBound(bounds_of_guarantee_scope(holds, "", ruled=False)).squares
    )
    if squares == math.inf:
        raise ValueError(
            f"squares is missing, because {promise} suggests no bound on squared shifts; pass "
            "e.g. squares=1.0"
        )
    return squares
