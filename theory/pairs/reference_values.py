"""Reference values of a pair, by formulas that share no code with its doubles. Tests compare them.

>>> from filterproof.theory.pairs import Gaussian
>>> Gaussian(0.5).reference_values.renyi(8.0).formula
'alpha*mu**2/2'

Each value is a formula in the pair's parameters, at their exact doubles, or a function that returns a ball. It follows
the definition: sums over outcomes, integrals (`mixture.py`), and closed forms of the normal distribution. The values of
a pair are in its module or next to it. The tests compare them with integrals and sums by mpmath.

The precision of balls is global to the process; the library sets it under a lock (`PRECISION_LOCK`). A user thread that
changes it meanwhile makes balls wider: their radius includes the rounding error, and ends are rounded outwards at any
precision. `nearest` repeats a computation until its ball determines the nearest double.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from filterproof.theory.numerics.exact import to_fmpq

if TYPE_CHECKING:
    from flint import arb

#: A double, or a number known exactly.
Exact: TypeAlias = float | int | Fraction


def ball_of(x: Exact) -> arb:
    """Return the number at the current precision."""
    from flint import arb  # imported here because it loads ball arithmetic

    return arb(to_fmpq(x))


@dataclass(frozen=True, slots=True)
class ReferenceValue:
    """A true value: a formula with its parameters, or a function for a ball. `formula` is None for infinity."""

    formula: str | Exact | Callable[[], arb] | None
    at: Mapping[str, Exact] = field(default_factory=dict)

    def ball(self) -> arb:
        """Return the value at the current precision."""
        assert self.formula is not None
        if callable(self.formula):
            return self.formula()
        if not isinstance(self.formula, str):
            return ball_of(self.formula)
        from flint import arb

        from filterproof.theory.theorems.formula import compile_formula

        return arb(compile_formula(self.formula)({name: to_fmpq(value) for name, value in self.at.items()}))

    def squared(self, parts: int = 1) -> ReferenceValue:
        """Return the square of the value, divided by `parts`."""
        if self.formula is None:
            return self
        if isinstance(self.formula, str):
            return ReferenceValue(f"({self.formula})**2" + f"/{parts}" * (parts != 1), self.at)
        return ReferenceValue(lambda: self.ball() ** 2 / parts)


INFINITE = ReferenceValue(None)


@dataclass(frozen=True, slots=True)
class PairReferenceValues(ABC):
    """The true values of a pair of shape (), each under the name of the method that computes it in doubles.

    `formulas` maps these names to formulas in the parameters and in alpha, eps, level or p, or to None for infinity.
    `integrated`: whether divergences of fractional orders are integrals, which take long. `zcdp_theorem`: the theorem
    of `zcdp_rho`. `zcdp_slack` and `hockey_stick_slack`: allowed relative excess of the declared rho and of a charged
    hockey-stick.
    """

    pair: Any
    formulas: ClassVar[Mapping[str, str | None]] = {}
    integrated: ClassVar[bool] = False
    zcdp_theorem: ClassVar[str] = "RR zCDP"
    zcdp_slack: ClassVar[float] = 2.0**-44

    @property
    def hockey_stick_slack(self) -> float:
        return 2.0**-38

    @property
    def at(self) -> dict[str, Fraction]:
        """Return the pair's parameters by their names in formulas."""
        numbers = self.pair.parameters().items()
        return {name: Fraction(value) for name, value in numbers if isinstance(value, float)}

    def value(self, name: str, **more: Exact) -> ReferenceValue:
        """Return the value of the named formula at the parameters and at `more`."""
        return ReferenceValue(
            self.formulas[name], self.at | {key: Fraction(value) for key, value in more.items()}
        )

    @property
    def pure_epsilon(self) -> ReferenceValue:
        """Return the smallest epsilon of pure differential privacy, the largest |L|."""
        return self.value("pure_epsilon")

    @property
    def zcdp_rho(self) -> ReferenceValue:
        """Return the declared value: epsilon^2/2 for a pure pair, unless the class says otherwise."""
        return self.value("zcdp_rho") if "zcdp_rho" in self.formulas else self.pure_epsilon.squared(2)

    @property
    def gdp_mu(self) -> ReferenceValue:
        """Return the declared value: the smallest mu in closed form if known, otherwise that of a pure pair, or inf."""
        return self.value("gdp_mu")

    def renyi(self, alpha: Exact) -> ReferenceValue:
        """Return D_alpha(P||Q), the relative entropy at alpha = 1."""
        return self.value("renyi", alpha=alpha)

    def hockey_stick(self, epsilon: Exact) -> ReferenceValue:
        """Return H_{e^eps}(P||Q), the sum or integral of (P - e^eps Q)_+."""
        return self.value("hockey_stick", eps=epsilon)

    def loss_cdf(self, x: Exact) -> ReferenceValue:
        """Return P(L <= x), L drawn under P; for pairs over finitely many outcomes x must differ from every loss."""
        return self.value("loss_cdf", level=x)

    def loss_isf(self, tail: Exact) -> ReferenceValue:
        """Return inf{x : P(L > x) <= tail} for 0 < tail < 1; `tail` must not be the mass of a set of outcomes."""
        return self.value("loss_isf", p=tail)

    def above(self, x: Exact) -> tuple[arb, arb]:
        """Return balls around P(x < L < inf) and Q(x < L < inf), at the current precision."""
        raise TypeError(f"pair must have known tails, got {self!r}; define `above` in its reference values")

    def hockey_stick_from_tails(self, epsilon: Exact) -> arb:
        """Return the hockey-stick by the masses above epsilon, for a finite loss."""
        p, q = self.above(epsilon)
        return p - ball_of(epsilon).exp() * q

    @property
    def atoms(self) -> tuple[tuple[Fraction, ReferenceValue], ...]:
        """Return the rational losses with a P-mass of their own, with that mass."""
        return ()

    @property
    def kov_parameters(self) -> tuple[Fraction, Fraction] | None:
        """Return (epsilon, delta) of a KOV pair with a delta, and of an erasure's equal KOV pair; None for others."""
        return None

    @property
    def rational_masses(self) -> list[tuple[Fraction, Fraction]] | None:
        """Return the P- and Q-masses of a pair made from rationals; None for others."""
        return None


