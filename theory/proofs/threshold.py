"""Budget thresholds of conversions to any number of digits."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx, fmpq

from filterproof.theory.argument_checks import check_count, did_you_mean
from filterproof.theory.numerics.exact import to_fmpq
from filterproof.theory.numerics.precision import PRECISION_LOCK
from filterproof.theory.thresholds.budgets import BUDGET_FUNCTIONS

#: Largest precision in bits.
_MAX_BITS = 2**12


@dataclass(frozen=True, slots=True)
class Ball:
    """A real number that is certified to lie within `radius` of `mid`.

    Parameters
    ----------
    mid : str
        Midpoint, in decimal notation.
    radius : str
        Radius, in decimal notation.
    digits : int
        Number of known significant digits.

    Notes
    -----
    `str(ball)` prints the known digits. The printed number differs from the true number by less than one unit of its
    last digit. `float(ball)` is the midpoint.

    Examples
    --------
    >>> import filterproof as fp
    >>> ball = fp.conversions.threshold("simple", epsilon=1, delta="1e-5", digits=6)
    >>> str(ball), ball.low < ball.high
    ('0.0208199', True)
    """

    mid: str
    radius: str
    digits: int

    def __str__(self) -> str:
        with PRECISION_LOCK, ctx.workprec(_working_bits(self.digits)):
            return str(arb(self.mid).str(self.digits, radius=False))

    def __float__(self) -> float:
        return float(self.mid)

    @property
    def low(self) -> Fraction:
        """Return the exact lower bound."""
        return Fraction(self.mid) - Fraction(self.radius)

    @property
    def high(self) -> Fraction:
        """Return the exact upper bound."""
        return Fraction(self.mid) + Fraction(self.radius)


def threshold(
    name: str,
    epsilon: int | float | str | Fraction,
    delta: int | float | str | Fraction,
    *,
    digits: int = 50,
) -> Ball:
    """Compute the largest budget that a conversion turns into (epsilon, delta)-DP, to any number of digits.

    Parameters
    ----------
    name : {"B*", "simple", "CKS", "GDP"}
        "B*": the largest rho for which every rho-zCDP mechanism is (epsilon, delta)-DP. The `low` of the result is such
        a rho, and some `high`-zCDP pair is not (epsilon, delta)-DP. "simple": the rho with rho + 2 sqrt(rho
        log(1/delta)) = epsilon. "CKS": the rho for which inf over a > 1 of e^{(a-1)(a rho - epsilon)} (1-1/a)^a / (a-1)
        is delta. "GDP": the mu for which Gaussian(mu) has H_{e^epsilon} = delta.
    epsilon : int, float, str or Fraction
        Zero or more, in nats. A float counts as its exact binary value; a str is an exact decimal number.
    delta : int, float, str or Fraction
        In (0, 1), given like `epsilon`.
    digits : int, optional
        Number of certified significant digits.

    Returns
    -------
    Ball
        The threshold: rho in nats, or mu. Its `digits` is smaller than requested if fewer digits can be certified.

    Raises
    ------
    TypeError
        If `epsilon` or `delta` has another type.
    ValueError
        If the name is unknown, `epsilon` is below zero, or `delta` is outside (0, 1).
    ArithmeticError
        If 4096 bits of precision give no digit.

    Notes
    -----
    Sources: Feldman & Zrnic (2021), "Individual Privacy Accounting via a Rényi Filter", Theorem 4.9, for "B*" and
    "simple"; Koskela, Tobaben & Honkela (2023), "Individual Privacy Accounting with Gaussian Differential Privacy",
    Lemma C.4 for "CKS" and equation (2.3) for "GDP".

    Examples
    --------
    >>> import filterproof as fp
    >>> print(fp.conversions.threshold("B*", epsilon=1, delta="1e-5", digits=12))
    0.0305569507877
    >>> print(fp.conversions.threshold("simple", epsilon=1, delta="1e-5", digits=12))
    0.0208199383395
    """
    if not isinstance(name, str) or name not in BUDGET_FUNCTIONS:
        raise ValueError(
            f"name must be one of {', '.join(BUDGET_FUNCTIONS)}, got name={name!r}"
            f"{did_you_mean(name, BUDGET_FUNCTIONS) or '; pass one of these'}"
        )
    check_count("digits", digits)
    eps, dlt = _exact_rational("epsilon", epsilon), _exact_rational("delta", delta)
    if eps < 0:
        raise ValueError(f"epsilon must be >= 0, got epsilon={epsilon!r}; pass a number of nats")
    if not 0 < dlt < 1:
        raise ValueError(f"delta must be in (0, 1), got delta={delta!r}; pass a probability inside it")
    solve = BUDGET_FUNCTIONS[name]
    bits, before = _working_bits(digits), -1.0
    # if e^epsilon has more bits than the largest precision, the search for B* would leave the reals
    while not (name == "B*" and eps > 4 * _MAX_BITS):
        with PRECISION_LOCK, ctx.workprec(bits):
            enclosure = solve(eps, dlt)
            accuracy = enclosure.rel_accuracy_bits()
            if accuracy > 3.33 * digits + 8 or (enclosure.is_exact() and enclosure.is_zero()):
                return _decimal_ball(enclosure, digits)
            if 0 < accuracy <= before + 1:  # twice the bits did not improve the result, so it is final
                return _decimal_ball(enclosure, max(int((accuracy - 8) / 3.33), 1))
        if bits > _MAX_BITS:
            break
        bits, before = 2 * bits, accuracy
    raise ArithmeticError(
        f"epsilon and delta are too extreme: {_MAX_BITS} bits give no digit of {name}, got "
        f"epsilon={epsilon!r}, delta={delta!r}; pass values farther from zero and one"
    )


def _working_bits(digits: int) -> int:
    return int(3.33 * digits) + 64


def _exact_rational(name: str, value: object) -> fmpq:
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Fraction)):
        raise TypeError(
            f"{name} must be an int, float, Fraction or decimal string, got {name}={value!r}; pass one of these types"
        )
    try:
        return to_fmpq(Fraction(value))
    except (ValueError, OverflowError, ZeroDivisionError) as wrong:
        raise ValueError(
            f"{name} must be a finite number, got {name}={value!r}; write it in decimals"
        ) from wrong


def _decimal_ball(found: arb, digits: int) -> Ball:
    if found.is_zero():
        return Ball("0", "0", digits)
    mid, radius, exponent = found.mid_rad_10exp(digits + 3)
    return Ball(f"{mid}e{exponent}", f"{radius}e{exponent}", digits)
