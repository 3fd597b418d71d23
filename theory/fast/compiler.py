"""The compiler of kernels: numba, if the extra [fast] is installed.

FILTERPROOF_FAST=0 in the environment disables it. A kernel has a fixed signature and makes no callbacks, so it is
compiled once and cached on disk.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any

#: The number of runs from which numba is imported, which takes a second. Once imported, a kernel is seven times faster
#: for two runs.
_MIN_RUNS = 32


def pays_off(n: int) -> bool:
    """Return whether n runs are enough for a kernel."""
    return n >= _MIN_RUNS or (n > 1 and compiler.cache_info().currsize > 0)


@cache
def compiler() -> Callable[[Callable[..., Any]], Callable[..., Any]] | None:
    """Return the decorator that compiles a function of arrays and numbers, or None without numba."""
    if os.environ.get("FILTERPROOF_FAST", "1") == "0":
        return None
    try:
        import numba
    except ImportError:
        return None
    compile_: Callable[[Callable[..., Any]], Callable[..., Any]] = numba.njit(cache=True, nogil=True)
    return compile_
