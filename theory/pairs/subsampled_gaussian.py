"""The pair of the Poisson-subsampled Gaussian mechanism."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from filterproof.theory.argument_checks import Real, check_positive, check_probability
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.error_free import inverse_round_up
from filterproof.theory.numerics.mills_ratio import LOG_SQRT_TWO_PI
from filterproof.theory.numerics.stable import expm1_minus, float_if_scalar
from filterproof.theory.pairs.base import ALL_CHARGES, DominatingPair, alias_property, half_square_property
from filterproof.theory.pairs.gaussian import Gaussian
from filterproof.theory.pairs.reference_values import PairReferenceValues

Adjacency: TypeAlias = Literal["removal", "addition"]
Array: TypeAlias = NDArray[np.float64]

#: From this x on, e^x replaces e^x - 1 - x, with a relative error (1 + x) e^-x < 2^-52.
_LARGE_LOSS = 40.0
#: A bound on the loss by numbers below 2^-1022 in a sum, e^_LARGE_LOSS times 2^27 masses; and the smallest divisor.
_UNDERFLOW_LOSS, _MIN_DIVISOR = 2.0**-980, 2.0**-1000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SubsampledGaussian(DominatingPair):
    """Poisson-subsampled Gaussian pair: P = q N(1, sigma^2) + (1-q) N(0, sigma^2), Q = N(0, sigma^2).

    This is the pair for the removal of one person. For addition, P and Q are swapped. The pair dominates the Gaussian
    mechanism on a sample that contains each person with probability q, independently. A privacy guarantee under
    add/remove neighbours must cover both pairs.

    Parameters
    ----------
    q : float or ndarray of shape (n,)
        Sampling rate, in (0, 1].
    sigma : float or ndarray of shape (n,)
        Standard deviation of the noise over the sensitivity, above zero.
    adjacency : {"removal", "addition"}, optional
        Direction of the change.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Notes
    -----
    `zcdp_rho` = 1/(2 sigma^2) and `gdp_mu` = 1/sigma equal those of the full batch. Joint convexity shows that they are
    upper bounds. They are the smallest values, because at large orders and epsilons sampling gains at most a constant
    factor. A filter that charges them gains nothing from sampling.

    A hockey-stick divergence is a factor times that of Gaussian(1/sigma) at another epsilon. Its relative error is
    below 1e-11; for addition, 2^-50 q is added near the largest loss -log(1 - q). D_a has no closed form. The
    trapezoidal rule integrates it, with geometric convergence, and where the two normal distributions are far apart it
    comes from bounds on both sides. It is rounded up by at most `a (1 + |log q| + 1/sigma^2)` 2^-45 of its value.

    Source: Zhu, Dong & Wang (2022), "Optimal Accounting of Differential Privacy via Characteristic Function"; Koskela,
    Tobaben & Honkela (2023), Lemma 8. That lemma has a misprint: its removal pair ((1-q) Q + q P, P) must be
    ((1-q) P + q Q, P), which is trivial at q = 0.

    Examples
    --------
    >>> import filterproof as fp
    >>> pair = fp.SubsampledGaussian(q=0.1, sigma=1.0)
    >>> round(pair.hockey_stick(epsilon=0.5), 6), pair.swapped.adjacency
    (0.002033, 'addition')
    """

    q: Real
    sigma: Real
    adjacency: Adjacency = field(default="removal", kw_only=True)
    #: Keep the output with probability q / q', else draw it from N(0, s'^2) anew: N(0, s'^2) stays as it is, and
    #: q' N(1, s'^2) + (1 - q') N(0, s'^2) becomes q N(1, s'^2) + (1 - q) N(0, s'^2). Then add N(0, s^2 - s'^2)
    closed_least: ClassVar = ALL_CHARGES
    monotone_parameters: ClassVar = {"sigma": -1, "q": 1}

    def __post_init__(self) -> None:
        self._set_checked("q", check_probability)
        self._set_checked("q", check_positive, "pass a sampling rate in (0, 1]")
        self._set_checked("sigma", check_positive, "pass noise / sensitivity, above zero", down=True)
        if self.adjacency not in ("removal", "addition"):
            raise ValueError(
                f"adjacency must be 'removal' or 'addition', got adjacency={self.adjacency!r}; pass one of these"
            )

    @property
    def pure_epsilon(self) -> Real:
        return float_if_scalar(np.full(self.shape, np.inf))

    @property
    def gdp_mu(self) -> Real:
        return float_if_scalar(np.broadcast_to(inverse_round_up(self.sigma), self.shape))

    sqrt_twice_zcdp_rho = alias_property("gdp_mu")
    zcdp_rho = half_square_property("gdp_mu")

    @property
    def subsampled_gaussian_parameters(self) -> tuple[Real, Real, str]:
        return self.q, self.sigma, self.adjacency

    @property
    def reference_values(self) -> PairReferenceValues:
        from filterproof.theory.pairs.mixture import (
            MixtureReferenceValues,  # imported here because it loads ball arithmetic
        )

        return MixtureReferenceValues(self)

    @property
    def swapped(self) -> SubsampledGaussian:
        return self.with_parameters({"adjacency": "addition" if self.adjacency == "removal" else "removal"})

    # -- the loss is +-l(x), l(x) = log(1 - q + q e^{(x - 1/2) / sigma^2}), increasing in the output x ---

    def _log_ratio(self, x: Real) -> Array:
        return _log_ratio(np.asarray(x), np.asarray(self.q), np.asarray(self.sigma))

    def _full_batch_level(self, level: Real) -> Array:
        """Return the y with 1 - q + q e^y = e^level, the loss of the full batch; -inf if there is none."""
        level = np.asarray(level, dtype=np.float64)
        with np.errstate(divide="ignore"):
            near = rm.log1p(np.maximum(rm.expm1(np.minimum(level, 30.0)) / self.q, -1.0))
            far = (
                level
                - rm.log(self.q)
                + rm.log1p(np.maximum((self.q - 1) * rm.exp(-np.maximum(level, -700.0)), -1.0))
            )
        full_batch_level: Array = np.where((level > 30) | (level < -1), far, near)
        return full_batch_level

    def _output_at_loss(self, level: Real) -> Array:
        """Return the output x with l(x) = level; -inf if l(x) > level for every x."""
        output: Array = 0.5 + self.sigma * self.sigma * self._full_batch_level(level)
        return output

    def hockey_stick(self, epsilon: Real) -> Real:
        # with a constant c, P - e^eps Q = c (N(1) - e^eps' N(0)), for addition with N(0) and N(1) exchanged
        full = Gaussian(1 / self.sigma)
        grown = rm.expm1(np.minimum(epsilon, 700.0))
        if self.adjacency == "removal":
            # c = q, e^eps' = 1 + (e^eps - 1)/q; below log(1-q) every outcome counts
            inner = self._full_batch_level(epsilon)
            inside = self.q * full.hockey_stick(np.maximum(inner, -1e3))
            return float_if_scalar(np.where(np.isneginf(inner), -grown, inside))
        # c = 1 - (1-q) e^eps, e^eps' = 1 + (e^eps - 1)/c; above -log(1-q) no outcome counts
        factor = np.maximum(self.q - (1 - self.q) * grown, 0.0)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            inner = np.where(factor > 0, rm.log1p(grown / factor), 1e3)
        inner = np.where(self.q == 1, epsilon, inner)
        return float_if_scalar(factor * full.hockey_stick(inner))

    def renyi(self, alpha: Real) -> Real:
        bound = np.vectorize(_renyi_upper_bound, otypes=[np.float64])
        return float_if_scalar(bound(self.q, self.sigma, self.adjacency, np.asarray(alpha, dtype=np.float64)))

    def loss_cdf(self, x: Real) -> Real:
        if self.adjacency == "removal":
            output = self._output_at_loss(x)
            with_person = special.ndtr((output - 1) / self.sigma)
            return float_if_scalar(self.q * with_person + (1 - self.q) * special.ndtr(output / self.sigma))
        return float_if_scalar(special.ndtr(-self._output_at_loss(-np.asarray(x)) / self.sigma))

    def loss_isf(self, tail: Real) -> Real:
        z = -special.ndtri(np.asarray(tail, dtype=np.float64))
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.adjacency == "addition":
                return float_if_scalar(np.where(np.isneginf(z), -np.inf, -self._log_ratio(-self.sigma * z)))
            # the quantile of the mixture lies between those of N(0) and N(1)
            loss = self._log_ratio(self._mixture_quantile(np.asarray(tail), self.sigma * z))
        return float_if_scalar(np.where(np.isneginf(z), -np.inf, np.where(np.isposinf(z), np.inf, loss)))

    def _mixture_quantile(self, tail: Array, low: Array) -> Array:
        """Return x with q Phi((1-x)/sigma) + (1-q) Phi(-x/sigma) = tail, by bisection from [low, low + 1]."""
        low, goal = np.broadcast_arrays(low, rm.log(tail))
        high = low + 1
        for _ in range(60):
            x = (low + high) / 2
            with_person = rm.log(self.q) + special.log_ndtr((1 - x) / self.sigma)
            log_tail = rm.logaddexp(with_person, rm.log1p(-self.q) + special.log_ndtr(-x / self.sigma))
            low, high = np.where(log_tail > goal, x, low), np.where(log_tail > goal, high, x)
        return high

    # -- exact sampling, one call per distinct (q, sigma) ------------------------------------------------

    def sample(self, rng: np.random.Generator, n: int, order: float = 1.0) -> NDArray[np.float64]:
        if not order >= 1:
            raise ValueError(f"order must be >= 1, got order={order!r}; pass an order of 1 or more")
        draw = _draw_removal if self.adjacency == "removal" else _draw_addition
        if self.shape == ():
            outputs = draw(rng, n, float(self.q), float(self.sigma), order)
        else:
            outputs = np.empty(n)
            parameters = np.stack(np.broadcast_arrays(self.q, self.sigma))
            values, which = np.unique(parameters, axis=1, return_inverse=True)
            for k, (q, sigma) in enumerate(values.T):
                runs = np.flatnonzero(np.ravel(which) == k)
                outputs[runs] = draw(rng, len(runs), float(q), float(sigma), order)
        loss = _log_ratio(outputs, np.asarray(self.q), np.asarray(self.sigma), np)
        return loss if self.adjacency == "removal" else -loss

    @property
    def family(self) -> Hashable:
        # members of a menu with different numbers are not merged: loops over (q, sigma) then run once a member,
        # not once a run
        values = (self.q, self.sigma) if self.shape == () else (id(self),)
        return (SubsampledGaussian, self.adjacency, *values)


def _log_ratio(x: Array, q: Array, sigma: Array, by: Any = rm) -> Array:
    """Return log(1 - q + q e^y), y = (x - 1/2) / sigma^2, accurate near y = 0 and in both tails.

    `by` has the elementary functions; those of NumPy are faster and suffice for draws.
    """
    y = (x - 0.5) / (sigma * sigma)
    with np.errstate(divide="ignore"):
        far = by.logaddexp(by.log1p(-q), by.log(q) + y)
    log_ratio: Array = np.where(np.abs(y) > 1, far, by.log1p(q * by.expm1(np.clip(y, -1.0, 1.0))))
    return log_ratio


@lru_cache(maxsize=4096)
def _renyi_upper_bound(q: float, sigma: float, adjacency: Adjacency, alpha: float) -> float:
    """Return an upper bound on log E_P[e^{tL}] / t, t = alpha - 1, or E_P[L]: the trapezoidal rule plus its error.

    The integrand is concentrated on [low, high], with tails of width sigma. Where q e^y < 1, y = (x - 1/2) / sigma^2,
    it has a factor (e^y - 1)^2, which moves the normal distribution to 2. Beyond, it has order alpha, for addition 1.
    It is analytic up to pi sigma^2 from the real line. For addition, e^{tL} times the normal density is log-concave and
    falls from its mode at least as fast as that density; it has a pole of order t there, and for large t it decays from
    half as far on. With this step the error of the rule is less than 1e-16 of the sum.
    """
    if alpha == math.inf:
        return math.inf if adjacency == "removal" or q == 1 else float(-rm.log1p(-q))
    t = alpha - 1
    log_q = float(rm.log(q))
    if (separated := _separated_renyi(q, sigma, adjacency, t, log_q)) is not None:
        return separated * (1 + (1 - log_q) * 2.0**-48)
    squared = min(2.0, 0.5 - sigma * sigma * log_q)
    low, high = (
        (0.0, max(alpha, squared))
        if adjacency == "removal"
        else (_mode_lower_bound(q, sigma, t), max(1.0, squared))
    )
    step = sigma * min(sigma, 1.0) / (2.5 if adjacency == "removal" or t <= 8 else 5.0)
    x = step * np.arange(math.floor((low - 10 * sigma) / step), math.ceil((high + 10 * sigma) / step) + 1.0)
    loss = _log_ratio(x, np.asarray(q), np.asarray(sigma))
    spread = 0.5 * (x / sigma) ** 2
    log_step = float(rm.log(step / sigma)) - LOG_SQRT_TWO_PI
    log_mass = log_step - spread
    if adjacency == "removal":
        log_mass += loss
    else:
        loss = -loss
    # E[e^{tL}] - 1 = E[h(tL) + t h(-L)], h(x) = e^x - 1 - x >= 0: nothing cancels. Where tL or -L passes
    # c = _LARGE_LOSS, the sum is e^{tL} or t e^{-L}, less (1 + c) e^{-c} of itself at most; the exponents are added
    # before e is raised
    less = -loss
    if t == 0:  # the limit of the sum over t
        bent, far, grown = expm1_minus(np.minimum(less, _LARGE_LOSS)), less > _LARGE_LOSS, less
    else:
        gain = t * loss
        ahead, behind = expm1_minus(np.minimum((gain, less), _LARGE_LOSS))
        bent, far = ahead + t * behind, np.maximum(gain, less) > _LARGE_LOSS
        grown = np.where(gain > _LARGE_LOSS, gain, float(rm.log(t)) + less)
    if far.any():
        log_mass = np.where(far, log_mass + grown, log_mass)
        bent[far] = 1.0
    top = float(log_mass.max())
    top = top if top > 600 else 0.0
    moment = rm.exp(log_mass - top) * bent
    total = math.fsum(moment)
    # what each term may be wrong by, in units of 2^-53 of itself: by its exponents and node, and by its loss,
    # which errs by `inexact` of itself, or of 1 where it is larger. The logarithm of 1 - q errs by more where it is
    # long, but there it is lost beside log q + y
    inexact = 8 * (np.abs(x) / (sigma * sigma) + (3 / (sigma * sigma) + 2 - log_q))
    inexact *= 2 + 2 * alpha * np.minimum(np.abs(loss), 1.0)
    inexact += 8 * spread
    inexact *= moment
    wrong = float(np.add.accumulate(inexact)[-1]) / max(total, _MIN_DIVISOR) + 8 * (abs(log_step) + 5)
    if t == 0:
        return total * (1 + wrong * 2.0**-53) + _UNDERFLOW_LOSS
    value = float(rm.log1p(total)) if top == 0 else top + float(rm.log(total))
    # d log(1 + S) is at most dS / S, and for log(1 + S) > 1 a smaller share of it
    return value / t * (1 + (wrong / max(value, 1.0) + 8) * 2.0**-53) + _UNDERFLOW_LOSS * (1 + 1 / t)


def _separated_renyi(q: float, sigma: float, adjacency: Adjacency, t: float, log_q: float) -> float | None:
    """Return D_{1+t} if bounds from both sides agree to 2^-54, for distant normal distributions; else None.

    Addition: at most -log(1-q), and by Jensen's inequality, because log(1+z) <= sqrt(z), smaller by at most
    sqrt(q/(1-q)) e^{-1/(8 sigma^2)}. Removal, a = 1 + t: a/t log(1-q + q e^{t/(2 sigma^2)}) by Minkowski's inequality,
    and at least the value without 1-q. For 1 <= a <= 2, x^a + y^a <= (x+y)^a <= x^a + y^a + (2^a-2) (xy)^{a/2}, because
    log sinh is concave; with x = 1-q and y = q e^{(X-1/2)/sigma^2} the last term is negligible for small t.
    """
    half = 0.5 / sigma / sigma
    if q == 1:
        return (1 + t) * half
    less = float(rm.log1p(-q))
    if adjacency == "addition":
        return -less if half / 4 > _LARGE_LOSS - (log_q + less) / 2 else None
    exponent = t * half
    if exponent > _LARGE_LOSS - log_q:
        return (1 + t) * (half + log_q / t)  # e^-_LARGE_LOSS of a number above _LARGE_LOSS is lost
    if not half / 4 > _LARGE_LOSS - log_q:
        return None
    grown = log_q + (1 + t) * half  # t is at most 1/4
    if t == 0:
        return (1 - q) * less + q * grown
    gain = t * grown
    sampled = rm.exp(log_q + gain) if gain > _LARGE_LOSS else q * rm.expm1(gain)
    total = (1 - q) * float(rm.expm1(t * less)) + float(sampled)
    return float(rm.log1p(total)) / t


def _mode_lower_bound(q: float, sigma: float, t: float) -> float:
    """Return a lower bound on the mode of e^{-t l(x)} N(0, sigma^2): the root of x + t sigma^2 l'(x) in [-t, 0]."""
    low, high = -t, 0.0
    log_odds = float(rm.log(q)) - float(rm.log1p(-q))
    for _ in range(64):
        x = (low + high) / 2
        above = x + t * float(rm.expit(log_odds + (x - 0.5) / (sigma * sigma))) > 0
        low, high = (low, x) if above else (x, high)
    return low


