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
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from filterproof.mc.prove.decision_comparison import shape_with_leaves
from filterproof.mc.prove.logarithms import log_bounds
from filterproof.mc.prove.polynomials import Polynomial, number_text
from filterproof.mc.prove.requests import HUGE
from filterproof.mc.prove.sample_plays import PlayedDecision, Plays
from filterproof.mc.prove.theorems import SumTheorem
from filterproof.mc.prove.transitions import Shape, System
from filterproof.mc.prove.values import is_bool_kind, is_float_kind

#: The sum of charges, and the number of grants, beside the indices of places.
SUM, GRANTS = -1, -2
#: PRODUCTS - PLACES * i - j is the product of the places i and j.
PRODUCTS, PLACES = -10, 10**4
#: LOGS + i is the logarithm of the place i, and RATES + i the product of the grants and the place i.
LOGS, RATES = 10**6, 2 * 10**6
MAX_CANDIDATES = 200
#: What one grant may add to a sum by rounding, in units of 2^-53 of the sizes at hand.
UNITS = 8

#: What a grant may add to a sum by rounding, as a share of a place that the sum is compared with.
ROUNDED_OF_PLACE = Fraction(1, 2**49)

#: A linear left side: variables with coefficients.
Terms: TypeAlias = tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True)
class Invariant:
    """The inequality: sum of coefficient * variable <= bound + drift * grants, at states of one shape."""

    shape: int
    terms: Terms
    bound: Fraction
    drift: Fraction = Fraction(0)

    def slack(self, values: Mapping[int, Polynomial]) -> Polynomial:
        """Return the right side less the left side, which the invariant says is at least 0."""
        total = Polynomial.constant(self.bound) + values[GRANTS] * self.drift
        for variable, coefficient in self.terms:
            value = Polynomial.constant(coefficient)
            for place in factors_of(variable):
                value = value * values[place]
            total = total - value
        return total

    def text(self, names: Mapping[int, str]) -> str:
        """The inequality as a person reads it."""
        left = {v: c for v, c in self.terms if v == SUM or c > 0}
        right = {v: -c for v, c in self.terms if v not in left}
        drift = f" + {float(self.drift):.1g} k" if self.drift else ""
        if not left:
            return f"{_sum_text(right, names)} >= {number_text(-self.bound)}{drift.replace('+', '-')}"
        parts = [_sum_text(right, names)] if right else []
        parts += [number_text(self.bound)] if self.bound or not right else []
        return f"{_sum_text(left, names)} <= {' + '.join(parts)}{drift}"


def product_of(place: int, other: int) -> int:
    """Return the variable that is the product of two places."""
    return PRODUCTS - PLACES * min(place, other) - max(place, other)


def factors_of(variable: int) -> tuple[int, ...]:
    """Return the places of which a variable is the product, or the variable alone."""
    if variable >= RATES:
        return GRANTS, variable - RATES
    return divmod(PRODUCTS - variable, PLACES) if variable <= PRODUCTS else (variable,)


def _sum_text(terms: Mapping[int, Fraction], names: Mapping[int, str]) -> str:
    """Return a linear combination of named variables as text."""
    words = {v: " ".join(names[f] for f in factors_of(v)) for v in terms}
    words |= {v: f"{names[f]}^2" for v in terms for f, *rest in (factors_of(v),) if rest == [f]}
    return " + ".join(words[v] if c == 1 else f"{number_text(c)} {words[v]}" for v, c in terms.items())


def rounding_drift_per_grant(size: Fraction) -> Fraction:
    """Return what rounding may add in one grant to a sum of a given size, as a short rational."""
    power = Fraction(2) ** (math.frexp(float(size))[1] if size else -60)
    return (power / 2 if power / 2 >= size else power) * UNITS / 2**53


def charge_upper_bound(decision: PlayedDecision, theorem: SumTheorem) -> float:
    """Return the most that a played request is charged, by what its family declares."""
    if theorem.measure == "loss":
        return decision.loss
    step, values = decision.traced[0]
    charge: float = step.charge(theorem.measure, theorem.alpha, values)
    return charge if math.isfinite(charge) else 0.0


