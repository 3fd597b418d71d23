"""Paths through traced code: each decision about numbers that are not known is taken every way.

A `Path` holds the atoms that its numbers are made of, the inequalities that its decisions assumed and the choices that
it made. `explore` runs a function once for each sequence of decisions.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from filterproof.filters.contract.work import count_work
from filterproof.mc.prove.certificate_checker import Inequality
from filterproof.mc.prove.monotone_functions import MISSED, UNRESOLVED, bound_on_single_double
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.relative_error import relative_error_bounds

#: A number that is no rational.
Special: TypeAlias = float
Value: TypeAlias = Polynomial | Special
#: The file and the position of a statement or a condition, and the condition's answer.
Visit: TypeAlias = tuple[str, tuple[int, ...], bool | None]

OVERFLOW = Fraction(2) ** 1024 - Fraction(2) ** 970  # what is at least this rounds to infinity
#: By how many halves of a unit in the last place a function of a library may miss.
LIBRARY_UNITS = 16
MAX_DOUBLE = Fraction(sys.float_info.max)
#: The name of a path's choice: whether it asked whether something holds for any run, or for all.
MIXES_RUNS = "mixes runs"
#: Steps of code and paths after which a trace gives up.
MAX_STATEMENTS, MAX_PATHS = 20_000, 6_000
#: Units of work that a statement takes.
UNITS = 20

#: Rules that give the whole number next to a number.
WHOLE: dict[str, Callable[[Fraction], int]] = {
    "ceil": math.ceil, "floor": math.floor, "rint": round, "trunc": math.trunc,
}  # fmt: skip

AtomKind: TypeAlias = Literal[
    "place", "declared", "parameter", "charge", "ledger", "loss", "runs", "grants", "ghost", "truth", "rounded",
    "ceil", "floor", "rint", "trunc", "quotient", "sqrt", "wrapped", "unknown", "largest", "function", "log",
]  # fmt: skip


class NotTraced(Exception):  # noqa: N818 - it ends a trace, and is no fault of the code
    """The code does something for which the prover has no rule: no proof, with the line and the reason."""

    def __init__(self, reason: str, line: int | None = None, file: str = "") -> None:
        super().__init__(reason)
        self.reason, self.line, self.file = reason, line, file


class Raised(Exception):  # noqa: N818
    """The traced code raises an exception, so that nothing is released."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A number of unknown value: its kind, the numbers it is computed from, and its bounds."""

    kind: AtomKind
    name: str
    of: tuple[Polynomial, ...] = ()
    is_integer: bool = False
    low: Fraction | None = None
    high: Fraction | None = None
    of_sum: bool = False
    #: Units in the last place by which it may miss what it rounds; 0 of what is no double.
    units: int = 1
    #: The function of the library that computes it.
    compute: Callable[..., Fraction | None] | None = field(default=None, compare=False)
    #: Bounds in terms of the quotients that it is computed from.
    relative: tuple[Inequality, ...] = field(default=(), compare=False)

    @property
    def is_of_library(self) -> bool:
        """Whether a function of a library computes it, whose doubles differ between libraries."""
        return self.kind == "function" or self.units == LIBRARY_UNITS


