"""Linear reasoning by z3, which is not trusted: what it finds impossible counts once a derivation of it is checked.

Products of atoms are atoms of their own here, with facts that follow from the signs of their factors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from filterproof.filters.contract.work import count_work
from filterproof.mc.prove.certificate_checker import (
    HALF_ULP,
    TINY,
    Inequality,
    ProofLine,
    RoundedPolynomial,
    is_valid_derivation,
)
from filterproof.mc.prove.paths import Path, atom_facts
from filterproof.mc.prove.polynomials import ONE, Monomial, Polynomial
from filterproof.mc.prove.questions import Questions

#: Units of work of one inequality that is put to z3.
_ENCODED = 8


@dataclass(frozen=True, slots=True)
class Derivation:
    """Lines that the checker accepted, and which of the facts that were given with the goal they use."""

    used: list[int]
    lines: list[ProofLine]


@dataclass
class Premises:
    """The inequalities that hold on a path, each derived line by line, in a z3 solver."""

    questions: Questions
    #: Whether the sign of what is rounded is asked of the solver where it is not plain.
    thorough: bool = False
    #: Whether rounding is left out: what follows is true of real numbers, and proves nothing of doubles.
    exact: bool = False
    given: list[Inequality] = field(default_factory=list)
    lines: list[ProofLine] = field(default_factory=list)
    roundings: dict[int, RoundedPolynomial] = field(default_factory=dict)
    #: Atoms that are doubles.
    doubles: set[int] = field(default_factory=set)
    _followed: tuple[int, int] = (0, 0)
    _signs: dict[Monomial, int] = field(default_factory=dict)
    _nonneg_atoms: dict[int, int] = field(default_factory=dict)
    #: Of atoms of any sign: a size that they have at most, and the lines size + atom >= 0 and size - atom >= 0.
    _sizes: dict[int, tuple[Polynomial, int, int]] = field(default_factory=dict)
    #: The product that a number rounds, or those of which it is the largest.
    _made_of: dict[int, list[Monomial]] = field(default_factory=dict)
    _halves: dict[tuple[int, Polynomial, Fraction], int] = field(default_factory=dict)
    _factors: list[tuple[int, int]] = field(default_factory=list)
    _variables: dict[Monomial, Any] = field(default_factory=dict)
    _encoded: dict[tuple[Polynomial, bool | None], Any] = field(default_factory=dict)

    @cached_property
    def solver(self) -> Any:
        """The solver that knows every line."""
        return self.questions.new_solver()

    # -- lines -------------------------------------------------------------------------------------------

    def add_path_facts(self, path: Path) -> None:
        """Add the path's new atoms and new assumptions, with the bounds that follow for rounded atoms."""
        atoms, assumed = self._followed
        new = list(enumerate(path.atoms))[atoms:]
        self.roundings |= {
            n: RoundedPolynomial(a.of[0], a.of_sum, a.units) for n, a in new if a.kind == "rounded"
        }
        for number, atom in new:
            parts = atom.of if atom.kind in ("rounded", "largest") else ()
            keys = [[key for key in part.terms if key] for part in parts]
            self._made_of[number] = [own[0] for own in keys if len(own) == 1]
        for number, atom in new:
            v = Polynomial.atom(number)
            if atom.kind in ("declared", "parameter", "loss", "rounded", "function") or (
                atom.kind in ("place", "largest") and not atom.is_integer and atom.units
            ):
                self.doubles.add(number)
            ends: list[int] = []
            for place, (polynomial, strict) in enumerate(atom_facts(v, atom)):
                line = self.assume(polynomial, strict)
                ends.append(line)
                if place == 0 and atom.low is not None and atom.low >= 0:
                    self._nonneg_atoms[number] = line if atom.low == 0 else self._sum({line: Fraction(1)}, v)
            if (
                atom.kind in ("place", "loss")
                and atom.low is not None
                and atom.high is not None
                and atom.low < 0
            ):
                most = Polynomial.constant(max(-atom.low, atom.high))
                low, high = (
                    self._sum({end: Fraction(1)}, most + v * s) for end, s in zip(ends, (1, -1), strict=False)
                )
                self._sizes[number] = most, low, high
        for polynomial, strict in path.assumed[assumed:]:
            self._record_sign_or_size(polynomial, self.assume(polynomial, strict))
        self._followed = len(path.atoms), len(path.assumed)
        for number, atom in new:
            if atom.kind == "rounded":
                self._add_rounding_lines(number)

    def _record_sign_or_size(self, polynomial: Polynomial, line: int) -> None:
        """Record a sign or a size that an inequality states of one atom."""
        signs = {key[0]: c for key, c in polynomial.terms.items() if len(key) == 1 and abs(c) == 1}
        if len(signs) != len(polynomial.terms) or len(signs) > 2:
            return
        for x, sign in signs.items():
            v = Polynomial.atom(x)
            size = next((Polynomial.atom(y) for y in signs if y != x and signs[y] == 1), None)
            if len(signs) == 1 and sign == 1:
                self._nonneg_atoms.setdefault(x, line)
            elif len(signs) == 1:
                self._sizes[x] = -v, self._sum({}, Polynomial({})), self._sum({line: Fraction(2)}, v * -2)
            elif size is not None and (other := self._halves.get((x, size, -sign))) is not None:
                self._sizes[x] = (size, line, other) if sign == 1 else (size, other, line)
            elif size is not None:
                self._halves[x, size, sign] = line

    def assume(self, polynomial: Polynomial, strict: bool) -> int:
        """The index of a line with a given inequality."""
        self.given.append((polynomial, strict))
        index = self._append_line(ProofLine(polynomial, strict, "given", data=len(self.given) - 1))
        for number, other in list(self._factors):
            self._multiply_line_by_atom(number, other, index)
        return index

    def _append_line(self, line: ProofLine) -> int:
        """Append a proof line, tell the solver, and return the line's index."""
        index = len(self.lines)
        self.lines.append(line)
        self.solver.add(
            self.encode_for_z3(line.polynomial, line.strict)
        )  # which may add lines about products
        return index

    def _sum(self, multiples: Mapping[int, Fraction], polynomial: Polynomial) -> int:
        return self._append_line(
            ProofLine(polynomial, False, "sum", tuple(multiples), tuple(multiples.values()))
        )

    def nonneg(self, key: Monomial) -> int | None:
        """The line that says that a product of atoms is at least 0, where their signs say so."""
        if key not in self._signs:
            if key == ONE:
                self._signs[key] = self._sum({}, Polynomial.constant(1))
            elif all(n in self._nonneg_atoms for n in key):
                line = self._nonneg_atoms[key[0]]
                for n in key[1:]:
                    other = self._nonneg_atoms[n]
                    product = self.lines[line].polynomial * self.lines[other].polynomial
                    line = self._append_line(ProofLine(product, False, "product", (line, other)))
                self._signs[key] = line
        return self._signs.get(key)  # what is not known yet may be known later

    def _multiply_line_by_atom(self, number: int, line: int, index: int) -> None:
        """Add the product of a linear line and an atom >= 0, unless it needs a new product of atoms."""
        polynomial = self.lines[index].polynomial
        if any(len(key) > 1 for key in polynomial.terms):
            return
        product = polynomial * Polynomial.atom(number)
        if all(len(key) < 2 or key in self._variables for key in product.terms):
            product = self.lines[line].polynomial * polynomial
            self._append_line(ProofLine(product, False, "product", (line, index)))

    def _add_rounding_lines(self, number: int) -> None:
        """Add lines that bound a rounded atom by its exact value, its error, and its sign."""
        rounding = self.roundings[number]
        exact, v = rounding.exact, Polynomial.atom(number)
        if self.exact:
            self.assume(v - exact, False)
            self.assume(exact - v, False)
            return
        if (
            known := self._sign_and_line(exact, self.thorough)
        ) is not None:  # the result has the sign of the exact value
            sign, line = known
            size, none = exact * sign, self._sum({}, Polynomial({}))
            twice = self._sum({line: Fraction(2)}, size * 2)
            self._add_rounding_error_lines(number, size, *((twice, none) if sign > 0 else (none, twice)))
            at_least = self._append_line(
                ProofLine(v * sign, False, "monotone", (line,), (number, Polynomial({}), sign))
            )
            if sign > 0:
                self._nonneg_atoms.setdefault(number, at_least)
        elif (bounds := self._size_and_multiples(exact)) is not None:
            size, *sides = bounds
            low, high = (self._sum(uses, size + exact * s) for uses, s in zip(sides, (1, -1), strict=True))
            above, below = self._add_rounding_error_lines(number, size, low, high)
            size = size + self.lines[above].polynomial + v - exact  # the error is added
            uses = ((below, low), 1), ((above, high), -1)
            low, high = (self._sum(dict.fromkeys(two, Fraction(1)), size + v * s) for two, s in uses)
            self._sizes[number] = size, low, high
        if rounding.units == 1:
            self._order_rounded_sum_and_term(number)

    def _sign_and_line(self, value: Polynomial, thorough: bool) -> tuple[int, int] | None:
        """Return a value's sign and the line that proves it; None where the sign is not known."""
        if (bounds := self._size_and_multiples(value)) is not None:
            for sign, uses in ((1, bounds[1]), (-1, bounds[2])):
                if bounds[0] == value * sign:
                    return sign, self._sum({i: m / 2 for i, m in uses.items()}, bounds[0])
        for sign in (1, -1) if thorough else ():
            if (line := self._derived(value * sign)) is not None:
                return sign, line
        return None

    def _size_and_multiples(
        self, value: Polynomial
    ) -> tuple[Polynomial, dict[int, Fraction], dict[int, Fraction]] | None:
        """Return a bound on |value|, with the multiples of lines that prove both of its sides."""
        size = Polynomial({})
        sides: tuple[dict[int, Fraction], dict[int, Fraction]] = ({}, {})
        for key, coefficient in value.terms.items():
            scale, is_below = abs(coefficient), coefficient < 0
            if (line := self.nonneg(key)) is not None:
                size += Polynomial({key: scale})
                uses = [(line, is_below, 2 * scale)]
            elif len(key) == 1 and key[0] in self._sizes:
                own, *lines = self._sizes[key[0]]
                size += own * scale
                uses = [(lines[0], is_below, scale), (lines[1], not is_below, scale)]
            else:
                return None
            for index, side, multiple in uses:
                sides[side][index] = sides[side].get(index, Fraction(0)) + multiple
        return size, *sides

    def _order_rounded_sum_and_term(self, number: int) -> None:
        """Add v >= y or v <= y for v = y + X rounded, where y is a double and X has a known sign."""
        exact = self.roundings[number].exact
        for key in list(exact.terms):
            if len(key) != 1 or key[0] not in self.doubles:
                continue
            y = Polynomial.atom(key[0])
            rest = exact - y
            if not rest.terms or (known := self._sign_and_line(rest, False)) is None:
                continue
            sign, line = known
            ordered = self._append_line(
                ProofLine((Polynomial.atom(number) - y) * sign, False, "monotone", (line,), (number, y, sign))
            )
            if sign > 0 and key * 2 in self._variables:
                self._bound_square_of_term(number, key[0], ordered)

    def _bound_square_of_term(self, number: int, part: int, ordered: int) -> None:
        """x (c - x) >= 0 for each c >= v, where v >= x is the line `ordered`."""
        x, v = Polynomial.atom(part), Polynomial.atom(number)
        for index, line in enumerate(list(self.lines)):
            most = (line.polynomial + v).value
            if most is not None and part in self._nonneg_atoms:
                below = self._sum({index: Fraction(1), ordered: Fraction(1)}, x * -1 + most)
                self._append_line(
                    ProofLine(x * most - x * x, False, "product", (self._nonneg_atoms[part], below))
                )

    def _add_rounding_error_lines(self, number: int, size: Polynomial, low: int, high: int) -> list[int]:
        """Add lines that bound the rounding error of an atom on both sides; return their indices."""
        indices = []
        rounding = self.roundings[number]
        most = size * (rounding.units * HALF_ULP) + (Fraction(0) if rounding.of_sum else TINY)
        for sign in (1, -1):
            error = (Polynomial.atom(number) - rounding.exact) * sign
            index = self._append_line(
                ProofLine(most - error, False, "error", (low, high), (number, size, sign))
            )
            indices.append(index)
            for factor, other in list(self._factors):
                self._multiply_line_by_atom(factor, other, index)
        return indices

    # -- questions -----------------------------------------------------------------------------------------

    def encode_for_z3(self, polynomial: Polynomial, strict: bool | None) -> Any:
        """Return an inequality as a z3 term; if `strict` is None, the polynomial alone."""
        if (known := self._encoded.get((polynomial, strict))) is not None:
            return known
        count_work(_ENCODED)
        number = self.questions.number
        parts = [
            number(c) if key == ONE else number(c) * self._solver_variable(key)
            for key, c in polynomial.terms.items()
        ]
        total = self.questions.sum(parts)
        if strict is not None:
            total = total > 0 if strict else total >= 0
        self._encoded[polynomial, strict] = total
        return total

    def _solver_variable(self, key: Monomial) -> Any:
        """Return the z3 variable of a product of atoms; a new product adds the lines that its factors imply."""
        if key not in self._variables:
            self._variables[key] = self.questions.real("*".join(map(str, key)))
            if len(key) > 1:
                self.nonneg(key)
                numbers = sorted(set(key))
                for number in numbers:  # beside a product of rounded numbers: that of what was rounded
                    for part in self._made_of.get(number, ()):
                        at = key.index(number)
                        self._solver_variable(tuple(sorted((*key[:at], *part, *key[at + 1 :]))))
                for number in numbers:
                    if (line := self._nonneg_atoms.get(number)) is None:
                        continue
                    at = key.index(number)
                    if not (known := (number, line) in self._factors):
                        self._factors.append((number, line))
                    for index in range(len(self.lines)):
                        own = self.lines[index]
                        is_new = not known or (key[:at] + key[at + 1 :]) in own.polynomial.terms
                        if own.rule in ("given", "error", "monotone") and is_new:
                            self._multiply_line_by_atom(number, line, index)
        return self._variables[key]

    def possible(self, facts: Iterable[Inequality], model: bool = False) -> Any:
        """Whether the lines and more facts can hold together, True where z3 does not know; with `model` a point."""
        encoded = [self.encode_for_z3(*fact) for fact in facts]
        self.solver.push()
        self.solver.add(*encoded)
        answer = self.questions.check(self.solver)
        answer_or_point: Any = self.values(self.solver.model()) if model and answer else answer is not False
        self.solver.pop()
        return answer_or_point

    def values(self, model: Any) -> dict[Monomial, Fraction]:
        """The value of each product of atoms in a model of z3."""
        return {key: _fraction(model.eval(v, model_completion=True)) for key, v in self._variables.items()}

    def _derived(self, goal: Polynomial) -> int | None:
        """The index of a line goal >= 0 that follows from the others; None where none was found."""
        if self.possible([(-goal, True)]):
            return None
        multiples = self._farkas_multipliers(self.lines, goal)
        return None if multiples is None else self._sum(multiples, goal)

    def derives(self, goal: Polynomial | None, more: Sequence[Inequality] = ()) -> Derivation | None:
        """Return a checked derivation of goal >= 0 (None: of a contradiction), or None if none was found."""
        denied = [] if goal is None else [(-goal, True)]
        if self.possible([*more, *denied]):
            return None
        lines, given = list(self.lines), [*self.given, *more]
        lines += [ProofLine(p, s, "given", data=len(self.given) + i) for i, (p, s) in enumerate(more)]
        multiples = self._farkas_multipliers(lines, goal)
        if multiples is None:
            return None
        total = sum((lines[i].polynomial * m for i, m in multiples.items()), Polynomial({}))
        strict = any(lines[i].strict for i in multiples)
        impossible = total.value is not None and (total.value < 0 or (total.value == 0 and strict))
        last = total if impossible or goal is None else goal
        lines.append(
            ProofLine(last, strict and impossible, "sum", tuple(multiples), tuple(multiples.values()))
        )
        needed = _lines_needed_by_last(lines)
        if not is_valid_derivation(needed, given, self.roundings, goal, self.doubles):
            return None
        return Derivation([i - len(self.lines) for i in sorted(multiples) if i >= len(self.lines)], needed)

    def _farkas_multipliers(
        self, lines: Sequence[ProofLine], goal: Polynomial | None
    ) -> dict[int, Fraction] | None:
        """Return the Farkas multipliers of lines that imply the goal, or are contradictory; None without."""
        q = self.questions
        solver = q.new_solver()
        solver.set("unsat_core", True)
        for index, line in enumerate(lines):
            solver.assert_and_track(self.encode_for_z3(line.polynomial, line.strict), q.switch(f"h{index}"))
        if goal is not None:
            solver.add(self.encode_for_z3(-goal, True))
        if q.check(solver) is not False:
            return None
        core = sorted(int(str(name)[1:]) for name in solver.unsat_core())
        multipliers = {index: q.real(f"m{index}") for index in core}
        slack = q.real("slack")
        rows: dict[Monomial, list[Any]] = {ONE: [slack]}
        for index in core:
            for key, coefficient in lines[index].polynomial.terms.items():
                rows.setdefault(key, []).append(q.number(coefficient) * multipliers[index])
        strict = q.sum([multipliers[i] for i in core if lines[i].strict])
        for aim in (goal, Polynomial({})) if goal is not None else (Polynomial({}),):
            linear = q.new_solver()
            linear.add(*[m >= 0 for m in multipliers.values()], slack >= 0)
            for key in sorted(rows.keys() | aim.terms.keys()):
                linear.add(q.sum(rows.get(key, [])) == q.number(aim.terms.get(key, Fraction(0))))
            if aim is not goal:
                linear.add(q.z3.Or(slack == 1, strict == 1))
            if q.check(linear):
                model = linear.model()
                fractions = {
                    i: _fraction(model.eval(m, model_completion=True)) for i, m in multipliers.items()
                }
                return {i: m for i, m in fractions.items() if m}
        return None


