"""What is short enough for doubles, so that adding rounds nothing.

    >>> grain(np.array([0.75, 1.5])), grain(0.1)
    (-2, -55)

Numbers are added without rounding while their sum is below 2^53 times a power of two that divides them all.
"""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["LAST_BITS", "LITTLE", "MUCH", "bits_of", "grain", "is_zero"]

#: Quotients between these are rounded up without over- or underflow.
LITTLE, MUCH = 2.0**-900, 2.0**900
#: A double of which these bits are zero has 26 bits at most, and its square is a double.
LAST_BITS = 2**27 - 1
#: The grain of nothing but zeros: any will do, and no product of it with 2^53 is out of range.
_ANY = 900


def bits_of(x: float) -> int:
    """The bits of x, as an integer; those of numbers from zero up are ordered as the numbers are."""
    bits: int = struct.unpack("<q", struct.pack("<d", x))[0]
    return bits


def grain(x: Any) -> int | None:
    """An e up to 900 such that 2^e divides every x, one number or an array; None if one is NaN, infinite or below zero.

    Found in two looks at the array: all numbers end in as many zero bits as their bits, or-ed together, do; what
    such a bit counts for is least in the least number.
    """
    if isinstance(x, float):
        least, bits = x, bits_of(x)
    else:
        least = float(np.min(x, initial=np.inf))
        if least == 0:
            x = x[x != 0]
            least = float(np.min(x, initial=np.inf))
        bits = int(np.bitwise_or.reduce(x.view(np.int64)))
    if not bits:
        return _ANY
    if not 0 < least < math.inf:
        return None
    return min(math.frexp(least)[1] - 53 + min((bits & -bits).bit_length() - 1, 52), _ANY)


def is_zero(low: NDArray[np.float64]) -> bool:
    """Whether all low parts are zero: at one glance where one number stands for all runs, as in a fresh state."""
    return not (low[:1] if low.strides == (0,) else low.view(np.int64)).any()