def _draw_removal(rng: np.random.Generator, n: int, q: float, sigma: float, order: float) -> Array:
    """Return outputs with density proportional to (a + b)^order N(0, sigma^2), a = q e^{(x-1/2)/sigma^2}, b = 1 - q.

    With order = m + f and integer m, (a + b)^m is a binomial sum, (a + b)^f <= a^f + b^f, and a^c b^{order-c} times
    N(0, sigma^2) is a Gaussian of mean c: a finite mixture, thinned by (a+b)^f / (a^f + b^f) >= 1/2.
    """
    m = math.floor(order)
    f = order - m
    counts = np.arange(m + 1.0)
    centres = counts if f == 0 else np.concatenate([counts, counts + f])
    log_choose = special.gammaln(m + 1) - special.gammaln(counts + 1) - special.gammaln(m - counts + 1)
    log_weights = np.tile(log_choose, len(centres) // (m + 1)) + centres * (centres - 1) / (2 * sigma**2)
    log_weights += special.xlogy(centres, q) + special.xlog1py(order - centres, -q)
    shares = np.exp(log_weights - special.logsumexp(log_weights))
    thresholds = np.cumsum(shares)[:-1]

    def propose(count: int) -> tuple[Array, Array]:
        picked = np.searchsorted(thresholds, rng.random(count), side="right")
        x = centres[picked] + sigma * rng.standard_normal(count)
        if f == 0 or q == 1:
            return x, np.zeros(count)
        log_odds = math.log(q) - math.log1p(-q) + (x - 0.5) / sigma**2
        return x, f * np.logaddexp(0.0, log_odds) - np.logaddexp(0.0, f * log_odds)

    return _rejection_sample(rng, n, propose)


def _draw_addition(rng: np.random.Generator, n: int, q: float, sigma: float, order: float) -> Array:
    """Return outputs with density proportional to e^{-t l(x)} N(0, sigma^2), t = order - 1, l the convex log-ratio.

    l lies above its tangent at any x0, so the density lies below a multiple of N(-t sigma^2 l'(x0), sigma^2), which is
    thinned by e^{-t (l(x) - tangent(x))}. At the mode x0 = -t sigma^2 l'(x0) this accepts a share of at least (1 + t /
    (4 sigma^2))^{-1/2}, because l'' <= 1 / (4 sigma^4).
    """
    t = order - 1
    if t == 0:
        return sigma * rng.standard_normal(n)
    log_odds = math.log(q) - math.log1p(-q) if q < 1 else math.inf

    def scaled_log_ratio_slope(x: float) -> float:  # sigma^2 l'(x)
        return float(special.expit(log_odds + (x - 0.5) / sigma**2))

    from scipy import optimize

    mode = float(optimize.brentq(lambda x: x + t * scaled_log_ratio_slope(x), -t, 0.0))
    lean = scaled_log_ratio_slope(mode)
    at_mode = float(_log_ratio(np.asarray(mode), np.asarray(q), np.asarray(sigma), np))

    def propose(count: int) -> tuple[Array, Array]:
        x = -t * lean + sigma * rng.standard_normal(count)
        tangent = at_mode + lean * (x - mode) / sigma**2
        return x, -t * (_log_ratio(x, np.asarray(q), np.asarray(sigma), np) - tangent)

    return _rejection_sample(rng, n, propose)


def _rejection_sample(
    rng: np.random.Generator, n: int, propose: Callable[[int], tuple[Array, Array]]
) -> Array:
    """Return n accepted proposals; `propose` returns outputs and their log acceptance probabilities."""
    accepted: list[Array] = []
    missing = n
    while missing > 0:
        x, log_acceptance = propose(missing)
        if log_acceptance.any():
            with np.errstate(divide="ignore"):
                x = x[np.log(rng.random(missing)) <= log_acceptance]
        accepted.append(x)
        missing -= len(x)
    return np.concatenate(accepted) if accepted else np.empty(0)
