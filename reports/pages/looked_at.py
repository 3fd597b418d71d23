"""The examination of what is no filter, as the holders' pages show it: verdict, theorem, and what was played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from mc.examine.examination import Examination
from reports.finding import slug
from theory.evidence import Outcome, Verdict

__all__ = ["LookedAt", "weakest"]


@dataclass(frozen=True, slots=True)
class LookedAt:
    """What an examination of a holder said: its class, the verdict, what its games were worth, how near they came.

    Plain data, since no holder is sent between processes; `typed` is the holder as the command line takes it.
    """

    name: str
    typed: str
    verdict: Verdict
    played: str
    near: float

    @classmethod
    def of(cls, examination: Examination) -> Self:
        """What an examination said, without the holder."""
        played = "; ".join(finding.found for finding in examination.findings if finding.stage == "games")
        near = max((row.share for row in examination.tightness), default=0.0)
        return cls(examination.name, repr(examination.filter), examination.verdict, played, near)

    @property
    def key(self) -> str:
        """The key of the claim that it was examined for."""
        return f"examined-{slug(self.name)}"

    @property
    def known(self) -> str:
        """How much is known, and by what."""
        said = self.verdict
        return f"{self.name}: {said.outcome.name}, {said.evidence.name}. {said.detail}"


def weakest(looked_at: Sequence[LookedAt]) -> Verdict:
    """The verdict of which the least is known: REFUTED before UNDECIDED before HOLDS, then by evidence."""
    order = (Outcome.REFUTED, Outcome.UNDECIDED, Outcome.HOLDS)
    verdicts = [one.verdict for one in looked_at]
    return min(verdicts, key=lambda said: (order.index(said.outcome), -said.evidence.strength))
