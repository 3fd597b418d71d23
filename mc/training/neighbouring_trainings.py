"""Two trainings that differ in one person, with the sums that each would release.

>>> import filterproof as fp
>>> import numpy as np
>>> people = fp.training.LogisticTraining(np.array([[1.0], [2.0]]), np.array([0, 1]), rate=0.5)
>>> sums = fp.training.ClippedSums.factory(fp.GaussianFilter(mu=1.0), clip=1.0, sigma=2.0)
>>> two = TwoTrainings(people, sums, person=0, runs=4)
>>> with_person, without = two.sums()
>>> (with_person - without).ravel()  # the residual 1/2 times the feature 1
array([0.5, 0.5, 0.5, 0.5])
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accountants.clipped_sums import ClippedSums, ImplicitVectors
from filterproof.filters.accountants.constant_normals import ZERO_NOISE
from filterproof.filters.accountants.individual import IndividualFilter
from filterproof.filters.accountants.personal_reports import check_person
from filterproof.mc.estimate.path_bound import scope_proven_by_rule_theorem
from filterproof.mc.training.training import (
    LogisticTraining,
    MakeSums,
    Training,
    TrainingWithCanary,
    check_training,
)
from filterproof.theory.argument_checks import check_count, check_positive
from filterproof.theory.guarantees import Guarantee


@dataclass(frozen=True, slots=True, eq=False)
class _VectorsOfOthers:
    """The vectors of all people except one person."""

    vectors: ImplicitVectors
    person: int

    def norms(self) -> NDArray[np.float64]:
        return np.delete(self.vectors.norms(), self.person, axis=-1)

    def weighted(self, factors: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.vectors.weighted(np.insert(factors, self.person, 0.0, axis=-1))


class TwoTrainings:
    """One training on two data sets, with and without `person`, given the same releases in each of `runs` worlds.

    `make` makes two objects, one with everybody and one without the person. Both compute the same sums, without noise,
    so that everything that they would release is known.
    """

    def __init__(self, training: Training, make: MakeSums, *, person: int, runs: int) -> None:
        check_training(training)
        if not callable(make):
            raise TypeError(
                f"make must be a function of people and runs, got {make!r}; pass e.g. ClippedSums.factory(...)"
            )
        if check_count("people", training.people) < 2:
            raise ValueError(
                f"training must have at least 2 people, got {training.people}; add another person"
            )
        self._training, self._person = training, check_person(person, training.people)
        self._everybody, self._others = make(training.people, runs), make(training.people - 1, runs)
        self.parameters = training.start(runs)
        self.sigma = self.other_sigma = 0.0
        self._given: NDArray[np.float64] | ImplicitVectors | None = training.vectors(self.parameters)
        self._tables = isinstance(self._given, np.ndarray)

    @property
    def promise(self) -> Guarantee:
        """The guarantee of the object with everybody."""
        return self._everybody.promise

    @property
    def squared_shift_bound(self) -> float | None:
        """The proven bound on the sum of squared shifts of one person, or None for code not the library's.

        It exists if both objects are the library's, over a filter of the catalogue whose ledger adds up squares, and if
        the library computes the norms: of tables, and of its own closed forms.
        """
        inner = self._training.training if type(self._training) is TrainingWithCanary else self._training
        if not (self._tables or type(inner) is LogisticTraining):
            return None
        bounds = {_enforced_squared_norm_bound(sums) for sums in (self._everybody, self._others)}
        return bounds.pop() if len(bounds) == 1 else None

    def vectors_of_people(self, *, without: bool) -> NDArray[np.float64] | ImplicitVectors:
        """Return the vectors of all people, or of all except the person, at the current parameters."""
        if self._given is None:  # for both data sets, and for an audit
            self._given = self._training.vectors(self.parameters)
        given = self._given
        if isinstance(given, np.ndarray) != self._tables:
            raise TypeError(
                f"vectors must be of one kind in every step, got {type(given).__name__}; pass arrays in every "
                "step or in none"
            )
        if not without:
            return given
        if not isinstance(given, np.ndarray):
            return _VectorsOfOthers(given, self._person)
        rows: NDArray[np.float64] = np.delete(np.asarray(given), self._person, axis=1)
        return rows

    def sums(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the next sums with and without the person, (runs, d) each; both objects charge for them."""
        with_person = self._everybody.release(self.vectors_of_people(without=False), ZERO_NOISE)
        without_person = self._others.release(self.vectors_of_people(without=True), ZERO_NOISE)
        self.sigma = float(check_positive("sigma", with_person.sigma))
        self.other_sigma = float(check_positive("sigma", without_person.sigma))
        return with_person.value, without_person.value

    def go_on(self, released: NDArray[np.float64]) -> None:
        """Continue both trainings from the release."""
        self.parameters = self._training.step(self.parameters, released)
        self._given = None


def _enforced_squared_norm_bound(sums: object) -> float | None:
    """Return the bound on a person's sum of squared norms over sigma that ledgers enforce, or None."""
    if type(sums) is not ClippedSums or type(sums.people) is not IndividualFilter:
        return None
    holds = scope_proven_by_rule_theorem(sums.people.filter)
    return 2 * holds.zcdp if holds is not None and math.isfinite(holds.zcdp) else None
