"""Randomised response on one bit, which dominates every mechanism with pure differential privacy."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from filterproof.theory.argument_checks import Real, check_at_least_zero
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.numerics.stable import float_if_scalar, half_square_round_up, log_round_up
from filterproof.theory.pairs.base import ALL_CHARGES, ITSELF, ExactMasses, KOVForm, Outputs, alias_property
from filterproof.theory.pairs.finite import FiniteOutcomesPair, pure_to_gdp
from filterproof.theory.pairs.finite_charges import response_rho
from filterproof.theory.pairs.finite_reference_values import FiniteReferenceValues, Mass
from filterproof.theory.pairs.reference_values import INFINITE, PairReferenceValues, ReferenceValue

#: Bits of the largest ratio in the search.
_BITS = 640
#: The exact delta of randomised response.
_NEVER = Fraction(0)


class RevealedOrRandomisedBitPair(FiniteOutcomesPair):
    """Base of randomised response and KOV: a bit is revealed with probability delta, else randomised."""

    __slots__ = ()

    closed_least: ClassVar = ALL_CHARGES - {"zcdp_rho"}

    @property
    @abstractmethod
    def _kov_parameters(self) -> KOVForm:
        """epsilon and delta of the equal KOV pair, with rational e^epsilon and delta where known."""

    kov = alias_property("_kov_parameters")
    sqrt_twice_zcdp_rho = alias_property("pure_epsilon")
    swapped = ITSELF

    @property
    def exact_masses(self) -> ExactMasses | None:
        _, _, ratio, delta = self._kov_parameters
        if ratio is None or delta is None:
            return None
        keep = (1 - delta) * ratio / (1 + ratio)
        p = (delta, keep, 1 - delta - keep, Fraction(0))
        both = [masses for masses in zip(p, p[::-1], strict=True) if any(masses)]
        return ExactMasses(*zip(*both, strict=True))

    @property
    def rational(self) -> Self | None:
        epsilon, delta, ratio, exact_delta = self._kov_parameters
        ratio = rational_exp_epsilon(epsilon) if ratio is None else ratio
        exact_delta = Fraction(float(delta)) if exact_delta is None else exact_delta
        return None if ratio is None else self.with_parameters({"ratio": ratio, "exact_delta": exact_delta})

    def _inf_unless_delta_zero(self, charge: Real) -> Real:
        delta = self._kov_parameters.delta
        if type(delta) is float and delta == 0:
            return charge
        return float_if_scalar(np.where(np.equal(delta, 0), charge, math.inf))

    @property
    def pure_epsilon(self) -> Real:
        return self._inf_unless_delta_zero(self._kov_parameters.epsilon)

    @property
    def zcdp_rho(self) -> Real:
        return self._inf_unless_delta_zero(half_square_round_up(self._kov_parameters.epsilon))

    def _least_zcdp_rho(self) -> tuple[float, float] | None:
        epsilon, delta, *_ = self._kov_parameters
        return response_rho(float(epsilon)) if delta == 0 else None

    @property
    def gdp_mu(self) -> Real:
        return self._inf_unless_delta_zero(pure_to_gdp(self._kov_parameters.epsilon))

    @property
    def reference_values(self) -> PairReferenceValues:
        return _KOVReferenceValues(self)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RandomizedResponse(RevealedOrRandomisedBitPair):
    """Randomised response: P = (e^epsilon, 1) / (1 + e^epsilon), Q = (1, e^epsilon) / (1 + e^epsilon).

    It reports a bit correctly with probability e^epsilon / (1 + e^epsilon) and dominates every epsilon-DP mechanism.
    The loss is epsilon or -epsilon. D_a = log(cosh((a - 1/2) epsilon) / cosh(epsilon / 2)) / (a - 1).

    Parameters
    ----------
    epsilon : float or ndarray of shape (n,)
        Zero or more, in nats.
    ratio : Fraction, optional
        e^epsilon as a rational number, for exact arithmetic. `epsilon` must be its logarithm, rounded up. `from_ratio`
        sets both.

    Raises
    ------
    ValueError
        If `epsilon` is below zero or not finite, or if it is not the rounded-up logarithm of `ratio`.

    Notes
    -----
    `zcdp_rho` is the common upper bound epsilon^2 / 2 and not the smallest rho. It holds because g(x) = log cosh x -
    x^2/2 decreases on x >= 0, so that g((a - 1/2) epsilon) <= g(epsilon / 2). `gdp_mu` is the smallest mu. Source:
    Kairouz, Oh & Viswanath (2015), "The Composition Theorem for Differential Privacy"; Bun & Steinke (2016),
    "Concentrated Differential Privacy", for `zcdp_rho`.

    Examples
    --------
    >>> import filterproof as fp
    >>> fp.RandomizedResponse.from_ratio(3).exact_masses.p
    (Fraction(3, 4), Fraction(1, 4))
    """

    epsilon: Real
    ratio: Fraction | None = field(default=None, kw_only=True)
    monotone_parameters: ClassVar = {"epsilon": 1}
    domination_parameter: ClassVar = "pure_epsilon"

    def __post_init__(self) -> None:
        self._set_checked("epsilon", check_at_least_zero, "pass nats, zero or more")
        if self.ratio is not None and log_round_up(checked_likelihood_ratio(self.ratio)) != self.epsilon:
            raise ValueError(
                f"epsilon must be log(ratio), rounded up, got epsilon={self.epsilon!r}, ratio={self.ratio}; "
                f"use RandomizedResponse.from_ratio({self.ratio})"
            )

    @classmethod
    def from_ratio(cls, ratio: Fraction | int) -> Self:
        """Construct the pair with a rational e^epsilon: P = (ratio, 1) / (1 + ratio).

        Parameters
        ----------
        ratio : Fraction or int
            e^epsilon, 1 or more.

        Returns
        -------
        RandomizedResponse
            A pair with rational probabilities. Its epsilon is log(ratio), rounded up.

        Raises
        ------
        TypeError
            If `ratio` is neither a Fraction nor an int.
        ValueError
            If `ratio` is below 1.
        """
        exact = checked_likelihood_ratio(ratio)
        return cls(log_round_up(exact), ratio=exact)

    @property
    def outputs(self) -> Outputs:
        return (
            (self.epsilon, rm.expit(self.epsilon)),
            (-self.epsilon, rm.expit(-self.epsilon)),
        )

    def sample(self, rng: np.random.Generator, n: int, order: float = 1.0) -> NDArray[np.float64]:
        # one pass over two outcomes: the tilted distribution is RandomizedResponse((2 order - 1) epsilon)
        with np.errstate(over="ignore"):
            keep = 1 / (1 + np.exp((1 - 2 * order) * self.epsilon))
        uniform = rng.random(n)
        np.subtract(keep, uniform, out=uniform)
        return np.copysign(self.epsilon, uniform, out=uniform)

    def _log_normaliser(self, order: float) -> Real:
        tilted, plain = (order - 0.5) * self.epsilon, 0.5 * self.epsilon
        return float_if_scalar(np.logaddexp(tilted, -tilted) - np.logaddexp(plain, -plain))

    @property
    def _kov_parameters(self) -> KOVForm:
        return KOVForm(self.epsilon, 0.0, self.ratio, _NEVER)


def checked_likelihood_ratio(ratio: object) -> Fraction:
    """Return `ratio` as a Fraction >= 1."""
    if isinstance(ratio, bool) or not isinstance(ratio, (int, Fraction)):
        raise TypeError(
            f"ratio must be a Fraction or an int, got ratio={ratio!r}; pass for example Fraction(3, 2)"
        )
    if ratio < 1:
        raise ValueError(f"ratio must be >= 1, got ratio={ratio}; pass e^epsilon and not its inverse")
    return Fraction(ratio)


def rational_exp_epsilon(epsilon: Real) -> Fraction | None:
    """Return a rational number whose rounded-up logarithm is `epsilon`; None if the search finds none."""
    from flint import arb, ctx  # imported here because it loads ball arithmetic

    if not 0 < float(epsilon) < 40:
        return None
    with PRECISION_LOCK, ctx.workprec(_BITS):
        exact = Fraction(str(arb(float(epsilon)).exp().lower().fmpq()))
    ratios = (exact.limit_denominator(2**bits) for bits in range(16, _BITS, 16))
    return next((ratio for ratio in ratios if ratio > 1 and log_round_up(ratio) == epsilon), None)


class _KOVReferenceValues(FiniteReferenceValues):
    """Four outcomes with losses inf, epsilon, -epsilon and -inf."""

    @property
    def at(self) -> dict[str, Fraction]:
        form = self.pair._kov_parameters
        return {"e": Fraction(form.epsilon), "d": Fraction(form.delta)}

    @property
    def kov_parameters(self) -> tuple[Fraction, Fraction] | None:
        return (self.at["e"], self.at["d"]) if "delta" in self.pair.parameters() else None

    @property
    def masses(self) -> list[tuple[Mass, Mass]]:
        d, none = self.at["d"], Fraction(0)
        truthful: Mass = "(1 - d)*exp(e)/(1 + exp(e))" if d < 1 else none
        turned: Mass = "(1 - d)/(1 + exp(e))" if d < 1 else none
        return [(d, none), (truthful, turned), (turned, truthful), (none, d)]

    @property
    def pure_epsilon(self) -> ReferenceValue:
        return ReferenceValue("e", self.at) if self.at["d"] == 0 else INFINITE

    @property
    def gdp_mu(self) -> ReferenceValue:
        return ReferenceValue("2*quantile(1/(1 + exp(e)))", self.at) if self.at["d"] == 0 else INFINITE

    @property
    def rational_masses(self) -> list[tuple[Fraction, Fraction]] | None:
        _, _, ratio, delta = self.pair._kov_parameters
        if ratio is None or delta is None:
            return None
        none, rest = Fraction(0), (1 - delta) / (1 + ratio)
        rows = [(delta, none), (rest * ratio, rest), (rest, rest * ratio), (none, delta)]
        return [both for both in rows if any(both)]
