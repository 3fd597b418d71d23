"""Arrays of real numbers: what the networks and counts take, and the one sentence for what is none.

>>> import numpy as np
>>> real_array("x", np.array([1, 2])).dtype
dtype('float64')
>>> real_array("x", None)
Traceback (most recent call last):
...
TypeError: x must be an array of real numbers, got None; pass a NumPy array of floats
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["real_array"]


def real_array(name: str, value: object) -> NDArray[np.float64]:
    """`value` in float64, itself where it is so already; TypeError unless it is an array of real numbers."""
    if not isinstance(value, np.ndarray):
        got = "None" if value is None else f"one of the type {type(value).__name__}"
        raise TypeError(f"{name} must be an array of real numbers, got {got}; pass a NumPy array of floats")
    if value.dtype.kind not in "biuf":
        raise TypeError(
            f"{name} must be an array of real numbers, got dtype={value.dtype}; pass a NumPy array of floats"
        )
    return np.asarray(value, dtype=np.float64)
