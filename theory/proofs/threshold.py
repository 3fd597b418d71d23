"""Budget thresholds of conversions to at most 1,000 digits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from flint import arb, ctx, fmpq

from filterproof.theory.argument_checks import check_count, did_you_mean
from filterproof.theory.numerics.exact import to_fmpq
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.thresholds.budgets import (
    BUDGET_FUNCTIONS,
    gaussian_delta,
    largest_kappa,
    optimal_dhat,
    theta_for_rest_of_delta,
)

#: The name of the threshold with two more arguments.
KAPPA = "kappa"
#: The names of all thresholds.
NAMES = (*BUDGET_FUNCTIONS, KAPPA)
#: The most digits of a result: the time grows faster than their square.
MAX_DIGITS = 1000
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
    sigma: int | float | str | Fraction | None = None,
    rounds: int | None = None,
    digits: int = 50,
) -> Ball:
    """Compute the largest budget that a theorem turns into (epsilon, delta)-DP, to at most 1,000 digits.

    Parameters
    ----------
    name : str
        "B*": the largest rho for which every rho-zCDP mechanism is (epsilon, delta)-DP. The `low` of the result is such
        a rho, and some `high`-zCDP pair is not (epsilon, delta)-DP. "simple": the rho with rho + 2 sqrt(rho
        log(1/delta)) = epsilon. "CKS": the rho for which inf over a > 1 of e^{(a-1)(a rho - epsilon)} (1-1/a)^a / (a-1)
        is delta. "GDP": the mu for which Gaussian(mu) has H_{e^epsilon} = delta. "kappa": the level of
        `fp.conversions.kappa` at the best split of delta.
    epsilon : int, float, str or Fraction
        Zero or more, in nats. A float counts as its exact binary value; a str is an exact decimal number.
    delta : int, float, str or Fraction
        In (0, 1), given like `epsilon`. For "kappa" below 1/2.
    sigma, rounds : optional
        For "kappa" only: the noise of each Gaussian mechanism, > 0, given like `epsilon`, and the number of rounds.
    digits : int, optional
        Number of certified significant digits, at most 1,000.

    Returns
    -------
    Ball
        The threshold: rho in nats, mu, or the loss kappa in nats. Its `digits` is smaller than requested if fewer
        digits can be certified.

    Raises
    ------
    TypeError
        If `epsilon`, `delta` or `sigma` has another type, or an argument of "kappa" is missing or given to another
        name.
    ValueError
        If the name is unknown, or a number is out of range.
    ArithmeticError
        If 4096 bits of precision give no digit.

    Notes
    -----
    Sources: Feldman & Zrnic (2021), "Individual Privacy Accounting via a Rényi Filter", Theorem 4.9, for "B*" and
    "simple"; Koskela, Tobaben & Honkela (2023), "Individual Privacy Accounting with Gaussian Differential Privacy",
    Lemma C.4 for "CKS" and equation (2.3) for "GDP"; Taylor, Vippathalla & Coon (2025), "Realisation-Level Privacy
    Filtering", Proposition 1 and Section V-B, for "kappa".

    Examples
    --------
    >>> import filterproof as fp
    >>> print(fp.conversions.threshold("B*", epsilon=1, delta="1e-5", digits=12))
    0.0305569507877
    >>> print(fp.conversions.threshold("kappa", epsilon=10, delta="1e-5", sigma=2, rounds=48, digits=30))
    4.94612756664014195274749308722
    """
    if not isinstance(name, str) or name not in NAMES:
        raise ValueError(
            f"name must be one of {', '.join(NAMES)}, got name={name!r}"
            f"{did_you_mean(name, NAMES) or '; pass one of these'}"
        )
    if any((value is not None) != (name == KAPPA) for value in (sigma, rounds)):
        raise TypeError(
            f"sigma and rounds must be given for {KAPPA!r} and for no other name, got sigma={sigma!r}, "
            f"rounds={rounds!r} for name={name!r}; add or remove them"
        )
    eps, dlt = _exact_rational("epsilon", epsilon), _exact_rational("delta", delta)
    if eps < 0:
        raise ValueError(f"epsilon must be >= 0, got epsilon={epsilon!r}; pass a number of nats")
    if not 0 < dlt < 1:
        raise ValueError(f"delta must be in (0, 1), got delta={delta!r}; pass a probability inside it")
    if sigma is not None and rounds is not None:
        noise, n = _positive_rational("sigma", sigma), check_count("rounds", rounds)
        _check_delta_below_half(dlt, delta)
        solve = partial(largest_kappa, eps, dlt, sigma=noise, rounds=n)
    else:
        solve = partial(BUDGET_FUNCTIONS[name], eps, dlt)
    # if e^epsilon has more bits than the largest precision, the search for B* would leave the reals
    most = 0 if name == "B*" and eps > 4 * _MAX_BITS else _MAX_BITS
    return _certify_digits(solve, digits, f"{name} at epsilon={epsilon!r}, delta={delta!r}", most)


def certified_delta(
    mu: int | float | str | Fraction, epsilon: int | float | str | Fraction, *, digits: int = 50
) -> Ball:
    """Compute the delta of a Gaussian mechanism at epsilon, to at most 1,000 digits.

        delta = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)

    The inverse is `threshold("GDP", epsilon, delta)`.

    Parameters
    ----------
    mu : int, float, str or Fraction
        Sensitivity over noise, > 0. A float counts as its exact binary value; a str is an exact decimal number.
    epsilon : int, float, str or Fraction
        Zero or more, in nats, given like `mu`.
    digits : int, optional
        Number of certified significant digits, at most 1,000.

    Returns
    -------
    Ball
        The delta.

    Raises
    ------
    TypeError, ValueError, ArithmeticError
        As `threshold`.

    Notes
    -----
    Koskela, Tobaben & Honkela (2023), equation (2.3).

    Examples
    --------
    >>> import filterproof as fp
    >>> print(fp.conversions.certified_delta(1, 1, digits=20))
    0.12693673750664394580
    """
    size, eps = _positive_rational("mu", mu), _exact_rational("epsilon", epsilon)
    if eps < 0:
        raise ValueError(f"epsilon must be >= 0, got epsilon={epsilon!r}; pass a number of nats")
    where = f"delta at mu={mu!r}, epsilon={epsilon!r}"
    return _certify_digits(lambda: gaussian_delta(arb(size), eps), digits, where)


def certified_split(
    rounds: int, delta: int | float | str | Fraction, *, digits: int = 50
) -> tuple[Ball, Ball]:
    """Compute the (dhat, theta) of `fp.conversions.optimal_split`, to at most 1,000 digits.

    Parameters
    ----------
    rounds : int
        Number N of rounds, 1 or more.
    delta : int, float, str or Fraction
        In (0, 1/2). A float counts as its exact binary value; a str is an exact decimal number.
    digits : int, optional
        Number of certified significant digits, at most 1,000.

    Returns
    -------
    tuple of Ball
        dhat and theta, with dhat + theta (1 - dhat) N = delta.

    Raises
    ------
    TypeError, ValueError, ArithmeticError
        As `threshold`.

    Examples
    --------
    >>> import filterproof as fp
    >>> print(*fp.conversions.certified_split(48, "1e-5", digits=12))
    5.38896081965e-6 9.60638339416e-8
    """
    n, dlt = check_count("rounds", rounds), _exact_rational("delta", delta)
    _check_delta_below_half(dlt, delta)
    where = f"the split at rounds={rounds!r}, delta={delta!r}"
    dhat = _certify_digits(lambda: optimal_dhat(n, dlt), digits, where)
    return dhat, _certify_digits(lambda: theta_for_rest_of_delta(n, dlt, optimal_dhat(n, dlt)), digits, where)


def gaussian_steps(
    sigma: int | float | str | Fraction,
    epsilon: int | float | str | Fraction,
    delta: int | float | str | Fraction,
) -> int:
    """Return the largest number of Gaussian mechanisms that together are (epsilon, delta)-DP.

    The squares of mu = 1/sigma add up, so that the number is floor((sigma mu)^2) with mu = `threshold("GDP", epsilon,
    delta)`.

    Parameters
    ----------
    sigma : int, float, str or Fraction
        Noise of each mechanism, > 0. A float counts as its exact binary value; a str is an exact decimal number.
    epsilon, delta : int, float, str or Fraction
        As in `threshold`.

    Returns
    -------
    int
        The largest number of mechanisms, exactly.

    Raises
    ------
    TypeError, ValueError, ArithmeticError
        As `threshold`.

    Notes
    -----
    Koskela, Tobaben & Honkela (2023), Section 4.1 and Figure 5.

    Examples
    --------
    >>> import filterproof as fp
    >>> fp.conversions.gaussian_steps(100, "0.815623", "1e-5")
    495
    """
    noise = Fraction(int((exact := _positive_rational("sigma", sigma)).p), int(exact.q))
    for digits in (20, 100, MAX_DIGITS):
        mu = threshold("GDP", epsilon, delta, digits=digits)
        least, most = (int((noise * end) ** 2) for end in (mu.low, mu.high))
        if least == most:
            return least
        if mu.digits < digits:
            break
    raise ArithmeticError(
        f"the number of steps is {least} or {most}: {mu.digits} digits do not decide at sigma={sigma!r}, "
        f"epsilon={epsilon!r}, delta={delta!r}; pass another epsilon"
    )


def _certify_digits(solve: Callable[[], arb], digits: int, where: str, most_bits: int = _MAX_BITS) -> Ball:
    """Return the number in the ball `solve()` to `digits` digits, or to as many as can be certified."""
    bits, before = _working_bits(check_count("digits", digits, most=MAX_DIGITS)), -1.0
    while most_bits:
        with PRECISION_LOCK, ctx.workprec(bits):
            enclosure = solve()
            accuracy = enclosure.rel_accuracy_bits()
            if accuracy > 3.33 * digits + 8 or (enclosure.is_exact() and enclosure.is_zero()):
                return _decimal_ball_from_arb(enclosure, digits)
            if 0 < accuracy <= before + 1:  # twice the bits did not improve the result, so it is final
                return _decimal_ball_from_arb(enclosure, max(int((accuracy - 8) / 3.33), 1))
        if bits > most_bits:
            break
        bits, before = 2 * bits, accuracy
    raise ArithmeticError(
        f"the arguments are too extreme: {_MAX_BITS} bits give no digit of {where}; "
        "pass values farther from zero and one"
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


def _positive_rational(name: str, value: object) -> fmpq:
    exact = _exact_rational(name, value)
    if exact <= 0:
        raise ValueError(f"{name} must be above zero, got {name}={value!r}; pass a positive number")
    return exact


def _check_delta_below_half(exact: fmpq, delta: object) -> None:
    if not 0 < exact < fmpq(1, 2):
        raise ValueError(f"delta must be in (0, 1/2), got delta={delta!r}; pass a small probability")


def _decimal_ball_from_arb(enclosure: arb, digits: int) -> Ball:
    if enclosure.is_zero():
        return Ball("0", "0", digits)
    mid, radius, exponent = enclosure.mid_rad_10exp(digits + 3)
    return Ball(f"{mid}e{exponent}", f"{radius}e{exponent}", digits)
