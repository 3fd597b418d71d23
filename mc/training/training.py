"""Protocol of trainings that release noisy sums over people, with logistic regression and a canary.

>>> import filterproof as fp
>>> import numpy as np
>>> people = fp.training.LogisticTraining(np.array([[1.0], [2.0]]), np.array([0, 1]), rate=0.5)
>>> people.vectors(people.start(runs=1)).norms()
array([[0.5, 1. ]])
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from filterproof.filters.accountants.clipped_sums import ImplicitVectors, NoisySum
from filterproof.mc.training.data_set import real_array
from filterproof.theory.argument_checks import check_positive
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.numerics.norms import euclidean_norms


class Training(Protocol):
    """Protocol of an analysis by sums over people, e.g. gradient descent.

    Each vector is a function of the person's data and earlier releases. Arrays have `runs` independent simulated
    trainings on the first axis.
    """

    @property
    def people(self) -> int:
        """The number of people."""

    def start(self, runs: int) -> NDArray[np.float64]:
        """Return the parameters before the first release, shape (runs, ...)."""

    def vectors(self, parameters: NDArray[np.float64]) -> NDArray[np.float64] | ImplicitVectors:
        """Return everyone's vector in each run.

        Parameters
        ----------
        parameters : ndarray, shape (runs, ...)
            The parameters.

        Returns
        -------
        ndarray or ImplicitVectors
            An array of shape (runs, people, d), or `ImplicitVectors` with norms of shape (runs, people) and sums of
            shape (runs, d).
        """

    def step(self, parameters: NDArray[np.float64], released: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the parameters after the release of a sum of shape (runs, d)."""


class NoisySumReleaser(Protocol):
    """Protocol of an object that releases noisy sums over people, such as `ClippedSums`.

    Runs of one object are assumed independent.
    """

    @property
    def promise(self) -> Guarantee:
        """The stated guarantee of all releases."""

    def release(self, vectors: NDArray[np.float64] | ImplicitVectors, rng: np.random.Generator) -> NoisySum:
        """Return the noisy sum, one for each run: (runs, d)."""


#: (people in one world, runs) -> sums over runs times as many people, with full budgets.
MakeSums: TypeAlias = Callable[[int, int], NoisySumReleaser]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LogisticTraining:
    """Gradient descent for logistic regression, from theta = 0.

        minimise sum_i log(1 + e^{-(2 y_i - 1) <x_i, theta>}),  theta <- theta - rate * released sum

    The gradient of person i is (expit(<x_i, theta>) - y_i) x_i.

    Parameters
    ----------
    features : ndarray, shape (people, d)
        Finite numbers.
    labels : ndarray, shape (people,)
        0 or 1.
    rate : float
        Learning rate, > 0.

    Raises
    ------
    ValueError
        If a shape, a label or the rate is out of range.
    """

    features: NDArray[np.float64]
    labels: NDArray[np.int64]
    rate: float

    def __post_init__(self) -> None:
        features = real_array("features", np.asarray(self.features)).copy()
        given = real_array("labels", np.asarray(self.labels))
        if features.ndim != 2 or not features.size or not np.isfinite(features).all():
            raise ValueError(
                f"features must be finite, a row per person, got shape {features.shape}; pass (people, d) numbers"
            )
        if given.shape != features.shape[:1] or not np.isin(given, (0, 1)).all():
            raise ValueError(
                f"labels must be 0 or 1, one per person, got shape {given.shape} for {len(features)} people; pass "
                "e.g. [0, 1, 1]"
            )
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "labels", given.astype(np.int64))
        object.__setattr__(self, "rate", float(check_positive("rate", self.rate)))

    def __repr__(self) -> str:
        return (
            f"LogisticTraining(people={self.people}, d={self.features.shape[1]}, rate={self.rate!r}; hidden)"
        )

    @property
    def people(self) -> int:
        """The number of people."""
        return len(self.features)

    def start(self, runs: int) -> NDArray[np.float64]:
        """Return theta = 0, shape (runs, d)."""
        return np.zeros((runs, self.features.shape[1]))

    def vectors(self, parameters: NDArray[np.float64]) -> ImplicitVectors:
        """Return the gradients in closed form."""
        return _ResidualScaledRows(special.expit(parameters @ self.features.T) - self.labels, self.features)

    def step(self, parameters: NDArray[np.float64], released: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return theta - rate * released."""
        return parameters - self.rate * released


@dataclass(frozen=True, slots=True, eq=False)
class _ResidualScaledRows:
    """The logistic gradients residuals[r, i] rows[i] of person i in run r, not stored."""

    residuals: NDArray[np.float64]
    rows: NDArray[np.float64]

    def norms(self) -> NDArray[np.float64]:
        sizes: NDArray[np.float64] = np.abs(self.residuals) * euclidean_norms(self.rows)
        return sizes

    def weighted(self, factors: NDArray[np.float64]) -> NDArray[np.float64]:
        total: NDArray[np.float64] = (factors * self.residuals) @ self.rows
        return total


def check_training(training: object) -> None:
    """Raise TypeError for an object without the method `vectors` of a training."""
    if not hasattr(training, "vectors"):
        raise TypeError(
            f"training must be a Training, got {training!r}; define people, start, vectors and step"
        )


@dataclass(frozen=True, slots=True, eq=False)
class TrainingWithCanary:
    """A training with one more person, the last, whose vector has norm `size` in a coordinate of its own in every step.

    The canary is the easiest person to detect: no release hides its vector, and the vector never shrinks.

    Parameters
    ----------
    training : Training
        The training without the canary. It ignores the additional coordinate.
    size : float
        Norm of the canary's vector, > 0.

    Raises
    ------
    ValueError
        If size <= 0.
    TypeError
        If `training` is not a training.
    """

    training: Training
    size: float

    def __post_init__(self) -> None:
        check_training(self.training)
        object.__setattr__(self, "size", float(check_positive("size", self.size)))

    @property
    def people(self) -> int:
        """The number of people, with the canary."""
        return self.training.people + 1

    def start(self, runs: int) -> NDArray[np.float64]:
        """Return the parameters of the training."""
        return self.training.start(runs)

    def vectors(self, parameters: NDArray[np.float64]) -> NDArray[np.float64] | ImplicitVectors:
        """Return everyone's vectors with one more coordinate, and the canary's vector."""
        given = self.training.vectors(parameters)
        if not isinstance(given, np.ndarray):
            return _WithOwnCoordinate(given, self.size)
        rows = np.zeros((given.shape[0], given.shape[1] + 1, given.shape[2] + 1))
        rows[:, :-1, :-1], rows[:, -1, -1] = given, self.size
        return rows

    def step(self, parameters: NDArray[np.float64], released: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the parameters after the training's own step."""
        return self.training.step(parameters, released[:, :-1])


@dataclass(frozen=True, slots=True, eq=False)
class _WithOwnCoordinate:
    """All people's vectors, and a canary's vector of norm `size` in a coordinate of its own."""

    vectors: ImplicitVectors
    size: float

    def norms(self) -> NDArray[np.float64]:
        own = self.vectors.norms()
        return np.concatenate([own, np.full((len(own), 1), self.size)], axis=1)

    def weighted(self, factors: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate([self.vectors.weighted(factors[:, :-1]), self.size * factors[:, -1:]], axis=1)
