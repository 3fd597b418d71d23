"""One run of 003's experiment in a stand-in: private gradient descent goes on when the filter begins to bite.

>>> from reports.figures.trials import Trial
>>> run = GroupRun(sigma=10.618, clip=2.0, rate=0.5, at=2, epochs=3)
>>> outcome = Trial(run, seed=0, number=0).play()
>>> outcome.active[:3], len(outcome.groups_before.epsilon), round(run.filter.mu, 4)
((1437, 1437, 1437), 5, 0.1332)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from filters.rules.gdp import GaussianFilter
from mc.training.descent import Descent
from reports.figures.trials import Experiment, FollowedDescent
from theory.conversions import gaussian_epsilon

__all__ = ["DELTA", "GROUPS", "GroupOutcome", "GroupRun", "GroupsAt", "groups"]

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
