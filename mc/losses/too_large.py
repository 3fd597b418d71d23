"""A game that is too large to be solved."""

from __future__ import annotations

__all__ = ["TOO_LARGE", "TooLargeError"]

#: The remedy that error messages give.
TOO_LARGE = (
    "pass fewer rounds or requests, levels whose charges add without rounding (multiples of 2**-7, say, so "
    "that equal sums are equal states), spend_steps=10000, say, to merge sums of charges, or a larger "
    "max_positions"
)


class TooLargeError(ValueError):
    """A game has more positions than `max_positions`."""
