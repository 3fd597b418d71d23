"""The erasure pair, which reveals a bit with probability p and nothing otherwise."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from filterproof.theory.argument_checks import Real, check_probability
from filterproof.theory.numerics.stable import float_if_scalar
from filterproof.theory.pairs.base import ALL_CHARGES, ITSELF, ExactMasses, KOVForm, Outputs, alias_property
from filterproof.theory.pairs.finite import FiniteOutcomesPair
from filterproof.theory.pairs.finite_reference_values import FiniteReferenceValues, Mass
from filterproof.theory.pairs.reference_values import INFINITE, PairReferenceValues, ReferenceValue
from filterproof.theory.rounding import away_from_zero


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Erasure(FiniteOutcomesPair):
    """Erasure pair: with probability p the output reveals the data set, otherwise it is blank.

    P outputs "P" with probability p, Q outputs "Q" with probability p, and both output a blank otherwise. The loss is
    inf with probability p, else 0.

    Parameters
    ----------
    p : float, Fraction or ndarray of shape (n,)
        Probability in [0, 1]. A Fraction also gives exact arithmetic.
    exact : Fraction, optional
        p as a rational number. `p` must be its value, rounded up. A Fraction as `p` sets it.

    Raises
    ------
    ValueError
        If `p` is outside [0, 1] or does not match `exact`.

    Notes
    -----
    The pair is (epsilon, p)-DP for every epsilon. For p > 0, D_a is inf for every order a > 1, and so are all charges.

    Examples
    --------
    >>> import filterproof as fp
    >>> pair = fp.Erasure(0.25)
    >>> pair.hockey_stick(epsilon=3.0), pair.loss_isf(tail=0.1), pair.zcdp_rho
    (0.25, inf, inf)
    """

    p: Real
    exact: Fraction | None = field(default=None, kw_only=True)
    closed_least: ClassVar = ALL_CHARGES
    monotone_parameters: ClassVar = {"p": 1}  # a revealed bit is erased with probability 1 - p / p'

    def __post_init__(self) -> None:
        given: object = self.p
        if isinstance(given, Fraction):
            object.__setattr__(self, "exact", given)
        self._set_checked("p", check_probability)
        if self.exact is not None and away_from_zero(self.exact) != self.p:
            raise ValueError(
                f"p must be exact, rounded up, got exact={self.exact}, p={self.p!r}; pass p as a Fraction alone"
            )

    @property
    def exact_masses(self) -> ExactMasses | None:
        if self.exact is None:
            return None
        zero = Fraction(0)
        return ExactMasses((self.exact, 1 - self.exact, zero), (zero, 1 - self.exact, self.exact))

    @property
    def kov(self) -> KOVForm:
        return KOVForm(0.0 * self.p, self.p, Fraction(1), self.exact)

    @property
    def rational(self) -> Erasure:
        return self if self.exact is not None else Erasure(self.p, exact=Fraction(float(self.p)))

    @property
    def outputs(self) -> Outputs:
        return (np.inf, self.p), (0.0, 1 - self.p)

    @property
    def pure_epsilon(self) -> Real:
        return float_if_scalar(np.where(np.equal(self.p, 0), 0.0, math.inf))

    _q_mass_where_p_is_zero = alias_property("p")
    zcdp_rho = gdp_mu = alias_property("pure_epsilon")
    swapped = ITSELF

    @property
    def reference_values(self) -> PairReferenceValues:
        return _ErasureReferenceValues(self)


class _ErasureReferenceValues(FiniteReferenceValues):
    """Three outcomes with losses inf, 0 and -inf."""

    @property
    def kov_parameters(self) -> tuple[Fraction, Fraction]:
        """Return (epsilon, delta) of the equal KOV pair: (0, p)."""
        return Fraction(0), self.at["p"]

    @property
    def masses(self) -> list[tuple[Mass, Mass]]:
        p, none = self.at["p"], Fraction(0)
        return [(p, none), (1 - p, 1 - p), (none, p)]

    @property
    def pure_epsilon(self) -> ReferenceValue:
        return ReferenceValue(Fraction(0)) if self.at["p"] == 0 else INFINITE

    gdp_mu = alias_property("pure_epsilon")

    @property
    def rational_masses(self) -> list[tuple[Fraction, Fraction]] | None:
        if (p := self.pair.exact) is None:
            return None
        return [(p, Fraction(0)), (1 - p, 1 - p), (Fraction(0), p)]
