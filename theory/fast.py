"""Compiled kernels, used where numba is installed (the extra [fast]): the same bits in fewer nanoseconds.

Their signatures are fixed and they call nothing back, so they compile once and are cached on disk. Setting
FILTERPROOF_FAST=0 in the environment does without them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["WORTH_IT", "Kernels", "kernels"]

#: Runs below which a call to a kernel gains nothing.
WORTH_IT = 32

_SPLITTER = 2.0**27 + 1
_ULP = 2.0**-52
_1, _3, _8, _9, _11, _24, _40, _255, _256, _52_BITS = map(
    np.uint64, (1, 3, 8, 9, 11, 24, 40, 255, 256, 2**52 - 1)
)
_UNIFORM = 2.0**-53
#: Where NumPy's ziggurat ends and its tail begins, and the inverse that it uses.
_TAIL = 3.6541528853610088
_TAIL_INVERSE = 0.27366123732975828


@dataclass(frozen=True, slots=True)
class Kernels:
    """The compiled functions, and the tables of NumPy's ziggurat: scale, bound and density of each layer."""

    normals: Callable[..., None]
    losses: Callable[..., None]
    add_squares: Callable[..., None]
    add_even_squares: Callable[..., tuple[int, int, int]]
    inside: Callable[..., int]
    either: Callable[..., None]
    scales: NDArray[np.float64]
    bounds: NDArray[np.uint64]
    densities: NDArray[np.float64]

    def gaussian_losses(self, rng: np.random.Generator, mu: NDArray[np.float64], shift: float, n: int) -> Any:
        """(z + shift mu) mu with the n standard normals z that rng draws next, shape (n,); mu of shape (n,) or (1,)."""
        loss = np.empty(n)
        if not isinstance(rng.bit_generator, np.random.SFC64):
            rng.standard_normal(out=loss)
            loss += shift * mu
            loss *= mu
            return loss
        state: Any = rng.bit_generator.state
        self.normals(state["state"]["state"], self.scales, self.bounds, self.densities, loss)
        rng.bit_generator.state = state
        self.losses(loss, mu, shift)
        return loss


@lru_cache(maxsize=1)
def kernels() -> Kernels | None:
    """The kernels, or None where numba is missing or not wanted, or its tables are not those of this NumPy."""
    if os.environ.get("FILTERPROOF_FAST", "1") == "0":
        return None
    try:
        import numba
        from numba.np.random import _constants as tables
    except ImportError:
        return None
    compile_ = numba.njit(cache=True, nogil=True)
    found = Kernels(
        compile_(_normals),
        compile_(_losses),
        compile_(_add_squares),
        compile_(_add_even_squares),
        compile_(_inside),
        compile_(_either),
        np.concatenate([tables.wi_double, np.negative(tables.wi_double)]),
        np.array(tables.ki_double, dtype=np.uint64),
        np.array(tables.fi_double),
    )
    return found if _draws_as_numpy(found) else None


def _draws_as_numpy(found: Kernels) -> bool:
    """Whether the first draws of a few seeds are NumPy's to the last bit: layers and tails of the ziggurat alike."""
    one = np.ones(1)
    for seed in range(4):
        ours, theirs = (np.random.Generator(np.random.SFC64(seed)) for _ in range(2))
        if found.gaussian_losses(ours, one, 0.0, 8192).tobytes() != theirs.standard_normal(8192).tobytes():
            return False
    return True


