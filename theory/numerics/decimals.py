"""Numbers in few digits. A bound is rounded to the safe side.

>>> format_down(0.12345678), format_up(0.12345678)
('0.123456', '0.123457')
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

#: A relative excess from the rounding of 1 - confidence in doubles.
_ROUNDING = 1e-9


def format_nearest(value: float, digits: int = 6) -> str:
    """Return the value to `digits` digits, rounded to the nearest."""
    return f"{value:.{digits}g}"


def format_down(value: float, digits: int = 6) -> str:
    """Return the value rounded down, read as the shortest decimal of the double."""
    return _format_directed(value, digits, ROUND_FLOOR)


def format_up(value: float, digits: int = 6) -> str:
    """Return the value rounded up."""
    return _format_directed(value, digits, ROUND_CEILING)


def interval(low: float, high: float, digits: int = 6) -> str:
    """Return the smallest interval in `digits` digits that contains [low, high].

    >>> interval(0.12345678, 0.12345679)
    '[0.123456, 0.123457]'
    """
    return f"[{format_down(low, digits)}, {format_up(high, digits)}]"


def format_failure(failure: float) -> str:
    """Return a failure probability in two digits, rounded up beyond the rounding of doubles.

    >>> format_failure(1 - (1 - 1e-6)), format_failure(1.05e-6)
    ('1e-06', '1.1e-06')
    """
    close = float(format_nearest(failure, 2))
    return format_nearest(failure, 2) if abs(failure - close) <= _ROUNDING * close else format_up(failure, 2)


def _format_directed(value: float, digits: int, rounding: str) -> str:
    if not math.isfinite(value):
        return str(value)
    rounded = Context(prec=digits, rounding=rounding).create_decimal(Decimal(repr(float(value))))
    return f"{float(rounded):.{digits}g}"