@dataclass(slots=True)
class Path:
    """One path through the traced code: its decisions, its atoms and its assumed inequalities."""

    prefix: tuple[Any, ...]
    atoms: list[Atom]
    #: Whether inequalities of a path can hold together; says True where it does not know.
    feasible: Callable[[Path, Inequality], bool]
    assumed: list[Inequality] = field(default_factory=list)
    choices: dict[str, Any] = field(default_factory=dict)
    trail: list[Any] = field(default_factory=list)
    branches: list[tuple[Any, ...]] = field(default_factory=list)
    statements: int = 0
    #: The file of the filter's class, and where the trace is.
    home: str = ""
    file: str = ""
    line: int = 0
    #: The line and column of the condition, or of the call, that is computed.
    position: tuple[int, ...] = (0,)
    #: Whether a number of NumPy would have behaved otherwise than one of Python.
    differs: bool = False
    #: What ran, as (file, position, answer): statements (None), and conditions by their answer.
    visited: set[Visit] = field(default_factory=set)
    decided_at: list[int] = field(default_factory=list)
    _known: dict[tuple[Any, ...], int] = field(default_factory=dict)
    _decided: dict[Inequality, bool] = field(default_factory=dict)

    # -- atoms -------------------------------------------------------------------------------------

    def intern_atom(self, atom: Atom) -> Polynomial:
        """Return the polynomial of an atom, which is the same one for equal atoms."""
        key = (atom.kind, atom.name, atom.of)
        if key in self._known and atom.kind != "unknown":
            return Polynomial.atom(self._known[key])
        number = self._known[key] = len(self.atoms)
        self.atoms.append(atom)
        if atom.kind in ("rounded", "quotient"):
            self.atoms[number] = replace(atom, relative=relative_error_bounds(self, number))
        return Polynomial.atom(number)

    def index_atoms(self) -> None:
        """Rebuild the lookup from an atom's (kind, name, parts) to its number."""
        self._known = {(a.kind, a.name, a.of): i for i, a in enumerate(self.atoms)}

    def copied(self) -> Path:
        """The same numbers and decisions, to which facts may be added."""
        copy = Path((), list(self.atoms), self.feasible, list(self.assumed), dict(self.choices))
        copy.index_atoms()
        return copy

    def is_whole(self, value: Polynomial) -> bool:
        return all(c.denominator == 1 for c in value.terms.values()) and all(
            self.atoms[n].is_integer for n in value.atoms
        )

    def range(self, value: Polynomial) -> tuple[Fraction | None, Fraction | None]:
        """Bounds of a polynomial by the bounds of its atoms; None where there is none."""
        return interval(value, lambda n: (self.atoms[n].low, self.atoms[n].high))

    def rounded(
        self,
        exact: Polynomial,
        *,
        of_sum: bool,
        units: int = 1,
        of: tuple[Polynomial, ...] = (),
        compute: Callable[..., Fraction | None] | None = None,
    ) -> Value:
        """Return the double nearest to an exact value, or infinity if it overflows.

        With `units` above 1 it is a double as near as so many halves of a unit in the last place, as `compute` gives it
        from `exact` and the numbers `of`.
        """
        if (number := exact.value) is not None:
            nearest = _nearest(number)
            return exact if nearest == exact else nearest
        if self._is_double(exact) and compute is None:
            return exact
        low, high = self.range(exact)
        if (high is None or high >= OVERFLOW) and self.at_least(exact, OVERFLOW):
            return math.inf
        if (low is None or low <= -OVERFLOW) and self.at_least(-exact, OVERFLOW):
            return -math.inf
        bound = [None if end is None else _nearest_or_largest_double(end) for end in (low, high)]
        if units > 1:  # also below the normal range
            room = [abs(e) * units / 2**51 + UNRESOLVED if e else Fraction(0) for e in bound]
            bound = [e and e + sign * more for e, sign, more in zip(bound, (-1, 1), room, strict=True)]
        name, is_whole = f"within {units}" if units > 1 else "", self.is_whole(exact) and compute is None
        return self.intern_atom(
            Atom("rounded", name, (exact, *of), is_whole, bound[0], bound[1], of_sum, units, compute=compute)
        )

    def depends_on_request_alone(self, value: Polynomial) -> bool:
        """Whether a number depends on nothing but what the request declares."""
        of_request = ("declared", "parameter", "charge")
        atoms = [self.atoms[n] for n in value.atoms]
        return all(
            a.kind in of_request or (a.of and all(map(self.depends_on_request_alone, a.of))) for a in atoms
        )

    def largest(self, x: Polynomial, y: Polynomial) -> Polynomial:
        """The larger number, without a decision which it is."""
        (low, high), (other_low, other_high) = self.range(x), self.range(y)
        lows = [end for end in (low, other_low) if end is not None]
        ends = max(lows, default=None), None if high is None or other_high is None else max(high, other_high)
        is_double = all(
            self._is_double(number) or _nearest(number.value or Fraction(0)) == number for number in (x, y)
        )
        is_whole = self.is_whole(x) and self.is_whole(y)
        return self.intern_atom(
            Atom("largest", "", (x, y), is_whole, *ends, units=int(is_double), compute=max)
        )

    def _is_double(self, exact: Polynomial) -> bool:
        """Whether the number is a double already: one atom that is a double, its negative, or small and whole."""
        if len(exact.terms) == 1:
            ((key, coefficient),) = exact.terms.items()
            power = coefficient.denominator == 1 and abs(coefficient.numerator).bit_count() == 1
            ends = self.range(exact)
            small = abs(coefficient) == 1 or all(e is not None and abs(e) < OVERFLOW for e in ends)
            if len(key) == 1 and power and small and not self.may_not_be_double(key[0]):
                return True
        low, high = self.range(exact)
        small = low is not None and high is not None and low >= -(2**53) and high <= 2**53
        return small and self.is_whole(exact)

    def may_not_be_double(self, number: int) -> bool:
        """Whether an atom may have a value that no double has."""
        atom = self.atoms[number]
        if atom.kind in ("quotient", "sqrt") or not atom.units:
            return True
        if atom.is_integer and atom.kind != "rounded":
            return atom.high is None or atom.low is None or max(-atom.low, atom.high) > 2**53
        return False

    # -- decisions ---------------------------------------------------------------------------------

    def choose(self, name: str, options: Sequence[Any]) -> Any:
        """Return one of the options, each on a path of its own; the same one again for the same name."""
        if name in self.choices:
            return self.choices[name]
        self.choices[name] = self._branch(list(options))
        return self.choices[name]

    def at_least(self, value: Polynomial, bound: Fraction | int = 0) -> bool:
        """Whether value >= bound, taken both ways where nothing says which."""
        return self._decide(value - bound, strict=False)

    def above(self, value: Polynomial, bound: Fraction | int = 0) -> bool:
        """Whether value > bound."""
        return self._decide(value - bound, strict=True)

    def _decide(self, value: Polynomial, *, strict: bool) -> bool:
        """Whether value > 0 (or >= 0) holds on this path; both ways are taken if nothing says which."""
        if (number := value.value) is not None:
            return number > 0 if strict else number >= 0
        low, high = self.range(value)
        if low is not None and (low > 0 or (low == 0 and not strict)):
            return True
        if high is not None and (high < 0 or (high == 0 and strict)):
            return False
        yes, no = (value, strict), (-value, not strict)
        if yes in self._decided:
            return self._decided[yes]
        is_replayed = len(self.trail) < len(self.prefix)
        options = [o for o, fact in ((True, yes), (False, no)) if is_replayed or self.feasible(self, fact)]
        if not options:
            raise Raised  # this path cannot be
        answer: bool = self._branch(options)
        taken = yes if answer else no
        self.assume(*taken)
        self._decided[yes], self._decided[no] = answer, not answer
        if (more := bound_on_single_double(self, taken[0], strict=taken[1], compute=_computed)) is not None:
            self.assume(*more)
        return answer

    def assume(self, value: Polynomial, strict: bool) -> None:
        """Add an inequality; one between whole numbers is tightened."""
        if strict and self.is_whole(value):
            value, strict = value - 1, False
        self.assumed.append((value, strict))
        self.decided_at.append(self.line if self.file == self.home else 0)

    def _branch(self, options: list[Any]) -> Any:
        """Return the option of this path, and note the others for later paths."""
        place = len(self.trail)
        if place < len(self.prefix):
            self.trail.append(self.prefix[place])
        else:
            self.branches += [(*self.trail, other) for other in options[1:]]
            self.trail.append(options[0])
        return self.trail[-1]

    def tick(self, line: int) -> None:
        """Count a statement; endless loops end in no proof."""
        count_work(UNITS)
        self.line, self.position = line, (line,)
        self.visit(None)
        self.statements += 1
        if self.statements > MAX_STATEMENTS:
            raise NotTraced("the code takes too many steps", line)

    def visit(self, answer: bool | None) -> bool | None:
        """Note that the statement at this position runs, or that a condition has an answer, which is returned."""
        self.visited.add((self.file, self.position, answer))
        return answer

    # -- numbers -----------------------------------------------------------------------------------

    def evaluate_atoms(self, given: Mapping[tuple[str, str], Fraction]) -> dict[int, Fraction] | None:
        """Return each atom's value by its number, from the given atoms' values; None if one is unknown."""
        values: dict[int, Fraction] = {}
        for number, atom in enumerate(self.atoms):
            if (atom.kind, atom.name) in given:
                values[number] = given[atom.kind, atom.name]
                continue
            result = None
            if atom.of and all(n in values for p in atom.of for n in p.atoms):
                result = _computed(atom, [p.at(values) for p in atom.of])
            if result is None:
                return None
            values[number] = result
        return values

    def holds(self, values: Mapping[int, Fraction]) -> bool:
        """Whether the path's inequalities hold at a point."""
        numbers = ((polynomial.at(values), strict) for polynomial, strict in self.assumed)
        return all(number > 0 or (number == 0 and not strict) for number, strict in numbers)


