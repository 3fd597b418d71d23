"""What is true of a pair, by formulas that share no code with its doubles: these are held against them.

>>> from filterproof.theory.pairs import Gaussian
>>> Gaussian(0.5).reference_values.renyi(8.0).formula
'alpha*mu**2/2'

Each is a formula in the pair's own parameters, at the exact doubles that it holds, or a function to a ball. They are
those of the definitions: sums over outcomes, integrals (`mixture.py`), and closed forms of the normal law. A pair's
truths stand in its own module, or beside it. The tests hold them against integrals and sums by mpmath.

The precision of balls is one number for the whole process, which the library sets under a lock (`PRECISION_LOCK`). A
thread of the user's that changes it meanwhile makes balls wider; what errs by the precision has it in its radius, and
an end is rounded outwards at whatever it is. The double nearest to a number is asked for again (`nearest`) until its
ball is narrow enough to tell.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from filterproof.theory.numerics.exact import rational
from filterproof.theory.rounding import next_above

if TYPE_CHECKING:
    from flint import arb

#: A double, or a number known exactly.
Exact: TypeAlias = float | int | Fraction


def ball_of(x: Exact) -> arb:
    """The number at the current precision."""
    from flint import arb  # imported here because it loads ball arithmetic

    return arb(rational(x))


def down(x: arb) -> float:
    """The lower end of a ball, as a double that is no larger; -inf where nothing is known."""
    return 0.0 - up(-x)  # zero has no sign


def up(x: arb) -> float:
    """The upper end of a ball, as a double that is no smaller; inf where nothing is known."""
    end = x.upper()
    near = float(end)
    if math.isnan(near):
        return math.inf
    return near if near >= end else next_above(near)


@dataclass(frozen=True, slots=True)
class ReferenceValue:
    """A true value: a formula and its parameters, or a function to a ball. `formula` is None where it is infinite."""

    formula: str | Exact | Callable[[], arb] | None
    at: Mapping[str, Exact] = field(default_factory=dict)

    def ball(self) -> arb:
        """The value at the current precision."""
        assert self.formula is not None
        if callable(self.formula):
            return self.formula()
        if not isinstance(self.formula, str):
            return ball_of(self.formula)
        from filterproof.theory.theorems.formula import compile_formula

        return compile_formula(self.formula)({name: ball_of(value) for name, value in self.at.items()})

    def squared(self, parts: int = 1) -> ReferenceValue:
        """Its square, divided by `parts`."""
        if self.formula is None:
            return self
        if isinstance(self.formula, str):
            return ReferenceValue(f"({self.formula})**2" + f"/{parts}" * (parts != 1), self.at)
        return ReferenceValue(lambda: self.ball() ** 2 / parts)


INFINITE = ReferenceValue(None)


class PairReferenceValues(ABC):
    """The true values of one pair, of shape (): each under the name of what the pair computes in doubles.

    formulas: what is asked, by that name, in the parameters and in alpha, eps, level or p; None where it is infinite.
    integrated: whether divergences of broken orders are integrals, which take long. zcdp_theorem: what `zcdp_rho` is
    by; zcdp_slack: by what share of itself the declared one may be above it, stick_slack: a charged hockey-stick.
    """

    __slots__ = ()

    pair: Any
    formulas: ClassVar[Mapping[str, str | None]] = {}
    integrated: ClassVar[bool] = False
    zcdp_theorem: ClassVar[str] = "RR zCDP"
    zcdp_slack: ClassVar[float] = 2.0**-44

    @property
    def stick_slack(self) -> float:
        return 2.0**-38

    @property
    def at(self) -> dict[str, Fraction]:
        """The pair's parameters, as formulas name them."""
        numbers = self.pair.parameters().items()
        return {name: Fraction(value) for name, value in numbers if isinstance(value, float)}

    def value(self, name: str, **more: Exact) -> ReferenceValue:
        """The value of the formula of that name in the parameters, and in `more`."""
        return ReferenceValue(
            self.formulas[name], self.at | {key: Fraction(value) for key, value in more.items()}
        )

    @property
    def pure_epsilon(self) -> ReferenceValue:
        """The least epsilon of pure differential privacy, the largest |L|."""
        return self.value("pure_epsilon")

    @property
    def zcdp_rho(self) -> ReferenceValue:
        """What the class declares: epsilon^2/2 of what is pure, unless it says otherwise."""
        return self.value("zcdp_rho") if "zcdp_rho" in self.formulas else self.pure_epsilon.squared(2)

    @property
    def gdp_mu(self) -> ReferenceValue:
        """What the class declares: the least mu where a closed form is known, else that of what is pure, or inf."""
        return self.value("gdp_mu")

    def renyi(self, alpha: Exact) -> ReferenceValue:
        """D_alpha(P||Q), the relative entropy at alpha = 1."""
        return self.value("renyi", alpha=alpha)

    def hockey_stick(self, epsilon: Exact) -> ReferenceValue:
        """H_{e^eps}(P||Q), the sum or integral of (P - e^eps Q)_+."""
        return self.value("hockey_stick", eps=epsilon)

    def loss_cdf(self, x: Exact) -> ReferenceValue:
        """P(L <= x), L drawn under P; for pairs of finitely many outcomes x must be none of the losses."""
        return self.value("loss_cdf", level=x)

    def loss_isf(self, tail: Exact) -> ReferenceValue:
        """inf{x : P(L > x) <= tail} for 0 < tail < 1, the tail not being the mass of a set of outcomes."""
        return self.value("loss_isf", p=tail)

    @property
    def above(self) -> Callable[[Exact], tuple[arb, arb]]:
        """x -> balls around P(x < L < inf) and Q(x < L < inf), at the current precision."""
        raise TypeError(f"pair must have known tails, got {self!r}; define `above` in its reference values")

    def stick(self, epsilon: Exact) -> arb:
        """The hockey-stick by the masses above epsilon, of a loss that is finite."""
        p, q = self.above(epsilon)
        return p - ball_of(epsilon).exp() * q

    @property
    def atoms(self) -> tuple[tuple[Fraction, ReferenceValue], ...]:
        """The rational losses that have a P-mass of their own, with that mass."""
        return ()

    @property
    def approximate(self) -> tuple[Fraction, Fraction] | None:
        """(epsilon, delta) of a pair that these two numbers make; None for others."""
        return None

    @property
    def rational_masses(self) -> list[tuple[Fraction, Fraction]] | None:
        """The P- and Q-masses of a pair that was made from rationals; None for others."""
        return None


