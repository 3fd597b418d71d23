"""Refusal of computations that are too large. Their size decides before any allocation; a clock never does.

>>> check_size("design", 2**31, 2**25, "heights", "pass fewer")
Traceback (most recent call last):
filterproof.theory.size_limits.TooLargeError: design must need at most 33554432 heights, got 2147483648; pass fewer
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class TooLargeError(ValueError):
    """The request needs more memory or work than allowed."""


def check_size(name: str, needed: int, most: int, what: str, remedy: str) -> None:
    """Raise TooLargeError if the argument `name` needs more than `most` of `what`."""
    if needed > most:
        raise TooLargeError(f"{name} must need at most {most} {what}, got {needed}; {remedy}")


@contextmanager
def too_large_on_memory_error(name: str, value: int) -> Iterator[None]:
    """Raise TooLargeError instead of MemoryError if memory cannot hold `value` items; `name` is the argument."""
    try:
        yield
    except MemoryError as error:
        raise TooLargeError(
            f"{name} must fit into memory, got {name}={value!r}: {error}; pass fewer"
        ) from error
