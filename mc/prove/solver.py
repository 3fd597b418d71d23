"""Linear reasoning by z3, which is not trusted: what it finds impossible counts once a derivation of it is checked.

Products of atoms are atoms of their own here, with facts that follow from the signs of their factors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from filterproof.mc.prove.certificate import (
    TINY,
    Derivation,
    Given,
    Inequality,
    Line,
    Product,
    Reason,
    RoundedComparison,
    RoundedOrder,
    Rounding,
    RoundingError,
    Sum,
    check,
)
from filterproof.mc.prove.paths import Path, atom_facts
from filterproof.mc.prove.polynomials import ONE, Monomial, Polynomial

#: Steps of z3 for one question; more are not tried, on every machine alike.
EFFORT = 20_000_000


def z3_module() -> Any:
    """z3, or ImportError with what to install."""
    try:
        import z3  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        raise ImportError("proofs need z3: pip install 'filterproof[prove]'") from None
    return z3


@dataclass
class Premises:
    """Inequalities of a path and what follows from them, line by line, with a solver that knows all of them."""

    #: Whether the sign of what is rounded is asked of the solver where it is not plain.
    thorough: bool = False
    #: Whether rounding is left out: what follows is true of real numbers, and proves nothing of doubles.
    exact: bool = False
    given: list[Inequality] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    roundings: dict[int, Rounding] = field(default_factory=dict)
    certificates: int = 0
    _atoms: int = 0
    _assumed: int = 0
    #: Atoms that are doubles.
    doubles: set[int] = field(default_factory=set)
    _signs: dict[Monomial, int] = field(default_factory=dict)
    _nonneg_atoms: dict[int, int] = field(default_factory=dict)
    _factors: list[tuple[int, int]] = field(default_factory=list)
    _variables: dict[Monomial, Any] = field(default_factory=dict)
    _encoded: dict[tuple[Polynomial, bool | None], Any] = field(default_factory=dict)

    @cached_property
    def solver(self) -> Any:
        solver = z3_module().SolverFor("QF_LRA")
        solver.set("rlimit", EFFORT)
        return solver

    # -- lines -------------------------------------------------------------------------------------------

    def follow(self, path: Path) -> None:
        """Add what a path has got since the last time: atoms, and inequalities that it assumed."""
        new = list(enumerate(path.atoms))[self._atoms :]
        self._atoms = len(path.atoms)
        for number, atom in new:
            v = Polynomial.atom(number)
            if atom.kind in ("declared", "parameter", "loss", "rounded") or (
                atom.kind == "place" and not atom.whole and atom.units
            ):
                self.doubles.add(number)
            for place, (polynomial, strict) in enumerate(atom_facts(v, atom)):
                line = self.assume(polynomial, strict)
                if place == 0 and atom.low is not None and atom.low >= 0:
                    self._nonneg_atoms[number] = line if atom.low == 0 else self._sum({line: Fraction(1)}, v)
        for polynomial, strict in path.assumed[self._assumed :]:
            self.assume(polynomial, strict)
        self._assumed = len(path.assumed)
        for number, atom in new:
            if atom.kind == "rounded":
                self.roundings[number] = Rounding(atom.of[0], atom.of_sum, atom.units)
                self._round(number)

    def assume(self, polynomial: Polynomial, strict: bool) -> int:
        """The index of a line with a given inequality."""
        self.given.append((polynomial, strict))
        index = self.add(polynomial, strict, Given(len(self.given) - 1))
        self._multiply(index)
        return index

    def add(self, polynomial: Polynomial, strict: bool, reason: Reason) -> int:
        index = len(self.lines)
        self.lines.append(Line(polynomial, strict, reason))
        self.solver.add(self.encode(polynomial, strict))  # which may add lines about products
        return index

    def _sum(self, multiples: Mapping[int, Fraction], polynomial: Polynomial) -> int:
        return self.add(polynomial, False, Sum(dict(multiples)))

    def nonneg(self, key: Monomial) -> int | None:
        """The line that says that a product of atoms is at least 0, where their signs say so."""
        if key not in self._signs:
            line: int | None = None
            if key == ONE:
                line = self._sum({}, Polynomial.constant(1))
            elif all(n in self._nonneg_atoms for n in key):
                line = self._nonneg_atoms[key[0]]
                for n in key[1:]:
                    other = self._nonneg_atoms[n]
                    polynomial = self.lines[line].polynomial * self.lines[other].polynomial
                    line = self.add(polynomial, False, Product(line, other))
            if line is None:  # what is not known yet may be known later
                return None
            self._signs[key] = line
        return self._signs[key]

    def _multiply(self, index: int) -> None:
        """Products of a linear line with atoms that occur in products, where they bring no other product."""
        for number, other in list(self._factors):
            self._product(number, other, index)

    def factor(self, number: int) -> None:
        """Multiply every linear line by an atom that is at least 0."""
        line = self._nonneg_atoms.get(number)
        if line is None or (number, line) in self._factors:
            return
        self._factors.append((number, line))
        for index in range(len(self.lines)):
            if isinstance(self.lines[index].reason, Given):
                self._product(number, line, index)

    def _product(self, number: int, line: int, index: int) -> None:
        polynomial = self.lines[index].polynomial
        if any(len(key) > 1 for key in polynomial.terms):
            return
        product = polynomial * Polynomial.atom(number)
        if all(len(key) < 2 or key in self._variables for key in product.terms):
            self.add(self.lines[line].polynomial * polynomial, False, Product(line, index))

    def _round(self, number: int) -> None:
        """Bounds of the rounding of an atom."""
        exact = self.roundings[number].exact
        if self.exact:
            change = Polynomial.atom(number) - exact
            self.assume(change, False)
            self.assume(-change, False)
            return
        signs = {key: self.nonneg(key) for key in exact.terms}
        plain = all(line is not None for line in signs.values())
        positive = {k: c for k, c in exact.terms.items() if c > 0}
        negative = {k: -c for k, c in exact.terms.items() if c < 0}
        if plain and not negative:
            self._signed(number, self._combine(signs, positive, exact), 1)
        elif plain and not positive:
            self._signed(number, self._combine(signs, negative, -exact), -1)
        elif self.thorough and (line := self.derive_line(exact)) is not None:
            self._signed(number, line, 1)
        elif self.thorough and (line := self.derive_line(-exact)) is not None:
            self._signed(number, line, -1)
        elif plain:
            size = Polynomial(positive) + Polynomial(negative)
            low = self._combine(signs, {k: 2 * c for k, c in positive.items()}, size + exact)
            high = self._combine(signs, {k: 2 * c for k, c in negative.items()}, size - exact)
            self._errors(number, size, low, high)
        if self.roundings[number].units == 1:
            self._order(number)

    def _order(self, number: int) -> None:
        """v >= y or v <= y, where v is y + X rounded, y is a double and X has a sign."""
        exact = self.roundings[number].exact
        for key in list(exact.terms):
            if len(key) != 1 or key[0] not in self.doubles:
                continue
            rest = exact - Polynomial.atom(key[0])
            signs = {k: self.nonneg(k) for k in rest.terms}
            if not rest.terms or None in signs.values() or len({c > 0 for c in rest.terms.values()}) > 1:
                continue
            sign = 1 if next(iter(rest.terms.values())) > 0 else -1
            line = self._combine(signs, {k: abs(c) for k, c in rest.terms.items()}, rest * sign)
            order = (Polynomial.atom(number) - Polynomial.atom(key[0])) * sign
            self.add(order, False, RoundedOrder(number, key[0], line, sign))

    def _combine(
        self, signs: Mapping[Monomial, int | None], terms: Mapping[Monomial, Fraction], polynomial: Polynomial
    ) -> int:
        multiples = {line: terms[key] for key, line in signs.items() if key in terms and line is not None}
        return self._sum(multiples, polynomial)

    def _signed(self, number: int, line: int, sign: int) -> None:
        """Bounds of a rounding whose exact value has a known sign: the result has it too."""
        exact = self.roundings[number].exact
        size = exact * sign
        twice = self._sum({line: Fraction(2)}, size * 2)
        none = self._sum({}, Polynomial({}))
        low, high = (twice, none) if sign > 0 else (none, twice)
        self._errors(number, size, low, high)
        at_least = self.add(Polynomial.atom(number) * sign, False, RoundedComparison(number, 0.0, line, sign))
        if sign > 0:
            self._nonneg_atoms.setdefault(number, at_least)

    def _errors(self, number: int, size: Polynomial, low: int, high: int) -> None:
        rounding = self.roundings[number]
        tiny = Fraction(0) if rounding.of_sum else TINY
        for sign in (1, -1):
            change = (Polynomial.atom(number) - rounding.exact) * sign
            bound = size * Fraction(rounding.units, 2**53) + tiny - change
            self.add(bound, False, RoundingError(number, size, low, high, sign))

    # -- questions -----------------------------------------------------------------------------------------

    def encode(self, polynomial: Polynomial, strict: bool | None) -> Any:
        """An inequality (or with None the sum alone) for z3."""
        if (known := self._encoded.get((polynomial, strict))) is not None:
            return known
        z3 = z3_module()
        parts = [z3.RealVal(0)]
        for key, coefficient in polynomial.terms.items():
            number = z3.Q(coefficient.numerator, coefficient.denominator)
            parts.append(number if key == ONE else number * self.variable(key))
        total = z3.Sum(parts)
        if strict is not None:
            total = total > 0 if strict else total >= 0
        self._encoded[polynomial, strict] = total
        return total

    def variable(self, key: Monomial) -> Any:
        if key not in self._variables:
            self._variables[key] = z3_module().Real("*".join(map(str, key)))
            if len(key) > 1:
                self.nonneg(key)
                for number in set(key):
                    self.factor(number)
        return self._variables[key]

    def possible(self, facts: Iterable[Inequality]) -> bool:
        """Whether the lines and more facts can hold together; True where the solver does not know."""
        z3 = z3_module()
        encoded = [self.encode(*fact) for fact in facts]
        self.solver.push()
        self.solver.add(*encoded)
        answer = self.solver.check()
        self.solver.pop()
        return bool(answer != z3.unsat)

    def derive_line(self, goal: Polynomial) -> int | None:
        """The index of a line goal >= 0 that follows from the others; None where none was found."""
        if self.possible([(-goal, True)]):
            return None
        multiples = farkas(self.lines, goal, self)
        return None if multiples is None else self._sum(multiples, goal)

    def derive(self, goal: Polynomial | None, more: Sequence[Inequality] = ()) -> Derivation | None:
        """A checked derivation of goal >= 0 (None: of what is impossible) from the lines and more given facts."""
        for polynomial in (p for p in (goal, *(p for p, _ in more)) if p is not None):
            self.encode(polynomial, None)  # products of atoms bring lines of their own
        lines, given = list(self.lines), list(self.given)
        for polynomial, strict in more:
            given.append((polynomial, strict))
            lines.append(Line(polynomial, strict, Given(len(given) - 1)))
        multiples = farkas(lines, goal, self)
        if multiples is None:
            return None
        total = Polynomial({})
        for index, multiple in multiples.items():
            total = total + lines[index].polynomial * multiple
        strict = any(lines[index].strict for index in multiples)
        value = total.value
        impossible = value is not None and (value < 0 or (value == 0 and strict))
        last = total if impossible or goal is None else goal
        used = _needed(lines, multiples)
        where = {old: new for new, old in enumerate(used)}
        kept = [
            Line(lines[old].polynomial, lines[old].strict, _moved(lines[old].reason, where)) for old in used
        ]
        final = {where[index]: multiple for index, multiple in multiples.items()}
        kept.append(Line(last, strict and impossible, Sum(final)))
        proof = Derivation(tuple(kept))
        if not check(proof, given, self.roundings, goal, self.doubles):
            return None
        self.certificates += 1
        return proof


def farkas(lines: Sequence[Line], goal: Polynomial | None, names: Premises) -> dict[int, Fraction] | None:
    """Multiples of lines whose sum is the goal less a constant from 0 up, or impossible; None where none is found."""
    z3 = z3_module()
    solver = z3.SolverFor("QF_LRA")
    solver.set("rlimit", EFFORT)
    solver.set("unsat_core", True)
    for index, line in enumerate(lines):
        solver.assert_and_track(names.encode(line.polynomial, line.strict), f"h{index}")
    if goal is not None:
        solver.add(names.encode(-goal, True))
    if solver.check() != z3.unsat:
        return None
    core = sorted(int(str(name)[1:]) for name in solver.unsat_core())
    multipliers = {index: z3.Real(f"m{index}") for index in core}
    scale, slack = z3.Real("scale"), z3.Real("slack")
    rows: dict[Monomial, list[Any]] = {ONE: []}
    for index in core:
        for key, coefficient in lines[index].polynomial.terms.items():
            number = z3.Q(coefficient.numerator, coefficient.denominator)
            rows.setdefault(key, []).append(number * multipliers[index])
    for key, coefficient in goal.terms.items() if goal is not None else ():
        number = z3.Q(coefficient.numerator, coefficient.denominator)
        rows.setdefault(key, []).append(-number * scale)
    linear = z3.SolverFor("QF_LRA")
    linear.set("rlimit", EFFORT)
    linear.add(*[m >= 0 for m in multipliers.values()], slack >= 0, scale >= 0)
    for key, parts in rows.items():
        linear.add(z3.Sum([*parts, slack] if key == ONE else parts) == 0)
    strict = [multipliers[i] for i in core if lines[i].strict]
    for attempt in (True, False):
        linear.push()
        if attempt and goal is not None:
            linear.add(scale == 1)
        elif attempt:
            linear.pop()
            continue
        else:
            linear.add(scale == 0, z3.Or(slack == 1, z3.Sum([*strict, z3.RealVal(0)]) == 1))
        if linear.check() == z3.sat:
            model = linear.model()
            found = {i: _fraction(model.eval(m, model_completion=True)) for i, m in multipliers.items()}
            return {i: m for i, m in found.items() if m}
        linear.pop()
    return None


def _fraction(value: Any) -> Fraction:
    return Fraction(value.numerator_as_long(), value.denominator_as_long())


def model_values(model: Any, premises: Premises) -> dict[Monomial, Fraction]:
    """The value of each product of atoms in a model of z3."""
    return {
        key: _fraction(model.eval(variable, model_completion=True))
        for key, variable in premises._variables.items()
    }


def at_model(polynomial: Polynomial, values: Mapping[Monomial, Fraction]) -> Fraction:
    return sum(
        (
            c * (Fraction(1) if key == ONE else values.get(key, Fraction(0)))
            for key, c in polynomial.terms.items()
        ),
        Fraction(0),
    )


def _needed(lines: Sequence[Line], first: Iterable[int]) -> list[int]:
    waiting, needed = list(first), set()
    while waiting:
        index = waiting.pop()
        if index not in needed:
            needed.add(index)
            waiting += _sources(lines[index].reason)
    return sorted(needed)


def _sources(reason: Reason) -> list[int]:
    if isinstance(reason, Product):
        return [reason.one, reason.two]
    if isinstance(reason, Sum):
        return list(reason.multiples)
    if isinstance(reason, RoundingError):
        return [reason.low, reason.high]
    return [reason.line] if isinstance(reason, RoundedComparison | RoundedOrder) else []


def _moved(reason: Reason, where: Mapping[int, int]) -> Reason:
    if isinstance(reason, Product):
        return Product(where[reason.one], where[reason.two])
    if isinstance(reason, Sum):
        return Sum({where[i]: m for i, m in reason.multiples.items()})
    if isinstance(reason, RoundingError):
        return RoundingError(reason.atom, reason.size, where[reason.low], where[reason.high], reason.sign)
    if isinstance(reason, RoundedComparison):
        return RoundedComparison(reason.atom, reason.double, where[reason.line], reason.sign)
    if isinstance(reason, RoundedOrder):
        return RoundedOrder(reason.atom, reason.other, where[reason.line], reason.sign)
    return reason


def feasible(path: Path, fact: Inequality) -> bool:
    """Whether a path may go on with a fact: False only where a checked derivation says that it cannot."""
    premises = PREMISES.get(id(path))
    if premises is None or premises[0] is not path:
        PREMISES.clear()
        premises = PREMISES[id(path)] = (path, Premises())
    known = premises[1]
    known.follow(path)
    if known.possible([fact]):
        return True
    return known.derive(None, [fact]) is None


#: The path that is traced, with its premises.
PREMISES: dict[int, tuple[Path, Premises]] = {}
