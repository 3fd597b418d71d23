"""The error for a game that is too large to solve."""

from __future__ import annotations

from filterproof.theory.size_limits import TooLargeError as TooLargeError


def check_max_positions(needed: int, most: int, what: str) -> None:
    """Raise TooLargeError if a game needs more positions than `max_positions` allows."""
    if needed > most:
        raise TooLargeError(
            f"max_positions must cover the game, got max_positions={most} and {needed} {what}; pass fewer rounds or "
            "requests, levels whose charges add without rounding (multiples of 2**-7, say, so that equal sums are "
            f"equal states), or a larger max_positions"
        )
