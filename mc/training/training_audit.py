"""An audit of a training: the strongest test for one person, made on what was really released.

>>> import filterproof as fp
>>> import numpy as np
>>> people = fp.training.LogisticTraining(np.array([[9.0], [2.0], [0.5]]), np.array([0, 1, 1]), rate=0.1)
>>> sums = fp.training.ClippedSums.making(fp.GaussianFilter(mu=1.0), clip=1.0, sigma=2.0)
>>> found = fp.training.audit_training(people, sums, epsilon=0.5, steps=10, n=2000, failure=1e-3)
>>> found.refutes, bool(0.3 < found.mu_low < 1.0)
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
from filterproof.mc.intervals.estimate import CONFIDENCE, Estimate, stated_failure
from filterproof.mc.training.neighbouring_trainings import TwoTrainings
from filterproof.mc.training.simulated_training import at, batches
from filterproof.mc.training.training import MakeSums, Training
from filterproof.theory.argument_checks import check_count
from filterproof.theory.display import Displayed, Row
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.numerics.decimals import below


@dataclass(frozen=True, slots=True, repr=False)
class TrainingAudit(Displayed):
    """What one test made of the releases: reached = P(accused | person in) - e^epsilon P(accused | person out).

    promised is the delta at epsilon of the promise, a bound on `reached` for every test. hit and false_alarm are the
    two probabilities, each with its interval, and all three intervals hold together but for the failure of `reached`.
    """

    epsilon: float
    reached: Estimate
    promised: float
    hit: Estimate
    false_alarm: Estimate
    promise: Guarantee

    @property
    def refutes(self) -> bool:
        """Whether the whole interval lies above the promise."""
        return self.reached.low > self.promised

    @property
    def mu_low(self) -> float:
        """The least mu such that the releases can be mu-GDP: Phi^-1 of the hits less that of the false alarms, or 0."""
        return max(float(special.ndtri(self.hit.low) - special.ndtri(self.false_alarm.high)), 0.0)

    def rows(self) -> list[Row]:
        """One row: each probability with its interval."""
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
            f"{verdict}; mu >= {below(self.mu_low, 4)}"
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
    confidence: float = CONFIDENCE,
    failure: float | None = None,
) -> TrainingAudit:
    """The likelihood-ratio test for `person` on n whole trainings, half of them with that person.

    The releases are drawn by the object under audit itself, with its own noise. The test knows everything else: the
    data of all others, the parameters, and what two silent copies of the object would have summed with and without
    the person, so that no test of the same releases is better where the noise is normal, with the sigma that each
    copy says. It accuses where log P/Q > epsilon. Its errors are counted, and intervals by Clopper-Pearson, and by bets
    on pairs of one training of either kind for `reached`, assume nothing, not even sigma, but that pairs are
    independent: `together` of each kind are played by one object, and with 1 each has an object of its own. The two
    of a pair get generators in the same state. With the same noise, whoever is accused without the person is mostly
    accused with him, too, so that the interval is narrower by a quarter, and as true where an object draws otherwise.
    The strongest person to ask about has a vector that no clipping may let through: see `WithCanary`.
    Finding `reached` below the promise proves nothing; above it, with the whole interval, refutes it.
    """
    epsilon, steps, n = at(epsilon), check_count("steps", steps), check_count("n", n, least=4)
    failure = stated_failure(confidence, failure)
    seed = check_count("seed", seed, least=0)
    promise = TwoTrainings(training, make, person=person, runs=1).promise

    def accused(n: int, *, without: bool) -> NDArray[np.bool_]:
        """Whether log P/Q of everything released passes epsilon in each of n worlds, all with the person or without."""
        people, losses, seeds = training.people - without, [], np.random.SeedSequence(seed)
        for runs in batches(training, n, together):
            rng = np.random.default_rng(seeds.spawn(1)[0])
            audited = make(people, runs)
            two = TwoTrainings(training, make, person=person, runs=runs)
            loss = np.zeros(runs)
            for _ in range(steps):
                released = audited.release(two.vectors(without=without), rng).value
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

    hits, alarms = accused(n - n // 2, without=False), accused(n // 2, without=True)
    hit, false_alarm = (
        clopper_pearson(int(np.count_nonzero(each)), len(each), failure=failure / 4)
        for each in (hits, alarms)
    )
    reached = _difference(hits, alarms, math.exp(epsilon), failure)
    return TrainingAudit(epsilon, reached, float(promise.delta(epsilon)), hit, false_alarm, promise)


def _difference(
    hits: NDArray[np.bool_], alarms: NDArray[np.bool_], growth: float, failure: float
) -> Estimate:
    """The mean of hit - growth alarm over pairs of one training of either kind, each in [-growth, 1].

    Bets with half of the failure give the interval; the other half is that of the two probabilities.
    """
    n, wide = len(alarms), 1 + growth
    interval = betting((growth + hits[:n] - growth * alarms) / wide, failure=failure / 2)
    value, low, high = (wide * x - growth for x in (interval.value, interval.low, interval.high))
    return Estimate(value, low, high, failure, len(hits) + n, "likelihood-ratio test, betting on pairs")