def candidates(system: System, plays: Plays, theorem: SumTheorem) -> list[Invariant]:
    """Return candidate invariants that no play breaks, the strongest of each form."""
    bounds, pairs, scales = _constants_in_comparisons(system, theorem)
    samples = _reached_states_by_shape(system, plays, theorem)
    loose = 8 if any(a.is_of_library for step in system.steps for a in step.path.atoms) else 1
    looks = any("loss" in step.path.choices for step in system.steps)
    prices = _prices(system, plays, theorem, scales, np.concatenate(samples), loose)
    enclosures = [log_bounds(b) for b in bounds if system.logs and b > 0]
    log_sizes = sorted({size for low, high in enclosures for size in (-low, high)})
    chosen: list[Invariant] = []
    for number, shape in enumerate(system.shapes):
        own: list[tuple[int, Invariant]] = []
        for form, bound, drift in prices:
            weights = _terms_in_shape(form, shape)
            reached, size = _largest_reached_left_side(form, samples[number])
            if weights and reached is not None and reached <= float(bound):
                known = weights.pop(None, Fraction(0))
                terms = tuple((v, c) for v, c in weights.items() if v is not None)
                if theorem.kernel == "kept_either":  # whose sums have no bound
                    rates = [(RATES + v, -abs(c) * ROUNDED_OF_PLACE) for v, c in terms if 0 <= v < LOGS]
                    own.append((2, Invariant(number, (*terms, *rates), bound - known, drift)))
                own.append((2, Invariant(number, terms, bound - known, drift)))
        products: list[Terms] = [((variable, Fraction(1)),) for variable in _products(system, shape.places())]
        signed_logs = [(LOGS + place, Fraction(sign)) for place in system.logs for sign in (1, -1)]
        logs: list[Terms] = [terms for log in signed_logs for terms in ((log,), ((SUM, Fraction(1)), log))]
        for terms in (*products, *logs, *_left_sides(shape.places(), theorem.measure == "loss", looks)):
            reached, size = _largest_reached_left_side(terms, samples[number])
            if reached is None:
                continue
            fitting = [b for b in (log_sizes if terms in logs else bounds) if float(b) >= reached]
            most = 8 if len(terms) == 1 else 2  # a play may stay far below the bound of a place
            fitting = fitting[:most] + [b for b in pairs if float(b) >= reached][:1]
            scale = next((abs(c) for v, c in terms if v == SUM), Fraction(0))
            for bound in fitting:
                drift = (
                    rounding_drift_per_grant(max(Fraction(size), abs(bound), theorem.budget * scale)) * loose
                )
                drifts = [drift] if scale else [Fraction(0), drift][: len(terms) + (terms in logs)]
                drifted = [Invariant(number, terms, bound, d) for d in drifts]
                is_sum = terms[0][0] == SUM and all(c < 0 for _, c in terms[1:])
                own += [(2 if is_sum else len(terms), invariant) for invariant in drifted]
        chosen += [invariant for _, invariant in sorted(own, key=lambda item: item[0])[:MAX_CANDIDATES]]
    return chosen


def _terms_in_shape(form: Terms, shape: Shape) -> dict[int | None, Fraction]:
    """Return a left side's coefficients where modes have values, whose sum is under None; {} if one is infinite."""
    terms: dict[int | None, Fraction] = {}
    for variable, coefficient in form:
        places = [p for p in factors_of(variable) if not 0 <= p < LOGS or shape.leaves[p].is_symbolic]
        for place in (p for p in factors_of(variable) if p not in places):
            if isinstance(value := shape.leaves[place].value, str):
                return {}
            coefficient = coefficient * value
        rest = product_of(*places) if len(places) == 2 else places[0] if places else None
        terms[rest] = terms.get(rest, Fraction(0)) + coefficient
    return terms