def _fraction(value: Any) -> Fraction:
    """Return z3's rational number as a Fraction."""
    return Fraction(value.numerator_as_long(), value.denominator_as_long())


def value_at_model(polynomial: Polynomial, values: Mapping[Monomial, Fraction]) -> Fraction:
    """Return the value of a polynomial at a model of z3."""
    return sum(
        (c * (1 if key == ONE else values.get(key, Fraction(0))) for key, c in polynomial.terms.items()),
        Fraction(0),
    )


def _lines_needed_by_last(lines: Sequence[ProofLine]) -> list[ProofLine]:
    """Return the lines that the last line depends on, renumbered."""
    waiting, needed = [len(lines) - 1], set[int]()
    while waiting:
        index = waiting.pop()
        if index not in needed:
            needed.add(index)
            waiting += lines[index].uses
    where = {old: new for new, old in enumerate(sorted(needed))}
    return [
        replace(lines[old], uses=tuple(where[index] for index in lines[old].uses)) for old in sorted(needed)
    ]


@dataclass
class PathFeasibility:
    """Whether a path may continue with a fact: False only with a checked derivation of a contradiction."""

    questions: Questions
    _latest: tuple[Path, Premises] | None = None

    def __call__(self, path: Path, fact: Inequality) -> bool:
        if self._latest is None or self._latest[0] is not path:
            self._latest = path, Premises(self.questions)
        premises = self._latest[1]
        premises.add_path_facts(path)
        return premises.derives(None, [fact]) is None
