"""Noisy sums of people's vectors, each clipped to its person's remaining budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from reprlib import repr as short
from typing import ClassVar, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.accountants.individual import IndividualFilter
from filterproof.filters.accountants.personal_reports import PerPersonValues, PersonalFactor
from filterproof.filters.accountants.secret_noise import SecretNoise
from filterproof.filters.accountants.verifiable import QueryKind
from filterproof.filters.contract.determinism import check_determinism_on_requests
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.filters.contract.parameters import one_positive
from filterproof.theory.argument_checks import check_count
from filterproof.theory.display import one_line_repr
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.numerics.norms import (
    euclidean_norms,
    exact_sum_parts,
    nearest_doubles_of_sum,
    weighted_row_blocks,
)
from filterproof.theory.pairs import Gaussian

#: The relative excess of the noise. A norm computed in doubles is too small by a share of at most half of (dimension +
#: 6) 2^-52, which the excess covers up to a dimension of 2^20; it also covers scaled vectors that are too large.
_MARGIN = 2.0**-32
_MAX_DIMENSION = 2**20
#: The range of noise and clip. Everyone is charged at least the share `_FREE_SHARE` of the noise: it exceeds every
#: loss of a vector by underflow, and 2^100 sums do not use up a budget by it.
_MIN_SCALE, _MAX_SCALE, _FREE_SHARE = 2.0**-300, 2.0**900, 2.0**-200


@runtime_checkable
class ImplicitVectors(Protocol):
    """The vectors of all people, without a table of them: their norms, and their weighted sum.

    A subclass suits the gradients of a network, whose norms and sums cost a few matrix products and whose table would
    need much memory.
    """

    def norms(self) -> NDArray[np.float64]:
        """Return the norms `|v_i|_2`, shape (people,): relative error at most 2^-33, except for norms below 2^-500."""

    def weighted(self, factors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return sum_i factors[i] v_i, shape (dimension,).

        The sum should be as precise as possible. No one is charged for a person's effect on the rounding of the
        others. The sum of a table is exact.
        """


@dataclass(frozen=True, slots=True)
class NoisySum:
    """A noisy sum.

    Parameters
    ----------
    value : ndarray of float, shape (d,) or (runs, d)
        The noisy sum.
    sigma : float
        The standard deviation of the noise in each coordinate.
    """

    value: NDArray[np.float64]
    sigma: float

    __repr__ = one_line_repr


