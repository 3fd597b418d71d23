"""Invariants: linear inequalities between the places of a state and sums of charges, kept by every step.

Candidates come from templates and the numbers of the code; those that a play breaks are dropped at once, those that a
step may break until none does (Houdini). What is left of them is derived step by step, with checked derivations.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from filterproof.mc.prove.certificate import Inequality
from filterproof.mc.prove.comparison import shape_at
from filterproof.mc.prove.paths import Atom, Path
from filterproof.mc.prove.plays import Plays
from filterproof.mc.prove.polynomials import Polynomial, number_text
from filterproof.mc.prove.requests import charge_bounds
from filterproof.mc.prove.solver import Premises, at_model, model_values, z3_module
from filterproof.mc.prove.theorems import Theorem
from filterproof.mc.prove.transitions import Step, System, Tracer

#: The sum of charges, and the number of grants, beside the indices of places.
SUM, GRANTS = -1, -2
MAX_CANDIDATES = 200
#: How much larger a divergence may be than the double that a pair computes.
COMPUTED = 1 + Fraction(1, 10**12)
#: What one grant may add to a sum by rounding, in units of 2^-53 of the sizes at hand.
UNITS = 8


@dataclass(frozen=True)
class Invariant:
    """sum of coefficient * variable <= bound + drift * grants, at states of one shape."""

    shape: int
    terms: tuple[tuple[int, Fraction], ...]
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
        if not left:
            left, right = {v: -c for v, c in self.terms}, {}
            return f"{_sum(left, names)} >= {number_text(-self.bound)}{_drift(self.drift)}"
        bound = number_text(self.bound) if self.bound or not right else ""
        rest = " + ".join(part for part in (_sum(right, names) if right else "", bound) if part)
        return f"{_sum(left, names)} <= {rest}{_drift(self.drift)}"


def _sum(terms: Mapping[int, Fraction], names: Mapping[int, str]) -> str:
    parts = [names[v] if c == 1 else f"{number_text(c)} {names[v]}" for v, c in terms.items()]
    return " + ".join(parts)


def _drift(drift: Fraction) -> str:
    return f" + {float(drift):.1g} k" if drift else ""


@dataclass(eq=False)
class Case:
    """A step with the facts about its least charge in one case, ready for questions."""

    step: Step
    before: int
    after: int
    premises: Premises
    old: dict[int, Polynomial]
    new: dict[int, Polynomial]


@dataclass
class Proved:
    """What was proved of a sum: the invariants at each shape that it needs, and how far rounding may take it."""

    theorem: Theorem
    invariants: list[Invariant]
    drift: Fraction
    budget: Fraction
    certificates: int
    names: dict[int, str]


@dataclass
class Failed:
    """Why a theorem does not apply: a step, and a state and request that the invariants allow."""

    theorem: Theorem
    reason: str
    step: Step | None = None
    values: dict[str, float] = field(default_factory=dict)

    def text(self) -> str:
        return f"{self.theorem.charge} within {number_text(self.theorem.budget)}: {self.reason}"


@dataclass(eq=False)
class Prover:
    """Looks for invariants of a system by which a theorem applies."""

    tracer: Tracer
    system: System
    plays: Plays
    theorem: Theorem
    #: Whether requests that declare NaN are left out, which no mechanism has.
    defined: bool = False
    #: Whether rounding is left out, which tells a fault of the rule from one of its doubles.
    exact: bool = False

    def __post_init__(self) -> None:
        self.unbounded: list[Step] = []
        self.numbers = {shape: i for i, shape in enumerate(self.system.shapes)}

    # -- steps ---------------------------------------------------------------------------------------------

    def cases(self) -> list[Case]:
        """Each granted step, once for each case of its least charge."""
        found, unbounded = [], self.unbounded
        for step in self.system.steps:
            if self.defined and step.is_undefined:
                continue
            path = _copied(step.path)
            measure = "pure" if self.theorem.measure == "loss" else self.theorem.measure
            bounds = charge_bounds(path, measure, self.theorem.alpha)
            if not bounds:  # nothing does, unless the invariants say that this step is never taken
                bounds = [[]]
                unbounded.append(step)
            ghost = path.new(Atom("ghost", "sum"))
            grants = Polynomial.atom(1)
            truth = path.new(Atom("truth", measure, (), False, Fraction(0)))
            charge, facts = truth, []
            if self.theorem.measure == "loss":
                if step.path.choices.get("loss", "finite") != "finite":
                    continue  # no loss is infinite where epsilon is bounded
                loss = path.new(Atom("loss", "loss"))
                charge, facts = loss, [(truth - loss, False), (truth + loss, False)]
            old = {SUM: ghost, GRANTS: grants}
            new = {SUM: ghost + charge, GRANTS: grants + 1}
            places = [n for n, atom in enumerate(path.atoms) if atom.kind == "place"]
            old |= {int(path.atoms[n].name): Polynomial.atom(n) for n in places}
            assert step.after is not None
            new |= {i: value for i, value in enumerate(step.values) if isinstance(value, Polynomial)}
            for leaf, value in enumerate(step.before.leaves):
                if isinstance(value.value, Fraction):
                    old[leaf] = Polynomial.constant(value.value)
            for bound in bounds:
                premises = Premises(thorough=True, exact=self.exact)
                premises.follow(path)
                for polynomial, strict in (*facts, *bound):
                    premises.assume(polynomial, strict)
                if not premises.possible([]) and premises.derive(None) is not None:
                    continue
                found.append(
                    Case(step, self.numbers[step.before], self.numbers[step.after], premises, old, new)
                )
        return found

    # -- candidates ------------------------------------------------------------------------------------------

    def samples(self) -> dict[int, np.ndarray[Any, np.dtype[np.float64]]]:
        """For each shape, rows (leaves..., sum, grants) of states that plays reached."""
        rows: dict[int, list[tuple[float, ...]]] = {i: [] for i in self.numbers.values()}
        first = tuple(float(e.value) if isinstance(e, Polynomial) else float(e) for e in self.system.first)  # type: ignore[arg-type]
        rows[0].append((*first, 0.0, 0.0))
        for play in self.plays.plays:
            sums: dict[int, tuple[float, int]] = {}
            for place, decision in enumerate(play):
                run = place % decision.runs
                total, count = sums.get(run, (0.0, 0))
                if not decision.granted:
                    continue
                total, count = total + self.charge(decision), count + 1
                sums[run] = total, count
                shape = shape_at(self.system, decision.after)
                if shape is not None and np.isfinite(total):
                    rows[self.numbers[shape]].append((*decision.after, total, float(count)))
        return {i: np.array(r, dtype=float).reshape(len(r), len(first) + 2) for i, r in rows.items()}

    def charge(self, decision: Any) -> float:
        """What a request of a play is charged at most."""
        measure, alpha = self.theorem.measure, self.theorem.alpha
        if measure == "loss":
            return float(decision.loss)
        if measure == "pure":
            return float(decision.declared("pure_epsilon"))
        if measure in ("epsilon", "delta"):
            own = {"epsilon": 0.0, "delta": decision.parameters.get("p", 0.0)} | decision.parameters
            is_pure = decision.family not in ("KOV", "Erasure") and measure == "epsilon"
            return float(decision.declared("pure_epsilon") if is_pure else own[measure])
        if measure == "gdp":
            return float(decision.declared("gdp_mu")) ** 2
        if measure == "zcdp":
            return float(decision.declared("zcdp_rho"))
        return max(float(decision.declared(f"{way}renyi {alpha}")) for way in ("", "swapped "))

    def constants(self) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
        """(bounds, sums of two of them, scales) that stand in the code's comparisons, with the budget."""
        bounds, scales = {Fraction(0), self.theorem.budget}, {Fraction(1)}
        for step in (*self.system.steps, *self.system.denied):
            polynomials = [p for p, _ in step.path.assumed] + [
                a.of[0] for a in step.path.atoms if a.kind in ("rounded", "ceil")
            ]
            for polynomial in polynomials:
                sizes = {abs(c) for key, c in polynomial.terms.items() if key}
                if not all(Fraction(1, 10**12) < s < 10**12 for s in sizes):
                    continue
                scales |= sizes
                if Fraction(1, 10**15) < abs(polynomial.offset) < 10**15:
                    bounds |= {abs(polynomial.offset) / s for s in sizes}
        bounds |= {
            abs(e.value) for e in self.system.first if isinstance(e, Polynomial) and e.value is not None
        }
        few = sorted(bounds)[:24]
        units = [
            *sorted(scales),
            *(1 / s for s in sorted(scales)),
            *(s for b in few[:12] if b for s in (b, 1 / b)),
        ]
        pairs = {a + b for a in few for b in few} | {a - b for a in few for b in few}
        own = bounds | {-b for b in bounds}
        return sorted(own), sorted((pairs | {-p for p in pairs}) - own), sorted(dict.fromkeys(units[:120]))

    def candidates(self) -> list[Invariant]:
        """Inequalities that no play breaks, the strongest of each form."""
        bounds, sums, scales = self.constants()
        samples = self.samples()
        values = {e.value for e in self.system.first if isinstance(e, Polynomial)}
        at_start = sorted({Fraction(0)} | {v for v in values if v is not None})
        found: list[Invariant] = []
        for number, shape in enumerate(self.system.shapes):
            rows = samples[number]
            places = shape.places()
            own: list[tuple[int, Invariant]] = []
            best: dict[Any, list[Invariant]] = {}
            for terms, family in _forms(places, scales, self.theorem.measure == "loss"):
                most, size = _reached(terms, rows)
                if most is None:
                    continue
                least = most - 1e-9 * max(size, 1e-300)
                fitting = [b for b in bounds if float(b) >= least][:2] + [
                    b for b in sums if float(b) >= least
                ][:1]
                if family:
                    fitting = [b for b in at_start if float(b) >= least]
                of_sum = any(v == SUM for v, _ in terms)
                for bound in fitting:
                    largest = max(Fraction(size), abs(bound), self.theorem.budget * _scale(terms))
                    drift = _power_of_two(largest) * UNITS / 2**53
                    drifts = [drift] if of_sum else [Fraction(0), drift] if len(terms) > 1 else [Fraction(0)]
                    made = [Invariant(number, terms, bound, d) for d in drifts]
                    if family:  # of those that differ in a scale, the two with the strongest
                        best[family, bound] = (made + best.get((family, bound), []))[:2]
                    else:
                        own += [(len(terms), invariant) for invariant in made]
            own += [(5, invariant) for kept in best.values() for invariant in kept]
            own.sort(key=lambda item: item[0])
            found += [invariant for _, invariant in own[:MAX_CANDIDATES]]
        return found

    # -- Houdini -----------------------------------------------------------------------------------------------

    def keep(self, cases: Sequence[Case], candidates: Sequence[Invariant]) -> list[Invariant]:
        """The candidates that hold at the start and that every step keeps, by the solver."""
        first = self._first()
        alive = [
            c
            for c in candidates
            if c.shape != 0 or (all(v in first for v, _ in c.terms) and (c.slack(first).value or 0) >= 0)
        ]
        active = dict.fromkeys(alive, True)
        z3 = z3_module()
        waiting = list(cases)
        ready: dict[int, tuple[dict[Invariant, Any], dict[Invariant, tuple[Polynomial, Any]]]] = {}
        while waiting:
            case = waiting.pop(0)
            if id(case) not in ready:
                ready[id(case)] = self._prepare(case, [c for c in active if active[c]])
            switches, goals = ready[id(case)]
            dropped = False
            while True:
                open_goals = {c: goal for c, goal in goals.items() if active[c]}
                if not open_goals:
                    break
                solver = case.premises.solver
                solver.push()
                solver.add(z3.Or([z3.Not(encoded) for _, encoded in open_goals.values()]))
                answer = solver.check(*[s for c, s in switches.items() if active[c]])
                values = model_values(solver.model(), case.premises) if answer == z3.sat else {}
                solver.pop()
                if answer == z3.unsat:
                    break
                broken = [c for c, (p, _) in open_goals.items() if at_model(p, values) < 0]
                if not broken:  # the solver does not know: one by one
                    broken = self._not_kept(case, switches, open_goals, active) or list(open_goals)[:1]
                for c in broken:
                    active[c] = False
                dropped = True
            if dropped:
                waiting += [c for c in cases if c.before == case.after and c not in waiting]
        return [c for c, is_active in active.items() if is_active]

    def _not_kept(
        self, case: Case, switches: Any, goals: Any, active: Mapping[Invariant, bool]
    ) -> list[Invariant]:
        """The goals that do not follow by themselves, as far as the solver knows."""
        z3, solver, found = z3_module(), case.premises.solver, []
        for invariant, (_, encoded) in goals.items():
            solver.push()
            solver.add(z3.Not(encoded))
            if solver.check(*[s for c, s in switches.items() if active[c]]) != z3.unsat:
                found.append(invariant)
            solver.pop()
        return found

    def _first(self) -> dict[int, Polynomial]:
        """The variables at the start."""
        first = {i: e for i, e in enumerate(self.system.first) if isinstance(e, Polynomial)}
        return first | {SUM: Polynomial({}), GRANTS: Polynomial({})}

    def _prepare(self, case: Case, invariants: Iterable[Invariant]) -> Any:
        z3 = z3_module()
        switches, goals = {}, {}
        for number, invariant in enumerate(invariants):
            if invariant.shape == case.before:
                switches[invariant] = z3.Bool(f"use{number}")
                case.premises.solver.add(
                    z3.Implies(switches[invariant], case.premises.encode(invariant.slack(case.old), False))
                )
            if invariant.shape == case.after:
                polynomial = invariant.slack(case.new)
                goals[invariant] = (polynomial, case.premises.encode(polynomial, False))
        return switches, goals

    # -- the proof ------------------------------------------------------------------------------------------------

    def prove(self) -> Proved | Failed:
        """Invariants by which the sum keeps within the budget, each step with a derivation; or why there are none."""
        cases = self.cases()
        if not cases:
            return Failed(self.theorem, "no request is ever granted")
        kept = self.keep(cases, self.candidates())
        for budget, factor in itertools.product((Fraction(1), 1 + Fraction(1, 10**12)), (1, 2, 4, 16, 64)):
            drift = _power_of_two(self.theorem.budget) * UNITS * factor / 2**53
            goals = [
                Invariant(i, ((SUM, Fraction(sign)),), self.theorem.budget * budget, drift)
                for i in range(len(self.system.shapes))
                for sign in self.theorem.ghosts
            ]
            found = self._derive(cases, kept, goals)
            if found is not None:
                if isinstance(found, Failed):
                    return found
                names = {SUM: self._name(), GRANTS: "k"}
                for shape in self.system.shapes:
                    names |= {i: leaf.name for i, leaf in enumerate(shape.leaves)}
                # divergences, unlike charges, are declared within 1e-12 of themselves, and not rounded up
                declared = COMPUTED if self.theorem.measure in ("renyi", "delta") else Fraction(1)
                most = self.theorem.budget * budget * declared
                return Proved(self.theorem, found[0], drift * declared, most, found[1], names)
        return self._failing(cases, kept)

    def _name(self) -> str:
        return "the loss" if self.theorem.measure == "loss" else f"sum of {self.theorem.charge}"

    def _derive(
        self, cases: Sequence[Case], kept: Sequence[Invariant], goals: Sequence[Invariant]
    ) -> tuple[list[Invariant], int] | Failed | None:
        """The invariants that the goals need, with the number of derivations; None where a goal does not follow."""
        needed: list[Invariant] = []
        total = 0
        for goal in goals:
            premises, values = self._at(goal.shape)
            own = [c for c in kept if c.shape == goal.shape]
            polynomial = goal.slack(values)
            facts = [(c.slack(values), False) for c in own]
            if premises.possible([*facts, (-polynomial, True)]):
                return None
            used = self._used(premises, polynomial, own, values, needed)
            if used is None:
                return None
            needed += [c for c in used if c not in needed]
            total += 1
        bounds = self._limits()
        first = self._first()
        if any(
            (b.slack(first).value or Fraction(-1)) < 0
            for b in bounds
            if b.shape == 0 and b.slack(first).value != 0
        ):
            return Failed(self.theorem, "the state at the start is out of the range of the trace")
        for invariant in itertools.chain(bounds, needed):  # grows while it is walked through
            for case in cases:
                if case.after != invariant.shape:
                    continue
                own = [c for c in kept if c.shape == case.before]
                used = self._used(case.premises, invariant.slack(case.new), own, case.old, needed)
                if used is None:
                    names = {
                        i: leaf.name for i, leaf in enumerate(self.system.shapes[invariant.shape].leaves)
                    }
                    names |= {SUM: self._name(), GRANTS: "k"}
                    return Failed(self.theorem, f"no certificate for {invariant.text(names)}", case.step)
                needed += [c for c in used if c not in needed]
                total += 1
        return needed, total

    def _used(
        self,
        premises: Premises,
        goal: Polynomial,
        own: Sequence[Invariant],
        values: Mapping[int, Polynomial],
        needed: Sequence[Invariant],
    ) -> list[Invariant] | None:
        """Invariants from which the goal was derived: those that are needed anyway, if they are enough."""
        before = {c for c in needed if c in own}
        for choice in ([c for c in own if c in before], list(own)):
            facts = [(c.slack(values), False) for c in choice]
            if premises.possible([*facts, (-goal, True)]):
                continue
            used = _shrunk(premises, goal, choice, facts)
            if used is not None and premises.derive(goal, [f for _, f in used]) is not None:
                return [c for c, _ in used]
        return None

    def _at(self, shape: int) -> tuple[Premises, dict[int, Polynomial]]:
        """Premises about a state of a shape alone."""
        path = Path((), self.tracer.atoms(self.system.shapes[shape]), lambda *_: True)
        path.index()
        ghost = path.new(Atom("ghost", "sum"))
        premises = Premises()
        premises.follow(path)
        values = {SUM: ghost, GRANTS: Polynomial.atom(1)}
        values |= {int(a.name): Polynomial.atom(n) for n, a in enumerate(path.atoms) if a.kind == "place"}
        return premises, values

    def _limits(self) -> list[Invariant]:
        """What the trace took for granted about places: that they keep within their ranges."""
        found = []
        for number, shape in enumerate(self.system.shapes):
            for atom in self.tracer.atoms(shape):
                if atom.kind == "place" and atom.low is not None and atom.high is not None:
                    place = int(atom.name)
                    found.append(Invariant(number, ((place, Fraction(1)),), atom.high))
                    found.append(Invariant(number, ((place, Fraction(-1)),), -atom.low))
        return found

    def _failing(self, cases: Sequence[Case], kept: Sequence[Invariant]) -> Failed:
        """A step after which the sum may pass the budget, as far as the invariants know."""
        z3 = z3_module()
        for case in sorted(cases, key=lambda c: c.step not in self.unbounded):
            for sign in self.theorem.ghosts:
                goal = Invariant(
                    case.after, ((SUM, Fraction(sign)),), self.theorem.budget * (1 + Fraction(1, 10**6))
                )
                facts = [c.slack(case.old) for c in kept if c.shape == case.before]
                facts.append(Invariant(case.before, goal.terms, self.theorem.budget).slack(case.old))
                encoded = [case.premises.encode(p, False) for p in facts]
                encoded.append(case.premises.encode(-goal.slack(case.new), True))
                case.premises.solver.push()
                case.premises.solver.add(*encoded)
                answer = case.premises.solver.check()
                values = model_values(case.premises.solver.model(), case.premises) if answer == z3.sat else {}
                case.premises.solver.pop()
                if answer != z3.unsat and case.step in self.unbounded:
                    what = "epsilon" if self.theorem.measure in ("pure", "loss") else self.theorem.charge
                    reason = f"nothing that the code reads of {_families(case.step)} bounds its {what}"
                    special = {
                        v: k for k, v in case.step.path.choices.items() if v in ("undefined", "infinite")
                    }
                    for size, name in special.items():
                        reason = f"a request may be granted whose {name} is {size}, so that nothing bounds its {what}"
                    return Failed(self.theorem, reason, case.step)
                if answer != z3.unsat:
                    return Failed(
                        self.theorem,
                        "the sum may pass the budget",
                        case.step,
                        _shown(case, values, self._name()),
                    )
        return Failed(self.theorem, f"no invariant was found that bounds the {self._name()}", cases[0].step)


