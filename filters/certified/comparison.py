"""A running number: one that code computes with, and what a theorem says of it, decided at exactly that double.

>>> of = Comparisons("RDP filter", "ZCDPFilter(0.5)")
>>> [of.at_most("budget", value, "rho", rho=0.5).checked().found.name for value in (0.5, 0.5000000005)]
['FITS', 'UNSOUND']
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from functools import cache, reduce
from typing import Any, Literal, TypeAlias

from flint import arb, ctx

from filterproof.theory.evidence import Evidence
from filterproof.theory.numerics.precision import PRECISION_LOCK
from filterproof.theory.pairs.reference_values import Exact, ReferenceValue, ball_of
from filterproof.theory.theorems.formula import compile_formula, rational_value

#: Zero or more exactly where x is on the safe side: a formula in x and the parameters, or a function of the ball x.
Margin: TypeAlias = str | Callable[[arb], arb]
#: Budgets lie at most at a value, charges at least, and what stands for a value near it.
Side: TypeAlias = Literal["<=", ">=", "="]
#: What a theorem says a number must be: a formula in the parameters, a fraction, a function to a ball, or a true value.
Truth: TypeAlias = str | Exact | Callable[[], arb] | ReferenceValue

#: Bits of the balls, tried one after the other until the sign is known.
_PRECISIONS = (128, 512, 2048)
#: The same for functions to a ball, which may integrate.
_FUNCTION_PRECISIONS = (64, 128, 256)
#: The relative error that the docstrings of `theory` state.
CLOSE = 1e-12
#: What rounding to nearest a few times may give away where nothing else is declared.
_FEW_ULPS = Fraction(1, 2**48)


class ComparisonStatus(Enum):
    """What the comparison of a running number with its theorem found."""

    FITS = "on the safe side of the theorem's value, and no further from it than declared"
    UNSOUND = "on the wrong side of the theorem's value: what is promised does not follow"
    LOOSE = "on the safe side, and further from the theorem's value than declared"
    OFF = "further from the value that it stands for than declared"
    UNDECIDED = "not told apart from the theorem's value by balls"


@dataclass(frozen=True, slots=True)
class Least:
    """The least of several margins: formulas in x, in parameters and in `balls`, numbers that are roots.

    some: the largest of them, where one that is zero or more is enough.

    >>> with ctx.workprec(64):
    ...     print(Least(("1 - x", "log(4) - x"), {})(arb(0)))
    1.00000000000000000
    """

    texts: tuple[str, ...]
    at: Mapping[str, Fraction]
    balls: Mapping[str, Callable[[], arb]] = field(default_factory=dict)
    some: bool = False

    def __call__(self, x: arb) -> arb:
        values = {name: ball_of(one) for name, one in self.at.items()} | {"x": x}
        values |= {name: root() for name, root in self.balls.items()}
        margins = (compile_formula(text)(values) for text in self.texts)
        return reduce(arb.max if self.some else arb.min, margins)


#: The margin of a number that was sent or stored, where it was a function.
GONE = "a function"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A number x that code runs with, the theorem that it belongs to, and the side of the theorem's value that is safe.

    value: exactly what the double stands for, None for what is no finite number. side: "<=" for budgets, ">=" for
    charges, "=" for a number that stands for another to a declared error. `margin` at x is zero or more exactly where
    x is safe ("=": where x is at most the value that it stands for), and `at` names its parameters. The margin must
    change its sign before x + slack |x| + least, to the other side for ">=" and to both sides for "=": what is given
    away is declared beforehand. A slack of None declares nothing, where the theorem's own value is only a bound.
    """

    theorem: str
    says: str
    value: Fraction | None
    side: Side
    margin: Margin = field(compare=False)  # functions are equal only to themselves
    at: Mapping[str, Fraction]
    slack: Fraction | None
    least: Fraction = Fraction(0)

    def __reduce__(self) -> tuple[Any, ...]:
        """Functions stay behind: a number that is sent or stored is what it was, and is not compared again."""
        kept = self.margin if isinstance(self.margin, str) else GONE
        rest = self.at, self.slack, self.least
        return Comparison, (self.theorem, self.says, self.value, self.side, kept, *rest)

    def checked(self) -> ComparisonResult:
        """The comparison, in fractions where the margin has no function in it, else in balls."""
        if self.value is None:
            return ComparisonResult(self, ComparisonStatus.UNSOUND, Evidence.EXACT, "it is no finite number")
        room = (self.slack or 0) * abs(self.value) + self.least
        up, down = self.value + room, self.value - room
        if self.side == "=":
            low, high = self.sign(down), self.sign(up)
            if low is None or high is None:
                outcome = ComparisonStatus.UNDECIDED
            else:
                outcome = ComparisonStatus.FITS if low >= 0 >= high else ComparisonStatus.OFF
        else:
            safe = self.sign(self.value)
            if safe is None:
                outcome = ComparisonStatus.UNDECIDED
            elif safe < 0:
                outcome = ComparisonStatus.UNSOUND
            elif self.slack is None:
                outcome = ComparisonStatus.FITS
            else:
                beyond = self.sign(up if self.side == "<=" else down)
                # what is zero here and there, with room between, is flat, and tells no end
                within = beyond is not None and (beyond < 0 or (beyond == 0 == safe and not room))
                outcome = (
                    ComparisonStatus.UNDECIDED
                    if beyond is None
                    else ComparisonStatus.FITS
                    if within
                    else ComparisonStatus.LOOSE
                )
        exact = isinstance(self.margin, str) and rational_value(self.margin, self._at(self.value)) is not None
        return ComparisonResult(
            self, outcome, Evidence.EXACT if exact else Evidence.CERTIFIED, self._detail()
        )

    def sign(self, x: Fraction) -> int | None:
        """The sign of the margin at x: -1, 0 or 1; None where balls do not tell."""
        return self.sign_told(x)[0]

    def sign_told(self, x: Fraction) -> tuple[int | None, int]:
        """The sign of the margin at x, and how many bits of balls told it, 0 for fractions."""
        if isinstance(self.margin, str):
            exact = rational_value(self.margin, self._at(x))
            if exact is not None:
                return (exact > 0) - (exact < 0), 0
        precision = 0
        for precision in _PRECISIONS if isinstance(self.margin, str | Least) else _FUNCTION_PRECISIONS:
            with PRECISION_LOCK, ctx.workprec(precision):
                ball = self._ball(x)
                if ball > 0 or ball < 0 or ball == 0:
                    return bool(ball > 0) - bool(ball < 0), precision
        return None, precision

    def given_away(self) -> float:
        """How far x may move, relative to itself, before it is unsafe: from above, within a factor of 2; or inf."""
        if not self.value or self.side == "=" or self.margin == GONE:
            return math.inf
        turn = 1 if self.side == "<=" else -1
        low, high = -64, 8  # 2^low is too little, 2^high enough
        if self.sign(self.value * (1 + turn * Fraction(2) ** low)) == -1:
            return 2.0**low
        if turn < 0:
            high = 0
        if self.sign(self.value * (1 + turn * Fraction(2) ** high)) != -1:
            return math.inf
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (
                (low, middle)
                if self.sign(self.value * (1 + turn * Fraction(2) ** middle)) == -1
                else (middle, high)
            )
        return 2.0**high

    def _at(self, x: Fraction) -> dict[str, Fraction]:
        return {**self.at, "x": x}

    def _ball(self, x: Fraction) -> arb:
        margin = self.margin if callable(self.margin) else Least((self.margin,), self.at)
        return margin(ball_of(x))

    def _detail(self) -> str:
        assert self.value is not None
        if isinstance(self.margin, str):
            return f"0 <= {self.margin} at x = {float(self.value):.17g}"
        return f"a ball at x = {float(self.value):.17g}"


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """A running number after its comparison."""

    number: Comparison
    found: ComparisonStatus
    evidence: Evidence
    detail: str

    @property
    def fits(self) -> bool:
        """Whether it is on the safe side and gives no more away than declared."""
        return self.found is ComparisonStatus.FITS


