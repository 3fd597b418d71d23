"""The largest budgets that conversions allow, in balls, and the largest doubles below them.

>>> budget_round_down("CKS", 0.3, 1e-5), budget_round_down("GDP", 0.3, 1e-5)
(0.003302986550793592, 0.08898345287381179)
>>> largest_double_at_most(lambda: arb(2).sqrt()), largest_double_at_most(lambda: arb(1) / 4)
(1.414213562373095, 0.25)

The largest double below a real number is unique, so the results have the same bits on every processor and with every
library. No budget is above that of the theorem, or below it by more than one unit in the last place.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from flint import arb, ctx, fmpq

from filterproof.theory.numerics.exact import to_fmpq
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.rounding import next_above, round_down
from filterproof.theory.thresholds.b_star import b_star

#: Bits of the balls, increased until they determine the double. The last ones serve epsilon or delta near either end of
#: the doubles.
_PRECISIONS = (128, 256, 1024, 4096, 16384)
#: From here on an asymptotic series encloses the Mills ratio, because e^eps has no representation.
_ASYMPTOTIC_EPSILON = 2**24
#: Roots are searched between 2^-4096 and 2^4096; those of doubles lie between 2^-1200 and 2^1200.
_MAX_LOG2_ROOT = 4096


def largest_double_at_most(value: Callable[[], arb]) -> float:
    """Return the largest double at most the real number in the ball `value()`, at the context's precision.

    Raises ArithmeticError if no precision determines it.
    """
    for precision in _PRECISIONS:
        with PRECISION_LOCK, ctx.workprec(precision):
            ball = value()
            if ball.is_finite():
                lower = round_down(ball)
                if ball < arb(next_above(lower)):
                    return lower
    raise ArithmeticError(
        f"value must be enclosed within one double at {precision} bits, got {ball}; report this as a bug"
    )


@lru_cache(maxsize=4096)
def budget_round_down(name: str, epsilon: float, delta: float) -> float:
    """Return the largest double that is at most `BUDGET_FUNCTIONS[name]`, for the exact values of both doubles."""
    eps, goal = to_fmpq(epsilon), to_fmpq(delta)
    return largest_double_at_most(lambda: BUDGET_FUNCTIONS[name](eps, goal))


def rdp_budget_round_down(alpha: float, epsilon: float, delta: float, *, markov: bool) -> float:
    """Return the largest double R for which (alpha, R)-RDP gives (epsilon, delta)-DP; below 0 if none does.

    With t = alpha - 1, delta = e^{t (R - epsilon)} (1 - 1/alpha)^alpha / t (Koskela, Tobaben & Honkela 2023, C.4),
    or delta = e^{t (R - epsilon)} by Markov's inequality.
    """
    eps, goal, t = to_fmpq(epsilon), to_fmpq(delta), to_fmpq(alpha) - 1

    def largest_rdp_budget() -> arb:
        gain = arb(0) if markov else t * (1 / arb(t)).log1p() + arb(t).log1p()
        return arb(eps) + (arb(goal).log() + gain) / t

    return largest_double_at_most(largest_rdp_budget)


def pure_budget_round_down(epsilon: float, delta: float) -> float:
    """Return the largest double B such that B-DP gives (epsilon, delta)-DP: delta = (e^B - e^eps) / (1 + e^B)."""
    eps, goal = arb(epsilon), arb(delta)
    return largest_double_at_most(lambda: eps + (goal * (-eps).exp()).log1p() - (-goal).log1p())


def optimal_split_round_down(rounds: int, delta: float) -> tuple[float, float]:
    """Return (dhat, theta) of `optimal_split`, rounded down; theta spends the rest of delta."""
    exact_delta = to_fmpq(delta)
    dhat = largest_double_at_most(lambda: optimal_dhat(rounds, exact_delta))
    exact_dhat = to_fmpq(dhat)
    return dhat, largest_double_at_most(lambda: theta_for_rest_of_delta(rounds, exact_delta, arb(exact_dhat)))


def theta_for_rest_of_delta(rounds: int, delta: fmpq, dhat: arb) -> arb:
    """Return the theta with dhat + theta (1 - dhat) rounds = delta."""
    return (delta - dhat) / ((1 - dhat) * rounds)


def optimal_dhat(rounds: int, delta: fmpq) -> arb:
    """Return the dhat of the split with the largest kappa, the stationary point of the split."""

    def dhat_and_theta(odds: arb) -> tuple[arb, arb]:
        dhat = delta / (1 + 1 / odds)
        return dhat, delta / ((1 + odds) * (1 - dhat) * rounds)

    def stationarity_gap(odds: arb) -> arb:
        dhat, theta = dhat_and_theta(odds)
        squares = (2 * theta).erfcinv() ** 2 - (2 * dhat).erfcinv() ** 2
        return arb(rounds).log() + 2 * (-dhat).log1p() - (-arb(delta)).log1p() - squares

    low, high = _bracket_falling_root(stationarity_gap)
    return dhat_and_theta(low.union(high))[0]


def largest_kappa(eps: fmpq, delta: fmpq, *, sigma: fmpq, rounds: int) -> arb:
    """Return the largest stopping level `kappa` of this many rounds, at `optimal_dhat`."""
    dhat = optimal_dhat(rounds, delta)
    z_sum = arb(2).sqrt() * (
        (2 * dhat).erfcinv() + (2 * theta_for_rest_of_delta(rounds, delta, dhat)).erfcinv()
    )
    return eps - 1 / arb(sigma) ** 2 - z_sum / sigma


def _b_star_budget(eps: fmpq, delta: fmpq) -> arb:
    try:
        threshold = b_star(eps, delta)
    except ArithmeticError:  # the balls are too wide to decide; the caller increases the bits
        return arb.nan()
    return threshold.low.union(threshold.high)


def _simple_budget(eps: fmpq, delta: fmpq) -> arb:
    # b = eps / (sqrt(l + eps) + sqrt l): no cancellation for small eps
    logarithm = -arb(delta).log()
    return (arb(eps) / ((logarithm + arb(eps)).sqrt() + logarithm.sqrt())) ** 2


def _cks_budget(eps: fmpq, delta: fmpq) -> arb:
    # At the optimal order 1 + t the budget is B(t) = (eps + log(1 + 1/t)) / (2t + 1), and the log-objective
    # minus log delta, taken along that curve, falls strictly from -log delta at t = 0 to -infinity.
    log_delta, e = arb(delta).log(), arb(eps)

    def budget(t: arb) -> arb:
        return (e + (1 / t).log1p()) / (2 * t + 1)

    def excess(t: arb) -> arb:
        return t * ((1 + t) * budget(t) - e) - t * (1 / t).log1p() - t.log1p() - log_delta

    low, high = _bracket_falling_root(excess)
    return budget(low).union(budget(high))


def gaussian_delta(mu: arb, eps: fmpq) -> arb:
    """Return H_{e^eps} of Gaussian(mu), mu > 0."""
    e, root = arb(eps), arb(2).sqrt()
    far, near = e / mu + mu / 2, e / mu - mu / 2
    if far > _ASYMPTOTIC_EPSILON:  # e^eps Phi(-far) = phi(near) R(far)
        rest = (-near * near / 2).exp() * _mills_ratio(far) * 2 / (2 * arb.pi()).sqrt()
    else:
        rest = e.exp() * (far / root).erfc()
    return ((near / root).erfc() - rest) / 2


def _gdp_mu_budget(eps: fmpq, delta: fmpq) -> arb:
    d = arb(delta)
    lost = (
        delta.q.bit_length() - delta.p.bit_length()
    )  # by the difference, because the terms may be near a half
    with PRECISION_LOCK, ctx.workprec(ctx.prec + max(int(lost), 0)):
        low, high = _bracket_falling_root(lambda mu: d - gaussian_delta(mu, eps))
    return low.union(high)


def _mills_ratio(x: arb) -> arb:
    """Return (1 - Phi(x)) / phi(x) = (1 - 1/x^2 + 3/x^4 - ...) / x, which lies between every two consecutive sums."""
    total, term, k = arb(0), arb(1), 1
    while abs(term) > arb(2) ** -ctx.prec:
        total, term, k = total + term, -term * (2 * k - 1) / (x * x), k + 1
    return total.union(total + term) / x


def _bracket_falling_root(function: Callable[[arb], arb]) -> tuple[arb, arb]:
    """Return exact points low < high with function(low) > 0 > function(high), as close as the precision allows.

    The function falls strictly on (0, inf), so its root lies between them. Returns NaN twice if the balls are too wide.
    """
    least, most = -_MAX_LOG2_ROOT, _MAX_LOG2_ROOT
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if function(arb(2) ** middle) > 0 else (least, middle)
    low, high = arb(2) ** least, arb(2) ** most
    f_low, f_high = function(low), function(high)
    if not (f_low > 0 > f_high):
        return (
            arb.nan(),
            arb.nan(),
        )  # the balls are too wide to decide; the caller increases the bits
    # Secant steps, tried a little to both sides, converge fast; the midpoint is tried as well.
    for _ in range(8 * ctx.prec):
        middle = ((low + high) / 2).mid()
        guess = ((low * f_high - high * f_low) / (f_high - f_low)).mid()
        narrow = (high - low) / 2 ** (ctx.prec // 8)
        moved = False
        for trial in ((guess - narrow).mid(), (guess + narrow).mid(), middle):
            if not low < trial < high:
                continue
            value = function(trial)
            if value > 0:
                low, f_low, moved = trial, value, True
            elif value < 0:
                high, f_high, moved = trial, value, True
        if not moved:
            break
    return low, high


#: The known conversions, each from exact epsilon and delta to a ball at the current precision.
BUDGET_FUNCTIONS: dict[str, Callable[[fmpq, fmpq], arb]] = {
    "B*": _b_star_budget,
    "simple": _simple_budget,
    "CKS": _cks_budget,
    "GDP": _gdp_mu_budget,
}
