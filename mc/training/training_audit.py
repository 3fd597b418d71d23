"""An audit of a training: the likelihood-ratio test for one person on the actual releases.

>>> import filterproof as fp
>>> import numpy as np
>>> people = fp.training.LogisticTraining(np.array([[9.0], [2.0], [0.5]]), np.array([0, 1, 1]), rate=0.1)
>>> sums = fp.training.ClippedSums.factory(fp.GaussianFilter(mu=1.0), clip=1.0, sigma=2.0)
>>> audit = fp.training.audit_training(people, sums, epsilon=0.5, steps=10, n=2000, failure=1e-3)
>>> audit.refutes, bool(0.3 < audit.mu_low < 1.0)
(False, True)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from filterproof.mc.intervals import clopper_pearson
from filterproof.mc.intervals.betting import betting
from filterproof.mc.intervals.estimate import FAILURE, Estimate
from filterproof.mc.training.neighbouring_trainings import TwoTrainings
from filterproof.mc.training.simulated_training import checked_epsilon, world_batch_sizes
from filterproof.mc.training.training import MakeSums, Training
from filterproof.theory.argument_checks import check_count, check_delta
from filterproof.theory.display import Displayed, Row
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.numerics.decimals import format_down


@dataclass(frozen=True, slots=True, repr=False)
class TrainingAudit(Displayed):
    """The result of an audit: how well one test detects a person in the releases.

        reached = P(accused | person in) - e^epsilon P(accused | person out) <= delta(epsilon)

    Attributes
    ----------
    epsilon : float
        In nats.
    reached : Estimate
        The difference above. The guarantee bounds it for every test.
    promised : float
        Delta of the guarantee at epsilon.
    hit : Estimate
        P(accused | person in).
    false_alarm : Estimate
        P(accused | person out).
    promise : Guarantee
        The guarantee.

    Notes
    -----
    All three intervals hold jointly except with probability `reached.failure`.
    """

    epsilon: float
    reached: Estimate
    promised: float
    hit: Estimate
    false_alarm: Estimate
    promise: Guarantee

    @property
    def refutes(self) -> bool:
        """Whether the interval of `reached` lies above the guaranteed delta."""
        return self.reached.low > self.promised

    @property
    def mu_low(self) -> float:
        """The lower bound on the mu of mu-GDP: Phi^-1(hit.low) - Phi^-1(false_alarm.high), or 0."""
        return max(float(special.ndtri(self.hit.low) - special.ndtri(self.false_alarm.high)), 0.0)

    def rows(self) -> list[Row]:
        """Return one row: each probability with its interval."""
        row: Row = {"epsilon": self.epsilon, "promised": self.promised, "promise": str(self.promise)}
        estimates = {"reached": self.reached, "hit": self.hit, "false_alarm": self.false_alarm}
        for name, estimate in estimates.items():
            row |= {f"{name}_{end}": getattr(estimate, end) for end in ("value", "low", "high")}
        row |= {"failure": self.reached.failure, "n": self.reached.n}
        return [row | {"mu_low": self.mu_low, "refutes": self.refutes}]

    def __str__(self) -> str:
        verdict = "ABOVE the promise" if self.refutes else "not above the promise"
        return (
            f"reached {self.reached}, promised {self.promised:.6g} at epsilon={self.epsilon:g} ({self.promise}): "
            f"{verdict}; mu >= {format_down(self.mu_low, 4)}"
        )


def audit_training(
    training: Training,
    make: MakeSums,
    *,
    epsilon: float,
    steps: int,
    person: int = 0,
    n: int = 2_000,
    seed: int = 0,
    together: int | None = None,
    failure: float = FAILURE,
) -> TrainingAudit:
    """Audit a training: apply the likelihood-ratio test for one person to the actual releases.

    Half of the n trainings include the person. The test accuses if log dP/dQ of all releases exceeds epsilon.

    Parameters
    ----------
    training : Training
        The analysis.
    make : callable
        make(people, runs) returns the object under audit, e.g. `ClippedSums.factory(...)`.
    epsilon : float
        In nats, from 0 to 500.
    steps : int
        Number of releases.
    person : int, default 0
        Index of the person. See `TrainingWithCanary` for the easiest person to detect.
    n : int, default 2,000
        Number of trainings, at least 4.
    seed : int, default 0
        Seed of the noise.
    together : int, optional
        Number of trainings that share one object; 1 makes them independent by construction.
    failure : float, default 1e-6
        Probability that any interval misses, in (0, 1).

    Returns
    -------
    TrainingAudit
        Hits, false alarms, and their difference. A value above the guarantee with its whole interval refutes the
        guarantee. A value below is no proof.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Notes
    -----
    The object under audit draws its own noise. The test knows all other data, the parameters, and the two sums with and
    without the person. It is the most powerful test for Gaussian noise with the stated sigma. The intervals
    (Clopper-Pearson for the probabilities, `betting` for `reached`) assume only that pairs of trainings are
    independent. Both trainings of a pair start with the same random state, which narrows the interval.
    """
    epsilon, steps, n = checked_epsilon(epsilon), check_count("steps", steps), check_count("n", n, least=4)
    failure = float(check_delta("failure", failure))
    seed = check_count("seed", seed, least=0)
    promise = TwoTrainings(training, make, person=person, runs=1).promise

    def accusations(n: int, *, without: bool) -> NDArray[np.bool_]:
        """Return whether the test accuses in each of n worlds: log P/Q of the releases exceeds epsilon."""
        people, losses, seeds = training.people - without, [], np.random.SeedSequence(seed)
        for runs in world_batch_sizes(training, n, together):
            rng = np.random.default_rng(seeds.spawn(1)[0])
            audited = make(people, runs)
            two = TwoTrainings(training, make, person=person, runs=runs)
            loss = np.zeros(runs)
            for _ in range(steps):
                released = audited.release(two.vectors_of_people(without=without), rng).value
                with_person, without_person = two.sums()
                near, far = (
                    (released - with_person) / two.sigma,
                    (released - without_person) / two.other_sigma,
                )
                loss += np.einsum("ij,ij->i", far - near, far + near) / 2
                loss += released.shape[1] * math.log(two.other_sigma / two.sigma)
                two.go_on(released)
            losses.append(loss)
        return np.concatenate(losses) > epsilon

    hits, alarms = accusations(n - n // 2, without=False), accusations(n // 2, without=True)
    hit, false_alarm = (
        clopper_pearson(int(np.count_nonzero(each)), len(each), failure=failure / 4)
        for each in (hits, alarms)
    )
    reached = _test_hockey_stick_estimate(hits, alarms, math.exp(epsilon), failure)
    return TrainingAudit(epsilon, reached, float(promise.delta(epsilon)), hit, false_alarm, promise)


def _test_hockey_stick_estimate(
    hits: NDArray[np.bool_], alarms: NDArray[np.bool_], growth: float, failure: float
) -> Estimate:
    """Estimate P(hit) - e^epsilon P(false alarm) of the test from pairs of trainings.

    Bets with half of the failure give the interval; the other half is that of the two probabilities.
    """
    n, wide = len(alarms), 1 + growth
    interval = betting((growth + hits[:n] - growth * alarms) / wide, failure=failure / 2)
    value, low, high = (wide * x - growth for x in (interval.value, interval.low, interval.high))
    return Estimate(value, low, high, failure, len(hits) + n, "likelihood-ratio test, betting on pairs")
