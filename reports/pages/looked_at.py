"""The examination of what is no filter, as the holders' pages show it: verdict, theorem, and what was played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mc.examine.verify import examine
from theory.evidence import Outcome, Verdict
from theory.proofs.proof import Proof

__all__ = ["LookedAt", "looked_at", "weakest"]


@dataclass(frozen=True, slots=True)
class LookedAt:
    """What an examination of a holder said: its class, the verdict, what its games were worth, how near they came."""

    name: str
    verdict: Verdict
    played: str
    near: float

    @property
    def known(self) -> str:
        """How much is known, and by what."""
        said = self.verdict
        return f"{self.name}: {said.outcome.name}, {said.evidence.name}. {said.detail}"


def looked_at(holder: Any, *, seconds: float, seed: int, proofs: dict[str, Proof]) -> LookedAt:
    """The examination as plain data, since no holder is sent between processes."""
    found = examine(holder, seconds=seconds, seed=seed, first_only=True, proofs=proofs)
    played = "; ".join(one.found for one in found.findings if one.stage == "games")
    return LookedAt(
        found.name, found.verdict, played, max((row.share for row in found.tightness), default=0.0)
    )


def weakest(looked_at: Sequence[LookedAt]) -> Verdict:
    """The verdict of which the least is known: REFUTED before UNDECIDED before HOLDS, then by evidence."""
    order = (Outcome.REFUTED, Outcome.UNDECIDED, Outcome.HOLDS)
    verdicts = [one.verdict for one in looked_at]
    return min(verdicts, key=lambda said: (order.index(said.outcome), -said.evidence.strength))