def _exactly(value: Exact) -> Fraction | None:
    """What a number stands for; None for NaN and the infinities."""
    if isinstance(value, (Fraction, int)):
        return Fraction(value)
    value = float(value)
    return Fraction(value) if math.isfinite(value) else None


@dataclass(frozen=True, slots=True)
class Comparisons:
    """What a theorem says of the numbers of one subject: what each is, its value, and what it must be."""

    theorem: str
    subject: str = ""

    def of(self, subject: str) -> Comparisons:
        """The same theorem's claims of another subject."""
        return Comparisons(self.theorem, subject)

    def by_margin(
        self,
        says: str,
        value: Exact,
        side: Side,
        margin: Margin,
        *,
        slack: Exact | None,
        least: Exact = 0,
        **at: Exact,
    ) -> Comparison:
        """A number whose safe side a margin tells, where no formula says what is allowed."""
        says = f"{self.subject}: {says}" if self.subject else says
        room = None if slack is None else Fraction(slack)
        parameters = {name: Fraction(number) for name, number in at.items()}
        return Comparison(
            self.theorem, says, _exactly(value), side, margin, parameters, room, Fraction(least)
        )

    def _compared(
        self,
        side: Side,
        says: str,
        value: Exact,
        truth: Truth,
        *,
        slack: Exact | None = _FEW_ULPS,
        least: Exact = 0,
        **at: Exact,
    ) -> Comparison:
        """A number beside `truth`: a formula of the parameters, a fraction, a function to a ball, or a true value."""
        if isinstance(truth, ReferenceValue):
            if truth.formula is None:
                return self.infinite(says, value)
            at, truth = dict(truth.at), truth.formula
        margin: Margin
        if callable(truth):
            margin = _against(truth, side)
        else:
            if not isinstance(truth, str):
                at["truth"], truth = truth, "truth"
            margin = f"x - ({truth})" if side == ">=" else f"({truth}) - x"
        return self.by_margin(says, value, side, margin, slack=slack, least=least, **at)

    def at_most(self, says: str, value: Exact, truth: Truth, **rest: Any) -> Comparison:
        """A budget: safe where it is at most the truth."""
        return self._compared("<=", says, value, truth, **rest)

    def at_least(self, says: str, value: Exact, truth: Truth, **rest: Any) -> Comparison:
        """A charge: safe where it is at least the truth."""
        return self._compared(">=", says, value, truth, **rest)

    def near(self, says: str, value: Exact, truth: Truth, **rest: Any) -> Comparison:
        """A number that stands for the truth within slack |value| + least, on either side."""
        return self._compared("=", says, value, truth, **rest)

    def equal(self, says: str, value: Exact, truth: Truth, **at: Exact) -> Comparison:
        """A number that is the truth."""
        return self._compared("=", says, value, truth, slack=0, **at)

    def infinite(self, says: str, value: Exact) -> Comparison:
        """A charge that must be infinite, because what it bounds is: counted as 1 where it is, else as 0."""
        return self.at_least(f"{says} is infinite", int(value == math.inf), 1, slack=0)


def _against(truth: Callable[[], arb], side: Side) -> Callable[[arb], arb]:
    """The margin of a number against a true value, which is computed once for each precision."""
    at = cache(lambda precision: truth())
    return lambda x: x - at(ctx.prec) if side == ">=" else at(ctx.prec) - x
