"""The trace against the real code: each decision of a play, and each new state, predicted to the last bit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from filterproof.mc.prove.paths import Visit
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.requests import DECLARED, HUGE
from filterproof.mc.prove.sample_plays import PlayedDecision, Plays
from filterproof.mc.prove.transitions import Shape, System, Transition

#: A proof is reported only if as many decisions were compared.
COMPARED = 50


def shape_with_leaves(system: System, leaves: tuple[float, ...]) -> Shape | None:
    """Return the traced state shape that a state's numbers have; None if there is none."""
    for shape in system.shapes:
        if len(shape.leaves) == len(leaves) and all(
            _matches_known_leaf(leaf.value, x) for leaf, x in zip(shape.leaves, leaves, strict=True)
        ):
            return shape
    return None


def _matches_known_leaf(mark: Any, x: float) -> bool:
    """Whether a number equals a shape's known leaf; any finite number if none is known."""
    if mark is None:
        return math.isfinite(x)
    if isinstance(mark, str):
        return {"True": x == 1, "False": x == 0}.get(mark, repr(x) == mark)
    return math.isfinite(x) and Fraction(x) == mark


def predicted(
    step: Transition, decision: PlayedDecision, grants: int
) -> tuple[bool, tuple[Any, ...], dict[int, Fraction]] | None:
    """Return the predicted (granted, leaves afterwards) of a decision; None if it is another step's."""
    path = step.path
    if decision.family not in step.request.possible:
        return None
    given: dict[tuple[str, str], Any] = {("runs", "n"): decision.runs, ("grants", "grants so far"): grants}
    for i, x in enumerate(decision.before):
        if math.isfinite(x):
            given["place", str(i)] = x
    for name, chosen in path.choices.items():
        if _names_declared_number(name):
            if decision.declared_size_class(name) != chosen:
                return None
            given["charge" if name.startswith("charge ") else "declared", name] = decision.declared_number(
                name
            )
        elif name.endswith(" is"):
            own = name.removesuffix(" is")
            value = float(decision.parameters[own.partition(".")[2]])
            if ("huge" if value > HUGE else "finite") != chosen:
                return None
            given["parameter", own] = value
        elif name == "loss":
            sizes = {math.inf: "infinite", -math.inf: "minus infinite"}
            if sizes.get(decision.loss, "finite") != chosen:
                return None
            given["loss", "loss"] = decision.loss
    given = {key: Fraction(value) for key, value in given.items() if math.isfinite(value)}
    for atom in path.atoms:
        if atom.kind == "parameter" and (atom.kind, atom.name) not in given:
            given[atom.kind, atom.name] = Fraction(decision.parameters[atom.name.partition(".")[2]])
    values = path.evaluate_atoms(given)
    if values is None or not path.holds(values):
        return None
    if step.after is None:
        return False, (), values
    return True, tuple(v.at(values) if isinstance(v, Polynomial) else v for v in step.values), values


def _names_declared_number(name: str) -> bool:
    """Whether a name of a path's choice is a number that requests declare."""
    return name in DECLARED or name.startswith("charge ") or "renyi" in name or "hockey_stick" in name


def correct_predictions_and_mismatch(system: System, plays: Plays) -> tuple[int, PlayedDecision | None]:
    """Return how many decisions the trace predicts bit for bit, and the first one that it does not."""
    agreed = 0
    groups: dict[
        Any, list[Transition]
    ] = {}  # by what they say of declared numbers, which is quickly compared
    for step in (*system.steps, *system.denied):
        sizes = tuple(
            (name, size) for name, size in step.path.choices.items() if _names_declared_number(name)
        )
        groups.setdefault((step.before, sizes), []).append(step)
    for play in plays.plays:
        grants = 0
        for decision in play:
            shape = shape_with_leaves(system, decision.before)
            if shape is None:
                if decision.raised:
                    continue
                return agreed, decision
            answers = [
                (step, answer)
                for (before, sizes), steps in groups.items()
                if before == shape and all(decision.declared_size_class(name) == size for name, size in sizes)
                for step in steps
                if (answer := predicted(step, decision, grants)) is not None
            ]
            actual = decision.granted, decision.after if decision.granted else ()
            decision.traced[:] = [
                (step, values) for step, (*outcome, values) in answers if _same_outcome(outcome, actual)
            ]
            if decision.raised:  # nothing is released, whatever the trace says
                continue
            if not decision.traced:
                return agreed, decision
            agreed += 1
            grants += decision.granted
    return agreed, None


def unplayed_code(system: System, plays: Plays) -> list[Visit]:
    """Return what of the code runs in the trace, but in no decision of the real code that the trace predicts."""
    played = {
        place
        for play in plays.plays
        for decision in play
        for step, _ in decision.traced
        for style in (("array",) if decision.vectorised else ("float", "f8"))
        for place in step.visited.get(style, ())
    }
    traced = {
        place
        for step in (*system.steps, *system.denied)
        for visited in step.visited.values()
        for place in visited
    }
    return sorted(traced - played, key=lambda place: (*place[:2], str(place[2])))


def _same_outcome(left: Sequence[Any], right: Sequence[Any]) -> bool:
    """Whether two outcomes (granted, leaves) are equal, with NaN equal to NaN."""
    return (
        left[0] == right[0]
        and len(left[1]) == len(right[1])
        and all(x == y or (x != x and y != y) for x, y in zip(left[1], right[1], strict=True))
    )