def _copied(path: Path) -> Path:
    copy = Path((), list(path.atoms), path.feasible, list(path.assumed), dict(path.choices))
    copy.index()
    return copy


def _families(step: Step) -> str:
    known = sorted(name.removeprefix("sub:") for name in step.request.possible)
    return "a request" if len(set(known)) > 3 else " or ".join(dict.fromkeys(known))


def _scale(terms: Sequence[tuple[int, Fraction]]) -> Fraction:
    return next((abs(c) for v, c in terms if v == SUM), Fraction(0))


def _power_of_two(size: Fraction) -> Fraction:
    """The least power of two that is no less, for short rationals."""
    power = Fraction(2) ** (math.frexp(float(size))[1] if size else -60)
    return power / 2 if power / 2 >= size else power


def _reached(terms: Sequence[tuple[int, Fraction]], rows: Any) -> tuple[float | None, float]:
    """(the largest left side that plays reached, the size of its parts); None where it is no number."""
    if not len(rows):
        return 0.0, 0.0
    columns = [v if v >= 0 else (-2 if v == SUM else -1) for v, _ in terms]
    parts = rows[:, columns] * np.array([float(c) for _, c in terms])
    with np.errstate(all="ignore"):
        most, size = float(np.max(parts.sum(axis=1))), float(np.max(np.abs(parts).sum(axis=1)))
    return (most, size) if np.isfinite(most) else (None, 0.0)


