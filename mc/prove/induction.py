"""The induction: which candidates every step keeps, and a checked derivation for each that the goal needs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from filterproof.mc.prove.derivations import DerivedGoal, DerivedStep, DerivedSystem
from filterproof.mc.prove.invariant_templates import (
    GRANTS,
    LOGS,
    SUM,
    Invariant,
    candidates,
    factors_of,
    rounding_drift_per_grant,
)
from filterproof.mc.prove.logarithms import compared_logarithms, log_bounds, logarithm
from filterproof.mc.prove.paths import Atom, NotTraced, Path, atom_facts
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.questions import Questions
from filterproof.mc.prove.requests import charge_upper_bound_cases
from filterproof.mc.prove.sample_plays import Plays
from filterproof.mc.prove.solver import Premises, value_at_model
from filterproof.mc.prove.sum_bounds import SumBound
from filterproof.mc.prove.theorems import SumTheorem, declared_within
from filterproof.mc.prove.transitions import Shape, System, Transition, initial_atoms_of_shape

#: How much larger than the theorem's budget one like ten times .1 may be.
LARGER = 1 + Fraction(1, 10**12)
#: Multiples of the least drift of a sum by rounding that are tried.
DRIFTS = (1, 2, 4, 16, 64)


@dataclass(eq=False)
class GrantedStepCase:
    """One granted step in one case of its least charge, with a solver that knows its facts."""

    step: Transition
    before: int
    after: int
    path: Path
    premises: Premises
    old: dict[int, Polynomial]
    new: dict[int, Polynomial]
    #: Whether nothing bounds its charge.
    unbounded: bool


@dataclass
class Failure:
    """Why a theorem does not apply: a step, and a state and request that the invariants allow."""

    theorem: SumTheorem
    reason: str
    step: Transition | None = None
    values: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.theorem}: {self.reason}"


@dataclass(eq=False)
class Induction:
    """The search for invariants of a traced filter by which a theorem applies."""

    system: System
    plays: Plays
    theorem: SumTheorem
    questions: Questions
    #: Whether requests that declare NaN are left out, which no mechanism has.
    defined: bool = False
    #: Whether rounding is left out, which tells a fault of the rule from one of its doubles.
    exact: bool = False

    def prove(self) -> SumBound | Failure:
        """Invariants by which the sum keeps within the budget, each step with a derivation; or why there are none."""
        if not self.cases:
            return Failure(self.theorem, "no request is ever granted")
        for larger, factor in itertools.product((Fraction(1), LARGER), DRIFTS):
            budget, drift = (
                self.theorem.budget * larger,
                rounding_drift_per_grant(max(self.theorem.budget, Fraction(bool(self.system.logs)))) * factor,
            )
            goals = [
                Invariant(number, ((SUM, Fraction(sign)),), budget, drift)
                for number in range(len(self.system.shapes))
                for sign in self.theorem.bounded_signs
            ]
            if (needed := self._invariants_implying_goals(self.preserved, goals)) is not None:
                return self.sum_bound(budget, drift, needed, len(goals))
        return self._unbounded_sum_failure(self.cases, self.preserved)

    @cached_property
    def cases(self) -> list[GrantedStepCase]:
        """The granted steps, once for each case of their least charge."""
        return list(self._cases())

    @cached_property
    def preserved(self) -> list[Invariant]:
        """The candidates that every step keeps."""
        return self._keep(self.cases, candidates(self.system, self.plays, self.theorem))

    def sum_bound(
        self, budget: Fraction, drift: Fraction, needed: list[Invariant], goals: int
    ) -> SumBound | Failure:
        """Return the bound with derivations of the needed invariants in each step, beside those of the goals."""
        steps = self._derived_steps(self.cases, self.preserved, needed)
        if isinstance(steps, Failure):
            return steps
        places = [tuple(shape.places()) for shape in self.system.shapes]
        invariants = list(dict.fromkeys([*self._place_range_invariants(), *needed]))
        record = DerivedSystem(places, self._first(), invariants, steps)
        # divergences, unlike charges, are declared within 1e-12 of themselves, and not rounded up
        declared = declared_within(self.theorem.measure)
        lines = tuple(dict.fromkeys(own.text(self._variable_names(own.shape)) for own in needed))
        count = goals + sum(len(step.goals) for step in steps)
        return SumBound(self.theorem, budget * declared, drift * declared, lines, count, proof=record)

    def invariants_before_goal_after(
        self, step: Transition, budget: Fraction, drift: Fraction
    ) -> list[Invariant] | None:
        """Return invariants by which the sum is within a budget after a step; None if it may not be."""
        used: list[Invariant] = []
        for case in (case for case in self.cases if case.step is step):
            goal = Invariant(case.after, ((SUM, Fraction(1)),), budget, drift)
            own = [c for c in self.preserved if c.shape == case.before]
            derivation = _derivation(case.premises, goal, case.new, own, case.old, used)
            if derivation is None:
                return None
            used += [c for c in derivation.used if c not in used]
        return used

    # -- steps -----------------------------------------------------------------------------------------------

    def _cases(self) -> Iterator[GrantedStepCase]:
        """Yield each granted step, once for each case of its least charge."""
        is_loss = self.theorem.measure == "loss"
        measure = "pure" if is_loss else self.theorem.measure
        numbers = {shape: i for i, shape in enumerate(self.system.shapes)}
        for step in self.system.steps:
            if self.defined and step.request_declares_nan:
                continue
            if is_loss and step.path.choices.get("loss", "finite") != "finite":
                continue  # no loss is infinite where epsilon is bounded
            path = step.path.copied()
            bounds = charge_upper_bound_cases(path, measure, self.theorem.alpha)
            ghost = path.intern_atom(Atom("ghost", "sum"))
            charge, facts = path.intern_atom(Atom("truth", measure, (), False, Fraction(0))), []
            if is_loss:
                loss = path.intern_atom(Atom("loss", "loss"))
                charge, facts = loss, [(charge - loss, False), (charge + loss, False)]
            known = {
                i: leaf.value for i, leaf in enumerate(step.before.leaves) if isinstance(leaf.value, Fraction)
            }
            old = _variables_before_step(path, ghost) | {
                i: Polynomial.constant(value) for i, value in known.items()
            }
            new = {SUM: ghost + charge, GRANTS: old[GRANTS] + 1}
            new |= {i: value for i, value in enumerate(step.values) if isinstance(value, Polynomial)}
            for values in (old, new):
                values |= _logarithms(path, values, self.system.logs)
            facts += compared_logarithms(path) if self.system.logs else ()
            assert step.after is not None
            # where nothing bounds the charge, the invariants may still say that the step is never taken
            for bound in bounds or [[]]:
                premises = Premises(self.questions, thorough=True, exact=self.exact)
                premises.add_path_facts(replace(path, assumed=[*path.assumed, *facts, *bound]))
                if premises.possible([]) or premises.derives(None) is None:
                    yield GrantedStepCase(
                        step, numbers[step.before], numbers[step.after], path, premises, old, new, not bounds
                    )
                    continue
                # a charge of 0 is within any bounds; a realised loss may be beyond them
                bounded = replace(path, assumed=[*path.assumed, *bound])
                if not self._contradicts_itself(step.path) and not (
                    is_loss and not self._contradicts_itself(bounded)
                ):
                    raise NotTraced("what bounds a charge contradicts a step that may be taken")

    def _contradicts_itself(self, path: Path) -> bool:
        """Whether the inequalities of a path contradict each other."""
        premises = Premises(self.questions, thorough=True, exact=self.exact)
        premises.add_path_facts(path)
        return premises.derives(None) is not None

    def _first(self, end: int = 0) -> dict[int, Polynomial]:
        """The variables at the start, logarithms by their lower (0) or upper (1) bounds."""
        first = {i: e for i, e in enumerate(self.system.first) if isinstance(e, Polynomial)}
        logs = {
            LOGS + i: Polynomial.constant(log_bounds(first[i].value or Fraction(1))[end])
            for i in self.system.logs
        }
        return first | logs | {SUM: Polynomial({}), GRANTS: Polynomial({})}

    def _holds_at_start(self, invariant: Invariant) -> bool:
        """Whether an invariant is shown to hold at the start."""
        ends = [self._first(end) for end in (0, 1)]
        known = all(p in ends[0] for v, _ in invariant.terms for p in factors_of(v))
        return known and all((invariant.slack(first).value or 0) >= 0 for first in ends)

    # -- what every step keeps ---------------------------------------------------------------------------------

    def _keep(self, cases: Sequence[GrantedStepCase], tried: Sequence[Invariant]) -> list[Invariant]:
        """The candidates that hold at the start and that every step keeps, by the solver: Houdini."""
        active = {c: True for c in tried if c.shape or self._holds_at_start(c)}
        waiting, ready = list(cases), dict[int, Any]()
        while waiting:
            case = waiting.pop(0)
            if id(case) not in ready:
                ready[id(case)] = self._switches_and_goals(case, [c for c in active if active[c]])
            dropped = False
            while broken := self._broken(case, ready[id(case)], active):
                active |= dict.fromkeys(broken, False)
                dropped = True
            if dropped:
                waiting += [c for c in cases if c.before == case.after and c not in waiting]
        return [c for c, is_active in active.items() if is_active]

    def _switches_and_goals(self, case: GrantedStepCase, invariants: Sequence[Invariant]) -> tuple[Any, Any]:
        """Return z3 switches that assume invariants before a step, and the invariants after it."""
        switches, goals = {}, {}
        for number, invariant in enumerate(invariants):
            if invariant.shape == case.before:
                switches[invariant] = self.questions.switch(f"use{number}")
                before = case.premises.encode_for_z3(invariant.slack(case.old), False)
                case.premises.solver.add(self.questions.z3.Implies(switches[invariant], before))
            if invariant.shape == case.after:
                polynomial = invariant.slack(case.new)
                goals[invariant] = (
                    polynomial,
                    self.questions.z3.Not(case.premises.encode_for_z3(polynomial, False)),
                )
        return switches, goals

    def _broken(
        self, case: GrantedStepCase, ready: tuple[Any, Any], active: Mapping[Invariant, bool]
    ) -> list[Invariant]:
        """Return the active invariants that a step may break, by the solver's model."""
        switches, goals = ready
        assumed = [s for c, s in switches.items() if active[c]]
        open_goals = {c: goal for c, goal in goals.items() if active[c]}

        def answer(denied: Any) -> tuple[bool | None, dict[Any, Fraction]]:
            case.premises.solver.push()
            case.premises.solver.add(denied)
            satisfiable = self.questions.check(case.premises.solver, *assumed)
            values = case.premises.values(case.premises.solver.model()) if satisfiable else {}
            case.premises.solver.pop()
            return satisfiable, values

        if not open_goals:
            return []
        satisfiable, values = answer(self.questions.z3.Or([denied for _, denied in open_goals.values()]))
        if satisfiable is None:  # all at once were too many
            return [c for c, (_, denied) in open_goals.items() if answer(denied)[0] is not False]
        return [c for c, (p, _) in open_goals.items() if value_at_model(p, values) < 0] if satisfiable else []

    # -- derivations -------------------------------------------------------------------------------------------

    def _invariants_implying_goals(
        self, preserved: Sequence[Invariant], goals: Sequence[Invariant]
    ) -> list[Invariant] | None:
        """Return invariants that imply the goals in every state; None if a goal does not follow."""
        needed: list[Invariant] = []
        for goal in goals:
            path = Path(
                (),
                self._initial_atoms(self.system.shapes[goal.shape]),
                lambda *_: True,
            )
            path.index_atoms()
            values = _variables_before_step(path, path.intern_atom(Atom("ghost", "sum")))
            values |= _logarithms(path, values, self.system.logs)
            premises = Premises(self.questions)
            premises.add_path_facts(path)
            own = [c for c in preserved if c.shape == goal.shape]
            derivation = _derivation(premises, goal, values, own, values, needed)
            if derivation is None:
                return None
            needed += [c for c in derivation.used if c not in needed]
        return needed

    def _derived_steps(
        self, cases: Sequence[GrantedStepCase], preserved: Sequence[Invariant], needed: list[Invariant]
    ) -> list[DerivedStep] | Failure:
        """Return the steps with derivations for the needed invariants, or the Failure to find one."""
        derived = {id(case): derived_step(case) for case in cases}
        limits = list(self._place_range_invariants())
        if not all(self._holds_at_start(limit) for limit in limits if limit.shape == 0):
            return Failure(self.theorem, "the state at the start is out of the range of the trace")
        for invariant in itertools.chain(limits, needed):  # grows while it is walked through
            for case in (c for c in cases if c.after == invariant.shape):
                own = [c for c in preserved if c.shape == case.before]
                goal = _derivation(case.premises, invariant, case.new, own, case.old, needed)
                if goal is None:
                    reason = f"no certificate for {invariant.text(self._variable_names(invariant.shape))}"
                    return Failure(self.theorem, reason, case.step)
                needed += [c for c in goal.used if c not in needed]
                derived[id(case)].goals.append(goal)
        return list(derived.values())

    def _initial_atoms(self, shape: Shape) -> list[Atom]:
        """Return the atoms that each path from a shape starts with."""
        return initial_atoms_of_shape(shape, self.system.floors, self.system.largest)

    def _place_range_invariants(self) -> Iterator[Invariant]:
        """Yield the assumptions of the trace as invariants: each place of the state keeps within its range."""
        for number, shape in enumerate(self.system.shapes):
            for atom in self._initial_atoms(shape):
                if atom.kind == "place" and atom.high is not None:
                    yield Invariant(number, ((int(atom.name), Fraction(1)),), atom.high)
                if atom.kind == "place" and atom.low is not None:
                    yield Invariant(number, ((int(atom.name), Fraction(-1)),), -atom.low)

    # -- failures ----------------------------------------------------------------------------------------------

    def _unbounded_sum_failure(
        self, cases: Sequence[GrantedStepCase], preserved: Sequence[Invariant]
    ) -> Failure:
        """Return the failure with a step after which the sum may pass the budget."""
        most = self.theorem.budget * (1 + Fraction(1, 10**6))
        for case in sorted(cases, key=lambda c: not c.unbounded):
            for sign in self.theorem.bounded_signs:
                goal = Invariant(case.after, ((SUM, Fraction(sign)),), most)
                before = replace(goal, shape=case.before, bound=self.theorem.budget)
                facts = [c.slack(case.old) for c in (*preserved, before) if c.shape == case.before]
                values = case.premises.possible(
                    [*((p, False) for p in facts), (-goal.slack(case.new), True)], model=True
                )
                if values is not False:
                    return self._failure_in_case(case, values if isinstance(values, dict) else {})
        return Failure(
            self.theorem, f"no invariant was found that bounds the {self.theorem.sum}", cases[0].step
        )

    def _failure_in_case(self, case: GrantedStepCase, values: Mapping[Any, Fraction]) -> Failure:
        """Return the failure of one case, with a state and a request or with a reason."""
        if not case.unbounded:
            return Failure(
                self.theorem,
                "the sum may pass the budget",
                case.step,
                self._model_values_by_name(case, values),
            )
        what = "epsilon" if self.theorem.measure in ("pure", "loss") else self.theorem.charge
        what += " in both directions" if self.theorem.measure == "renyi" else ""
        families = sorted({name.removeprefix("sub:") for name in case.step.request.possible})
        named = "a request" if len(families) > 3 else " or ".join(families)
        reason = f"nothing that the code reads of {named} bounds its {what}"
        for name, size in case.step.path.choices.items():
            if size in ("undefined", "infinite"):
                reason = f"a request may be granted whose {name} is {size}, so that nothing bounds its {what}"
        return Failure(self.theorem, reason, case.step)

    def _variable_names(self, shape: int) -> dict[int, str]:
        """Return the names of the variables of a shape's invariants, for display."""
        names = {i: leaf.name for i, leaf in enumerate(self.system.shapes[shape].leaves)}
        names |= {LOGS + i: f"log {names[i]}" for i in self.system.logs}
        return names | {SUM: self.theorem.sum.removeprefix("size of "), GRANTS: "k"}

    def _model_values_by_name(
        self, case: GrantedStepCase, values: Mapping[Any, Fraction]
    ) -> dict[str, float]:
        """Return the state, the request and the sum of a solver's model, by name."""
        by_name, leaves = {}, case.step.before.leaves
        for n, atom in enumerate(case.path.atoms):
            if (n,) in values and atom.kind in ("place", "declared", "parameter", "loss", "ghost"):
                label = leaves[int(atom.name)].name if atom.kind == "place" else atom.name
                by_name[f"{self.theorem.sum} before" if atom.kind == "ghost" else label] = float(values[n,])
        return by_name


