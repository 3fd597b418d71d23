"""Generators of constant normals, to read off the sums and the noise of a release.

>>> ZERO_NOISE.standard_normal(2)
array([0., 0.])
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class ConstantNormals(np.random.Generator):
    """A generator whose standard normals are all one number; other methods raise TypeError."""

    def __init__(self, normal: float) -> None:
        super().__init__(np.random.PCG64(0))
        self._normal = normal

    def standard_normal(self, size: object = None, *args: object, **kwargs: object) -> NDArray[np.float64]:  # type: ignore[override]
        """Return an array filled with the one number."""
        return np.full(() if size is None else size, self._normal)  # type: ignore[call-overload, no-any-return]

    def _raise_unsupported(self, *args: object, **kwargs: object) -> None:
        raise TypeError(
            "sums must draw their noise by rng.standard_normal, got a call of another method; the check passes "
            "constant normals"
        )

    normal = random = integers = uniform = multivariate_normal = _raise_unsupported  # type: ignore[assignment]


#: Without noise, and with one standard deviation of noise: their difference is the noise.
ZERO_NOISE, UNIT_NOISE = ConstantNormals(0.0), ConstantNormals(1.0)
