"""The nodes and weights of Gauss and Legendre, which take as long as what is integrated with them.

>>> [part.round(4).tolist() for part in gauss_legendre(2)]
[[-0.5774, 0.5774], [1.0, 1.0]]
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from theory.arguments import check_count

__all__ = ["gauss_legendre"]


def gauss_legendre(nodes: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(nodes in (-1, 1), their weights), exact for polynomials of degree below 2 `nodes`; remembered, and read-only."""
    return _rule(check_count("nodes", nodes))


@lru_cache(maxsize=256)
def _rule(nodes: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    at, weight = np.polynomial.legendre.leggauss(nodes)
    at.flags.writeable = weight.flags.writeable = False
    return at, weight
