"""Numbers in formulas, as LaTeX."""

from __future__ import annotations


def tex_number(value: float) -> str:
    """Return a number to six digits in LaTeX.

    >>> print(tex_number(1e-5), tex_number(2.5e-8), tex_number(0.25))
    10^{-5} 2.5\\cdot 10^{-8} 0.25
    """
    digits, _, exponent = f"{value:g}".partition("e")
    if not exponent:
        return digits
    power = f"10^{{{int(exponent)}}}"
    return power if digits == "1" else rf"{digits}\cdot {power}"
