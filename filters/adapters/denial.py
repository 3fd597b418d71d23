"""A denial of another library's object: an answer that is no, or an exception that means it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

__all__ = ["Denied", "checked_denied", "is_denial", "is_no"]

#: The exceptions that mean "denied", or what says of an exception whether it does.
Denied: TypeAlias = "type[Exception] | tuple[type[Exception], ...] | Callable[[Exception], bool]"


def is_denial(refused: Exception, denied: Denied) -> bool:
    """Whether an exception means that a request was denied."""
    if isinstance(denied, (type, tuple)):
        return isinstance(refused, denied)
    return bool(denied(refused))


def is_no(answered: object) -> bool:
    """Whether an answer is False, Python's or numpy's; what says nothing, None or 0, is no denial.

    Raises TypeError for what has not answered yet.
    """
    if inspect.isawaitable(answered) or inspect.isgenerator(answered):
        raise TypeError(
            f"a budget must answer at once, got a {type(answered).__name__}; wait for it, by asyncio.run say"
        )
    if isinstance(answered, np.ndarray) and answered.ndim == 0:
        answered = answered[()]
    return isinstance(answered, (bool, np.bool_)) and not answered


def checked_denied(denied: Denied) -> Denied:
    """`denied` if it is an exception, a tuple of them or a function, else TypeError."""
    kinds = denied if isinstance(denied, tuple) else (denied,)
    if all(callable(kind) for kind in kinds):
        return denied
    raise TypeError(f"denied must be exceptions or a function of one, got {denied!r}; pass e.g. ValueError")