class ClippedSums:
    """Noisy sums of clipped vectors under a budget for each person, for any number of adaptively chosen sums.

    Each release is::

        sum_i factor_i v_i + N(0, sigma^2 I)

    factor_i scales v_i to the norm min(`|v_i|_2`, clip, rest of person i's budget). Person i is charged for this norm
    before the noise is drawn: see `IndividualFilter.clip`.

    Parameters
    ----------
    people : IndividualFilter
        The people and their budgets. Several ClippedSums may share them.
    clip : float in [2^-300, 2^900]
        The largest norm of one vector.
    sigma : float in [2^-300, 2^900]
        The standard deviation of the noise of the sum, in the unit of the sum (not in units of clip).
    runs : int, optional
        The number of independent runs, for simulations. `people` then has runs times as many persons, run by run, and
        the vectors have shape (runs, people of one run, d).

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    Feldman & Zrnic (2021), Algorithm 7 and Proposition 5.2 (whose display adds the noise n times, and whose proof
    drops C^2). Everything released keeps the promise of the people's filter for adding or removing one person. With a
    budget of k clipped sums this is private gradient descent for k steps, and then continues with the people who have
    budget left. The noise is larger than sigma by a share of 2^-32, which covers the rounding of norms. It is drawn in
    doubles; use a hardened sampler against an adversary who reads the last bits.

    Examples
    --------
    >>> import filterproof as fp
    >>> people = fp.IndividualFilter(fp.GaussianFilter(mu=1.0), people=3)
    >>> sums = fp.training.ClippedSums(people, clip=1.0, sigma=2.0)
    >>> sums.release(np.array([[3.0, 4.0], [0.5, 0.0], [0.0, 0.25]]), np.random.default_rng(1)).value.shape
    (2,)
    >>> sums.factors.made_public().round(3)
    array([0.2, 1. , 1. ])
    """

    __slots__ = ("_clip", "_factors", "_people", "_shape", "_sigma")
    theorem: ClassVar[str] = IndividualFilter.theorem
    scope: ClassVar[str] = "every adaptive analyst, for adding or removing one person"
    query_kind: ClassVar[QueryKind] = "sums"

    def __init__(
        self, people: IndividualFilter, *, clip: float, sigma: float, runs: int | None = None
    ) -> None:
        if not isinstance(people, IndividualFilter):
            raise TypeError(f"people must be an IndividualFilter, got {people!r}; pass one of them")
        self._people = people
        self._clip, self._sigma = _double_in_range("clip", clip), _double_in_range("sigma", sigma)
        worlds = 1 if runs is None else check_count("runs", runs)
        if people.people % worlds:
            raise ValueError(
                f"runs must divide the number of people, got runs={runs!r} for {people.people} people; create "
                "the filter for runs times the people of one run"
            )
        self._shape = (people.people,) if runs is None else (worlds, people.people // worlds)
        self._factors = np.zeros(people.people)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._people!r}, clip={self._clip!r}, sigma={self._sigma!r})"

    @classmethod
    def factory(cls, filt: FilterBase, *, clip: float, sigma: float) -> Callable[[int, int], ClippedSums]:
        """Return a function (people, runs) -> ClippedSums with full budgets under `filt`, for simulations."""

        def make(people: int, runs: int) -> ClippedSums:
            sums = cls(IndividualFilter(filt, people * runs), clip=clip, sigma=sigma, runs=runs)
            check_determinism_on_requests(filt, [Gaussian(clip / sigma)])
            return sums

        return make

    @property
    def people(self) -> IndividualFilter:
        """The individual filter with the budgets of all people; their number is `people.people`."""
        return self._people

    @property
    def promise(self) -> Guarantee:
        """The guarantee of all releases, whatever else the same budgets pay for."""
        return self._people.filter.promise

    @property
    def kernel_theorems(self) -> tuple[str, ...]:
        """Names of the proof assistant's theorems about the people's filters."""
        return self._people.kernel_theorems

    @property
    def largest_norm(self) -> float:
        """The largest norm of one vector: `clip`."""
        return self._clip

    @property
    def underlying_filters(self) -> tuple[IndividualFilter]:
        """The individual filter whose guarantee the sums pass on."""
        return (self._people,)

    def noisy_sum(self, values: NDArray[np.float64], rng: np.random.Generator | SecretNoise) -> NoisySum:
        """Return `release`; the name is the same for every accountant that releases sums."""
        return self.release(values, rng)

    def with_people(self, people: int) -> Self:
        """Return a new object with the same parameters, for one run of `people` people with full budgets."""
        return type(self)(self._people.with_people(people), clip=self._clip, sigma=self._sigma)

    @property
    def clip(self) -> float:
        """The largest norm of one vector."""
        return self._clip

    @property
    def sigma(self) -> float:
        """The standard deviation of the noise, slightly above the value that the charges assume."""
        return self._sigma * (1 + _MARGIN)

    @property
    def factors(self) -> PerPersonValues[PersonalFactor]:
        """The factor of each person in the last sum, 0 for people outside it; hidden, see `PerPersonValues`."""
        return PerPersonValues(self._factors, PersonalFactor)

    def next_noise(self, secret: int) -> SecretNoise:
        """Return the secret noise of the next release, with a step above those of all earlier releases."""
        return self._people._noise.next_unused_noise(secret)

    def release(
        self, vectors: NDArray[np.float64] | ImplicitVectors, rng: np.random.Generator | SecretNoise
    ) -> NoisySum:
        """Charge everyone who takes part, and return the noisy sum of the clipped vectors.

        Parameters
        ----------
        vectors : ndarray of float, shape (people, d), or ImplicitVectors
            The vectors of everyone, including people without budget.
        rng : numpy.random.Generator or SecretNoise
            The source of the noise. SecretNoise gives the same noise for the same sum and sigma.

        Returns
        -------
        NoisySum

        Raises
        ------
        ValueError
            For a generator in the state of an earlier release, a step that is not above the last step of its secret, a
            wrong shape, numbers that are not finite, and norms that no double represents. Then nobody is charged.
        """
        if not isinstance(rng, SecretNoise) and not hasattr(rng, "standard_normal"):
            raise TypeError(
                f"rng must be a generator, got {short(rng)}; pass np.random.default_rng(), nothing was charged"
            )
        closed = isinstance(vectors, ImplicitVectors) and not isinstance(vectors, np.ndarray)
        given = vectors if closed else self._copied_rows(vectors)
        norms = euclidean_norms(given) if isinstance(given, np.ndarray) else given.norms()
        norms, shape = np.asarray(norms, dtype=np.float64), self._shape
        if norms.shape != shape:
            raise ValueError(
                f"vectors must be one per person, with norms of shape {shape}, got norms of shape {norms.shape}; "
                "pass a vector for every person, nothing was charged"
            )
        if count := np.count_nonzero(~(np.isfinite(norms) & (norms >= 0))):
            raise ValueError(
                f"the norm of each vector must be a finite number, got {count} that are infinite, NaN or negative; "
                "correct these vectors, nothing was charged"
            )
        used = self._people._noise
        used.mark_used(rng)
        charged = np.maximum(norms.ravel(), self._sigma * _FREE_SHARE)
        factors = self._people.clip(charged, sigma=self._sigma, most=self._clip)
        self._factors = np.where(norms.ravel() > 0, factors, 0.0)
        total = self._weighted_summands(given, factors.reshape(shape))
        item_shape = total[0].shape
        if not np.isfinite(total).all() or len(item_shape) != len(shape) or item_shape[-1] > _MAX_DIMENSION:
            raise ValueError(
                f"weighted must give a finite vector of at most 2^20 numbers, got shape {item_shape}; charges remain"
            )
        if isinstance(rng, SecretNoise):
            noise = rng.noise_for(*total, sigma=self.sigma)
        else:
            noise = self.sigma * used.draw_unused_normals(rng, item_shape)
        return NoisySum(nearest_doubles_of_sum([*total, noise]), self.sigma)

    def _weighted_summands(
        self, vectors: NDArray[np.float64] | ImplicitVectors, factors: NDArray[np.float64]
    ) -> list[NDArray[np.float64]]:
        """Return summands of the weighted sum, exact for a table: nobody changes it by more than their own vector."""
        if isinstance(vectors, np.ndarray):
            return exact_sum_parts(weighted_row_blocks(factors, vectors))
        return [np.asarray(vectors.weighted(factors), dtype=np.float64)]

    def _copied_rows(self, vectors: object) -> NDArray[np.float64]:
        """Return a copy of the vectors, so that the caller cannot change them between charge and sum."""
        try:
            given = np.asarray(vectors)
        except ValueError:  # rows of different lengths
            given = np.empty(0, dtype=object)
        if given.dtype.kind not in "fiu":
            raise TypeError(
                f"vectors must hold real numbers, got dtype={given.dtype}; pass an array, nothing was charged"
            )
        rows = np.array(given, dtype=np.float64, subok=False)
        shape = self._shape
        fits = rows.ndim == len(shape) + 1 and rows.shape[:-1] == shape
        if not fits or not 0 < rows.shape[-1] <= _MAX_DIMENSION or not np.isfinite(rows).all():
            raise ValueError(
                f"vectors must be finite, of shape {(*shape, 'd')}, got shape {rows.shape}; pass everyone's vector, "
                "nothing was charged"
            )
        return rows


def _double_in_range(name: str, value: object) -> float:
    """Return `value` as a double from 2^-300 to 2^900, the range with known rounding errors."""
    number = one_positive(name, value)
    if not _MIN_SCALE <= number <= _MAX_SCALE:
        raise ValueError(f"{name} must be from 2^-300 to 2^900, got {name}={number!r}; scale the vectors")
    return number
