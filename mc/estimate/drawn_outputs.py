"""The outputs of a release function on one data set, as rows of doubles.

>>> import numpy as np
>>> draw_outputs(lambda data, rng: [len(data), -0.0], [1, 2], 3, np.random.default_rng(1)).tolist()
[[2.0, 0.0], [2.0, 0.0], [2.0, 0.0]]
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: From here on integers are not all doubles.
_INTEGERS_END = 2**53


def draw_outputs(
    release: Callable[[Any, np.random.Generator], object], data: object, n: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return n outputs of a release function on one data set, as rows of doubles."""
    outputs = [_to_doubles(release(_copy_of(data), rng)) for _ in range(n)]
    shapes = {output.shape for output in outputs}
    if len(shapes) > 1:
        raise ValueError(
            f"release must return outputs of one shape, got {sorted(shapes)[:3]}; pad the output"
        )
    return np.array(outputs).reshape(n, -1)


def _copy_of(data: object) -> object:
    try:
        return deepcopy(data)
    except TypeError as error:
        raise TypeError(
            f"data must be values that can be copied for each call, and copy.deepcopy raised {error}; pass the values"
        ) from error


def _to_doubles(output: object) -> NDArray[np.float64]:
    """Return a copy of an output, with one bit pattern for NaN and one for zero."""
    numbers = np.array(output)
    if numbers.dtype.kind not in "fiub":
        raise TypeError(f"release must return real numbers, got {output!r}; return a number or an array")
    if not numbers.size:
        raise ValueError("release must return at least one number, got an empty output; return a number")
    doubles = np.asarray(numbers.astype(np.float64) + 0.0)
    if (np.abs(doubles) >= _INTEGERS_END).any():
        for entry in np.asarray(output, dtype=object).ravel():
            if isinstance(entry, (int, np.integer)) and int(float(entry)) != entry:
                raise ValueError(
                    f"release must return integers that a double can hold, got {entry}; return its difference from a "
                    "public number"
                )
    doubles[np.isnan(doubles)] = np.nan
    return doubles
