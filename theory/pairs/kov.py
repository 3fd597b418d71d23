"""The pair of Kairouz, Oh and Viswanath, which dominates every (epsilon, delta)-DP mechanism.

>>> import filterproof as fp
>>> round(fp.KOV(epsilon=1.0, delta=0.125).hockey_stick(epsilon=1.0), 6)
0.125
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from filterproof.theory.argument_checks import Real, check_at_least_zero, check_probability, own
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.stable import log_beyond
from filterproof.theory.pairs.base import DominatingPair, KOVForm, Outputs, same_as
from filterproof.theory.pairs.randomized_response import Response, check_ratio
from filterproof.theory.rounding import away_from_zero


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KOV(Response):
    """P = (d, (1-d) e^epsilon / (1 + e^epsilon), (1-d) / (1 + e^epsilon), 0), Q its mirror image, d = delta.

    L = inf, epsilon, -epsilon on the outcomes that P can produce: the bit is revealed with probability delta, else
    goes through randomised response. With delta > 0 the charges in pure, zero-concentrated and Gaussian DP are inf;
    with delta = 0 they are those of RandomizedResponse(epsilon). Source: Kairouz, Oh and Viswanath.
    """

    epsilon: Real
    delta: Real
    ratio: Fraction | None = field(default=None, kw_only=True)
    exact_delta: Fraction | None = field(default=None, kw_only=True)
    monotone_parameters: ClassVar = {"epsilon": 1, "delta": 1}

    def __post_init__(self) -> None:
        epsilon = check_at_least_zero("epsilon", own(self.epsilon), "pass nats, zero or more")
        delta = check_probability("delta", own(self.delta))
        if self.ratio is not None and log_beyond(check_ratio(self.ratio)) != epsilon:
            raise ValueError(
                f"epsilon must be log(ratio), rounded up, got {epsilon!r} beside ratio={self.ratio}; use KOV.from_ratio"
            )
        if self.exact_delta is not None and away_from_zero(self.exact_delta) != delta:
            raise ValueError(
                f"delta must be exact_delta, rounded up, got {self.exact_delta}, delta={delta!r}; use KOV.from_ratio"
            )
        self._keep("epsilon", epsilon)
        self._keep("delta", delta)

    @classmethod
    def from_ratio(cls, ratio: Fraction | int, delta: Fraction | int) -> Self:
        """The pair with e^epsilon = `ratio` >= 1 and `delta` both rational; as doubles both are rounded up."""
        exact = check_ratio(ratio)
        return cls(
            log_beyond(exact), away_from_zero(Fraction(delta)), ratio=exact, exact_delta=Fraction(delta)
        )

    @property
    def outputs(self) -> Outputs:
        rest = 1 - self.delta
        return (
            (np.inf, self.delta),
            (self.epsilon, rest * rm.expit(self.epsilon)),
            (-self.epsilon, rest * rm.expit(-self.epsilon)),
        )

    _missing = same_as("delta")

    @property
    def _form(self) -> KOVForm:
        return KOVForm(self.epsilon, self.delta, self.ratio, self.exact_delta)

    def dominates(self, request: DominatingPair) -> Any:
        # every e-DP pair with e <= epsilon; of the same form, also what reveals no more
        own = request.kov or KOVForm(request.pure_epsilon, 0.0, None, None)
        return np.less_equal(own.epsilon, self.epsilon) & np.less_equal(own.delta, self.delta)