def _derivation(
    premises: Premises,
    goal: Invariant,
    new: Mapping[int, Polynomial],
    own: Sequence[Invariant],
    old: Mapping[int, Polynomial],
    needed: Sequence[Invariant],
) -> DerivedGoal | None:
    """A derivation of the goal from invariants: those that are needed anyway, if they are enough."""
    for choice in ([c for c in own if c in needed], own):
        derivation = premises.derives(goal.slack(new), [(c.slack(old), False) for c in choice])
        if derivation is not None:
            return DerivedGoal(
                goal, tuple(choice[i] for i in derivation.used), tuple(choice), tuple(derivation.lines)
            )
    return None


def derived_step(case: GrantedStepCase) -> DerivedStep:
    """A step in numbers alone, without derivations."""
    premises, atoms = case.premises, case.path.atoms
    owners = [a.kind for n, a in enumerate(atoms) for _ in atom_facts(Polynomial.atom(n), a)]
    return DerivedStep(
        case.before, case.after, [a.kind for a in atoms], [a.name for a in atoms if a.kind == "function"],
        list(premises.given), owners, dict(premises.roundings), set(premises.doubles), case.old, case.new,
    )  # fmt: skip


def _logarithms(path: Path, values: Mapping[int, Polynomial], places: Sequence[int]) -> dict[int, Polynomial]:
    """Return the logarithms of places by the variables that stand for them."""
    logs = {LOGS + place: logarithm(path, values[place]) for place in places if place in values}
    return {variable: log for variable, log in logs.items() if log is not None}


def _variables_before_step(path: Path, ghost: Polynomial) -> dict[int, Polynomial]:
    """Return the sum, the number of grants and the places of the state before a step."""
    places = {int(a.name): Polynomial.atom(n) for n, a in enumerate(path.atoms) if a.kind == "place"}
    return {SUM: ghost, GRANTS: path.intern_atom(Atom("grants", "grants so far"))} | places