def _normals(words: Any, scales: Any, bounds: Any, densities: Any, out: Any) -> None:
    """out = the standard normals that NumPy's ziggurat takes from SFC64, whose four words are moved on.

    The sign is the second half of a table, not a branch that is mispredicted every other time: that, and the
    generator within the loop, make it four times as fast. The first branch fails once in 67 draws.
    Source: Marsaglia and Tsang (2000), with 256 layers.
    """
    a, b, c, w = words[0], words[1], words[2], words[3]
    i = 0
    while i < out.size:
        r = a + b + w
        w = w + _1
        a = b ^ (b >> _11)
        b = c + (c << _3)
        c = ((c << _24) | (c >> _40)) + r
        layer = np.int64(r & _255)
        size = (r >> _9) & _52_BITS
        z = np.float64(np.int64(size)) * scales[layer + np.int64(r & _256)]
        out[i] = z
        if size < bounds[layer]:
            i += 1
            continue
        r = a + b + w
        w = w + _1
        a = b ^ (b >> _11)
        b = c + (c << _3)
        c = ((c << _24) | (c >> _40)) + r
        u = np.float64(np.int64(r >> _11)) * _UNIFORM
        if layer > 0:
            if (densities[layer - 1] - densities[layer]) * u + densities[layer] < math.exp(-0.5 * z * z):
                i += 1
            continue
        while True:  # the tail beyond the last layer
            r = a + b + w
            w = w + _1
            a = b ^ (b >> _11)
            b = c + (c << _3)
            c = ((c << _24) | (c >> _40)) + r
            x = -_TAIL_INVERSE * math.log1p(-u)
            y = -math.log1p(-np.float64(np.int64(r >> _11)) * _UNIFORM)
            if y + y > x * x:
                break
            r = a + b + w
            w = w + _1
            a = b ^ (b >> _11)
            b = c + (c << _3)
            c = ((c << _24) | (c >> _40)) + r
            u = np.float64(np.int64(r >> _11)) * _UNIFORM
        out[i] = -(_TAIL + x) if (size >> _8) & _1 else _TAIL + x
        i += 1
    words[0], words[1], words[2], words[3] = a, b, c, w


def _losses(z: Any, mu: Any, shift: float) -> None:
    """z = (z + shift mu) mu."""
    if mu.size > 1:
        for i in range(z.size):
            z[i] = (z[i] + shift * mu[i]) * mu[i]
    else:
        for i in range(z.size):
            z[i] = (z[i] + shift * mu[0]) * mu[0]


def _add_squares(
    high: Any,
    low: Any,
    x: Any,
    root: float,
    scale: float,
    least: float,
    limit_high: float,
    limit_low: float,
    fits: Any,
    top: Any,
    rest: Any,
) -> None:
    """(top, rest) = (high, low) + scale (root x)^2 rounded up, and whether that is within the limit.

    Operation by operation what `filters.accounting.ledger` does with arrays: scale is a power of two.
    """
    shared = x.size == 1
    for i in range(high.size):
        declared = abs(x[0] if shared else x[i])
        a = declared * root
        a = least if a < least and declared > 0 else a
        p = a * a
        c = _SPLITTER * a
        a1 = c - (c - a)
        a2 = a - a1
        q = (((a1 * a1 - p) + 2 * (a1 * a2)) + a2 * a2) * scale
        p *= scale
        s = high[i] + p
        t = s - high[i]
        e = (high[i] - (s - t)) + (p - t)
        w = low[i] + q
        t = w - low[i]
        lost = (low[i] - (w - t)) + (q - t)
        v = e + w
        t = v - e
        lost += (e - (v - t)) + (w - t)
        v += 2 * lost + abs(v) * _ULP if lost > 0 else 0.0
        total = s + v
        carry = v - (total - s)
        top[i] = total
        rest[i] = carry
        fits[i] = (total < limit_high) | ((total == limit_high) & (carry <= limit_low))


def _add_even_squares(
    high: Any, x: Any, bits: Any, scale: float, last: float, end: float, top: Any, fits: Any
) -> tuple[int, int, int]:
    """top = high + scale x^2, fits where that is at most last, and what says whether it was exact.

    That is the least of bits, those of x, all of them or-ed together, and how many sums are not below end. No
    branch, so that several runs are done in one instruction.
    """
    least, together, beyond = bits[0], bits[0], 0
    for i in range(high.size):
        total = high[i] + x[i] * x[i] * scale
        top[i] = total
        least = min(least, bits[i])
        together |= bits[i]
        fits[i] = total <= last
        beyond += not total < end
    return least, together, beyond


def _inside(x: Any, low: float, high: float) -> int:
    """How many numbers lie strictly between low and high: NaN does not."""
    count = 0
    for i in range(x.size):
        count += (x[i] > low) & (x[i] < high)
    return count


def _either(low: float, high: float, raised: Any, out: Any) -> None:
    """out = high where raised, else low."""
    for i in range(out.size):
        out[i] = high if raised[i] else low
