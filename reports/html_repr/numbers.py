"""Numbers of results in few digits: shares in percent, and exact values with the bounds on them."""

from __future__ import annotations

from collections.abc import Callable

from filterproof.theory.agreement import Agreement, AgreementOutcome
from filterproof.theory.evidence import CheckCoverage
from filterproof.theory.numerics.decimals import format_nearest, format_up, interval
from filterproof.theory.proofs.proof import Proof

#: The longest text of an exact value that is shown.
_LONGEST = 26
#: Shares below this are bounds on rounding, not divergences.
NEGLIGIBLE_SHARE = 1e-12


def format_percent(share: float, rounded: Callable[[float, int], str] = format_nearest) -> str:
    """A share in percent with two digits, three near and above one, and as a multiple from two on.

    >>> format_percent(0.2354), format_percent(1.3979), format_percent(63.4), format_percent(1e-270)
    ('24 %', '140 %', '× 63.4', '0 %')
    >>> format_percent(61952.3)
    '× 62,000'
    >>> from filterproof.theory.numerics.decimals import format_down
    >>> format_percent(0.0305, format_up), format_percent(0.99962506, format_down)
    ('3.1 %', '99.9 %')
    """
    if share < NEGLIGIBLE_SHARE:
        return "0 %"
    if share >= 2:
        times = float(rounded(share, 3))
        return f"× {times:,.0f}" if 1000 <= times < 1e7 else f"× {times:.3g}"
    return f"{float(rounded(100 * share, 2 if share < 0.995 else 3)):.3g} %"


def step_counts_text(proof: Proof) -> str:
    """Return how many steps of a proof have each coverage, as text such as "3 kernel, 2 point"."""
    counts = [(word, sum(step.checked is word for step in proof.steps)) for word in CheckCoverage]
    return ", ".join(f"{count} {word.word}" for word, count in counts if count)


def agreed_within(agreement: Agreement) -> str:
    """How far the two routes may be apart, as a share where that says something; '' if they disagree."""
    if agreement.outcome is not AgreementOutcome.AGREES:
        return ""
    if agreement.relative_difference <= 1:
        return f"within {format_percent(agreement.relative_difference, format_up)}"
    return f"within {format_up(agreement.max_difference, 2)}"


def exact_value_and_bounds_text(value: str | None, low: float, high: float) -> str:
    """Return a short exact value with its bounds in nine digits, or the bounds alone."""
    enclosure = interval(low, high, 9)
    if value is None or len(value) > _LONGEST:
        return enclosure
    return value if low.hex() == high.hex() and "/" not in value else f"{value}, in {enclosure}"
