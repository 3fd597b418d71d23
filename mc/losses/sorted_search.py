"""Search for many numbers in a sorted array, faster than NumPy's where the array is nearly even.

>>> SortedSearch(np.array([0.0, 1.0, 2.0])).below(np.array([-1.0, 1.0, 1.5, 7.0])).tolist()
[0, 1, 2, 3]
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Entries that are compared one by one, and the most in a bucket: beyond them `numpy.searchsorted` is faster.
_FEW, _MOST_IN_BUCKET = 8, 6


class SortedSearch:
    """The number of entries below each number: `numpy.searchsorted(entries, x)` with the same results.

    Entries are sorted into equal buckets. Numbers in a bucket are above all entries of the buckets before it, because
    the bucket of a number rises with the number, and only the few entries of the bucket are compared.

    Parameters
    ----------
    entries : ndarray of float, shape (k,)
        In ascending order, finite.
    """

    def __init__(self, entries: NDArray[np.float64]) -> None:
        self.entries, self._counts = np.append(entries, np.inf), np.empty(0, dtype=np.intp)
        if len(entries) <= _FEW:
            return
        # the last entry may be far from the others
        self._first, self._buckets = entries[0], 2 * len(entries)
        span = entries[-2] - entries[0]
        self._scale = self._buckets / span if span > 0 else 0.0
        if not 0 < self._scale < np.inf:
            return
        sizes = np.bincount(self._bucket(entries), minlength=self._buckets)
        self._most = int(sizes.max())
        if self._most <= _MOST_IN_BUCKET:
            self._counts = np.cumsum(sizes) - sizes

    def below(self, x: NDArray[np.float64]) -> NDArray[np.intp]:
        """Return the number of entries below each number, which is not NaN: shape (n,)."""
        if len(self.entries) <= _FEW + 1:
            few: NDArray[np.intp] = np.zeros(len(x), dtype=np.intp)
            for entry in self.entries[:-1]:
                few += x > entry
            return few
        if not len(self._counts):
            halved: NDArray[np.intp] = self.entries[:-1].searchsorted(x)
            return halved
        counts: NDArray[np.intp] = self._counts.take(self._bucket(x))
        for _ in range(self._most):
            counts += self.entries.take(counts) < x
        return counts

    def _bucket(self, x: NDArray[np.float64]) -> NDArray[np.intp]:
        with np.errstate(over="ignore"):
            place = (x - self._first) * self._scale
        bucket: NDArray[np.intp] = np.clip(place, 0, self._buckets - 1, out=place).astype(np.intp)
        return bucket
