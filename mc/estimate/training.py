"""A whole training on two data sets that differ in one person, simulated: how far its releases can be told apart.

>>> import filterproof as fp
>>> import numpy as np
>>> people = fp.LogisticTraining(np.array([[3.0, 1.0], [2.0, -1.0], [0.5, 0.0]]), np.array([0, 1, 1]), rate=0.1)
>>> sums = fp.ClippedSums.making(fp.GaussianFilter(mu=1.0), clip=1.0, sigma=2.0)
>>> found = fp.simulate_training(people, sums, epsilon=1.0, steps=12, n=4000)
>>> found.low <= fp.GaussianDP(1.0).delta(1.0)
True
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from filters.catalogue import CATALOGUE
from filters.contract.parameters import one_positive, one_real
from filters.holders.clipped_sums import ClippedSums
from filters.holders.individual import IndividualFilter
from mc.evaluate.training import MakeSums, Training
from mc.evaluate.two_trainings import TwoTrainings
from mc.intervals import Moments, clopper_pearson, empirical_bernstein
from mc.intervals.estimate import CONFIDENCE, PLAIN_DRAWS, Estimate, stated_failure
from theory.arguments import check_count
from theory.guarantees import ZCDP, GaussianDP, Guarantee, RenyiDP
from theory.pairs.base import Direction

__all__ = ["batches", "simulate_training"]

#: Numbers in the vectors of all worlds that are played at once.
_AT_ONCE = 1 << 21
#: Worlds that are played at once, at most.
_MOST_RUNS = 1 << 13
#: Relative allowance for the rounding of sums of squares along a path.
_SLACK = 1e-9
#: log M_s below which weights are not told from zero.
_LEAST = -600.0


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
    confidence: float = CONFIDENCE,
    failure: float | None = None,
) -> Estimate:
    """H_{e^epsilon}(P || Q), P and Q the laws of all that is released in `steps` steps with and without `person`.

    Each of n worlds trains on both data sets at once, by the releases that it draws: two objects by `make`, of which
    one never heard of the person, say what they would have summed (`TwoTrainings`), and the loss of a release is that
    of N(sum, sigma^2 I) for the two sums. sigma is what the sums say of their noise; `audit_training` believes nothing.
    Outputs are drawn tilted, mean s times the person's shift, and weighted, which keeps small divergences visible.
    The weights are bounded by `squares`, a bound on the sum of squared shifts in units of sigma, by default what the
    promise suggests. No path passes it: a guard stops it before it would. Where `make` gives the library's own
    `ClippedSums` over a filter of the catalogue that adds up squares, no path can, and the estimate names the theorem.
    For all others the probability of such paths is drawn plainly, with n worlds more, and added.
    "QP" draws without the person, and gives H(Q || P). Raises ValueError where no bound is known and none is given.
    """
    epsilon, steps, n = (
        one_real("epsilon", epsilon),
        check_count("steps", steps),
        check_count("n", n, least=2),
    )
    failure = stated_failure(confidence, failure)
    if direction not in ("PQ", "QP"):
        raise ValueError(f"direction must be 'PQ' or 'QP', got direction={direction!r}; pass one of them")
    kept = _kept(training, make) if squares is None else None
    if squares is not None:
        bound = one_positive("squares", squares)
    else:
        bound = _suggested(make(training.people, 1).promise) if kept is None else kept
    trusted = kept is not None
    order = _order(bound, epsilon)
    upper = math.exp(max(_log_bound(order, bound * (1 + _SLACK), epsilon), _LEAST))
    seeds = np.random.SeedSequence(check_count("seed", seed, least=0))
    one, two = seeds.spawn(2)
    gains, passed = [], 0
    for loss, spent, beyond in _played(training, make, steps, person, n, one, direction, order, bound):
        weight = np.exp((order - 1) * (order * spent / 2 - loss))
        gain = weight * -np.expm1(np.minimum(epsilon - loss, 0.0))
        gains.append(Moments.of(np.where(beyond, 0.0, gain), upper))
        passed += int(np.count_nonzero(beyond))
    name = f"two data sets, tilted to order {order:.4g}"
    if trusted:
        if passed:
            raise RuntimeError(
                f"the library's filter let {passed} paths pass the bound {bound:.9g} that it keeps; report this fault"
            )
        found = empirical_bernstein(Moments.merge(gains), failure=failure)
        return _named(found, name, "003 Theorem 12: each person's ledger admits no larger sum of squares", 0)
    inside = empirical_bernstein(Moments.merge(gains), failure=failure / 2)
    plain = sum(
        int(np.count_nonzero(beyond))
        for _, _, beyond in _played(training, make, steps, person, n, two, direction, 1.0, bound)
    )
    outside = clopper_pearson(plain, n, failure=failure / 2)
    # a path beyond the bound gains between 0 and 1
    total = Estimate(
        inside.value, inside.low, min(inside.high + outside.high, 1.0), failure, 2 * n, inside.method
    )
    rests = PLAIN_DRAWS if squares is None else "the draws alone, guarded at the squares that were given"
    return _named(total, name, rests, plain)


def batches(training: Training, n: int, dimension: int) -> Iterator[int]:
    """How many of n worlds are played together: as many as fit, one after the other."""
    most = max(min(_AT_ONCE // max(training.people * dimension, 1), _MOST_RUNS), 1)
    for first in range(0, n, most):
        yield min(most, n - first)


def _played(
    training: Training,
    make: MakeSums,
    steps: int,
    person: int,
    n: int,
    seeds: np.random.SeedSequence,
    direction: Direction,
    order: float,
    bound: float,
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]]:
    """(loss, sum of squared shifts, whether the guard stopped it) of every world, in batches."""
    dimension = training.start(1).size
    for runs in batches(training, n, dimension):
        rng = np.random.default_rng(seeds.spawn(1)[0])
        two = TwoTrainings(training, make, person=person, runs=runs)
        loss, spent, beyond = np.zeros(runs), np.zeros(runs), np.zeros(runs, dtype=np.bool_)
        for _ in range(steps):
            one, other = two.sums()
            drawn, base = (one, other) if direction == "PQ" else (other, one)
            shift = (drawn - base) / two.sigma
            square = np.einsum("ij,ij->i", shift, shift)
            beyond |= spent + square > bound * (1 + _SLACK)
            z = rng.standard_normal(shift.shape)
            gone_on = ~beyond
            moved = np.einsum("ij,ij->i", shift, z)
            loss[gone_on] += ((order - 0.5) * square + moved)[gone_on]
            spent[gone_on] += square[gone_on]
            two.go_on(base + two.sigma * (order * shift + z))
        yield loss, spent, beyond


def _suggested(promise: Guarantee) -> float:
    """What the promise suggests as a bound on a sum of squared shifts: for the choice of the tilt and the guard."""
    if isinstance(promise, GaussianDP):
        return promise.mu**2
    if isinstance(promise, ZCDP):
        return 2 * promise.rho
    if isinstance(promise, RenyiDP):
        return 2 * promise.rho / promise.alpha
    raise ValueError(
        f"squares must be given where the promise suggests no bound on squared shifts, got {promise}; pass "
        "e.g. squares=1.0"
    )


def _kept(training: Training, make: MakeSums) -> float | None:
    """The bound on the sum of squared shifts that the library's own code keeps, by a theorem; None where none is known.

    That is so where its ledgers add up squares, of norms that it computes itself.
    """
    sums = make(training.people, 1)
    if type(sums) is not ClippedSums or type(sums.people) is not IndividualFilter:
        return None
    filt = sums.people.filter
    entry, holds = CATALOGUE.get(type(filt).__name__), filt.holds
    ours = entry is not None and entry.kind is type(filt)
    if not ours or holds is None or not holds.rule or not math.isfinite(holds.zcdp):
        return None
    return 2 * holds.zcdp if TwoTrainings(training, make, person=0, runs=1).norms_are_ours else None


def _log_bound(order: float, squares: float, epsilon: float) -> float:
    """log of the largest weighted gain: (s-1)(s squares/2 - epsilon) + s log(1 - 1/s) - log(s - 1)."""
    t = order - 1
    return t * (order * squares / 2 - epsilon) + order * math.log1p(-1 / order) - math.log(t)


def _order(squares: float, epsilon: float) -> float:
    """The order s > 1 at which the bound on weights is least."""
    from scipy import optimize

    found = optimize.minimize_scalar(
        lambda x: _log_bound(1 + math.exp(x), squares, epsilon), bounds=(-7.0, 7.0), method="bounded"
    )
    return 1 + math.exp(float(found.x))


def _named(found: Estimate, name: str, rests_on: str, beyond: int) -> Estimate:
    low, high = max(found.low, 0.0), min(found.high, 1.0)
    value = min(max(found.value, low), high)
    return Estimate(value, low, high, found.failure, found.n, f"{name}, {found.method}", rests_on, beyond)
