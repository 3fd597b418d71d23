"""What the checker accepted of a sum, in numbers alone: the steps, the invariants, and the lines of each derivation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from filterproof.mc.prove.certificate_checker import Inequality, ProofLine, RoundedPolynomial
from filterproof.mc.prove.invariant_templates import Invariant
from filterproof.mc.prove.polynomials import Polynomial


@dataclass(frozen=True, slots=True)
class DerivedGoal:
    """An invariant after a step, the invariants before it that show it, those that they were chosen from, and how."""

    goal: Invariant
    used: tuple[Invariant, ...]
    choice: tuple[Invariant, ...]
    lines: tuple[ProofLine, ...]


@dataclass(frozen=True, slots=True)
class DerivedStep:
    """A step in one case of its charge: its numbers by kind, what is given of them, and what was derived."""

    before: int
    after: int
    kinds: Sequence[str]
    functions: Sequence[str]
    given: Sequence[Inequality]
    #: The kind of the number that each of the first given inequalities is about.
    owners: Sequence[str]
    roundings: Mapping[int, RoundedPolynomial]
    doubles: set[int]
    old: Mapping[int, Polynomial]
    new: Mapping[int, Polynomial]
    goals: list[DerivedGoal] = field(default_factory=list)

    def variable_name(self, number: int) -> str:
        """Return the name of the number with this index, such as "k", "sum" or "x3"."""
        return {"grants": "k", "ghost": "sum", "truth": "charge"}.get(self.kinds[number], f"x{number}")

    @property
    def names(self) -> list[str]:
        """The numbers of the step, but for the grants and the sum."""
        return [self.variable_name(n) for n, kind in enumerate(self.kinds) if kind not in ("grants", "ghost")]


@dataclass(frozen=True, slots=True)
class DerivedSystem:
    """Everything that was derived of a sum: the places of each shape, the start, the invariants and the steps."""

    places: Sequence[tuple[int, ...]]
    first: Mapping[int, Polynomial]
    invariants: Sequence[Invariant]
    steps: Sequence[DerivedStep]

    def invariants_of_shape(self, shape: int) -> list[Invariant]:
        """Return the invariants at states of one shape."""
        return [invariant for invariant in self.invariants if invariant.shape == shape]
