"""A threshold is the largest budget that a conversion turns into (epsilon, delta)-DP, here to any number of digits.

>>> import filterproof as fp
>>> print(fp.conversions.threshold("B*", epsilon=1, delta="1e-5", digits=12))
0.0305569507877
>>> print(fp.conversions.threshold("simple", epsilon=1, delta="1e-5", digits=12))
0.0208199383395
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx, fmpq

from filterproof.theory.argument_checks import check_count, did_you_mean
from filterproof.theory.numerics.exact import rational
from filterproof.theory.numerics.precision import PRECISION_LOCK
from filterproof.theory.thresholds.budgets import THRESHOLDS

#: Largest precision in bits.
_MOST_BITS = 2**12


@dataclass(frozen=True, slots=True)
class Ball:
    """A real number certified to lie within `radius` of `mid`, both decimal strings.

    `str()` prints `digits` significant digits, those that are known; the number differs from what is printed by less
    than one unit in the last of them.
    """

    mid: str
    radius: str
    digits: int

    def __str__(self) -> str:
        with PRECISION_LOCK, ctx.workprec(_bits(self.digits)):
            return str(arb(self.mid).str(self.digits, radius=False))

    def __float__(self) -> float:
        return float(self.mid)

    @property
    def low(self) -> Fraction:
        """An exact lower bound."""
        return Fraction(self.mid) - Fraction(self.radius)

    @property
    def high(self) -> Fraction:
        """An exact upper bound."""
        return Fraction(self.mid) + Fraction(self.radius)


def threshold(
    name: str,
    epsilon: int | float | str | Fraction,
    delta: int | float | str | Fraction,
    *,
    digits: int = 50,
) -> Ball:
    """The largest budget that is certain to give (epsilon, delta)-DP, with `digits` digits guaranteed.

    "B*": the largest rho such that every rho-zCDP mechanism is (epsilon, delta)-DP, as paper 000, Theorem 4.9, defines
    it: `low` is such a rho, and a pair that is `high`-zCDP is not (epsilon, delta)-DP. Where fewer digits are known
    than were asked for, the ball's own `digits` says how many.
    "simple": rho with rho + 2 sqrt(rho log(1/delta)) = epsilon, the value that Theorem 4.9 takes from Fact 2.4.
    "CKS": rho with inf over alpha > 1 of e^{(alpha-1)(alpha rho - epsilon)} (1-1/alpha)^alpha / (alpha-1)
    equal to delta (paper 003, Lemma C.4). "GDP": mu with delta_mu(epsilon) = delta (paper 003, (2.3)).
    A decimal string means what it says; a float means its exact binary value, so 0.1 is not "0.1".
    Raises ValueError on an unknown name, epsilon < 0, or delta outside (0, 1).
    """
    if not isinstance(name, str) or name not in THRESHOLDS:
        raise ValueError(
            f"name must be one of {', '.join(THRESHOLDS)}, got name={name!r}"
            f"{did_you_mean(name, THRESHOLDS) or '; pass one of these'}"
        )
    check_count("digits", digits)
    eps, dlt = _exactly("epsilon", epsilon), _exactly("delta", delta)
    if eps < 0:
        raise ValueError(f"epsilon must be >= 0, got epsilon={epsilon!r}; pass a number of nats")
    if not 0 < dlt < 1:
        raise ValueError(f"delta must be in (0, 1), got delta={delta!r}; pass a probability inside it")
    solve = THRESHOLDS[name]
    bits, before = _bits(digits), -1.0
    # where e^epsilon has more bits than are ever tried, the search for B* would leave the reals
    while not (name == "B*" and eps > 4 * _MOST_BITS):
        with PRECISION_LOCK, ctx.workprec(bits):
            enclosure = solve(eps, dlt)
            accuracy = enclosure.rel_accuracy_bits()
            if accuracy > 3.33 * digits + 8 or (enclosure.is_exact() and enclosure.is_zero()):
                return _ball(enclosure, digits)
            if 0 < accuracy <= before + 1:  # twice the bits told no more: this is what is known
                return _ball(enclosure, max(int((accuracy - 8) / 3.33), 1))
        if bits > _MOST_BITS:
            break
        bits, before = 2 * bits, accuracy
    raise ArithmeticError(
        f"epsilon and delta are too extreme: {_MOST_BITS} bits give no digit of {name}, got "
        f"epsilon={epsilon!r}, delta={delta!r}; pass values farther from zero and one"
    )


def _bits(digits: int) -> int:
    return int(3.33 * digits) + 64


def _exactly(name: str, value: object) -> fmpq:
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Fraction)):
        raise TypeError(
            f"{name} must be an int, float, Fraction or decimal string, got {name}={value!r}; pass one of these types"
        )
    try:
        return rational(Fraction(value))
    except (ValueError, OverflowError, ZeroDivisionError) as wrong:
        raise ValueError(
            f"{name} must be a finite number, got {name}={value!r}; write it in decimals"
        ) from wrong


def _ball(found: arb, digits: int) -> Ball:
    if found.is_zero():
        return Ball("0", "0", digits)
    mid, radius, exponent = found.mid_rad_10exp(digits + 3)
    return Ball(f"{mid}e{exponent}", f"{radius}e{exponent}", digits)
