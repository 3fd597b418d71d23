"""Numbers of results in few digits: shares in percent, and exact values with the bounds on them."""

from __future__ import annotations

from collections.abc import Callable

from filterproof.theory.evidence import CheckCoverage
from filterproof.theory.numerics.decimals import format_nearest, interval
from filterproof.theory.proofs.proof import Proof

#: The longest text of an exact value that is shown.
_LONGEST = 26
#: Shares of a guarantee below this are not told apart.
_LITTLE_SHARE = 0.01


def format_share(value: float, rounded: Callable[[float, int], str] = format_nearest) -> str:
    """A share of a guarantee in percent, and as a multiple from two on; what is less than 1 % is not told apart.

    >>> format_share(0.999412), format_share(0.4999), format_share(1.00021), format_share(2.4e-268), format_share(2.5)
    ('99.94 %', '50 %', '100.02 %', '< 1 %', '× 2.5')
    >>> from filterproof.theory.numerics.decimals import format_down
    >>> format_share(0.99989, format_down)
    '99.98 %'
    """
    if value < _LITTLE_SHARE:
        return "< 1 %"
    if value >= 2:
        return f"× {float(rounded(value, 3)):,.3g}" if value < 1e3 else f"× {float(rounded(value, 2)):,.0f}"
    digits = 3 if value < 0.9 else 4 if value < 1 else 5
    return f"{float(rounded(100 * value, digits)):.{digits}g} %"


def step_counts_text(proof: Proof) -> str:
    """Return how many steps of a proof have each coverage, as text such as "3 kernel, 2 point"."""
    counts = [(word, sum(step.checked is word for step in proof.steps)) for word in CheckCoverage]
    return ", ".join(f"{count} {word.word}" for word, count in counts if count)


def exact_value_and_bounds_text(value: str | None, low: float, high: float) -> str:
    """Return a short exact value with its bounds in nine digits, or the bounds alone."""
    enclosure = interval(low, high, 9)
    if value is None or len(value) > _LONGEST:
        return enclosure
    return value if low.hex() == high.hex() and "/" not in value else f"{value}, in {enclosure}"
