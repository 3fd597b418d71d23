"""A game that is too large to be solved."""

from __future__ import annotations

from theory.too_large import TooLargeError as TooLargeError

#: A remedy more, where the states are sums of charges.
MERGED = "spend_steps=10000, say, to merge sums of charges, "


def check_room(needed: int, most: int, what: str, remedy: str = "") -> None:
    """TooLargeError if more than `max_positions`, which is `most`, are needed."""
    if needed > most:
        raise TooLargeError(
            f"max_positions must cover the game, got max_positions={most} and {needed} {what}; pass fewer rounds or "
            "requests, levels whose charges add without rounding (multiples of 2**-7, say, so that equal sums are "
            f"equal states), {remedy}or a larger max_positions"
        )
