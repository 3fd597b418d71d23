"""Two trainings that differ in one person: what either would have released, by the code that releases it.

>>> import filterproof as fp
>>> import numpy as np
>>> people = fp.LogisticTraining(np.array([[1.0], [2.0]]), np.array([0, 1]), rate=0.5)
>>> sums = fp.ClippedSums.making(fp.GaussianFilter(mu=1.0), clip=1.0, sigma=2.0)
>>> two = TwoTrainings(people, sums, person=0, runs=4)
>>> two.shift().round(4).ravel()  # the residual 1/2 times the feature 1, over sigma
array([0.25, 0.25, 0.25, 0.25])
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from filters.holders.clipped_sums import Vectors
from filters.holders.personal import check_person
from mc.evaluate.training import LogisticTraining, MakeSums, Training, WithCanary
from theory.arguments import check_count, check_positive
from theory.guarantees import Guarantee

__all__ = ["TwoTrainings"]


@dataclass(frozen=True, slots=True, eq=False)
class _Others:
    """Everyone's vectors but one person's."""

    vectors: Vectors
    person: int

    def norms(self) -> NDArray[np.float64]:
        return np.delete(self.vectors.norms(), self.person, axis=-1)

    def weighted(self, factors: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.vectors.weighted(np.insert(factors, self.person, 0.0, axis=-1))


class TwoTrainings:
    """One training on two data sets, with and without `person`, given the same releases in each of `runs` worlds.

    Two objects by `make`, one that knows everybody and one that never heard of the person. Both are asked for the
    same sums, without noise, so that everything that they would have released is known.
    """

    def __init__(self, training: Training, make: MakeSums, *, person: int, runs: int) -> None:
        if check_count("people", training.people) < 2:
            raise ValueError(
                f"training must have at least 2 people, got {training.people}; add another person"
            )
        self._training, self._person = training, check_person(person, training.people)
        self._everybody, self._others = make(training.people, runs), make(training.people - 1, runs)
        self.parameters = training.start(runs)
        self.sigma = 0.0
        self._given: NDArray[np.float64] | Vectors | None = training.vectors(self.parameters)
        self._tables = isinstance(self._given, np.ndarray)

    @property
    def promise(self) -> Guarantee:
        """What the object that knows everybody promises."""
        return self._everybody.promise

    @property
    def norms_are_ours(self) -> bool:
        """Whether the library computes the norms: of tables of vectors, and of its own closed forms."""
        inner = self._training.training if type(self._training) is WithCanary else self._training
        return self._tables or type(inner) is LogisticTraining

    def vectors(self, *, without: bool) -> NDArray[np.float64] | Vectors:
        """Everyone's vectors at the present parameters, or everyone's but the person's."""
        if self._given is None:  # asked for by both sides, and by an audit
            self._given = self._training.vectors(self.parameters)
        given = self._given
        if isinstance(given, np.ndarray) != self._tables:
            raise TypeError(
                f"vectors must be of one kind in every step, got {type(given).__name__}; pass arrays always, or never"
            )
        if not without:
            return given
        if isinstance(given, Vectors):
            return _Others(given, self._person)
        rows: NDArray[np.float64] = np.delete(given, self._person, axis=1)
        return rows

    def sums(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The next sums with and without the person, (runs, d) each; both objects charge for them."""
        one = self._everybody.release(self.vectors(without=False), _SILENT)
        other = self._others.release(self.vectors(without=True), _SILENT)
        self.sigma = float(check_positive("sigma", one.sigma))
        return one.value, other.value

    def shift(self) -> NDArray[np.float64]:
        """By what the person moves the next sums, in units of the noise: (runs, d)."""
        one, other = self.sums()
        moved: NDArray[np.float64] = (one - other) / self.sigma
        return moved

    def go_on(self, released: NDArray[np.float64]) -> None:
        """Both go on from what was released."""
        self.parameters = self._training.step(self.parameters, released)
        self._given = None


class _Silent(np.random.Generator):
    """A source of zeros, for the sums behind the noise; whoever draws otherwise is told."""

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(0))

    def standard_normal(self, size: object = None, *args: object, **kwargs: object) -> NDArray[np.float64]:  # type: ignore[override]
        return np.zeros(size)  # type: ignore[call-overload, no-any-return]

    def _elsewhere(self, *args: object, **kwargs: object) -> None:
        raise TypeError(
            "sums must draw their noise by rng.standard_normal, got another method; it is read off by passing zeros"
        )

    normal = random = integers = uniform = multivariate_normal = _elsewhere  # type: ignore[assignment]


_SILENT = _Silent()