class IntervalReferenceValues(PairReferenceValues):
    """Of a loss on [-e, e] whose law under Q is that of -L under P: the formulas are those of levels between."""

    __slots__ = ()

    @property
    @abstractmethod
    def end(self) -> Fraction:
        """e, the largest loss."""

    def renyi(self, alpha: Exact) -> ReferenceValue:
        return self.value("entropy") if alpha == 1 else self.value("renyi", alpha=alpha)

    def hockey_stick(self, epsilon: Exact) -> ReferenceValue:
        if epsilon >= self.end:
            return ReferenceValue(Fraction(0))
        if epsilon <= -self.end:
            return ReferenceValue("1 - exp(eps)", {"eps": Fraction(epsilon)})
        return self.value("hockey_stick", eps=epsilon)

    def loss_cdf(self, x: Exact) -> ReferenceValue:
        inside = -self.end <= x < self.end
        return self.value("loss_cdf", level=x) if inside else ReferenceValue(Fraction(int(x > 0)))

    @property
    def above(self) -> Callable[[Exact], tuple[arb, arb]]:
        from filterproof.theory.theorems.formula import compile_formula

        e, parameters, cdf = self.end, self.at, compile_formula(str(self.formulas["loss_cdf"]))

        def at(x: Exact) -> tuple[arb, arb]:
            if not -e <= x < e:
                return (ball_of(int(x < e)),) * 2
            own = {name: ball_of(value) for name, value in parameters.items()}
            # Q(L > x) = P(L < -x), to which the formula is continuous at e as well
            return 1 - cdf(own | {"level": ball_of(x)}), cdf(own | {"level": ball_of(-x)})

        return at
