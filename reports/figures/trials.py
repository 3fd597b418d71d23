"""The stand-in experiment for the figures on closed data, and its trials. Each trial is played once.

Private gradient descent on scikit-learn's digits continues after the budgets of some people are spent. This process
keeps each trial. Equal trials have equal bits.

>>> trial = Trial(FilteredDescent(sigma=10.618, clip=2.0, rate=0.5, at=2, epochs=3), seed=0, number=0)
>>> outcome = outcome_of(trial)
>>> outcome.active[:3], len(outcome.before.epsilon), round(trial.setting.filter.mu, 4)
((1437, 1437, 1437), 5, 0.1332)
>>> trial.play() == outcome, outcome_of(trial) is outcome
(True, True)
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from filterproof.filters.accountants.individual import IndividualFilter
from filterproof.filters.rules.one_sum import GaussianFilter
from filterproof.mc.runs.executors import LocalPool, available_cores, iter_completed
from filterproof.mc.training.descent import PrivateGradientDescent
from filterproof.mc.training.digits import load_digits
from filterproof.mc.training.network import DenseNetwork
from filterproof.theory.argument_checks import check_count
from filterproof.theory.conversions import gaussian_epsilon

#: The delta of all epsilons of the stand-in and of the papers.
DELTA = 1e-5
#: The digits of each group. Every person is in exactly one group.
GROUPS: tuple[tuple[int, ...], ...] = ((0, 1), (2, 3), (4, 5), (6, 7), (8, 9))
#: Fewer trials than this are faster in one process.
_FEW_TRIALS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMeans:
    """Means over each group of `GROUPS` at one epoch, shape (5,): losses in nats, and the epsilon spent on a person."""

    train_loss: tuple[float, ...]
    test_loss: tuple[float, ...]
    epsilon: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialOutcome:
    """The outcome of a trial; shown because the digits are public.

    accuracy, active: test accuracy, and the number of active people in the last step, after each epoch, shape
    (epochs + 1,). before, after: the groups at the epoch where filtering begins, and at the end. epsilons: the
    spent epsilon of each person when filtering begins, in increasing order, shape (n,).
    """

    accuracy: tuple[float, ...]
    active: tuple[int, ...]
    before: GroupMeans
    after: GroupMeans
    epsilons: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilteredDescent:
    """`epochs` steps on all digits by the network 64-32-10, under a budget of `at` steps at the full clip.

    Everyone has a mu-GDP filter with mu = sqrt(at) / sigma. Nobody's budget is spent before epoch `at`. After it, the
    people with smaller clipped gradients stay active. Source: Koskela, Tobaben & Honkela, Section 6 and Appendix E;
    Feldman & Zrnic, Algorithm 7.
    """

    sigma: float
    clip: float
    rate: float
    at: int
    epochs: int

    @property
    def filter(self) -> GaussianFilter:
        """Return the filter of each person."""
        return GaussianFilter(mu=self.at**0.5 / self.sigma)

    def play(self, seeds: np.random.SeedSequence) -> TrialOutcome:
        """Play one trial with these seeds."""
        data, seed = load_digits(), int(seeds.generate_state(1)[0])
        people = IndividualFilter(self.filter, people=data.people)
        descent = PrivateGradientDescent(
            data, DenseNetwork(), people, clip=self.clip, sigma=self.sigma, rate=self.rate, seed=seed
        )
        accuracy, active = [_accuracy(descent)], [descent.active()]
        epsilons, means = [], []
        for steps in (self.at, self.epochs - self.at):
            for _ in range(steps):
                next(descent)
                accuracy.append(_accuracy(descent))
                active.append(descent.active())
            epsilons.append(self._epsilons(descent))
            means.append(_group_means(descent, epsilons[-1]))
        return TrialOutcome(
            accuracy=tuple(accuracy),
            active=tuple(active),
            before=means[0],
            after=means[1],
            epsilons=tuple(np.sort(epsilons[0]).tolist()),
        )

    def _epsilons(self, descent: PrivateGradientDescent) -> NDArray[np.float64]:
        """Return each person's spent epsilon at DELTA, shape (n,); public, because the digits are."""
        left = descent.people.remaining().made_public()
        spent = np.sqrt(np.maximum(self.filter.mu**2 - left**2, 0.0))
        epsilons = np.zeros(len(spent))
        epsilons[spent > 0] = gaussian_epsilon(spent[spent > 0], DELTA)
        return epsilons


def _accuracy(descent: PrivateGradientDescent) -> float:
    data = descent.data
    return float(descent.network.right(descent.theta, data.test_features, data.test_labels).mean())


def digit_groups(labels: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the number of the group of each row of one-hot `labels`, shape (n, 10): shape (n,)."""
    of_digit = np.empty(10, dtype=np.int64)
    for number, members in enumerate(GROUPS):
        of_digit[list(members)] = number
    numbers: NDArray[np.int64] = of_digit[labels.argmax(axis=1)]
    return numbers


def _group_means(descent: PrivateGradientDescent, epsilons: NDArray[np.float64]) -> GroupMeans:
    data, losses = descent.data, descent.network.losses

    def means(values: NDArray[np.float64], labels: NDArray[np.float64]) -> tuple[float, ...]:
        of = digit_groups(labels)
        return tuple(float(values[of == number].mean()) for number in range(len(GROUPS)))

    return GroupMeans(
        train_loss=means(losses(descent.theta, data.features, data.labels), data.labels),
        test_loss=means(losses(descent.theta, data.test_features, data.test_labels), data.test_labels),
        epsilon=means(epsilons, data.labels),
    )


@dataclass(frozen=True, slots=True)
class Trial:
    """Trial `number` of a setting and a seed."""

    setting: FilteredDescent
    seed: int
    number: int

    def play(self) -> TrialOutcome:
        """Play the trial on one thread, which is faster for small products."""
        with threadpool_limits(1):
            return self.setting.play(np.random.SeedSequence([self.seed, self.number]))


#: The trials that this process has played.
PLAYED_TRIALS: dict[Trial, TrialOutcome] = {}


def outcome_of(trial: Trial) -> TrialOutcome:
    """Return the outcome of a trial; play it if it is new."""
    if trial not in PLAYED_TRIALS:
        PLAYED_TRIALS[trial] = trial.play()
    return PLAYED_TRIALS[trial]


def play_trials(trials: Iterable[Trial], *, workers: int | None = None) -> None:
    """Play every new trial on `workers` processes, by default one for each core.

    The outcomes do not depend on the number of workers. `outcome_of` returns them.
    """
    missing = [trial for trial in dict.fromkeys(trials) if trial not in PLAYED_TRIALS]
    many = available_cores() if workers is None else check_count("workers", workers)
    with ExitStack() as stack:
        pool = None
        if many > 1 and len(missing) >= _FEW_TRIALS:
            pool = LocalPool(many)
            stack.callback(pool.kill)
        PLAYED_TRIALS.update(iter_completed(pool, Trial.play, missing, window=2 * many))