def _forms(
    places: Sequence[int], scales: Sequence[Fraction], signed: bool
) -> Iterable[tuple[tuple[tuple[int, Fraction], ...], Any]]:
    """Left sides of candidates: places and the sum, with coefficients -1, 0 and 1, and the sum in other units.

    Beside each is the family of those that differ from it in a scale alone, the weakest first.
    """
    one = Fraction(1)
    for place in places:
        for coefficients in ((one, -2 * one), (one, -one), (-one, one)):
            yield tuple(zip((place, GRANTS), coefficients, strict=True)), None
    sums = [((SUM, one),), ((SUM, -one),)] if signed else [((SUM, one),)]
    most = 4 if len(places) <= 4 else 3 if len(places) <= 7 else 2
    for count in range(most + 1):
        for chosen in itertools.combinations(places, count):
            for signs in itertools.product((-one, one), repeat=count):
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


def _shrunk(
    premises: Premises, goal: Polynomial, choice: Sequence[Invariant], facts: Sequence[Inequality]
) -> list[tuple[Invariant, Inequality]] | None:
    """A part of the facts from which the goal follows: the solver's core."""
    z3 = z3_module()
    encoded = [premises.encode(*fact) for fact in facts]
    negated = premises.encode(-goal, True)
    switches = [z3.Bool(f"fact{i}") for i in range(len(facts))]
    premises.solver.push()
    premises.solver.add(negated, *[z3.Implies(s, e) for s, e in zip(switches, encoded, strict=True)])
    chosen = list(range(len(facts)))
    answer = premises.solver.check(*[switches[i] for i in chosen])
    if answer == z3.unsat:
        core = {str(s) for s in premises.solver.unsat_core()}
        chosen = [i for i in chosen if f"fact{i}" in core]
        for i in list(chosen):
            rest = [j for j in chosen if j != i]
            if premises.solver.check(*[switches[j] for j in rest]) == z3.unsat:
                chosen = rest
    premises.solver.pop()
    return [(choice[i], facts[i]) for i in chosen] if answer == z3.unsat else None


def _shown(case: Case, values: Mapping[Any, Fraction], name: str) -> dict[str, float]:
    """The state, the request and the sum in a model, by name."""
    found = {}
    leaves = case.step.before.leaves
    for n, atom in enumerate(case.step.path.atoms):
        if (n,) in values and atom.kind in ("place", "declared", "parameter", "loss"):
            label = leaves[int(atom.name)].name if atom.kind == "place" else atom.name
            found[label] = float(values[n,])
    ghost = next(iter(case.old[SUM].atoms))
    if (ghost,) in values:
        found[f"{name} before"] = float(values[ghost,])
    return found