def atom_facts(v: Polynomial, atom: Atom) -> list[Inequality]:
    """Return inequalities that hold by the definition of an atom."""
    facts: list[Inequality] = []
    if atom.low is not None:
        facts.append((v - atom.low, False))
    if atom.high is not None:
        facts.append((-v + atom.high, False))
    if atom.kind == "ceil":
        facts += [(v - atom.of[0], False), (atom.of[0] + 1 - v, True)]
    elif atom.kind == "floor":
        facts += [(atom.of[0] - v, False), (v + 1 - atom.of[0], True)]
    elif atom.kind == "rint":
        facts += [(v - atom.of[0] + Fraction(1, 2), False), (atom.of[0] - v + Fraction(1, 2), False)]
    elif atom.kind == "function":
        name, x, least = atom.name.partition(".")[2], atom.of[0], atom.low is not None and atom.low >= 0
        if name == "exp" or (name == "expm1" and least):
            facts.append((v - (x + (name == "exp")) * (1 - MISSED) + UNRESOLVED, False))
        elif name in ("log1p", "tanh") and least:
            facts.append((x * (1 + MISSED) + UNRESOLVED - v, False))
    elif atom.kind == "largest":
        facts += [(v - part, False) for part in atom.of]
    elif atom.kind in ("quotient", "sqrt"):
        gap = (v * atom.of[1] if atom.kind == "quotient" else v * v) - atom.of[0]
        facts += [(gap, False), (-gap, False)]
    return [*facts, *atom.relative]


