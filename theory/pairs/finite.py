"""Pairs of distributions over finitely many outcomes."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from reprlib import repr as short
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from filterproof.theory.argument_checks import Real
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.numerics.stable import (
    expm1_minus,
    float_if_scalar,
    log_fraction,
    log_round_up,
    mass_as_double,
)
from filterproof.theory.pairs.base import ALL_CHARGES, DominatingPair, ExactMasses, Outputs, alias_property
from filterproof.theory.pairs.finite_charges import least_gdp_mu, least_zcdp_rho
from filterproof.theory.pairs.finite_reference_values import FiniteReferenceValues, Mass
from filterproof.theory.pairs.reference_values import INFINITE, PairReferenceValues, ReferenceValue, ball_of
from filterproof.theory.rounding import round_up

if TYPE_CHECKING:
    from flint import arb

_LARGEST_DOUBLE = float(np.finfo(np.float64).max)
#: Below this, a P-mass may be no normal double, so that e^-L times it is not the Q-mass.
_MIN_LOSS = -700.0


class FiniteOutcomesPair(DominatingPair):
    """Base of pairs over finitely many outcomes; a subclass lists them by descending loss, an infinite loss first."""

    __slots__ = ()

    @property
    @abstractmethod
    def outputs(self) -> Outputs:
        """Tuple (loss, P-mass) of each outcome that P can produce, largest loss first."""

    @property
    def _q_mass_where_p_is_zero(self) -> Real:
        """Q-mass of the outcomes that P cannot produce."""
        return 0.0

    def hockey_stick(self, epsilon: Real) -> Real:
        total: Real = 0.0
        # inf - inf would be NaN; an infinite loss counts in full
        epsilon = np.minimum(epsilon, _LARGEST_DOUBLE)
        with np.errstate(over="ignore"):
            for loss, mass in self.outputs:  # all terms are >= 0, so nothing cancels
                total = total - mass * rm.expm1(np.minimum(epsilon - loss, 0.0))
        return float_if_scalar(total)

    def renyi(self, alpha: Real) -> Real:
        b = alpha - 1
        # E_P[e^(bL)] - 1 = E_P[h(bL) + b h(-L)] + b Q(P = 0) with h(x) = e^x - 1 - x >= 0: nothing cancels
        curved: Real = 0.0
        relative: Real = self._q_mass_where_p_is_zero  # E_P[h(-L)] + Q(P = 0), the divergence of order 1
        mean: Real = 0.0  # E_P[L] is the same if Q has no other outcomes
        size: Real = 0.0
        fine: NDArray[np.bool_] = np.asarray(True)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            for loss, mass in self.outputs:
                there = np.greater(mass, 0)  # otherwise an infinite loss of mass zero would give NaN
                curved = curved + np.where(there, mass * expm1_minus(b * loss), 0.0)
                term = mass * expm1_minus(-loss)
                if not (near := np.greater(loss, _MIN_LOSS)).all():
                    # Q - P + P L: beyond the doubles of e^(-L) Q is so much larger that nothing cancels either, but a
                    # mass below 2^-1022 has few digits: then the mean, where it is no small rest of large terms
                    term = np.where(
                        near,
                        term,
                        rm.exp(rm.log(mass) - loss) - mass + mass * loss,
                    )
                relative = relative + np.where(there, term, 0.0)
                mean = mean + np.where(there, mass * loss, 0.0)
                size = size + np.where(there, mass * np.abs(loss), 0.0)
                fine = np.asarray(fine & near)
            relative = np.where(fine | np.less(64 * mean, size), relative, mean)
            log_moment = rm.log1p(curved + b * relative)
            divergence = log_moment / b
            if not (is_finite := np.isfinite(log_moment)).all():
                divergence = np.where(is_finite, divergence, self._overflow_safe_renyi(b))
        divergence = np.where(np.equal(b, 0), relative, divergence)
        return float_if_scalar(np.where(self._are_distributions, divergence, np.nan))

    @property
    def _are_distributions(self) -> NDArray[np.bool_]:
        """Return where all masses are >= 0 and the losses descend; no pair has other parameters."""
        good, last = np.greater_equal(self._q_mass_where_p_is_zero, 0), np.asarray(np.inf)
        for loss, mass in self.outputs:
            good = good & np.greater_equal(mass, 0) & np.less_equal(loss, last)
            last = np.asarray(loss)
        return np.asarray(good)

    def _overflow_safe_renyi(self, b: Real) -> Real:
        """Return D_{1+b} with the largest loss factored out, against overflow."""
        top: Real = -np.inf
        for loss, mass in self.outputs:
            top = np.maximum(top, np.where(np.greater(mass, 0), loss, -np.inf))
        total: Real = 0.0
        for loss, mass in self.outputs:
            exponent = np.where(
                np.equal(loss, top), 0.0, b * (loss - top)
            )  # at order inf only the largest loss remains
            total = total + np.where(np.greater(mass, 0), mass * rm.exp(exponent), 0.0)
        return np.where(np.isposinf(top), np.inf, top + rm.log(total) / b)

    def loss_cdf(self, x: Real) -> Real:
        total: Real = 0.0
        for loss, mass in reversed(self.outputs):
            total = total + np.where(np.less_equal(loss, x), mass, 0.0)
        return float_if_scalar(np.minimum(total, 1.0))

    def loss_isf(self, tail: Real) -> Real:
        above: Real = 0.0
        level: Real = np.inf
        for loss, mass in self.outputs:  # the last loss with at most `tail` of mass above it
            level = np.where(np.less_equal(above, tail), loss, level)
            above = above + mass
        level = np.where(np.less(tail, 1.0), level, -np.inf)
        return float_if_scalar(np.where(self._are_distributions, level, np.nan))

    def sample(self, rng: np.random.Generator, n: int, order: float = 1.0) -> NDArray[np.float64]:
        return _draw_losses(rng, n, self._tilted_masses(order))

    @property
    def infinite_mass(self) -> Real:
        return float_if_scalar(np.asarray(sum(mass for loss, mass in self.outputs if _is_infinite(loss))))

    def sample_finite(self, rng: np.random.Generator, n: int, order: float = 1.0) -> NDArray[np.float64]:
        outcomes = self._tilted_masses(order)
        finite = _finite_loss_outcomes(outcomes)
        return self.sample(rng, n, order) if len(finite) == len(outcomes) else _draw_losses(rng, n, finite)

    def _tilted_masses(self, order: float) -> Outputs:
        """Return (loss, mass) of each outcome under the tilted distribution of `sample`."""
        if order == 1:
            return self.outputs
        log_normaliser = self._log_normaliser(order)
        with np.errstate(invalid="ignore"):
            return tuple(
                (loss, np.where(np.isposinf(loss), mass, mass * np.exp((order - 1) * loss - log_normaliser)))
                for loss, mass in self.outputs
            )

    def _log_normaliser(self, order: float) -> Real:
        total: Real = -np.inf
        finite: Real = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            for loss, mass in self.outputs:
                finite_mass = np.where(np.isposinf(loss), 0.0, mass)
                total = np.logaddexp(
                    total, np.where(finite_mass > 0, np.log(finite_mass) + (order - 1) * loss, -np.inf)
                )
                finite = finite + finite_mass
            total = total - np.log(finite)
        return float_if_scalar(np.where(np.isnan(total), 0.0, total))  # nan: no loss is finite


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FinitePair(FiniteOutcomesPair):
    """Two distributions over the same k outcomes: P = (p_1, ..., p_k) and Q = (q_1, ..., q_k).

    All runs share the pair: its shape is ().

    Parameters
    ----------
    p, q : sequence of float, int or Fraction, or ndarray of shape (k,)
        Probabilities of the outcomes. Fractions and ints must sum to one exactly and give exact arithmetic. Floats must
        sum to one within 1e-12.

    Raises
    ------
    TypeError
        If a probability is not a real number.
    ValueError
        If a probability is outside [0, 1], if the lengths differ, or if a sum is not one.

    Notes
    -----
    All charges are the smallest values, rounded up. For floats, `zcdp_rho` and `gdp_mu` belong to p / sum p and q / sum
    q. `zcdp_rho` exceeds the smallest value by at most 2^-30 of it, except where the loss is nearly Gaussian. Near a
    loss l, where the hockey-stick divergence is small, its error is below `2^-50 (1 + |l|)`.

    Examples
    --------
    >>> import filterproof as fp
    >>> pair = fp.FinitePair(p=(0.5, 0.5), q=(0.125, 0.875))
    >>> pair.hockey_stick(epsilon=0.0), round(pair.renyi(alpha=2.0), 6)  # log(16/7)
    (0.375, 0.826679)
    """

    p: tuple[Fraction | float, ...]
    q: tuple[Fraction | float, ...]
    closed_least: ClassVar = ALL_CHARGES - {"zcdp_rho"}
    _levels: Outputs = field(init=False, repr=False)

    def __post_init__(self) -> None:
        p, q = _checked_masses("p", self.p), _checked_masses("q", self.q)
        if len(p) != len(q):
            raise ValueError(
                f"q must have as many outcomes as p, got len(q)={len(q)} and len(p)={len(p)}; pad with zeros"
            )
        masses = [(Fraction(a), Fraction(b)) for a, b in zip(p, q, strict=True) if a > 0]
        levels = [(log_fraction(a / b) if b else math.inf, mass_as_double(a)) for a, b in masses]
        object.__setattr__(self, "p", p)
        object.__setattr__(self, "q", q)
        object.__setattr__(self, "_levels", tuple(sorted(levels, reverse=True)))

    outputs = alias_property("_levels")

    @property
    def _q_mass_where_p_is_zero(self) -> Real:
        return mass_as_double(
            sum((Fraction(b) for a, b in zip(self.p, self.q, strict=True) if a == 0), Fraction(0))
        )

    @property
    def masses_as_fractions(self) -> tuple[tuple[Fraction, Fraction], ...]:
        return tuple((Fraction(p), Fraction(q)) for p, q in zip(self.p, self.q, strict=True))

    @property
    def exact_masses(self) -> ExactMasses | None:
        p = tuple(a for a in self.p if isinstance(a, Fraction))
        q = tuple(b for b in self.q if isinstance(b, Fraction))
        return ExactMasses(p, q) if len(p) == len(q) == len(self.p) else None

    @property
    def pure_epsilon(self) -> Real:
        if self._q_mass_where_p_is_zero > 0 or self._levels[0][0] == math.inf:
            return math.inf
        return max(log_round_up(max(p / q, q / p)) for p, q in self.masses_as_fractions if p)

    def hockey_stick_upper_bound(self, epsilon: float) -> float:
        return _hockey_stick_upper_bound(self, epsilon)

    @property
    def zcdp_rho(self) -> float:
        return least_zcdp_rho(self.masses_as_fractions)[1]

    def _least_zcdp_rho(self) -> tuple[float, float]:
        return least_zcdp_rho(self.masses_as_fractions)

    @property
    def gdp_mu(self) -> float:
        return least_gdp_mu(self.masses_as_fractions)

    @property
    def reference_values(self) -> PairReferenceValues:
        return _FinitePairReferenceValues(self)

    @property
    def swapped(self) -> FinitePair:
        return FinitePair(self.q, self.p)


class _FinitePairReferenceValues(FiniteReferenceValues):
    """The outcomes as given."""

    @property
    def masses(self) -> list[tuple[Mass, Mass]]:
        return [(Fraction(p), Fraction(q)) for p, q in zip(self.pair.p, self.pair.q, strict=True)]

    zcdp_theorem = "Rényi divergences"
    zcdp_slack = 2.0**-29

    @property
    def _normalised(self) -> _FinitePairReferenceValues:
        """Return the values for masses divided by their sums, because sums of doubles are only nearly one."""
        p, q = ([Fraction(x) for x in distribution] for distribution in (self.pair.p, self.pair.q))
        return _FinitePairReferenceValues(
            FinitePair(tuple(x / sum(p) for x in p), tuple(x / sum(q) for x in q))
        )

    @property
    def zcdp_rho(self) -> ReferenceValue:
        """Return the largest D_a / a that a search over the orders finds, in both directions."""
        lawful = self._normalised
        return INFINITE if lawful.gdp_mu.formula is None else ReferenceValue(partial(_largest_rate, lawful))

    @property
    def gdp_mu(self) -> ReferenceValue:
        """Return the largest mu at which the trade-off curve of Gaussian(mu) meets a corner of the pair's own curve."""
        lawful = self._normalised
        return (
            INFINITE
            if lawful._lacks_outcome(0) or lawful._lacks_outcome(1)
            else lawful._outcome_sum(gdp_mu_from_corners)
        )

    @property
    def rational_masses(self) -> list[tuple[Fraction, Fraction]] | None:
        if self.pair.exact_masses is None:
            return None
        return [(Fraction(p), Fraction(q)) for p, q in zip(self.pair.p, self.pair.q, strict=True)]


