"""Proved bounds on sums of charges, and the guarantee that they give after so many grants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from filterproof.filters.accounting.charge_rules import gdp_charge, pure_charge, renyi_charge, zcdp_charge
from filterproof.mc.prove.derivations import DerivedSystem
from filterproof.mc.prove.monotone_functions import NUMPY
from filterproof.mc.prove.theorems import SumTheorem
from filterproof.theory.guarantees import ApproxDP, Guarantee
from filterproof.theory.rounding import round_up


@dataclass(frozen=True)
class SumBound:
    """A proved bound: no path takes the sum beyond `budget` plus `drift` times the grants.

    The theorem needs its own budget, which rounding and a budget like ten times .1 may pass by `excess`.
    """

    theorem: SumTheorem
    budget: Fraction
    drift: Fraction
    invariants: tuple[str, ...]
    certificates: int
    #: Whether requests that declare NaN were left out.
    defined: bool = False
    #: The kind of the first request for which it holds.
    part: int = 0
    #: What the checker accepted, for the kernel of a proof assistant.
    proof: DerivedSystem | None = field(default=None, compare=False, repr=False)

    def excess(self, grants: int) -> float:
        """How much the sum may pass the theorem's budget after so many grants, at most."""
        return float(self.budget - self.theorem.budget + self.drift * grants)


def group_by_first_request(sums: Sequence[SumBound]) -> list[list[SumBound]]:
    """Return the proved bounds in groups, one for each kind of first request."""
    return [
        [bound for bound in sums if bound.part == part] for part in sorted({bound.part for bound in sums})
    ]


def guarantees_after_grants(sums: Sequence[SumBound], grants: int) -> list[Guarantee]:
    """Return guarantees of a transcript with so many grants, of which at least one holds."""
    return [_guarantee_from_sums(part, grants) for part in group_by_first_request(sums)]


def _guarantee_from_sums(sums: Sequence[SumBound], grants: int) -> Guarantee:
    """Return the guarantee that proved bounds of one group give after so many grants."""
    first, *others = (round_up(bound.budget + bound.drift * grants) for bound in sums)
    at = renyi_charge.at(float(sums[0].theorem.alpha or 2))
    if sums[0].theorem.kernel == "kept_epsilon_hazard":
        return ApproxDP(first, round_up(-NUMPY["expm1"].enclosed(-Fraction(others[0]))[0]))
    if sums[0].theorem.kernel == "kept_either":
        at = renyi_charge.at(float(sums[1].theorem.alpha or 2))
        return ApproxDP(first, round_up(Fraction(float(at.guarantee_for(others[0]).delta(first)))))
    match sums[0].theorem.measure:
        case "epsilon":
            return ApproxDP(first, others[0])
        case "kept":
            epsilon = sums[0].theorem.epsilon
            return ApproxDP(
                epsilon,
                round_up(Fraction(float(at.guarantee_for(first).delta(epsilon))) + Fraction(others[0])),
            )
        case "zcdp":
            return zcdp_charge.guarantee_for(first)
        case "gdp":
            return gdp_charge.guarantee_for(first)
        case "renyi":
            return at.guarantee_for(first)
    return pure_charge.guarantee_for(first)