Ends: TypeAlias = tuple[Fraction | None, Fraction | None]


def interval(value: Polynomial, bounds: Callable[[int], Ends]) -> Ends:
    """The range of a polynomial, each monomial by itself."""
    low: Fraction | None = Fraction(0)
    high: Fraction | None = Fraction(0)
    for key, coefficient in value.terms.items():
        part: Ends = (coefficient, coefficient)
        for number in sorted(set(key)):
            power = ends = bounds(number)
            for _ in range(key.count(number) - 1):
                power = _times(power, ends)
            if key.count(number) % 2 == 0 and (power[0] is None or power[0] < 0):
                power = (Fraction(0), power[1])
            part = _times(part, power)
        low = None if low is None or part[0] is None else low + part[0]
        high = None if high is None or part[1] is None else high + part[1]
    return low, high


def _times(left: Ends, right: Ends) -> Ends:
    """The range of a product; None where an end is not known."""
    if right[0] is not None and right[0] == right[1]:
        left, right = right, left
    if left[0] is not None and left[0] == left[1]:  # by a number
        low, high = (None if end is None else end * left[0] for end in right)
        return (Fraction(0), Fraction(0)) if not left[0] else (low, high) if left[0] > 0 else (high, low)
    if left[0] is not None and right[0] is not None and left[0] >= 0 and right[0] >= 0:
        return left[0] * right[0], None if left[1] is None or right[1] is None else left[1] * right[1]
    if None in left or None in right:
        return None, None
    products = [a * b for a in left for b in right if a is not None and b is not None]
    return min(products), max(products)


def explore(
    atoms: Sequence[Atom], run: Callable[[Path], Any], feasible: Callable[[Path, Inequality], bool]
) -> Iterator[tuple[Path, Any]]:
    """Yield each path of `run` and what it returns, or Raised if it raises.

    Raises NotTraced where a path does what has no rule, or where there are too many paths.
    """
    waiting: list[tuple[Any, ...]] = [()]
    taken = 0
    while waiting:
        path = Path(waiting.pop(), list(atoms), feasible)
        path.index_atoms()
        taken += 1
        if taken > MAX_PATHS:
            raise NotTraced(f"the code has more than {MAX_PATHS} paths", path.line or None)
        try:
            result = run(path)
        except Raised:
            result = Raised
        except NotTraced as error:
            error.line, error.file = error.line or path.line or None, error.file or path.file
            raise
        waiting += path.branches
        yield path, result


def _nearest(number: Fraction) -> Value:
    try:
        return Polynomial.constant(Fraction(float(number)))
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _nearest_or_largest_double(number: Fraction) -> Fraction:
    """Return the double nearest to a number, or +-the largest double if it overflows."""
    try:
        return Fraction(float(number))
    except OverflowError:
        return MAX_DOUBLE if number > 0 else -MAX_DOUBLE


def _computed(atom: Atom, of: list[Fraction]) -> Fraction | None:
    """Return an atom's value from the values of its parts; None if it is no function of them."""
    if atom.compute is not None:
        return atom.compute(*of)
    if atom.kind == "rounded":
        try:
            return Fraction(float(of[0]) if atom.units == 1 else _double_root_or_nan(of[0]) ** 2)
        except OverflowError:
            return None
    if atom.kind == "wrapped" and atom.low is not None and atom.high is not None:
        return (of[0] - atom.low) % (atom.high - atom.low + 1) + atom.low
    if atom.kind in WHOLE:
        return Fraction(WHOLE[atom.kind](of[0]))
    if atom.kind == "quotient":
        return of[0] / of[1] if of[1] else None
    if atom.kind == "sqrt":
        return _accurate_square_root(of[0])
    return None


def _double_root_or_nan(square: Fraction) -> float:
    """Return the square root of a number as a double; NaN if it has none."""
    root = _accurate_square_root(square)
    return float(root) if root is not None else math.nan


def _accurate_square_root(value: Fraction) -> Fraction | None:
    """Return a square root with so many digits that rounding it gives the nearest double."""
    if value < 0:
        return None
    scale = 2**200 if value > Fraction(1, 2**600) else 2**1200
    return Fraction(math.isqrt(value.numerator * scale * scale // value.denominator), scale)
