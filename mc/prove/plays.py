"""Plays of the real filter, in a process of its own: what its code does at states that requests lead to.

They choose which invariants are worth trying, and a proof is reported only where the trace predicts each decision and
each new state to the last bit.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path as File
from typing import Any

import numpy as np

import filterproof.theory.pairs as pairs
from filterproof.mc.prove.polynomials import Polynomial
from filterproof.mc.prove.requests import DECLARED, HUGE
from filterproof.mc.prove.transitions import Shape, Step, System
from filterproof.theory.pairs import DominatingPair

#: A play that takes longer has no answer; what is played does not depend on it.
SECONDS = 120
#: A proof is reported only if as many decisions were compared.
COMPARED = 50


@dataclass(frozen=True)
class Decision:
    """One request to the real filter: the leaves of the state before, the answer, and those after."""

    before: tuple[float, ...]
    family: str
    parameters: dict[str, Any]
    vectorised: bool
    granted: bool
    after: tuple[float, ...]
    loss: float
    runs: int
    raised: bool
    _known: dict[str, float] = field(default_factory=dict, repr=False)

    @property
    def pair(self) -> DominatingPair:
        kind = getattr(pairs, self.family)
        made = {
            k: np.array([v]) if self.vectorised and isinstance(v, float) else v
            for k, v in self.parameters.items()
        }
        return kind(**made)  # type: ignore[no-any-return]

    def declared(self, name: str) -> float:
        if name not in self._known:
            self._known[name] = self._declared(name)
        return self._known[name]

    def size(self, name: str) -> str:
        """Of which size what it declares is: that of a path's choice."""
        value = self.declared(name)
        if math.isnan(value):
            return "undefined"
        if math.isinf(value):
            return "infinite"
        bounded = DECLARED.get(name) is not None or "hockey_stick" in name or "renyi" in name
        return "finite" if bounded or value <= HUGE else "huge"

    def _declared(self, name: str) -> float:
        words = name.split()
        pair = self.pair
        if words[0] == "swapped":
            pair, words = pair.swapped, words[1:]
        if words[0] in DECLARED:
            value = getattr(pair, words[0])
        else:
            value = getattr(pair, words[0])(float(Fraction(words[1])))
        return float(np.ravel(value)[0])


@dataclass
class Plays:
    """Decisions, play by play, or what went wrong."""

    plays: list[list[Decision]] = field(default_factory=list)
    problem: str = ""

    def leaves(self) -> Iterator[tuple[float, ...]]:
        for play in self.plays:
            for decision in play:
                yield decision.before
                if decision.granted:
                    yield decision.after

    def nonneg(self) -> list[bool]:
        return [min(column) >= 0 for column in zip(*self.leaves(), strict=False)]

    def modes(self) -> list[bool]:
        """Places that took at most five values, all whole."""
        columns = [set(column) for column in zip(*self.leaves(), strict=False)]
        return [len(c) <= 5 and all(math.isfinite(x) and x == int(x) for x in c) for c in columns]


def play(file: File, name: str, digest: str, library: str = "") -> Plays:
    """Plays of a class of a file, in another process; with `library`, beside a filter of the library."""
    places = [str(File(__file__).parents[3]), *(p for p in sys.path if p), str(file.resolve().parent)]
    given = os.environ | {"PYTHONPATH": os.pathsep.join(places), "PYTHONHASHSEED": "0"}
    try:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "filterproof.mc.prove.played", str(file), name, digest, library],
            capture_output=True, text=True, timeout=SECONDS, env=given, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Plays(problem=f"plays of the real code took more than {SECONDS} s")
    try:
        parsed = json.loads(done.stdout.splitlines()[-1])
        made = [[Decision(**_checked(d)) for d in one] for one in parsed["plays"]]
    except (ValueError, IndexError, KeyError, TypeError):
        last = done.stderr.strip().splitlines()
        return Plays(problem=f"the real code could not be played: {last[-1] if last else 'no output'}")
    return Plays(made, str(parsed["problem"]))


def _checked(found: dict[str, Any]) -> dict[str, Any]:
    return found | {key: tuple(found[key]) for key in ("before", "after")}


# -- what the trace predicts ------------------------------------------------------------------------------


def shape_at(system: System, leaves: tuple[float, ...]) -> Shape | None:
    """The shape of a state by its numbers."""
    for shape in system.shapes:
        if len(shape.leaves) == len(leaves) and all(
            _agrees(leaf.value, leaf.kind, x) for leaf, x in zip(shape.leaves, leaves, strict=True)
        ):
            return shape
    return None


def _agrees(mark: Any, kind: str, x: float) -> bool:
    if mark is None:
        return math.isfinite(x)
    if isinstance(mark, str):
        return {"True": x == 1, "False": x == 0}.get(mark, repr(x) == mark)
    return math.isfinite(x) and Fraction(x) == mark


def predicted(step: Step, decision: Decision, grants: int) -> tuple[bool, tuple[Any, ...]] | None:
    """What a step says of a decision, (granted, leaves afterwards); None where it is another step's."""
    path = step.path
    if decision.family not in step.request.possible:
        return None
    given: dict[tuple[str, str], Any] = {("runs", "n"): decision.runs, ("grants", "grants so far"): grants}
    for i, x in enumerate(decision.before):
        if math.isfinite(x):
            given["place", str(i)] = x
    for name, chosen in path.choices.items():
        if _is_declared(name):
            if decision.size(name) != chosen:
                return None
            given["declared", name] = decision.declared(name)
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
    values = path.evaluate(given)
    if values is None or not path.holds(values):
        return None
    if step.after is None:
        return False, ()
    return True, tuple(v.at(values) if isinstance(v, Polynomial) else v for v in step.values)


def _is_declared(name: str) -> bool:
    return name in DECLARED or "renyi" in name or "hockey_stick" in name


def compare(system: System, plays: Plays) -> tuple[int, Decision | None]:
    """(decisions that the trace predicted to the last bit, the first that it did not)."""
    agreed = 0
    groups: dict[Any, list[Step]] = {}  # by what they say of declared numbers, which is quickly compared
    for step in (*system.steps, *system.denied):
        sizes = tuple((name, size) for name, size in step.path.choices.items() if _is_declared(name))
        groups.setdefault((step.before, sizes), []).append(step)
    for one in plays.plays:
        grants = 0
        for decision in one:
            if decision.raised:  # nothing is released, whatever the trace says
                continue
            shape = shape_at(system, decision.before)
            if shape is None:
                return agreed, decision
            answers = [
                answer
                for (before, sizes), steps in groups.items()
                if before == shape and all(decision.size(name) == size for name, size in sizes)
                for step in steps
                if (answer := predicted(step, decision, grants)) is not None
            ]
            actual = decision.granted, decision.after if decision.granted else ()
            if not answers or not any(_same(answer, actual) for answer in answers):
                return agreed, decision
            agreed += 1
            grants += decision.granted
    return agreed, None


def _same(one: tuple[bool, tuple[Any, ...]], two: tuple[bool, tuple[Any, ...]]) -> bool:
    return (
        one[0] == two[0]
        and len(one[1]) == len(two[1])
        and all(x == y or (x != x and y != y) for x, y in zip(one[1], two[1], strict=True))
    )
