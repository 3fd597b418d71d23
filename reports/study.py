"""A study: the settings that all chapters of one report share."""

from __future__ import annotations

from dataclasses import dataclass

#: A simulation has this many runs if each has at most `_ROUNDS` rounds: about a second of the engine, with the pilot
#: and the second estimate.
RUNS, _ROUNDS = 1_000_000, 20
#: No simulation of longer runs has fewer runs than this share of `RUNS`.
_FEWEST = 0.02


@dataclass(frozen=True, slots=True)
class Study:
    """Seed, size and failure probability of one report.

    The failure probability is divided evenly over `comparisons`, a number fixed before any draw, so that the union
    bound holds for the whole report.
    """

    quick: bool = False
    seed: int = 20_210_825
    failure: float = 1e-6
    comparisons: int = 250

    @property
    def failure_per_comparison(self) -> float:
        """The failure probability of one comparison: that of the report divided by their number."""
        return self.failure / self.comparisons

    def size(self, n: int) -> int:
        """n runs, or a twentieth in a quick report, but at least 2,000 of them."""
        return max(n // 20, min(n, 2000)) if self.quick else n

    def runs(self, rounds: int, cost: int) -> int:
        """The number of runs of a simulation; a run costs the engine `cost` rounds of requests fixed in advance."""
        share = 1.0 if rounds <= _ROUNDS else max(_ROUNDS / cost, _FEWEST)
        return self.size(int(RUNS * share))
