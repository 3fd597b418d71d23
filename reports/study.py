"""One run of the report: its sizes, its seed, and the failure probability it may spend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from filters.privacy_filter import PrivacyFilter
from mc import Adversary, Curve, Estimate
from mc.estimate.candidates import Method
from mc.estimate.simulate import simulate
from mc.examine.witness import witness
from theory.evidence import Evidence, Outcome, Verdict
from theory.pairs.base import Direction
from theory.proofs import prove
from theory.proofs.theorem import Proof

__all__ = ["Simulated", "SimulatedCurve", "Study"]


@dataclass(frozen=True, slots=True)
class Simulated:
    """One simulation beside what the filter promised at that epsilon, and all it takes to play it again."""

    filter: PrivacyFilter
    adversary: Adversary
    epsilon: float
    estimate: Estimate
    promised: float
    rounds: int | None
    confidence: float
    seed: int
    method: Method
    direction: Direction

    @property
    def refutes(self) -> bool:
        """Whether the whole interval lies above the promise."""
        return self.estimate.low > self.promised

    def witness(self, closed_form: float | None = None) -> dict[str, Any]:
        """The game as replayable data, with the true value beside where a formula is known."""
        played = witness(
            self.filter,
            self.adversary,
            epsilon=self.epsilon,
            n=self.estimate.n,
            seed=self.seed,
            rounds=self.rounds,
            confidence=self.confidence,
            method=self.method,
            direction=self.direction,
            closed_form=closed_form,
        )
        return played.to_data()


@dataclass(frozen=True, slots=True)
class SimulatedCurve:
    """A curve of estimates that hold together, and the simulations it consists of, one for each epsilon."""

    curve: Curve
    rows: tuple[Simulated, ...]


@dataclass(slots=True)
class Study:
    """The setting shared by all chapters, and an account of the comparisons they make.

    Simulations run on `executor`, or in this process alone.
    The report's failure probability is divided evenly over `comparisons`, a number fixed before any draw;
    asking for more raises, so the union bound over the whole report holds whatever the outcomes are.
    """

    quick: bool = False
    seed: int = 20_210_825
    failure: float = 1e-6
    comparisons: int = 400
    executor: Executor | None = None
    on_progress: Callable[[str], None] = lambda _: None
    made: int = field(default=0, init=False)
    _proofs: dict[str, Proof] = field(default_factory=dict, init=False)

    def count(self, comparisons: int = 1) -> float:
        """Account for further comparisons and return the confidence with which they must all hold together."""
        self.made += comparisons
        if self.made > self.comparisons:
            raise RuntimeError(
                f"comparisons must cover the whole report, got comparisons={self.comparisons}; "
                f"raise it to {self.made}"
            )
        return 1 - comparisons * self.failure / self.comparisons

    def size(self, n: int) -> int:
        """n runs, or a twentieth of them in a quick report."""
        return max(n // 20, 8192) if self.quick else n

    def prove(self, name: str) -> Proof:
        """A theorem with its steps checked by their engines, run once for the whole report."""
        if name not in self._proofs:
            self.on_progress(f"theorem: {name}")
            prove(name, done=self._proofs)
        return self._proofs[name]

    def simulate(
        self,
        filt: PrivacyFilter,
        adversary: Adversary,
        *,
        epsilon: float,
        n: int = 1_000_000,
        rounds: int | None = None,
        method: Method = "auto",
        direction: Direction = "PQ",
    ) -> Simulated:
        """Play the filter's own code and set the estimate beside its promise."""
        alone = self.simulate_curve(
            *(filt, adversary), epsilons=(epsilon,), n=n, rounds=rounds, method=method, direction=direction
        )
        return alone.rows[0]

    def simulate_curve(
        self,
        filt: PrivacyFilter,
        adversary: Adversary,
        *,
        epsilons: Sequence[float],
        n: int,
        rounds: int | None = None,
        method: Method = "auto",
        direction: Direction = "PQ",
    ) -> SimulatedCurve:
        """Play one set of paths for a whole grid: as many comparisons as there are epsilons."""
        where = f"epsilon={epsilons[0]:g}" if len(epsilons) == 1 else f"{len(epsilons)} epsilons"
        self.on_progress(f"{type(filt).__name__} against {type(adversary).__name__}, {where}")
        confidence = self.count(len(epsilons))

        curve = simulate(
            filt,
            adversary,
            epsilon=epsilons,
            n=self.size(n),
            seed=self.seed,
            rounds=rounds,
            confidence=confidence,
            method=method,
            direction=direction,
            executor=self.executor,
            workers=1 if self.executor is None else None,
        )
        rows = tuple(
            Simulated(
                filt,
                adversary,
                epsilon,
                one,
                float(filt.promise.delta(epsilon)),
                rounds,
                1 - one.failure,
                self.seed,
                method,
                direction,
            )
            for epsilon, one in curve
        )
        return SimulatedCurve(curve, rows)

    @staticmethod
    def undecided(scope: str, detail: str) -> Verdict:
        """What a simulation that refuted nothing has to say."""
        return Verdict(Outcome.UNDECIDED, Evidence.STATISTICAL, scope=scope, detail=detail)
