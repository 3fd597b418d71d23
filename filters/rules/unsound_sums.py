"""Clipped sums that violate their guarantee, as counterexamples for audits, each with its error.

>>> import filterproof as fp
>>> with fp.suppress_unsound_warning():
...     sums = fp.training.ClippingAfterAdding.factory(fp.GaussianFilter(mu=1.0), clip=1.0, sigma=2.0)(people=3, runs=1)
>>> bool(sums.release(np.array([[[9.0], [0.0], [0.0]]]), np.random.default_rng(2)).value[0, 0] > 2)
True
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accountants.clipped_sums import ClippedSums, ImplicitVectors
from filterproof.filters.accountants.individual import IndividualFilter
from filterproof.filters.contract.contract_checks import checked_start
from filterproof.filters.contract.state import choose_runs
from filterproof.filters.rules.unsound import warn_unsound
from filterproof.theory.numerics.norms import nearest_doubles_of_sum


class ClippingAfterAdding(ClippedSums):
    """Unsound clipped sums: they scale the sum and not each vector.

    The norm of the sum is clipped to `clip` times the number of people.

    Parameters
    ----------
    people, clip, sigma, runs
        As in `ClippedSums`.

    Notes
    -----
    Flaw: one person may move the sum by that much, and is charged `clip`.
    Counterexample: one vector of that norm.
    """

    def __init__(
        self, people: IndividualFilter, *, clip: float, sigma: float, runs: int | None = None
    ) -> None:
        super().__init__(people, clip=clip, sigma=sigma, runs=runs)
        warn_unsound(self, "it clips after adding", stacklevel=3)

    def _weighted_summands(
        self, vectors: NDArray[np.float64] | ImplicitVectors, factors: NDArray[np.float64]
    ) -> list[NDArray[np.float64]]:
        total = nearest_doubles_of_sum(super()._weighted_summands(vectors, (factors > 0).astype(np.float64)))
        size = np.sqrt((total * total).sum(axis=-1, keepdims=True))
        most = self._clip * factors.shape[-1]
        return [np.where(size > most, total * (most / np.maximum(size, most)), total)]


class _ForgettingFilter(IndividualFilter):
    """One filter per person; people who skip a round start again with the full budget."""

    def clip(self, norms: NDArray[np.float64], *, sigma: float, most: float = np.inf) -> NDArray[np.float64]:
        factors = super().clip(norms, sigma=sigma, most=most)
        with self._in_turn("clip"):
            self._state = choose_runs(factors > 0, self._state, checked_start(self.filter, self.people))
        return factors

    def __repr__(self) -> str:
        return f"{IndividualFilter.__name__}({self.filter!r}, people={self.people})"  # as `ForgettingSums` receives it


class ForgettingSums(ClippedSums):
    """Unsound clipped sums: a person who skips a round gets the full budget back.

    The object copies the filter and the number of `people`, and uses none
    of their budgets.

    Parameters
    ----------
    people, clip, sigma, runs
        As in `ClippedSums`.

    Notes
    -----
    Flaw: a person without budget has a full budget after one round.
    Counterexample: any person, after enough rounds.
    """

    def __init__(
        self, people: IndividualFilter, *, clip: float, sigma: float, runs: int | None = None
    ) -> None:
        fresh = _ForgettingFilter(people.filter, people.people)
        super().__init__(fresh, clip=clip, sigma=sigma, runs=runs)
        warn_unsound(self, "it forgets the spending of people who skip a round", stacklevel=3)
