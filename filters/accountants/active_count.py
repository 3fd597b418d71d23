"""Noisy numbers of active people, release after release, for one charge."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accountants.personal_reports import MAX_PEOPLE
from filterproof.filters.accountants.stateful_accountant import StatefulAccountant
from filterproof.filters.contract.parameters import one_positive
from filterproof.theory.argument_checks import check_count
from filterproof.theory.guarantees import GaussianDP
from filterproof.theory.pairs import Gaussian
from filterproof.theory.rounding import next_above


class ActiveCount(StatefulAccountant):
    """Noisy numbers of active people by the binary tree mechanism; each person becomes inactive at most once.

    The changes of the number are the leaves of a binary tree, and each node gets noise N(0, sigma^2). An answer is the
    sum of the nodes that cover the releases so far, with a variance of sigma^2 times the number of ones in the binary
    digits of the release.

    Parameters
    ----------
    people : int, >= 1
        The number of people, n.
    releases : int, >= 1
        The largest number of answers, T.
    sigma : float, > 0
        The standard deviation of the noise of each node.

    Raises
    ------
    ValueError
        If a parameter is out of range, and after the last release.

    Notes
    -----
    A person is in the leaf of the first release and in that of the release where the person becomes inactive. Of the
    nodes that answers use this changes at most nodes = max(bits(T), 2 bits(T - 1) - 1) by one, bits(x) the number of
    binary digits, so that all answers are mu-GDP for adding or removing a person, mu = sqrt(nodes) / sigma. Whether a
    person is active may depend on that person's data and on earlier releases. Somebody who was inactive counts as
    inactive from then on. Pass `request` to the filter of the analysis before the first answer; it pays for all of
    them. Noise is in doubles. Feldman & Zrnic (2021), Section 5, name it; Dwork, Naor, Pitassi & Rothblum (2010),
    "Differential privacy under continual observation". A copy or a pickle raises TypeError, a use after a fork
    RuntimeError.

    Examples
    --------
    >>> import filterproof as fp
    >>> count = fp.people.ActiveCount(people=1000, releases=8, sigma=3.0)
    >>> round(count.release(np.arange(1000) < 900, np.random.default_rng(1)))
    901
    """

    _terms_shown = ("people", "releases", "sigma")
    _remedy: ClassVar[str] = "make another one, with a charge of its own"

    def __init__(self, people: int, releases: int, *, sigma: float) -> None:
        super().__init__()
        self.people = check_count("people", people, most=MAX_PEOPLE)
        self.releases = check_count("releases", releases)
        self.sigma = one_positive("sigma", sigma)
        self._active = np.ones(self.people, dtype=np.bool_)
        self._taken, self._last = 0, 0
        levels = self.releases.bit_length()
        self._sums, self._noisy = np.zeros(levels), np.zeros(levels)

    @property
    def promise(self) -> GaussianDP:
        """The guarantee of all answers together."""
        nodes = max(self.releases.bit_length(), 2 * (self.releases - 1).bit_length() - 1)
        mu = math.sqrt(nodes) / self.sigma
        return GaussianDP(mu if mu * self.sigma * (mu * self.sigma) >= nodes else next_above(next_above(mu)))

    @property
    def request(self) -> Gaussian:
        """The pair that dominates all answers together."""
        return Gaussian(self.promise.mu)

    def release(self, active: NDArray[np.bool_], rng: np.random.Generator) -> float:
        """Return a noisy number of active people.

        Parameters
        ----------
        active : ndarray of bool, shape (n,)
            Who is active, such as the result of `IndividualFilter.select`.
        rng : numpy.random.Generator
            The generator of the noise.
        """
        if not isinstance(rng, np.random.Generator):
            raise TypeError(
                f"rng must be a numpy.random.Generator, got {rng!r}; pass np.random.default_rng()"
            )
        mask = np.asarray(active)
        if mask.shape != (self.people,) or mask.dtype != np.bool_:
            raise ValueError(
                f"active must be {self.people} booleans, got shape {mask.shape} of {mask.dtype}; pass everyone's"
            )
        with self._in_turn("release"):
            if self._taken == self.releases:
                raise ValueError(
                    f"release must be called at most {self.releases} times, got one more call; make another ActiveCount"
                )
            self._active = self._active & mask
            now = int(np.count_nonzero(self._active))
            self._taken, change = self._taken + 1, now - self._last
            self._last = now
            level = (self._taken & -self._taken).bit_length() - 1  # of the node that this leaf completes
            self._sums[level] = self._sums[:level].sum() + change
            self._noisy[level] = self._sums[level] + self.sigma * float(rng.standard_normal())
            self._sums[:level] = self._noisy[:level] = 0.0
            return float(self._noisy.sum())
