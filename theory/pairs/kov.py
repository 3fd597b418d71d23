"""The pair of Kairouz, Oh and Viswanath, which dominates every (epsilon, delta)-DP mechanism."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from filterproof.theory.argument_checks import Real, check_at_least_zero, check_probability
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.stable import log_round_up
from filterproof.theory.pairs.base import DominatingPair, KOVForm, Outputs, alias_property
from filterproof.theory.pairs.randomized_response import RevealedOrRandomisedBitPair, checked_likelihood_ratio
from filterproof.theory.rounding import away_from_zero


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KOV(RevealedOrRandomisedBitPair):
    """Pair of Kairouz, Oh and Viswanath: it dominates every (epsilon, delta)-DP mechanism.

    P = (d, (1-d) e^epsilon / (1 + e^epsilon), (1-d) / (1 + e^epsilon), 0) with d = delta, and Q is P in reverse order.
    The mechanism reveals a bit with probability delta and applies randomised response otherwise. The loss is inf,
    epsilon or -epsilon.

    Parameters
    ----------
    epsilon : float or ndarray of shape (n,)
        Zero or more, in nats.
    delta : float or ndarray of shape (n,)
        In [0, 1].
    ratio, exact_delta : Fraction, optional
        e^epsilon and delta as rational numbers, for exact arithmetic. `from_ratio` sets them.

    Raises
    ------
    ValueError
        If a parameter is out of range, or if `epsilon` or `delta` does not match its rational value, rounded up.

    Notes
    -----
    With delta > 0, the charges `pure_epsilon`, `zcdp_rho` and `gdp_mu` are inf. With delta = 0 they equal those of
    RandomizedResponse(epsilon). Source: Kairouz, Oh & Viswanath (2015), "The Composition Theorem for Differential
    Privacy".

    Examples
    --------
    >>> import filterproof as fp
    >>> round(fp.KOV(epsilon=1.0, delta=0.125).hockey_stick(epsilon=1.0), 6)
    0.125
    """

    epsilon: Real
    delta: Real
    ratio: Fraction | None = field(default=None, kw_only=True)
    exact_delta: Fraction | None = field(default=None, kw_only=True)
    monotone_parameters: ClassVar = {"epsilon": 1, "delta": 1}

    def __post_init__(self) -> None:
        self._set_checked("epsilon", check_at_least_zero, "pass nats, zero or more")
        self._set_checked("delta", check_probability)
        if self.ratio is not None and log_round_up(checked_likelihood_ratio(self.ratio)) != self.epsilon:
            raise ValueError(
                f"epsilon must be log(ratio), rounded up, got epsilon={self.epsilon!r}, ratio={self.ratio}; "
                "use KOV.from_ratio"
            )
        if self.exact_delta is not None and away_from_zero(self.exact_delta) != self.delta:
            raise ValueError(
                f"delta must be exact_delta, rounded up, got delta={self.delta!r}, exact_delta={self.exact_delta}; "
                "use KOV.from_ratio"
            )

    @classmethod
    def from_ratio(cls, ratio: Fraction | int, delta: Fraction | int) -> Self:
        """Construct the pair from a rational e^epsilon and a rational delta.

        Parameters
        ----------
        ratio : Fraction or int
            e^epsilon, 1 or more.
        delta : Fraction or int
            In [0, 1].

        Returns
        -------
        KOV
            A pair with rational probabilities. Its epsilon and delta are rounded up.
        """
        exact = checked_likelihood_ratio(ratio)
        return cls(
            log_round_up(exact), away_from_zero(Fraction(delta)), ratio=exact, exact_delta=Fraction(delta)
        )

    @property
    def outputs(self) -> Outputs:
        rest = 1 - self.delta
        return (
            (np.inf, self.delta),
            (self.epsilon, rest * rm.expit(self.epsilon)),
            (-self.epsilon, rest * rm.expit(-self.epsilon)),
        )

    _q_mass_where_p_is_zero = alias_property("delta")

    @property
    def _kov_parameters(self) -> KOVForm:
        return KOVForm(self.epsilon, self.delta, self.ratio, self.exact_delta)

    def dominates(self, request: DominatingPair) -> Any:
        # every e-DP pair with e <= epsilon; a pair of the same form too, if it reveals no more
        form = request.kov or KOVForm(request.pure_epsilon, 0.0, None, None)
        return np.less_equal(form.epsilon, self.epsilon) & np.less_equal(form.delta, self.delta)