def gdp_mu_from_corners(masses: list[tuple[arb, arb]]) -> arb:
    """Return the smallest mu of Gaussian DP, the largest over the corners of the trade-off curve."""
    from filterproof.theory.pairs.normal_distribution import upper_quantile

    most = 0 * masses[0][0]
    for p, q in masses:
        above = [pair for pair in masses if not pair[0] * q < p * pair[1]]
        below = [pair for pair in masses if pair[0] * q < p * pair[1]]
        if below:
            most = most.max(
                upper_quantile(sum(x for _, x in above)) + upper_quantile(sum(x for x, _ in below))
            )
    return most


def _largest_rate(reference_values: _FinitePairReferenceValues) -> arb:
    """Return the largest D_a / a, and 0 for equal distributions, by thirds of log(a - 1) around a grid maximum."""
    sides = [reference_values, reference_values.pair.swapped.reference_values]

    def rate(log: float) -> arb:
        order = 1 + Fraction(2.0**log)
        return max((side.renyi(order).ball() / ball_of(order) for side in sides), key=lambda x: x.mid())

    best = max(range(-60, 40), key=lambda log: rate(log).mid())
    low, high = best - 1.0, best + 1.0
    for _ in range(60):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (left, high) if rate(left).mid() < rate(right).mid() else (low, right)
    return rate(low).max(0 * rate(low))


