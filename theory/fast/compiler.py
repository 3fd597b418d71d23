"""The compiler of kernels: numba's, where it is installed (the extra [fast]) and wanted.

FILTERPROOF_FAST=0 in the environment does without it. A kernel has a fixed signature and calls nothing back, so it
compiles once and is kept on disk.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any

#: Runs for which numba, which takes a second, is imported. Where it has been, a kernel is seven times as fast for two.
_MANY = 32


def worth(n: int) -> bool:
    """Whether so many runs are worth a kernel."""
    return n >= _MANY or (n > 1 and compiler.cache_info().currsize > 0)


@cache
def compiler() -> Callable[[Callable[..., Any]], Callable[..., Any]] | None:
    """What compiles a function of arrays and numbers, or None where numba is missing or not wanted."""
    if os.environ.get("FILTERPROOF_FAST", "1") == "0":
        return None
    try:
        import numba
    except ImportError:
        return None
    compile_: Callable[[Callable[..., Any]], Callable[..., Any]] = numba.njit(cache=True, nogil=True)
    return compile_
