"""A source of zeros in the place of noise, by which the sums behind a release are read off.

>>> SILENT.standard_normal(2)
array([0., 0.])
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class _Silent(np.random.Generator):
    """Normals that are zero; whoever draws otherwise is told."""

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(0))

    def standard_normal(self, size: object = None, *args: object, **kwargs: object) -> NDArray[np.float64]:  # type: ignore[override]
        return np.zeros(size)  # type: ignore[call-overload, no-any-return]

    def _elsewhere(self, *args: object, **kwargs: object) -> None:
        raise TypeError(
            "sums must draw their noise by rng.standard_normal, got another method; it is read off by passing zeros"
        )

    normal = random = integers = uniform = multivariate_normal = _elsewhere  # type: ignore[assignment]


SILENT = _Silent()