@lru_cache(maxsize=4096)
def _hockey_stick_upper_bound(pair: FinitePair, epsilon: float) -> float:
    """Return a double >= H_{e^eps}(P||Q) and H_{e^eps}(Q||P), within 2^-150 of the larger.

    It is computed in balls from the given masses; a pair declared at an epsilon is charged it.
    """
    from flint import arb, ctx, fmpq

    masses = [
        tuple(fmpq(*mass.as_integer_ratio()) for mass in both) for both in zip(pair.p, pair.q, strict=True)
    ]
    with PRECISION_LOCK, ctx.workprec(256):
        # for a very large epsilon e^eps has no representation; a smaller one bounds the rest
        power, totals = arb(min(epsilon, 1e6)).exp(), [arb(0), arb(0)]
        for p, q in masses:
            for i, term in enumerate((p - power * q, q - power * p)):
                if not term < 0:
                    totals[i] += term.abs_upper()
        return max(map(round_up, totals))


def _is_infinite(loss: Real) -> bool:
    """Whether an outcome's loss is +inf; an outcome has an infinite loss in every run or in none."""
    return bool(np.all(np.isposinf(loss)))


def _finite_loss_outcomes(outcomes: Outputs) -> Outputs:
    """Return the outcomes of finite loss, with their masses given that the loss is finite."""
    finite_outcomes = [(loss, mass) for loss, mass in outcomes if not _is_infinite(loss)]
    if len(finite_outcomes) == len(outcomes):
        return outcomes
    finite_mass = sum(mass for _, mass in finite_outcomes)
    with np.errstate(divide="ignore", invalid="ignore"):
        return tuple((loss, mass / finite_mass) for loss, mass in finite_outcomes)


