"""The log of a search: the number of candidates, the nearest to the guarantee, and the omitted ones."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from filterproof.mc.examine.counterexample import Counterexample
from filterproof.mc.examine.formatting import count_words
from filterproof.mc.examine.stage_finding import USED_UP, StageFinding, Tightness
from filterproof.theory.evidence import Verdict


@dataclass(slots=True)
class SearchLog:
    """The rows nearest to the guarantee by key, and counters of a search.

    `tried` counts the candidates, `refuted` those above the guarantee and `too_large` the skipped ones. `cut` says
    that the work ended before the candidates.
    """

    stage: ClassVar[str]
    question: ClassVar[str]

    rows: dict[Hashable, Tightness] = field(default_factory=dict)
    tried: int = 0
    refuted: int = 0
    too_large: int = 0
    cut: bool = False

    def keep(self, key: Hashable, row: Tightness) -> None:
        """Keep a row unless an earlier row with its key is nearer to the guarantee."""
        if key not in self.rows or row.attack > self.rows[key].attack:
            self.rows[key] = row

    @classmethod
    def refutation(cls, menu: str, scope: str, shown: Counterexample, **more: Any) -> StageFinding:
        """Return the finding of a counterexample to the guarantee."""
        return StageFinding.from_counterexample(cls.stage, cls.question, menu, scope, shown, **more)

    def finding(self, found: str, menu: str, unseen: str, verdict: Verdict | None = None) -> StageFinding:
        """Return the summary of the search with the closest row and the omitted candidates."""
        rows = tuple(self.rows.values())
        near = max(rows, key=lambda row: row.share, default=None)
        closest = f"; closest: {near.reached}" if near else ""
        large = (
            f"; {count_words(self.too_large, 'game was', 'games were')} too large" if self.too_large else ""
        )
        left = f"; the rest of the plan: {USED_UP}" if self.cut else ""
        words = (f"{found}{closest}", menu, f"{unseen}{large}{left}")
        return StageFinding(self.stage, self.question, *words, verdict, tightness=rows)
