"""A study is one run of the report: its seed, its sizes, and the failure probability that its intervals share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc import Adversary, Estimate
from filterproof.mc.estimate.estimator import Method
from filterproof.mc.estimate.simulate import simulate
from filterproof.mc.examine.counterexample import record_simulation
from filterproof.mc.examine.examination import Examination
from filterproof.mc.runs.executors import completed
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.pairs.base import Direction
from filterproof.theory.proofs import prove
from filterproof.theory.proofs.proof import Proof

if TYPE_CHECKING:
    from filterproof.reports.pages.accountant_examples import AccountantResults
    from filterproof.reports.pages.simulated_games import Played

T = TypeVar("T")
R = TypeVar("R")


class GameOptions(TypedDict, total=False):
    """How a game is played, beside what all of a study share: keywords of `fp.simulate`."""

    rounds: int | None
    method: Method
    direction: Direction


@dataclass(frozen=True, slots=True)
class Simulated:
    """A simulated estimate, the delta that the filter promises at that epsilon, and the arguments to play it again."""

    filter: PrivacyFilter
    adversary: Adversary
    epsilon: float
    estimate: Estimate
    promised: float
    seed: int
    how: GameOptions

    @property
    def rounds(self) -> int | None:
        """The most rounds of a play, None for any number."""
        return self.how.get("rounds")

    @property
    def direction(self) -> Direction:
        """Which law the outputs are drawn from."""
        return self.how.get("direction", "PQ")

    @property
    def refutes(self) -> bool:
        """Whether the whole interval lies above the promise."""
        return self.estimate.low > self.promised

    def counterexample(self, closed_form: float | None = None) -> dict[str, Any]:
        """The game as replayable data; `closed_form` is the true value if a formula for it is known."""
        played = record_simulation(
            self.filter,
            self.adversary,
            epsilon=self.epsilon,
            n=self.estimate.n,
            seed=self.seed,
            confidence=1 - self.estimate.failure,
            closed_form=closed_form,
            **self.how,
        )
        return played.to_data()


def _second(work: Callable[[T], R], numbered: tuple[int, T]) -> R:
    return work(numbered[1])


def _silent(doing: str) -> None:
    """A function of the module, since a study is sent to other processes."""


@dataclass(slots=True)
class Study:
    """The setting shared by all chapters, and a count of the comparisons they make.

    Simulations run on `executor`, or in this process if it is None.
    The report's failure probability is divided evenly over `comparisons`, a number fixed before any draw, so that
    the union bound holds for the whole report. RuntimeError if chapters make more comparisons than that.
    """

    quick: bool = False
    seed: int = 20_210_825
    failure: float = 1e-6
    comparisons: int = 640
    executor: Executor | None = None
    on_progress: Callable[[str], None] = _silent
    made: int = field(default=0, init=False)
    #: What `simulate` has played so far.
    played: list[Simulated] = field(default_factory=list, init=False)
    #: What was found about each filter of the catalogue, by name.
    examinations: dict[str, Examination] = field(default_factory=dict, init=False)
    #: The games of the filters' pages, by name.
    games: dict[str, Played] = field(default_factory=dict, init=False)
    #: Pictures that are drawn already, as SVG, by name.
    drawn: dict[str, str] = field(default_factory=dict, init=False)
    #: What was simulated of the odometers, trackers and other accountants; None until their chapter has run.
    accountant_results: AccountantResults | None = field(default=None, init=False)

    def count(self, comparisons: int = 1) -> float:
        """Count further comparisons, and return the confidence with which all of these must hold simultaneously."""
        self.made += comparisons
        if self.made > self.comparisons:
            raise RuntimeError(
                f"comparisons must cover the whole report, got comparisons={self.comparisons}; "
                f"raise it to {self.made}"
            )
        return 1 - comparisons * self.failure / self.comparisons

    def size(self, n: int, quick: int | None = None) -> int:
        """n runs; in a quick report so many as `quick` says, else a twentieth."""
        return n if not self.quick else max(n // 20, 8192) if quick is None else quick

    def prove(self, name: str) -> Proof:
        """The proof of a theorem, its steps checked."""
        self.on_progress(f"theorem: {name}")
        return prove(name)

    def map(self, work: Callable[[T], R], tasks: Sequence[T], *, doing: str) -> list[R]:
        """work(task) for every task, in their order; on the executor, beside each other, and told as each is done."""
        self.on_progress(doing)
        found: dict[int, R] = {}
        # what takes longest stands last among filters, pages and accountants: begun last, it would leave workers idle
        numbered = [*enumerate(tasks)][::-1]
        for (place, _), result in completed(
            self.executor, partial(_second, work), numbered, window=len(tasks)
        ):
            found[place] = result
            self.on_progress(f"{doing}, {len(found)} of {len(tasks)}")
        return [found[place] for place in range(len(tasks))]

    def apart(self) -> Study:
        """The same setting for a chapter that is told in another process, with nothing counted yet."""
        return Study(self.quick, self.seed, self.failure, self.comparisons)

    def add(self, other: Study) -> None:
        """Count the comparisons of a study made `apart`, and keep what it played and drew."""
        self.count(other.made)
        self.played += other.played
        self.drawn |= other.drawn

    def simulate(
        self,
        filt: PrivacyFilter,
        adversary: Adversary,
        *,
        epsilon: float,
        n: int,
        quick: int | None = None,
        **how: Unpack[GameOptions],
    ) -> Simulated:
        """Simulate the filter's own code against an adversary, at one epsilon."""
        self.on_progress(f"{type(filt).__name__} against {type(adversary).__name__}, epsilon={epsilon:g}")
        estimate = simulate(
            filt,
            adversary,
            epsilon=epsilon,
            n=self.size(n, quick),
            seed=self.seed,
            confidence=self.count(),
            executor=self.executor,
            workers=1 if self.executor is None else None,
            **how,
        )
        promised = float(filt.promise.delta(epsilon))
        row = Simulated(filt, adversary, epsilon, estimate, promised, self.seed, how)
        self.played.append(row)
        return row

    @staticmethod
    def undecided(scope: str, detail: str) -> Verdict:
        """The verdict of simulations that refuted nothing."""
        return Verdict(Outcome.UNDECIDED, Evidence.STATISTICAL, scope=scope, detail=detail)
