"""Comparisons of run-time numbers with theorems, decided at exactly the doubles that run.

>>> of = Comparisons("RDP filter", "ZCDPFilter(0.5)")
>>> [of.at_most("budget", value, "rho", rho=0.5).status.name for value in (0.5, 0.5000000005)]
['FITS', 'UNSOUND']
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, Literal, TypeAlias

from flint import arb, ctx, fmpq

from filterproof.theory.evidence import Evidence
from filterproof.theory.numerics.exact import to_fmpq
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs.reference_values import Exact, ReferenceValue, ball_of
from filterproof.theory.theorems.formula import Number, compile_formula

#: A parameter of a formula: a number, or a root as a function to a ball.
Parameter: TypeAlias = Exact | Callable[[], arb]
#: Zero or more exactly if x is on the safe side: a formula in x and the parameters, or a function of the ball x.
Margin: TypeAlias = str | Callable[[arb], arb]
#: Budgets are at most a value, charges at least a value, and approximations near a value.
BoundSide: TypeAlias = Literal["<=", ">=", "="]
#: The value by the theorem: a formula in the parameters, a fraction, a function to a ball, or a reference value.
TrueValue: TypeAlias = str | Exact | Callable[[], arb] | ReferenceValue

#: Bits of the balls, tried one after the other until the sign is known.
_PRECISIONS = (128, 512, 2048)
#: The same for functions to a ball, which may integrate.
_FUNCTION_PRECISIONS = (64, 128, 256)
#: The relative error that the docstrings of `theory` state.
CLOSE = 1e-12
#: The waste allowed for a few roundings to nearest, by default.
_FEW_ULPS = Fraction(1, 2**48)


class ComparisonStatus(Enum):
    """The result of comparing a run-time number with its theorem."""

    FITS = "on the safe side of the theorem's value, and at most as far from it as declared"
    UNSOUND = "on the wrong side of the theorem's value: the guarantee does not follow"
    LOOSE = "on the safe side, but further from the theorem's value than declared"
    OFF = "further from its true value than declared"
    UNDECIDED = "not distinguished from the theorem's value by ball arithmetic"


@dataclass(frozen=True)
class Comparison:
    """A run-time number x, its theorem, and the safe side of the theorem's value.

    `value` is the exact value of the double, None for NaN or infinity. `side` is "<=" for budgets, ">=" for charges,
    and "=" for an approximation with a declared error. `margin` at x is zero or more exactly if x is safe ("=": if x is
    at most the true value), and `at` has its parameters: numbers, and roots as functions to a ball. The margin must
    change its sign before x + slack |x| + least, to the other side for ">=" and to both sides for "=": the waste is
    declared beforehand. A slack of None declares nothing, if the theorem's own value is only a bound. `status`,
    `evidence` and `detail` are computed once.
    """

    theorem: str
    says: str
    value: Fraction | None
    side: BoundSide
    margin: Margin = field(compare=False)  # functions are equal only to themselves
    at: Mapping[str, Parameter]
    slack: Fraction | None
    least: Fraction = Fraction(0)

    def __getstate__(self) -> dict[str, Any]:
        """Drop functions: a pickled number keeps its results and is not compared again."""
        results = {name: getattr(self, name) for name in ("status", "evidence", "detail")}
        at = {name: "a function" if callable(value) else value for name, value in self.at.items()}
        margin = "a function" if callable(self.margin) else self.margin
        return vars(self) | results | {"margin": margin, "at": at}

    @property
    def fits(self) -> bool:
        """Whether it is on the safe side and wastes no more than declared."""
        return self.status is ComparisonStatus.FITS

    @cached_property
    def evidence(self) -> Evidence:
        """EXACT, in fractions, if the margin has no function in it; else CERTIFIED, in balls."""
        exact = self.value is None or (isinstance(self.margin, str) and not self.sign_and_bits(self.value)[1])
        return Evidence.EXACT if exact else Evidence.CERTIFIED

    @cached_property
    def detail(self) -> str:
        """The margin and its argument."""
        if self.value is None:
            return "it is not a finite number"
        margin = f"0 <= {self.margin}" if isinstance(self.margin, str) else "a ball"
        return f"{margin} at x = {float(self.value):.17g}"

    @cached_property
    def status(self) -> ComparisonStatus:
        """The result of the comparison."""
        if (value := self.value) is None:
            return ComparisonStatus.UNSOUND
        room = (self.slack or 0) * abs(value) + self.least
        up, down = value + room, value - room
        if self.side == "=":
            low, high = self.sign(down), self.sign(up)
            if low is None or high is None:
                return ComparisonStatus.UNDECIDED
            return ComparisonStatus.FITS if low >= 0 >= high else ComparisonStatus.OFF
        safe = self.sign(value)
        if safe is None:
            return ComparisonStatus.UNDECIDED
        if safe < 0:
            return ComparisonStatus.UNSOUND
        if self.slack is None:
            return ComparisonStatus.FITS
        beyond = self.sign(up if self.side == "<=" else down)
        if beyond is None:
            return ComparisonStatus.UNDECIDED
        # a margin of zero on both sides is flat and shows no end
        ends = beyond < 0 or (beyond == 0 == safe and not room)
        return ComparisonStatus.FITS if ends else ComparisonStatus.LOOSE

    def sign(self, x: Fraction) -> int | None:
        """Return the sign of the margin at x: -1, 0 or 1, or None if the balls do not show it."""
        return self.sign_and_bits(x)[0]

    def sign_and_bits(self, x: Fraction) -> tuple[int | None, int]:
        """Return the sign of the margin at x, and the bits of precision; 0 bits for fractions."""
        precision = 0
        for precision in _PRECISIONS if isinstance(self.margin, str) else _FUNCTION_PRECISIONS:
            with PRECISION_LOCK, ctx.workprec(precision):
                margin = self._margin_at(x)
                if margin > 0 or margin < 0 or margin == 0:
                    return bool(margin > 0) - bool(margin < 0), (0 if isinstance(margin, fmpq) else precision)
        return None, precision

    def _margin_at(self, x: Fraction) -> Number:
        if not isinstance(self.margin, str):
            return self.margin(ball_of(x))
        values = {name: value() if callable(value) else to_fmpq(value) for name, value in self.at.items()}
        return compile_formula(self.margin)(values | {"x": to_fmpq(x)})


def _exact_value(value: Exact) -> Fraction | None:
    """Return the exact value of a number, or None for NaN and the infinities."""
    if isinstance(value, (Fraction, int)):
        return Fraction(value)
    value = float(value)
    return Fraction(value) if math.isfinite(value) else None


@dataclass(frozen=True, slots=True)
class Comparisons:
    """The claims of a theorem about the numbers of one subject."""

    theorem: str
    subject: str = ""

    def of(self, subject: str) -> Comparisons:
        """Return the same theorem's claims about another subject."""
        return Comparisons(self.theorem, subject)

    def by_margin(
        self,
        says: str,
        value: Exact,
        side: BoundSide,
        margin: Margin,
        *,
        slack: Exact | None,
        least: Exact = 0,
        **at: Parameter,
    ) -> Comparison:
        """Return a number whose safe side is given by a margin, without a formula for the allowed value."""
        says = f"{self.subject}: {says}" if self.subject else says
        room = None if slack is None else Fraction(slack)
        parameters = {name: value if callable(value) else Fraction(value) for name, value in at.items()}
        return Comparison(
            self.theorem, says, _exact_value(value), side, margin, parameters, room, Fraction(least)
        )

    def _comparison(
        self,
        side: BoundSide,
        says: str,
        value: Exact,
        truth: TrueValue,
        *,
        slack: Exact | None = _FEW_ULPS,
        least: Exact = 0,
        **at: Parameter,
    ) -> Comparison:
        """Return the comparison of a number with `truth`: a formula, fraction, function to a ball, or reference."""
        if isinstance(truth, ReferenceValue):
            if truth.formula is None:
                return self.infinite(says, value)
            at, truth = dict(truth.at), truth.formula
        margin: Margin
        if callable(truth):
            margin = _margin_against(truth, side)
        else:
            if not isinstance(truth, str):
                at["truth"], truth = truth, "truth"
            margin = f"x - ({truth})" if side == ">=" else f"({truth}) - x"
        return self.by_margin(says, value, side, margin, slack=slack, least=least, **at)

    def at_most(self, says: str, value: Exact, truth: TrueValue, **rest: Any) -> Comparison:
        """A budget: safe if it is at most the truth."""
        return self._comparison("<=", says, value, truth, **rest)

    def at_least(self, says: str, value: Exact, truth: TrueValue, **rest: Any) -> Comparison:
        """A charge: safe if it is at least the truth."""
        return self._comparison(">=", says, value, truth, **rest)

    def near_truth(self, says: str, value: Exact, truth: TrueValue, **rest: Any) -> Comparison:
        """An approximation of the truth within slack |value| + least, on either side."""
        return self._comparison("=", says, value, truth, **rest)

    def equal(self, says: str, value: Exact, truth: TrueValue, **at: Any) -> Comparison:
        """A number that must equal the truth."""
        return self._comparison("=", says, value, truth, slack=0, **at)

    def infinite(self, says: str, value: Exact) -> Comparison:
        """A charge that must be infinite, because its true value is: represented by 1 if infinite, else by 0."""
        return self.at_least(f"{says} is infinite", int(value == math.inf), 1, slack=0)


def _margin_against(truth: Callable[[], arb], side: BoundSide) -> Callable[[arb], arb]:
    """Return the margin of a number against a true value, which is computed once for each precision."""
    at = cache(lambda precision: truth())
    return lambda x: x - at(ctx.prec) if side == ">=" else at(ctx.prec) - x
