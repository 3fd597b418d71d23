"""Candidates for invariants: linear inequalities between the places of a state, a sum of charges and the grants.

They come from templates and the numbers of the code. Those that a play of the filter breaks are dropped at once, and of
those that differ in a constant the strongest are kept; what every step keeps is for the induction to find.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.prove.comparison import shape_at
from filterproof.mc.prove.plays import PlayedDecision, Plays
from filterproof.mc.prove.polynomials import Polynomial, number_text
from filterproof.mc.prove.theorems import SumTheorem
from filterproof.mc.prove.transitions import System

#: The sum of charges, and the number of grants, beside the indices of places.
SUM, GRANTS = -1, -2
MAX_CANDIDATES = 200
#: What one grant may add to a sum by rounding, in units of 2^-53 of the sizes at hand.
UNITS = 8

#: A linear left side: variables with coefficients.
Terms: TypeAlias = tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True)
class Invariant:
    """sum of coefficient * variable <= bound + drift * grants, at states of one shape."""

    shape: int
    terms: Terms
    bound: Fraction
    drift: Fraction = Fraction(0)

    def slack(self, values: Mapping[int, Polynomial]) -> Polynomial:
        """What must be at least 0, of the values of the variables."""
        total = Polynomial.constant(self.bound) + values[GRANTS] * self.drift
        for variable, coefficient in self.terms:
            total = total - values[variable] * coefficient
        return total

    def text(self, names: Mapping[int, str]) -> str:
        """The inequality as a person reads it."""
        left = {v: c for v, c in self.terms if v == SUM or c > 0}
        right = {v: -c for v, c in self.terms if v not in left}
        drift = f" + {float(self.drift):.1g} k" if self.drift else ""
        if not left:
            return f"{_sum(right, names)} >= {number_text(-self.bound)}{drift.replace('+', '-')}"
        parts = [_sum(right, names)] if right else []
        parts += [number_text(self.bound)] if self.bound or not right else []
        return f"{_sum(left, names)} <= {' + '.join(parts)}{drift}"


def _sum(terms: Mapping[int, Fraction], names: Mapping[int, str]) -> str:
    return " + ".join(names[v] if c == 1 else f"{number_text(c)} {names[v]}" for v, c in terms.items())


def drift_of(size: Fraction) -> Fraction:
    """What rounding may add in one grant to a sum of such a size: a short rational."""
    power = Fraction(2) ** (math.frexp(float(size))[1] if size else -60)
    return (power / 2 if power / 2 >= size else power) * UNITS / 2**53


def charge_of(decision: PlayedDecision, theorem: SumTheorem) -> float:
    """What a request of a play is charged at most."""
    match theorem.measure:
        case "loss":
            return decision.loss
        case "pure" | "epsilon" if theorem.measure == "pure" or decision.family not in ("KOV", "Erasure"):
            return decision.declared("pure_epsilon")
        case "epsilon":
            return float(decision.parameters.get("epsilon", 0.0))
        case "delta":
            return float(decision.parameters.get("delta", decision.parameters.get("p", 0.0)))
        case "gdp":
            return decision.declared("gdp_mu") ** 2
        case "zcdp":
            return decision.declared("zcdp_rho")
    return max(decision.declared(f"{way}renyi {theorem.alpha}") for way in ("", "swapped "))


def candidates(system: System, plays: Plays, theorem: SumTheorem) -> list[Invariant]:
    """Inequalities that no play breaks, the strongest of each form."""
    bounds, pairs, scales = _constants(system, theorem)
    start = {e.value for e in system.first if isinstance(e, Polynomial)}
    at_start = sorted({Fraction(0)} | {v for v in start if v is not None})
    samples = _samples(system, plays, theorem)
    found: list[Invariant] = []
    for number, shape in enumerate(system.shapes):
        own: list[tuple[int, Invariant]] = []
        best: dict[Any, list[Invariant]] = {}
        for terms, family in _forms(shape.places(), scales, theorem.measure == "loss"):
            reached, size = _reached(terms, samples[number])
            if reached is None:
                continue
            least = reached - 1e-9 * max(size, 1e-300)
            levels = at_start if family else bounds
            fitting = [b for b in levels if float(b) >= least]
            if not family:
                fitting = fitting[:2] + [b for b in pairs if float(b) >= least][:1]
            scale = next((abs(c) for v, c in terms if v == SUM), Fraction(0))
            for bound in fitting:
                drift = drift_of(max(Fraction(size), abs(bound), theorem.budget * scale))
                drifts = [drift] if scale else [Fraction(0), drift][: len(terms)]
                made = [Invariant(number, terms, bound, d) for d in drifts]
                if family:  # of those that differ in a scale, the two with the strongest
                    best[family, bound] = (made + best.get((family, bound), []))[:2]
                else:
                    own += [(len(terms), invariant) for invariant in made]
        own += [(5, invariant) for kept in best.values() for invariant in kept]
        found += [invariant for _, invariant in sorted(own, key=lambda item: item[0])[:MAX_CANDIDATES]]
    return found


def _samples(system: System, plays: Plays, theorem: SumTheorem) -> list[NDArray[np.float64]]:
    """For each shape, rows (leaves..., sum, grants) of states that plays reached."""
    first = tuple(float(e.value) if isinstance(e, Polynomial) else float(e) for e in system.first)  # type: ignore[arg-type]
    rows: list[list[tuple[float, ...]]] = [[] for _ in system.shapes]
    rows[0].append((*first, 0.0, 0.0))
    for play in plays.plays:
        sums: dict[int, tuple[float, int]] = {}
        for place, decision in enumerate(play):
            if not decision.granted:
                continue
            total, grants = sums.get(place % decision.runs, (0.0, 0))
            total, grants = sums[place % decision.runs] = total + charge_of(decision, theorem), grants + 1
            shape = shape_at(system, decision.after)
            if shape is not None and np.isfinite(total):
                rows[system.shapes.index(shape)].append((*decision.after, total, float(grants)))
    found = [np.array(r, dtype=float).reshape(len(r), len(first) + 2) for r in rows]
    everywhere = np.concatenate(found)  # where no play came, what is true elsewhere is tried
    return [own if len(own) else everywhere for own in found]


def _constants(system: System, theorem: SumTheorem) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
    """(bounds, sums of two of them, scales) that stand in the code's comparisons, with the budget."""
    bounds, scales = {Fraction(0), theorem.budget}, {Fraction(1)}
    for step in (*system.steps, *system.denied):
        atoms = [a.of[0] for a in step.path.atoms if a.kind in ("rounded", "ceil")]
        for polynomial in [p for p, _ in step.path.assumed] + atoms:
            sizes = {abs(c) for key, c in polynomial.terms.items() if key}
            if all(Fraction(1, 10**12) < s < 10**12 for s in sizes):
                scales |= sizes
                if Fraction(1, 10**15) < abs(polynomial.offset) < 10**15:
                    bounds |= {abs(polynomial.offset) / s for s in sizes}
    names = {name for step in system.steps for name in step.path.choices if "hockey_stick" in name}
    bounds |= {Fraction(name.split()[-1]) for name in names}
    bounds |= {abs(e.value) for e in system.first if isinstance(e, Polynomial) and e.value is not None}
    few = sorted(bounds)[:24]
    ordered = sorted(scales)
    units = [*ordered, *(1 / s for s in ordered), *(s for b in few[:12] if b for s in (b, 1 / b))]
    pairs = {sign * (a + other * b) for a in few for b in few for other in (1, -1) for sign in (1, -1)}
    own = bounds | {-b for b in bounds}
    return sorted(own), sorted(pairs - own), sorted(dict.fromkeys(units[:120]))


