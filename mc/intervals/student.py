"""Student's interval for a mean of a few numbers.

>>> [round(end, 4) for end in student((1.0, 2.0, 3.0))]
[2.0, -0.4841, 4.4841]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import special


def student(values: Sequence[float], *, confidence: float = 0.95) -> tuple[float, float, float]:
    """Return the mean of two or more numbers, and Student's interval for it.

    The confidence assumes independent normal numbers; this is not checked.
    """
    n, mean = len(values), float(np.mean(values))
    half = float(special.stdtrit(n - 1, (1 + confidence) / 2)) * float(np.std(values, ddof=1)) / n**0.5
    return mean, mean - half, mean + half