def _prices(
    system: System,
    plays: Plays,
    theorem: SumTheorem,
    scales: Sequence[Fraction],
    reached: NDArray[np.float64],
    loose: int,
) -> list[tuple[Terms, Fraction, Fraction]]:
    """Return left sides with the sum and weighted places, each with its bound and its drift in all shapes."""
    prices = []
    for weights, bound in _place_weights(system, plays, theorem, scales):
        form = ((SUM, Fraction(1)), *weights)
        size = max(Fraction(_largest_reached_left_side(form, reached)[1]), abs(bound), theorem.budget)
        prices.append((form, bound, rounding_drift_per_grant(size) * loose))
    largest = max((drift for _, _, drift in prices), default=Fraction(0))
    budget = ((SUM, Fraction(1)),), theorem.budget, 2 * largest  # the budget, after the drift of any price
    return [*prices, budget] if prices else []


def _place_weights(
    system: System, plays: Plays, theorem: SumTheorem, scales: Sequence[Fraction]
) -> Iterator[tuple[Terms, Fraction]]:
    """Yield weights of places, and their sum at the start, that cover the charge of every played request.

    A linear programme in doubles finds the least, which are replaced by the next larger numbers of the code.
    """
    budget = float(theorem.budget) or 1.0
    starts = {
        v: e.value for v, e in enumerate(system.first) if isinstance(e, Polynomial) and e.value is not None
    }
    logs = [LOGS + place for place in system.logs]
    log_starts = {v: log_bounds(starts[v - LOGS]) for v in logs}
    starts |= {v: high for v, (_, high) in log_starts.items()}
    own = [v for v, leaf in enumerate(system.start.leaves) if not is_bool_kind(leaf.kind) and v in starts]
    rows = [
        (charge / budget, d.before, d.after)
        for play in plays.plays for d in play
        if d.granted and None not in (shape_with_leaves(system, d.before), shape_with_leaves(system, d.after))
        and 1e-6 * budget < (charge := charge_upper_bound(d, theorem))
        and all(map(math.isfinite, (*d.before, *d.after)))
    ]  # fmt: skip
    if theorem.measure == "loss" or not rows or not own:
        return
    factors, few = (
        (Fraction(1), theorem.alpha or Fraction(2), (theorem.alpha or 2) / Fraction(2)),
        list(scales)[:24],
    )
    modes = {
        leaf.value for shape in system.shapes for leaf in shape.leaves if isinstance(leaf.value, Fraction)
    }
    parts = {part for s in scales for part in (s, s / 2, s * s, s * s / 2)} | {
        a * b for a in few for b in (*few, *(mode + 1 for mode in modes if mode > 0))
    }
    units = _merge_nearly_equal(sorted({part * factor for part in parts for factor in factors}))
    charges, before, after = (np.array([row[i] for row in rows], dtype=float) for i in range(3))
    integers = [v for v in own if not is_float_kind(system.start.leaves[v].kind)]
    products = _products(system, own)
    squares = [v for v in products if len(set(factors_of(v))) == 1]
    mixed = [v for v in products if v not in squares]
    groups = [
        own,
        integers if len(integers) < len(own) else [],
        squares and [*integers, *squares],
        mixed,
        logs,
    ]
    for used in [[v] for v in own] if theorem.kernel == "kept_either" else filter(None, groups):
        begin = {v: math.prod((starts[p] for p in factors_of(v)), start=Fraction(1)) for v in used}
        old, new = (
            np.stack([_values(leaves, v) - float(begin[v]) for v in used], axis=1)
            for leaves in (before, after)
        )
        size = np.maximum(np.abs(new).max(axis=0), 1e-300)
        shares = _least_weights_by_lp(charges, (new - old) / size, new / size)
        chosen: list[list[tuple[int, Fraction]]] = []
        for v, share, weight in zip(used, shares, shares * budget / size, strict=True):
            if abs(share) > 1e-7:
                larger = [u for u in units if u >= abs(weight) * (1 - 1e-7)][:3]
                chosen.append([(v, -u if weight > 0 else u) for u in larger])
        for terms in itertools.product(*(play[: 3 if len(chosen) <= 3 else 1] for play in chosen)):
            ends = (c * log_starts.get(v, (begin[v],) * 2)[c > 0] for v, c in terms)
            yield terms, sum(ends, Fraction(0))


