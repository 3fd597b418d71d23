"""The experiments of 003 and 000 in a stand-in: private gradient descent goes on when the filter begins to bite.

>>> from reports.figures.trials import Trial
>>> run = GroupRun(sigma=10.618, clip=2.0, rate=0.5, at=2, epochs=3)
>>> outcome = Trial(run, seed=0, number=0).play()
>>> outcome.active[:3], len(outcome.groups_before.epsilon), round(run.filter.mu, 4)
((1437, 1437, 1437), 5, 0.1332)
>>> outcome = Trial(Setting(epsilon=4.0, clip=6.0, steps=3, rate=0.5, looks=2), seed=0, number=0).play()
>>> len(outcome.answers), len(outcome.active), outcome.stopped in (3, 8)
(2, 9, True)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from filters.rules.one_sum import GaussianFilter
from filters.rules.zcdp import ZCDPFilter
from mc.training.descent import Descent
from mc.training.stopping import PrivateCounts
from reports.figures.trials import Experiment, FollowedDescent
from theory.conversions import SIMPLE, gaussian_epsilon

#: Of all epsilons told; 003 has no other.
DELTA = 1e-5
#: The digits of each group, which share no person; the groups cover everyone.
GROUPS: tuple[tuple[int, ...], ...] = ((0, 1), (2, 3), (4, 5), (6, 7), (8, 9))


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsAt:
    """Means over each group of `GROUPS` at one epoch, shape (5,): losses in nats, and the epsilon spent on a person."""

    train_loss: tuple[float, ...]
    test_loss: tuple[float, ...]
    epsilon: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupOutcome:
    """What came of a run; told because the digits are public.

    accuracy, active: test accuracy, and the number of people who counted in the last step, after each epoch, shape
    (epochs + 1,). groups_before, groups_after: at the epoch where filtering begins, and at the end. epsilons: what was
    spent on each person when filtering begins, in increasing order, shape (n,).
    """

    accuracy: tuple[float, ...]
    active: tuple[int, ...]
    groups_before: GroupsAt
    groups_after: GroupsAt
    epsilons: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRun(Experiment[GroupOutcome]):
    """`epochs` full steps on the digits by the network 64-32-10, under a budget of `at` clipped ones.

    Everyone has a mu-GDP filter with mu = sqrt(at) / sigma, so that up to epoch `at` nobody can run out, and after it
    those go on who were clipped less. Source: paper 003, Section 6, Appendix E.
    """

    OUTCOME: ClassVar = GroupOutcome

    sigma: float
    clip: float
    rate: float
    at: int = 50
    epochs: int = 100

    @property
    def filter(self) -> GaussianFilter:
        """The filter that each person has."""
        return GaussianFilter(mu=self.at**0.5 / self.sigma)

    def play(self, seeds: np.random.SeedSequence) -> GroupOutcome:
        followed = FollowedDescent(self.filter, clip=self.clip, sigma=self.sigma, rate=self.rate, seeds=seeds)
        followed.steps(self.at)
        epsilons = self._epsilons(followed.descent)
        before = _groups_at(followed.descent, epsilons)
        followed.steps(self.epochs - self.at)
        return GroupOutcome(
            accuracy=tuple(followed.accuracy),
            active=tuple(followed.active),
            groups_before=before,
            groups_after=_groups_at(followed.descent, self._epsilons(followed.descent)),
            epsilons=tuple(np.sort(epsilons).tolist()),
        )

    def _epsilons(self, descent: Descent) -> NDArray[np.float64]:
        """The epsilon at DELTA spent on each person so far, shape (n,): public, as the digits are."""
        left = descent.people.remaining().made_public()
        spent = np.sqrt(np.maximum(self.filter.mu**2 - left**2, 0.0))
        epsilons = np.zeros(len(spent))
        epsilons[spent > 0] = gaussian_epsilon(spent[spent > 0], DELTA)
        return epsilons


def groups(labels: NDArray[np.float64]) -> NDArray[np.int64]:
    """The group of `GROUPS` that each row of one-hot `labels`, shape (n, 10), belongs to: numbers of shape (n,)."""
    of_digit = np.empty(10, dtype=np.int64)
    for number, members in enumerate(GROUPS):
        of_digit[list(members)] = number
    numbers: NDArray[np.int64] = of_digit[labels.argmax(axis=1)]
    return numbers


def _groups_at(descent: Descent, epsilons: NDArray[np.float64]) -> GroupsAt:
    data, net, theta = descent.data, descent.network, descent.theta
    of_train, of_test = groups(data.labels), groups(data.test_labels)
    return GroupsAt(
        train_loss=_means(net.losses(theta, data.features, data.labels), of_train),
        test_loss=_means(net.losses(theta, data.test_features, data.test_labels), of_test),
        epsilon=_means(epsilons, of_train),
    )


def _means(values: NDArray[np.float64], of: NDArray[np.int64]) -> tuple[float, ...]:
    """The mean over each group."""
    return tuple(float(values[of == number].mean()) for number in range(len(GROUPS)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """What came of a trial. All but the two accuracies' parameters and the answers is known for public data only.

    plain, filtered: test accuracy of the parameters that each releases. stopped: the step whose answer was the best.
    answers: the noisy training accuracies asked for. curve, active: test accuracy, and the number of people who
    counted in the last step, after each step with filtering, shape (last look + 1,).
    """

    plain: float
    filtered: float
    stopped: int
    answers: tuple[float, ...]
    curve: tuple[float, ...]
    active: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Experiment[Trained]):
    """(epsilon, delta) is promised; without filtering `steps` steps are taken, each sum clipped to `clip`.

    Both descents start from the same parameters. The plain one spends rho on its steps; the filtered one spends less
    on them, by the share that is set aside for the counts, and so has a little more noise.

    The promise is kept by rho-zCDP with rho by 000's simple conversion. A share `asked` of rho is set aside where one
    asks by private counts when to stop: `looks` times, before the first further step and then every `every` steps.
    """

    OUTCOME: ClassVar = Trained

    epsilon: float
    clip: float
    steps: int
    rate: float
    delta: float = 1e-5
    asked: float = 0.1
    looks: int = 8
    every: int = 5

    @property
    def rho(self) -> float:
        """The budget of everyone: the largest rho for which rho-zCDP is (epsilon, delta)-DP by the simple theorem."""
        return float(SIMPLE.budget(self.epsilon, self.delta))

    @property
    def descent_rho(self) -> float:
        """What of rho the steps may cost where counts are asked for."""
        return self.rho * (1 - self.asked)

    @property
    def counts_rho(self) -> float:
        """What of rho the counts may cost; with `descent_rho` it is rho exactly, the difference being exact."""
        return self.rho - self.descent_rho

    @property
    def sigma(self) -> float:
        """The noise without filtering, in units of the clip: `steps` steps cost rho (000, Proposition 5.1)."""
        return float((self.steps / (2 * self.rho)) ** 0.5)

    @property
    def filtered_sigma(self) -> float:
        """The noise with filtering: `steps` steps clipped to the most cost what is left for them."""
        return float((self.steps / (2 * self.descent_rho)) ** 0.5)

    @property
    def count_sigma(self) -> float:
        """The noise of each count, in people: `looks` of them, in each of which everyone counts, cost their share."""
        return float((self.looks / (2 * self.counts_rho)) ** 0.5)

    @property
    def looked_at(self) -> range:
        """The numbers of steps after which it is asked whether to stop."""
        return range(self.steps, self.steps + self.every * self.looks, self.every)

    def shortened(self, factor: float, *, clip: float = 1.0) -> Setting:
        """factor^2 times fewer steps keep the promise: with a noise smaller by factor, or a clip larger by it as well.

        Source: paper 000, Appendix A.
        """
        return replace(self, clip=self.clip * clip, steps=max(round(self.steps / factor**2), 1))

    def descent(self, seeds: np.random.SeedSequence, *, filtered: bool) -> FollowedDescent:
        """The descent at its start, with the budgets of its steps."""
        return FollowedDescent(
            ZCDPFilter(self.descent_rho if filtered else self.rho),
            clip=self.clip,
            sigma=self.filtered_sigma if filtered else self.sigma,
            rate=self.rate,
            seeds=seeds,
        )

    def play(self, seeds: np.random.SeedSequence) -> Trained:
        of_descents, of_counts = seeds.spawn(2)
        plain, filtered = (self.descent(of_descents, filtered=one) for one in (False, True))
        plain.descent.steps(self.steps)
        plain.look()
        descent, rng = filtered.descent, np.random.default_rng(of_counts)
        counts = PrivateCounts(people=descent.data.people, rho=self.counts_rho, looks=self.looks)
        answers = []
        for steps in self.looked_at:
            filtered.steps(steps - descent.taken)
            right = descent.network.right(descent.theta, descent.data.features, descent.data.labels)
            answers.append(counts.count(right, rng) / descent.data.people)
        _, stopped = max(zip(answers, self.looked_at, strict=True))
        return Trained(
            plain=plain.accuracy[-1],
            filtered=filtered.accuracy[stopped],
            stopped=stopped,
            answers=tuple(answers),
            curve=tuple(filtered.accuracy),
            active=tuple(filtered.active),
        )