def sample_members(
    pairs: Sequence[FiniteOutcomesPair],
    index: NDArray[np.intp],
    rng: np.random.Generator,
    order: float,
    *,
    finite: bool,
) -> NDArray[np.float64]:
    """Return a loss of pairs[index[i]] for each run i, as `sample` or `sample_finite` draws it.

    The masses of each pair are computed once, and not once for each run.
    """
    outcomes = [pair._tilted_masses(order) for pair in pairs]
    outcomes = list(map(_finite_loss_outcomes, outcomes)) if finite else outcomes
    most = max(map(len, outcomes))
    if not most:
        return np.zeros(len(index))
    losses, thresholds = np.zeros((len(pairs), most)), np.ones((most, len(pairs)))
    for k, levels in enumerate(outcomes):
        losses[k, : len(levels)] = [loss for loss, _ in levels]
        # summed from the largest loss down, as in `_draw_losses`
        thresholds[: len(levels) - 1, k] = np.cumsum([mass for _, mass in levels[:-1]])
    uniform, place = rng.random(len(index)), index * most
    for row in thresholds[:-1]:
        place += uniform >= row.take(index)
    return losses.ravel().take(place)


def _draw_losses(rng: np.random.Generator, n: int, outcomes: Outputs) -> NDArray[np.float64]:
    """Return n losses drawn with the given masses; the last outcome has the remaining probability."""
    if not outcomes:
        return np.zeros(n)
    # thresholds are summed from the largest loss down, so that a small mass at the top stays accurate
    thresholds: list[Real] = []
    cumulative: Real = 0.0
    for _, mass in outcomes[:-1]:
        cumulative = cumulative + mass
        thresholds.append(cumulative)
    uniform = rng.random(n)
    drawn = np.empty(n)
    drawn[:] = outcomes[-1][0]
    for (loss, _), threshold in zip(outcomes[-2::-1], reversed(thresholds), strict=True):
        np.copyto(drawn, loss, where=uniform < threshold)
    return drawn


