"""Logarithms of traced numbers: those of a product add up, which linear reasoning can follow.

`odds * np.exp(request.pure_epsilon) <= math.exp(1.2)` says that a sum of epsilons is at most 1.2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

from filterproof.mc.prove.certificate_checker import HALF_ULP, Inequality
from filterproof.mc.prove.monotone_functions import MISSED, NUMPY, UNRESOLVED
from filterproof.mc.prove.paths import Atom, Path
from filterproof.mc.prove.polynomials import Polynomial

#: The system and the transition of `transitions`, whose requests import this file.
System: TypeAlias = Any
Transition: TypeAlias = Any
#: Numbers of at least this size have logarithms here: what no double resolves is nothing beside them.
LEAST = Fraction(1, 2**900)


def log_bounds(x: Fraction) -> tuple[Fraction, Fraction]:
    """Return a lower and an upper bound of log(x)."""
    return NUMPY["log"].enclosed(x) if x != 1 else (Fraction(0), Fraction(0))


def _computed_log(x: Fraction) -> Fraction | None:
    """Return about log(x), for plays; None where it has none."""
    return Fraction(math.log(x)) if x > 0 else None


def logarithm(path: Path, value: Polynomial) -> Polynomial | None:
    """Return the logarithm of a product as a sum of atoms; None for a sum, and where a factor may be near 0."""
    if len(value.terms) != 1:
        return None
    ((key, coefficient),) = value.terms.items()
    if coefficient <= 0:
        return None
    parts: list[Polynomial | None] = [_log_of_atom(path, number) for number in key]
    if coefficient != 1:
        low, high = log_bounds(coefficient)
        constant = Polynomial.constant(coefficient)
        parts.append(path.intern_atom(Atom("log", "", (constant,), False, low, high, compute=_computed_log)))
    known = [part for part in parts if part is not None]
    return sum(known, Polynomial({})) if len(known) == len(parts) else None


def _log_of_atom(path: Path, number: int) -> Polynomial | None:
    """Return the logarithm of an atom: that of its parts, or an atom with the facts that follow from them."""
    atom, v = path.atoms[number], Polynomial.atom(number)
    if atom.kind in ("quotient", "sqrt"):
        logs = [logarithm(path, part) for part in atom.of]
        if None in logs:
            return None
        return logs[0] * Fraction(1, 2) if atom.kind == "sqrt" else logs[0] - logs[1]  # type: ignore[operator]
    low = LEAST if atom.low is None else max(atom.low, LEAST)
    if low != atom.low:
        if atom.kind != "rounded" or path.feasible(path, (-v + LEAST, True)):
            return None
        path.atoms[number] = atom = replace(atom, low=LEAST)  # which follows from the path
    bounds = _bounds_by_parts(path, atom)  # whose atoms come first
    ends = log_bounds(low)[0], None if atom.high is None else log_bounds(atom.high)[1]
    log = path.intern_atom(Atom("log", "", (v,), False, *ends, compute=_computed_log))
    (place,) = log.atoms
    if not path.atoms[place].relative:
        tangent = 2 * low if atom.kind == "place" else Fraction(1)
        facts = [(v * (1 / tangent) - 1 + log_bounds(tangent)[1] - log, False)]
        for at_least, at_most in bounds:
            facts += [(log - at_least, False), (at_most - log, False)]
        path.atoms[place] = replace(path.atoms[place], relative=tuple(facts))
    return log


def _bounds_by_parts(path: Path, atom: Atom) -> list[tuple[Polynomial, Polynomial]]:
    """Return at most one pair of bounds on an atom's logarithm in terms of what it is computed from."""
    (of, *_), words, error = atom.of or (Polynomial({}),), atom.name.split(), 2 * MISSED
    exact: Polynomial | None = None
    if atom.kind == "rounded":
        exact, error = logarithm(path, of), 2 * atom.units * HALF_ULP
    elif atom.kind == "function" and atom.name.endswith(".exp"):
        exact = of
    elif atom.kind == "function" and words[0] == "power":
        exact = logarithm(path, of)
        exact = None if exact is None else exact * Fraction(words[1])
    elif atom.kind == "function" and words[0] == "base":
        low, high = log_bounds(Fraction(words[1]))
        least = path.range(of)[0]
        return [(of * low - error, of * high + error)] if least is not None and least >= 0 else []
    return [] if exact is None else [(exact - error, exact + error)]


def compared_logarithms(path: Path) -> Iterable[Inequality]:
    """Yield log(x) >= log(y) for what the path assumes of products x >= y whose logarithms it has."""
    known = {n for atom in path.atoms if atom.kind == "log" for n in atom.of[0].atoms}
    for polynomial, _ in list(path.assumed):
        above = [Polynomial({key: c}) for key, c in polynomial.terms.items() if c > 0]
        below = [Polynomial({key: -c}) for key, c in polynomial.terms.items() if c < 0]
        if len(above) == len(below) == 1 and polynomial.atoms <= known:
            logs = logarithm(path, above[0]), logarithm(path, below[0])
            if logs[0] is not None and logs[1] is not None:
                yield logs[0] - logs[1], False


def hazard_bounds(path: Path, truth: Polynomial, delta: Inequality) -> list[Inequality]:
    """Return bounds of a hazard -log(1 - delta), `truth`, by what the code computes of 1 - delta and its logarithm."""
    chance = delta[0] + truth
    if not chance.terms:
        return [(-truth, False)]
    found: list[Polynomial] = []
    rest = Polynomial.constant(1) - chance
    for number, atom in enumerate(list(path.atoms)):
        v = Polynomial.atom(number)
        if atom.kind == "function" and atom.name.endswith(".log1p") and atom.of[0] == -chance:
            found.append(v * -(1 + 2 * MISSED) + 2 * UNRESOLVED)
        if atom.kind == "rounded" and atom.of[0] == rest and (log := logarithm(path, v)) is not None:
            found.append(-log + 2 * atom.units * HALF_ULP)
    return [(bound - truth, False) for bound in found]


def multiplied_places(system: System) -> list[int]:
    """Return the numbers of the state that some step multiplies or divides."""
    return [
        place
        for place in system.start.places()
        if all(shape.leaves[place].is_symbolic for shape in system.shapes)
        and any(_is_multiple_of_place(step, place) for step in system.steps)
    ]


def with_logarithms(system: System) -> System:
    """Return the system with the logarithms of places that it multiplies, where all steps have them."""
    places = multiplied_places(system)
    return replace(
        system, logs=[place for place in places if all(_has_logarithms(step, place) for step in system.steps)]
    )


def _is_multiple_of_place(step: Transition, place: int) -> bool:
    """Whether a step makes a product or a quotient of a place its new value."""
    atoms, value = step.path.atoms, step.values[place]
    if not isinstance(value, Polynomial) or len(value.atoms) != 1:
        return False
    (atom,) = (atoms[n] for n in value.atoms)
    factors = [n for part in atom.of if atom.kind == "rounded" and len(part.terms) == 1 for n in part.atoms]
    factors += [
        n for number in factors if atoms[number].kind == "quotient" for n in atoms[number].of[0].atoms
    ]
    return len(factors) > 1 and any(atoms[n].kind == "place" and atoms[n].name == str(place) for n in factors)


def _has_logarithms(step: Transition, place: int) -> bool:
    path = step.path.copied()
    before = next(
        Polynomial.atom(n) for n, a in enumerate(path.atoms) if (a.kind, a.name) == ("place", str(place))
    )
    values = before, step.values[place]
    return all(isinstance(v, Polynomial) and logarithm(path, v) is not None for v in values)
