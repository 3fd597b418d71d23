"""The one loop of the searches: candidates in turn, each measured by a certified value, and the nearest so far."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeAlias

from filterproof.filters.contract.work import OutOfWork, WorkLimit, stopping_at
from filterproof.mc.examine.counterexample import Counterexample
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.formatting import count_words
from filterproof.mc.examine.stage_finding import USED_UP, StageFinding, Tightness
from filterproof.mc.examine.worker import register_summary
from filterproof.mc.losses.too_large import TooLargeError
from filterproof.theory.evidence import Verdict

#: The probability that an examination refutes a true guarantee, shared by all its estimates.
FAILURE = 1e-6
#: The number of divergences at which what costs much is done, and the share of the work for what rarely helps.
MAX_TARGETS, SMALL_SHARE = 3, 0.1
#: The guarantee above which shares of it are compared: a smaller one says little to a reader.
MIN_PROMISED = 1e-12
#: The measurement of a candidate: a refutation, a row within the guarantee, or None for a game that is too large.
Measurement: TypeAlias = Iterator[StageFinding | None]


@dataclass(slots=True)
class Search(ABC):
    """A search of a stage: its candidates, the findings on them and their number.

    `within` has the nearest finding at each divergence, and each one with an upper bound. `cut` says that the work
    ended before the candidates.
    """

    stage: ClassVar[str]
    question: ClassVar[str]
    #: The share of the remaining work that one measurement may take.
    share: ClassVar[float | None] = None

    subject: Any
    within: dict[Hashable, StageFinding] = field(default_factory=dict)
    refutations: list[StageFinding] = field(default_factory=list)
    tried: int = 0
    too_large: int = 0
    cut: bool = False

    @abstractmethod
    def candidates(self, limit: WorkLimit) -> Iterator[Measurement]:
        """Yield the measurements of the candidates from cheap to expensive."""

    @abstractmethod
    def words(self) -> tuple[str, str, str, Verdict | None]:
        """Return the result, the menu, the omitted candidates and the verdict of the summary."""

    def run(self, limit: WorkLimit) -> Iterator[StageFinding]:
        """Measure each candidate; yield the refutations, and last the summary."""
        register_summary(self.summary)
        with suppress(OutOfWork):
            for measurement in self.candidates(limit):
                yield from self._refutations_in(measurement, limit)
                if limit.exhausted:
                    break
        self.cut = self.cut or limit.exhausted  # the candidates end with the work, too
        yield self.summary()

    def _refutations_in(self, measurement: Measurement, limit: WorkLimit) -> Iterator[StageFinding]:
        """Yield the refutations and faults of a measurement, and keep the other findings."""
        part = None if self.share is None else limit.fraction(self.share)
        try:
            with stopping_at(part):
                for finding in measurement:
                    if finding is None:
                        self.too_large += 1
                    elif finding.counterexample is not None:
                        self.refutations.append(finding)
                        yield finding
                    elif finding.fault:
                        yield finding
                    else:
                        self._keep(finding)
        except (OutOfWork, TooLargeError):
            self.too_large += part is not None

    def _keep(self, finding: StageFinding) -> None:
        """Keep a finding within the guarantee unless an earlier one at its divergence is nearer."""
        (row,) = finding.tightness
        key = len(self.within) if row.worst is not None else replace(row.measure, direction="PQ")
        if key not in self.within or row.attack > self.within[key].tightness[0].attack:
            self.within[key] = finding

    def best(self, measure: Divergence) -> float:
        """Return the largest value within the guarantee at a divergence in either direction; -1 for none."""
        finding = self.within.get(replace(measure, direction="PQ"))
        return -1.0 if finding is None else finding.tightness[0].attack

    @property
    def refuted(self) -> set[Divergence]:
        """Return the divergences with a refutation, in direction "PQ"."""
        return {replace(finding.tightness[0].measure, direction="PQ") for finding in self.refutations}

    @classmethod
    def finding(cls, row: Tightness, verdict: Verdict | None = None) -> StageFinding:
        """Return the finding of a row within the guarantee."""
        return StageFinding(cls.stage, cls.question, "", row.menu, "", verdict, tightness=(row,))

    @classmethod
    def refutation(cls, menu: str, scope: str, shown: Counterexample, **more: Any) -> StageFinding:
        """Return the finding of a counterexample to the guarantee."""
        return StageFinding.from_counterexample(cls.stage, cls.question, menu, scope, shown, **more)

    def summary(self) -> StageFinding:
        """Return the summary of the search with the closest row and the omitted candidates."""
        result, menu, unseen, verdict = self.words()
        rows = tuple(finding.tightness[0] for finding in self.within.values())
        near = max(rows, key=lambda row: row.share, default=None)
        closest = f"; closest: {near.reached}" if near else ""
        large = (
            f"; {count_words(self.too_large, 'game was', 'games were')} too large" if self.too_large else ""
        )
        left = f"; the rest of the plan: {USED_UP}" if self.cut else ""
        words = (f"{result}{closest}", menu, f"{unseen}{large}{left}")
        return StageFinding(self.stage, self.question, *words, verdict, tightness=rows)