class SymmetricBoundedLossReferenceValues(PairReferenceValues):
    """Reference values of a loss on [-e, e] whose distribution under Q is that of -L under P."""

    __slots__ = ()

    @property
    @abstractmethod
    def largest_loss(self) -> Fraction:
        """Return e, the largest loss."""

    def renyi(self, alpha: Exact) -> ReferenceValue:
        return self.value("entropy") if alpha == 1 else self.value("renyi", alpha=alpha)

    def hockey_stick(self, epsilon: Exact) -> ReferenceValue:
        if epsilon >= self.largest_loss:
            return ReferenceValue(Fraction(0))
        if epsilon <= -self.largest_loss:
            return ReferenceValue("1 - exp(eps)", {"eps": Fraction(epsilon)})
        return self.value("hockey_stick", eps=epsilon)

    def loss_cdf(self, x: Exact) -> ReferenceValue:
        inside = -self.largest_loss <= x < self.largest_loss
        return self.value("loss_cdf", level=x) if inside else ReferenceValue(Fraction(int(x > 0)))

    def above(self, x: Exact) -> tuple[arb, arb]:
        if not -self.largest_loss <= x < self.largest_loss:
            return (ball_of(int(x < self.largest_loss)),) * 2
        # Q(L > x) = P(L < -x), to which the formula is continuous at the largest loss as well
        return 1 - self.value("loss_cdf", level=x).ball(), self.value("loss_cdf", level=-x).ball()
