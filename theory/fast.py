"""Compiled kernels, used where numba is installed (the extra [fast]): the same bits in fewer nanoseconds.

Their signatures are fixed and they call nothing back, so they compile once and are cached on disk. Setting
FILTERPROOF_FAST=0 in the environment does without them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

__all__ = ["WORTH_IT", "Kernels", "kernels"]

#: Runs below which a call to a kernel gains nothing.
WORTH_IT = 32

_SPLITTER = 2.0**27 + 1
_ULP = 2.0**-52


@dataclass(frozen=True, slots=True)
class Kernels:
    """gaussian_losses(rng, mu, shift, out) and add_squares(high, low, x, root, scale, least, limit, fits, sums)."""

    gaussian_losses: Callable[..., None]
    add_squares: Callable[..., None]


@lru_cache(maxsize=1)
def kernels() -> Kernels | None:
    """The kernels, or None where numba is missing or not wanted."""
    if os.environ.get("FILTERPROOF_FAST", "1") == "0":
        return None
    try:
        import numba
    except ImportError:
        return None
    compile_ = numba.njit(cache=True, nogil=True)
    return Kernels(compile_(_gaussian_losses), compile_(_add_squares))


def _gaussian_losses(rng: Any, mu: Any, shift: float, out: Any) -> None:
    """out = (z + shift mu) mu with standard normals z, drawn one by one as the generator's array call does."""
    step = 1 if mu.size > 1 else 0
    for i in range(out.size):
        m = mu[i * step]
        out[i] = (rng.standard_normal() + shift * m) * m


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

    Operation by operation what `filters.ledger` does with arrays: scale is a power of two.
    """
    shared = x.size == 1
    for i in range(high.size):
        a = (x[0] if shared else x[i]) * root
        a = least if a < least and a != 0 else a
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