def _checked_masses(name: str, masses: object) -> tuple[Fraction | float, ...]:
    remedy = "pass probabilities that sum to one"
    if isinstance(masses, np.ndarray) and masses.ndim == 1:
        masses = masses.tolist()
    if not isinstance(masses, (tuple, list)) or not masses:
        raise TypeError(
            f"{name} must be a tuple of numbers or an array of shape (k,), got {name}={short(masses)}; {remedy}"
        )
    masses = [mass.item() if isinstance(mass, np.generic) else mass for mass in masses]
    for mass in masses:
        if isinstance(mass, bool) or not isinstance(mass, (int, float, Fraction)):
            raise TypeError(f"{name} must hold real numbers, got {mass!r}; {remedy}")
        if not 0 <= float(mass) <= 1:
            raise ValueError(f"{name} must hold probabilities, got {mass!r}; {remedy}")
    if any(isinstance(mass, float) for mass in masses):
        distribution: tuple[Fraction | float, ...] = tuple(float(mass) for mass in masses)
        excess = max(abs(math.fsum(distribution) - 1.0) - 1e-12, 0.0)
    else:
        distribution = tuple(Fraction(mass) for mass in masses)
        excess = float(sum(distribution) != 1)
    if excess != 0:
        raise ValueError(f"{name} must sum to one, got a sum of {float(sum(distribution))!r}; {remedy}")
    return distribution


def pure_to_gdp(epsilon: Real) -> Real:
    """Return the smallest mu such that every epsilon-DP mechanism is mu-GDP: mu = 2 Phi^-1(e^eps / (1 + e^eps)).

    RandomizedResponse(epsilon) dominates all of them. Its trade-off function has two chords that meet at (a, a), a =
    1/(1+e^eps). The function of Gaussian(mu), Phi(Phi^-1(1-x) - mu), is convex, so it lies below the chords if it does
    so at their ends: Phi(Phi^-1(1-a) - mu) <= a, i.e. mu >= 2 Phi^-1(1-a). Source: derived here; the inclusion is known
    from Dong, Roth and Su.
    """
    # Phi^-1(1-a) = sqrt2 erfinv(1 - 2a) = sqrt2 erfinv(tanh(eps/2)) near zero, -Phi^-1(e^(log a)) far out
    near = np.sqrt(8.0) * special.erfinv(rm.tanh(np.minimum(epsilon, 2.0) / 2))
    far = -2 * special.ndtri_exp(rm.log_expit(-np.maximum(epsilon, 1.0)))
    mu = np.where(np.asarray(epsilon) < 1.5, near, far)
    return float_if_scalar(np.where(np.greater(epsilon, 0), rounded_up_mu(mu), mu))


def rounded_up_mu(mu: NDArray[np.float64]) -> Real:
    """Return mu increased by a relative 2^-48, more than the error of `special`, and by the loss below 2^-1022."""
    return float_if_scalar(mu * (1 + 2.0**-48) + 2.0**-1071)
