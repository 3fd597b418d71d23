"""The game of a filter's page, solved at several epsilons, what all mechanisms lose at most, and both simulated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc import Estimate, TradeOff, WorstCase
from filterproof.mc.estimate.simulate import simulate
from filterproof.mc.examine.supremum import Supremum, supremum
from filterproof.mc.worst_case.solve import worst_cases
from filterproof.reports.pages.attack_table import AttackRow, Runs, attacked, drawn_from, runs_of
from filterproof.reports.pages.page_subjects import SUBJECTS
from filterproof.theory.evidence import Evidence
from filterproof.theory.pairs.base import Direction

#: Epsilons at which both directions are simulated, over that of the game; 0 gives the attacker's advantage.
_SHARES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
#: Runs of either direction, which are plain.
_TESTED = 16_384
#: Epsilons that are nearer than this are drawn once: that of a game may be the logarithm of a fraction.
_SAME = 1e-4


@dataclass(frozen=True, slots=True)
class SolvedPoint:
    """The worst case over a menu lies in [low, high], beside the promised delta; no play has more rounds."""

    epsilon: float
    low: float
    high: float
    promised: float
    evidence: Evidence
    rounds: int
    scope: str

    @property
    def share(self) -> float:
        """The upper bound over the promise."""
        return self.high / self.promised


@dataclass(frozen=True, slots=True)
class SimulatedStrategy:
    """An estimate for one fixed strategy, beside the promised delta."""

    epsilon: float
    estimate: Estimate
    promised: float


@dataclass(frozen=True, slots=True)
class Played:
    """A subject's game at its epsilon (`main`) and at others, and the strategy that wins at the first, simulated.

    supremum is over all mechanisms that the filter covers, at the epsilon of `main`; extremal is its adversary,
    simulated, None where it has none. `attacks` are those of all adversaries of the page. `band` holds what an attacker
    gets of the strategy's transcripts: one minus his hits against his false alarms. `again` is Python that simulates
    the strategy again, to the bit, from `filt` and the solved game `worst`.
    """

    main: SolvedPoint
    curve: tuple[SolvedPoint, ...]
    simulated: tuple[SimulatedStrategy, ...]
    supremum: Supremum
    extremal: SimulatedStrategy | None = None
    again: str = ""
    attacks: tuple[AttackRow, ...] = ()
    band: TradeOff | None = None

    @property
    def at_main(self) -> SimulatedStrategy:
        """The simulation at the epsilon of the game."""
        return min(self.simulated, key=lambda one: abs(one.epsilon - self.main.epsilon))

    @property
    def off(self) -> float:
        """How far simulation and game may be apart: the largest distance of their ends, over the game's lower end."""
        one, game = self.at_main.estimate, self.main
        return max(one.high - game.low, game.high - one.low) / game.low if game.low > 0 else 0.0


class GameJob(NamedTuple):
    """The game of a subject by its place: the failure of each comparison, the runs of its attacks, the seed."""

    place: int
    failure: float
    runs: Runs
    seed: int


def play(job: GameJob) -> Played:
    """The game of a subject, solved and simulated."""
    subject, seed = SUBJECTS[job.place], job.seed
    failure = len(subject.simulated) * job.failure
    filt, direction = subject.make(), subject.direction

    def promised(epsilon: float) -> float:
        return float(filt.promise.delta(epsilon))

    def solved(one: WorstCase) -> SolvedPoint:
        at = float(one.epsilon)
        return SolvedPoint(at, one.low, one.high, promised(at), one.evidence, one.rounds, one.scope)

    others = [epsilon for epsilon in subject.epsilons if abs(epsilon - float(subject.epsilon)) > _SAME]
    games = worst_cases(
        filt, subject.menu, epsilons=[subject.epsilon, *others], rounds=subject.rounds, direction=direction
    )
    main, rounds = games[0], subject.rounds or games[0].rounds
    at_main, runs = solved(main), runs_of(job.runs.best, rounds)
    found = simulate(
        filt,
        main.strategy,
        epsilon=subject.simulated,
        n=runs,
        rounds=rounds,
        seed=seed,
        failure=failure,
        direction=main.direction,
        workers=1,
    )
    over_all, of_all = supremum(filt, at_main.epsilon), None
    if over_all.adversary is not None:
        drawn = simulate(
            filt,
            over_all.adversary,
            epsilon=over_all.epsilon,
            n=runs_of(job.runs.other, rounds),
            seed=seed,
            failure=job.failure,
            workers=1,
        )
        of_all = SimulatedStrategy(over_all.epsilon, drawn, over_all.promised)
    simulated = tuple(SimulatedStrategy(epsilon, one, promised(epsilon)) for epsilon, one in found)
    best = min(simulated, key=lambda one: abs(one.epsilon - at_main.epsilon))
    return Played(
        at_main,
        tuple(sorted(map(solved, games), key=lambda one: one.epsilon)),
        simulated,
        over_all,
        of_all,
        "curve = fp.simulate(\n"
        f"    filt, worst.strategy, epsilon={subject.simulated}, n={runs}, seed={seed},\n"
        f"    rounds={rounds}, failure={failure!r}, direction=worst.direction,\n"
        ")",
        tuple(attacked(subject, main, best.estimate, runs=job.runs, failure=job.failure, seed=seed)),
        _band(filt, main, runs_of(min(job.runs.other, _TESTED), rounds), rounds, seed, job.failure),
    )


def _band(filt: PrivacyFilter, main: WorstCase, n: int, rounds: int, seed: int, failure: float) -> TradeOff:
    """One minus the hits of the best test of the strategy's transcripts, against its false alarms, in a band."""
    ways: tuple[Direction, Direction] = ("PQ", "QP") if drawn_from(main) == "QP" else ("QP", "PQ")
    of_others, of_drawn = (
        simulate(
            filt,
            main.strategy,
            epsilon=[share * float(main.epsilon) for share in _SHARES],
            n=n,
            rounds=rounds,
            seed=seed,
            failure=failure / 2,
            method="plain",
            direction=direction,
            workers=1,
        )
        for direction in ways
    )
    return TradeOff(of_others, of_drawn)