def _reached(terms: Terms, rows: NDArray[np.float64]) -> tuple[float | None, float]:
    """(the largest left side that plays reached, the size of its parts); None where it is no number."""
    columns = [{SUM: -2, GRANTS: -1}.get(v, v) for v, _ in terms]
    parts = rows[:, columns] * np.array([float(c) for _, c in terms])
    parts = parts[np.isfinite(parts).all(axis=1)]
    if not len(parts):
        return None, 0.0
    with np.errstate(all="ignore"):
        most, size = float(np.max(parts.sum(axis=1))), float(np.max(np.abs(parts).sum(axis=1)))
    return (most, size) if np.isfinite(most) else (None, 0.0)


def _forms(places: Sequence[int], scales: Iterable[Fraction], signed: bool) -> Iterator[tuple[Terms, Any]]:
    """Left sides: places and the sum, with coefficients -1, 0 and 1, and the sum in other units.

    Beside each is the family of those that differ from it in a scale alone, the weakest first.
    """
    one = Fraction(1)
    for place in places:
        for coefficients in ((one, -2 * one), (one, -one), (-one, one)):
            yield tuple(zip((place, GRANTS), coefficients, strict=True)), None
    sums: tuple[Terms, ...] = (((SUM, one),), ((SUM, -one),))[: 1 + signed]
    most = 4 if len(places) <= 4 else 3 if len(places) <= 7 else 2
    for size in range(most + 1):
        for chosen in itertools.combinations(places, size):
            for signs in itertools.product((-one, one), repeat=size):
                terms = tuple(zip(chosen, signs, strict=True))
                if terms:
                    yield terms, None
                for ghost in sums:
                    yield (*ghost, *terms), None
    for scale in scales:
        if scale == 1:
            continue
        yield ((SUM, one), (GRANTS, -1 / scale)), "grants"
        for place in places:
            for sign in (one, -one):
                yield ((SUM, scale), (place, sign)), ("sum", place, sign)
            for other in places:
                if other != place:
                    yield ((SUM, scale), (place, -one), (other, -one)), ("sum", place, other)
                    yield ((place, scale), (other, -one)), ("places", place, other)
                    yield ((SUM, one), (place, one), (other, -1 / scale)), ("refill", place, other)
