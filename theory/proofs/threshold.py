"""A threshold is the largest budget that a conversion turns into (epsilon, delta)-DP, here to any number of digits.

>>> import filterproof as fp
>>> print(fp.threshold("B*", epsilon=1, delta="1e-5", digits=12))
0.0208199383395
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx, fmpq

from theory.arguments import check_count
from theory.proofs.formula import rational

__all__ = ["THRESHOLDS", "Ball", "threshold"]


@dataclass(frozen=True, slots=True)
class Ball:
    """A real number certified to lie within `radius` of `mid`, both decimal strings.

    `str()` prints `digits` significant digits; the number differs from what is printed by less than one unit
    in the last of them.
    """

    mid: str
    radius: str
    digits: int

    def __str__(self) -> str:
        with ctx.workprec(_bits(self.digits)):
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
    """The largest budget that a conversion turns into (epsilon, delta)-DP, with `digits` digits guaranteed.

    "B*" (also "simple"): rho with rho + 2 sqrt(rho log(1/delta)) = epsilon (paper 000, Theorem 4.9).
    "CKS": rho with inf over alpha > 1 of e^{(alpha-1)(alpha rho - epsilon)} (1-1/alpha)^alpha / (alpha-1)
    equal to delta (paper 003, Lemma C.4). "GDP": mu with delta_mu(epsilon) = delta (paper 003, (2.3)).
    A decimal string means what it says; a float means its exact binary value, so 0.1 is not "0.1".
    Raises ValueError on an unknown name, epsilon < 0, or delta outside (0, 1).
    """
    if name not in THRESHOLDS:
        raise ValueError(f"name must be one of {', '.join(THRESHOLDS)}, got name={name!r}; pass one of these")
    check_count("digits", digits)
    eps, dlt = _exactly("epsilon", epsilon), _exactly("delta", delta)
    if eps < 0:
        raise ValueError(f"epsilon must be >= 0, got epsilon={epsilon!r}; pass a number of nats")
    if not 0 < dlt < 1:
        raise ValueError(f"delta must be in (0, 1), got delta={delta!r}; pass a probability inside it")
    solve = THRESHOLDS[name]
    bits = _bits(digits)
    while True:
        with ctx.workprec(bits):
            found = solve(eps, dlt)
            if found.rel_accuracy_bits() > 3.33 * digits + 8 or (found.is_exact() and found.is_zero()):
                return _ball(found, digits)
        bits *= 2


def _bits(digits: int) -> int:
    return int(3.33 * digits) + 64


def _exactly(name: str, value: object) -> fmpq:
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Fraction)):
        raise TypeError(
            f"{name} must be an int, float, Fraction or decimal string, got {name}={value!r}; pass one"
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


def _simple(eps: fmpq, delta: fmpq) -> arb:
    # b = eps / (sqrt(l + eps) + sqrt l): no cancellation for small eps
    logarithm = -arb(delta).log()
    return (arb(eps) / ((logarithm + arb(eps)).sqrt() + logarithm.sqrt())) ** 2


def _cks(eps: fmpq, delta: fmpq) -> arb:
    # At the optimal order 1 + t the budget is B(t) = (eps + log(1 + 1/t)) / (2t + 1), and the log-objective
    # minus log delta, taken along that curve, falls strictly from -log delta at t = 0 to -infinity.
    log_delta, e = arb(delta).log(), arb(eps)

    def budget(t: arb) -> arb:
        return (e + (1 / t).log1p()) / (2 * t + 1)

    def excess(t: arb) -> arb:
        return t * ((1 + t) * budget(t) - e) - t * (1 / t).log1p() - t.log1p() - log_delta

    low, high = _falling_root(excess)
    return budget(low).union(budget(high))


def _gdp(eps: fmpq, delta: fmpq) -> arb:
    e, d, root = arb(eps), arb(delta), arb(2).sqrt()

    def missing(mu: arb) -> arb:
        far, near = (e / mu + mu / 2) / root, (e / mu - mu / 2) / root
        return d - (near.erfc() - e.exp() * far.erfc()) / 2

    low, high = _falling_root(missing)
    return low.union(high)


def _falling_root(function: Callable[[arb], arb]) -> tuple[arb, arb]:
    """Exact points low < high with function(low) > 0 > function(high), as close as the precision allows.

    The function falls strictly on (0, inf), so its root lies between them. NaN twice if the balls are too wide.
    """
    low, high = arb(1), arb(1)
    for _ in range(64 * ctx.prec):
        if function(low) > 0:
            break
        low, high = low / 2, low
    for _ in range(64 * ctx.prec):
        if function(high) < 0:
            break
        high = high * 2
    f_low, f_high = function(low), function(high)
    if not (f_low > 0 > f_high):
        return arb.nan(), arb.nan()  # the balls are too wide to tell; the caller takes more bits
    # Secant steps, tried a little to both sides, converge fast; the midpoint is tried as well.
    for _ in range(8 * ctx.prec):
        middle = ((low + high) / 2).mid()
        guess = ((low * f_high - high * f_low) / (f_high - f_low)).mid()
        narrow = (high - low) / 2 ** (ctx.prec // 8)
        moved = False
        for trial in ((guess - narrow).mid(), (guess + narrow).mid(), middle):
            if not low < trial < high:
                continue
            found = function(trial)
            if found > 0:
                low, f_low, moved = trial, found, True
            elif found < 0:
                high, f_high, moved = trial, found, True
        if not moved:
            break
    return low, high


#: The conversions known, each from exact epsilon and delta to a ball at the current precision.
THRESHOLDS: dict[str, Callable[[fmpq, fmpq], arb]] = {
    "B*": _simple,
    "simple": _simple,
    "CKS": _cks,
    "GDP": _gdp,
}