def _merge_nearly_equal(numbers: Sequence[Fraction]) -> list[Fraction]:
    """Return the simplest and the largest of each group of nearly equal numbers."""
    groups: list[list[Fraction]] = []
    for number in numbers:
        if groups and number <= groups[-1][0] * (1 + Fraction(1, 10**6)):
            groups[-1].append(number)
        else:
            groups.append([number])
    return sorted(
        {n for group in groups for n in (min(group, key=lambda number: number.denominator), group[-1])}
    )


def _least_weights_by_lp(
    charges: NDArray[np.float64], steps: NDArray[np.float64], reached: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return weights with steps @ weights >= charges and the least max of reached @ weights, or zeros."""
    steps, count, none = steps / charges[:, None], steps.shape[1], np.zeros((len(charges), 1))
    conditions = np.vstack([np.hstack([-steps, steps, none]), np.hstack([reached, -reached, none - 1])])
    answer = linprog(np.append(np.full(2 * count, 1e-6), 1.0), conditions, np.append(none - 1, none)).x
    return np.zeros(count) if answer is None else answer[:count] - answer[count:-1]


def _products(system: System, places: Iterable[int]) -> list[int]:
    """Return the squares of floats, and products of an integer with a float, if the code multiplies such places."""
    squares = mixed = False
    for path in (step.path for step in system.steps):
        for atom in path.atoms:
            squares = squares or atom.kind == "sqrt"
            for key in (key for part in atom.of for key in part.terms if len(key) == 2):
                factor, other = map(Polynomial.atom, key)
                if not (path.depends_on_request_alone(factor) and path.depends_on_request_alone(other)):
                    squares = squares or key[0] == key[1]
                    mixed = mixed or path.is_whole(factor) != path.is_whole(other)
    floats, integers = (
        [p for p in places if is_float_kind(system.start.leaves[p].kind) is is_float]
        for is_float in (True, False)
    )
    return [product_of(p, p) for p in floats if squares] + [
        product_of(i, j) for i in integers for j in floats if mixed
    ]


def _reached_states_by_shape(system: System, plays: Plays, theorem: SumTheorem) -> list[NDArray[np.float64]]:
    """Return for each shape the rows (leaves..., sum, grants) of states that plays reached."""
    first = tuple(float(e.value) if isinstance(e, Polynomial) else float(e) for e in system.first)  # type: ignore[arg-type]
    rows: list[list[tuple[float, ...]]] = [[] for _ in system.shapes]
    rows[0].append((*first, 0.0, 0.0))
    for play in plays.plays:
        sums: dict[int, tuple[float, int]] = {}
        for place, decision in enumerate(play):
            if not decision.granted:
                continue
            total, grants = sums.get(place % decision.runs, (0.0, 0))
            total, grants = sums[place % decision.runs] = (
                total + charge_upper_bound(decision, theorem),
                grants + 1,
            )
            shape = shape_with_leaves(system, decision.after)
            if shape is not None and np.isfinite(total):
                rows[system.shapes.index(shape)].append((*decision.after, total, float(grants)))
    by_shape = [np.array(r, dtype=float).reshape(len(r), len(first) + 2) for r in rows]
    everywhere = np.concatenate(by_shape)  # where no play came, what is true elsewhere is tried
    return [own if len(own) else everywhere for own in by_shape]


def code_constants(system: System) -> set[Fraction]:
    """Return the numbers above 0 with which the code compares places and requests."""
    constants = {
        -p.offset / s for p in _polynomials_in_code(system) if p.offset for s in _abs_coefficients(p)
    }
    names = {name for step in system.steps for name in step.path.choices if "hockey_stick" in name}
    constants |= {Fraction(name.split()[-1]) for name in names}
    constants |= {e.value for e in system.first if isinstance(e, Polynomial) and e.value is not None}
    return {abs(constant) for constant in constants} - {Fraction(0)}


def numbers_read_of_requests(system: System) -> set[str]:
    """Return the names of the numbers that the code reads of requests."""
    atoms = (atom for step in system.steps for atom in step.path.atoms)
    return {atom.name for atom in atoms if atom.kind in ("declared", "parameter", "charge")}


def _polynomials_in_code(system: System) -> Iterator[Polynomial]:
    """Yield the polynomials that the code compares or rounds, if their coefficients are of usual size."""
    for step in (*system.steps, *system.denied):
        atoms = [a.of[0] for a in step.path.atoms if a.kind in ("rounded", "ceil")]
        for polynomial in [p for p, _ in step.path.assumed] + atoms:
            usual = not polynomial.offset or Fraction(1, 10**15) < abs(polynomial.offset) < 10**15
            if usual and all(Fraction(1, 10**12) < s < 10**12 for s in _abs_coefficients(polynomial)):
                yield polynomial


def _abs_coefficients(polynomial: Polynomial) -> set[Fraction]:
    """Return the absolute coefficients of a polynomial, without its constant term."""
    return {abs(c) for key, c in polynomial.terms.items() if key}


def _constants_in_comparisons(
    system: System, theorem: SumTheorem
) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
    """Return candidate bounds, sums of two of them, and scales, from the code's comparisons."""
    bounds = {Fraction(0), theorem.budget} | code_constants(system)
    scales = {Fraction(1)}.union(*map(_abs_coefficients, _polynomials_in_code(system)))
    few, ordered = sorted(bounds)[:24], sorted(scales)
    units = [*ordered, *(1 / s for s in ordered), *(s for b in few[:12] if b for s in (b, 1 / b))]
    pairs = {sign * (a + other * b) for a in few for b in few for other in (1, -1) for sign in (1, -1)}
    own = bounds | {-b for b in bounds}
    return sorted(own), sorted(pairs - own), sorted(dict.fromkeys(units[:120]))


def _largest_reached_left_side(terms: Terms, rows: NDArray[np.float64]) -> tuple[float | None, float]:
    """Return the largest left side that plays reached, less what rounding may add, and the size of its parts."""
    parts = np.stack([_values(rows, v) * float(c) for v, c in terms], axis=1)
    parts = parts[np.isfinite(parts).all(axis=1)]
    if not len(parts):
        return None, 0.0
    with np.errstate(all="ignore"):
        sizes = np.abs(parts).sum(axis=1)
        most, size = float(np.max(parts.sum(axis=1) - 1e-9 * sizes)), float(np.max(sizes))
    if any(LOGS <= v < RATES for v, _ in terms):  # what is 1 unit off a number is so much off its logarithm
        size = max(size, 1.0)
    return (most, size) if np.isfinite(most) else (None, 0.0)


def _values(rows: NDArray[np.float64], variable: int) -> NDArray[np.float64]:
    """Return a variable's values in rows of leaves, or of (leaves..., sum, grants)."""
    columns = [{SUM: -2, GRANTS: -1}.get(place, place) for place in factors_of(variable)]
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        if variable >= LOGS:
            return np.log(rows[:, variable - LOGS])
        return np.prod(rows[:, columns], axis=1)  # type: ignore[no-any-return]


def _left_sides(places: Sequence[int], signed: bool, looks: bool) -> Iterator[Terms]:
    """Yield left sides of candidate invariants: places and the sum with coefficients -1, 0 and 1."""
    unit = Fraction(1)
    for place in places:
        for sign in (unit, -unit) if looks else ():  # whatever losses are added
            yield ((place, sign), (GRANTS, -2 * HUGE))
        for coefficients in ((unit, -2 * unit), (unit, -unit), (-unit, unit)):
            yield tuple(zip((place, GRANTS), coefficients, strict=True))
    sums: tuple[Terms, ...] = (((SUM, unit),), ((SUM, -unit),))[: 1 + signed]
    most = 4 if len(places) <= 4 else 3 if len(places) <= 7 else 2
    for size in range(most + 1):
        for chosen in itertools.combinations(places, size):
            for signs in itertools.product((-unit, unit), repeat=size):
                terms = tuple(zip(chosen, signs, strict=True))
                if terms:
                    yield terms
                for ghost in sums:
                    yield (*ghost, *terms)
