"""Checks of the answers of a filter's methods: a wrong shape or type raises TypeError with a remedy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.state import State, state_leaves

_BOOLEANS = np.dtype(np.bool_)


def checked_booleans(answer: object, of: object, method: str, n: int, remedy: str) -> NDArray[np.bool_]:
    """Return `answer` if it is an array of booleans of shape (n,), else raise TypeError. `of` owns `method`."""
    if isinstance(answer, np.ndarray) and answer.dtype == _BOOLEANS and answer.shape == (n,):
        return answer
    raise TypeError(
        f"{type(of).__name__}.{method} must return booleans of shape ({n},), got {_answer_text(answer)}; {remedy}"
    )


def checked_numbers(answer: object, of: object, method: str, n: int) -> NDArray[np.float64]:
    """Return `answer` as doubles if it is an array of real numbers of shape (n,), else raise TypeError."""
    if isinstance(answer, np.ndarray) and answer.shape == (n,) and answer.dtype.kind in "fiu":
        return np.asarray(answer, dtype=np.float64)
    raise TypeError(
        f"{type(of).__name__}.{method} must return numbers of shape ({n},), got {_answer_text(answer)}; return one "
        "number per run"
    )


def checked_state(answer: Any, of: object, method: str, n: int) -> State:
    """`answer` if it is an array with n runs on the first axis, or a container of such arrays, else TypeError."""
    if {leaf.shape[:1] if isinstance(leaf, np.ndarray) else None for leaf in state_leaves(answer)} == {(n,)}:
        return answer
    raise TypeError(
        f"{type(of).__name__}.{method} must return an array with {n} runs on the first axis, or a tuple, dict or data "
        f"class of such arrays, got {_answer_text(answer)}; return one number per run, e.g. np.zeros(n)"
    )


def _answer_text(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    if isinstance(value, tuple):
        return f"a tuple of {', '.join(map(_answer_text, value)) or 'nothing'}"
    return f"{value!r} ({type(value).__name__})"
