"""The adversaries of a filter's page: what each gets in simulation, beside what is certified of it without sampling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc import Adversary, Estimate, WorstCase
from filterproof.mc.engine.adversaries import MenuChasing, MenuRandom
from filterproof.mc.estimate.simulate import simulate
from filterproof.mc.evaluate.evaluate import evaluate
from filterproof.mc.evaluate.evaluation import Evaluation
from filterproof.mc.evaluate.random_choice import mean_of_sequences
from filterproof.mc.worst_case import worst_case
from filterproof.reports.finding import Table
from filterproof.reports.pages.page_subjects import PageSubject
from filterproof.theory.evidence import Evidence
from filterproof.theory.numerics.decimals import above, interval
from filterproof.theory.pairs.base import Direction

#: Rounds that these runs may have in about a second of the engine; plays that may be longer get fewer runs.
_ROUNDS = 16
#: How near to each other the two ends of a mean over sequences are to be: less than the simulations are wide.
_WITHIN = 0.02
#: No adversary has fewer runs than this for the length of its plays.
_FEWEST = 8192


class Runs(NamedTuple):
    """Runs of the solver's best adversary against the filter of the page, and of each other attack."""

    best: int = 100_000
    other: int = 16_384


@dataclass(frozen=True, slots=True)
class AttackRow:
    """What one adversary gets out of a filter: simulated, and certified to lie in [low, high] by the route `by`."""

    adversary: str
    filter: str
    epsilon: float
    estimate: Estimate
    low: float
    high: float
    by: str
    promised: float

    @property
    def meets(self) -> bool:
        """Whether the simulated interval meets the certified one."""
        return self.estimate.low <= self.high and self.low <= self.estimate.high


def runs_of(most: int, rounds: int) -> int:
    """Of at most so many runs, those that a play of so many rounds has."""
    return most if rounds <= _ROUNDS else max(most * _ROUNDS // rounds, min(most, _FEWEST))


def attacks_of(subject: PageSubject) -> int:
    """How many attacks a page has: three adversaries for each set of parameters."""
    return 3 if subject.more is None else 6


def attacked(
    subject: PageSubject,
    main: WorstCase,
    best: Estimate,
    *,
    runs: Runs,
    failure: float,
    seed: int,
) -> Iterator[AttackRow]:
    """Each adversary against the filter of the page, and with more budget.

    `main` is the game of the page, solved, and `best` what was simulated of its strategy.
    """
    yield from _against(subject, subject.make(), main, best, runs, failure, seed)
    if subject.more is not None:
        filt = subject.more()
        game = worst_case(
            filt, subject.menu, epsilon=subject.epsilon, rounds=subject.rounds, direction=subject.direction
        )
        yield from _against(subject, filt, game, None, Runs(runs.other, runs.other), failure, seed)


def _against(
    subject: PageSubject,
    filt: PrivacyFilter,
    game: WorstCase,
    simulated: Estimate | None,
    runs: Runs,
    failure: float,
    seed: int,
) -> Iterator[AttackRow]:
    epsilon, rounds = float(subject.epsilon), max(subject.rounds or game.rounds, 1)
    best, chasing, by_coins = drawn_from(game), MenuChasing(subject.menu), MenuRandom(subject.menu)
    plays: list[tuple[str, Adversary, Direction, int, float, float, str]] = [
        ("the solver's best", game.strategy, best, runs.best, game.low, game.high, "solved")
    ]
    if all(pair.outputs is not None for pair in subject.menu):
        its = evaluate(
            filt,
            chasing,
            epsilon=subject.epsilon,
            rounds=rounds,
            direction=subject.direction,
            evidence=Evidence.CERTIFIED,
        )
        assert isinstance(its, Evaluation)
        plays.append(("MenuChasing", chasing, its.direction, runs.other, its.low, its.high, "evaluated"))
    else:  # what the first release alone reveals bounds the transcript from below
        first = mean_of_sequences(filt, subject.menu[:1], epsilon=epsilon, rounds=1, direction=best)
        plays.append(("MenuChasing", chasing, best, runs.other, first.low, game.high, "bounded"))
    mean = mean_of_sequences(
        filt, subject.menu, epsilon=epsilon, rounds=rounds, direction=best, relative=_WITHIN
    )
    by = "bounded" if mean.high > game.high else "evaluated"
    plays.append(("MenuRandom", by_coins, best, runs.other, mean.low, min(mean.high, game.high), by))
    for name, adversary, way, most, low, high, by in plays:
        drawn = simulated if adversary is game.strategy else None
        if drawn is None:
            drawn = simulate(
                filt,
                adversary,
                epsilon=epsilon,
                n=runs_of(most, rounds),
                rounds=rounds,
                seed=seed,
                failure=failure,
                direction=way,
                workers=1,
            )
        promised = float(filt.promise.delta(epsilon))
        yield AttackRow(name, repr(filt), epsilon, drawn, low, high, by, promised)


def drawn_from(game: WorstCase) -> Direction:
    """Where the outputs of a game's best strategy are drawn from."""
    return "QP" if game.direction == "QP" else "PQ"


def attacks_table(attacks: Mapping[str, Sequence[AttackRow]]) -> Table:
    """Every attack with its run count, by the name of the page."""
    return Table.of(
        "Every adversary of every page: simulated by the filter's own code, beside what is certified of it without "
        "drawing. The solver's best is worth what its game was solved to; one that flips coins, or "
        "that has finitely many outputs, is evaluated; of others the solved game of the menu and the first release are "
        "the bounds.",
        (
            {
                "filter": name,
                "parameters": one.filter,
                "adversary": one.adversary,
                "epsilon": f"{one.epsilon:.4g}",
                "runs": f"{one.estimate.n:,}",
                "simulated": interval(one.estimate.low, one.estimate.high, 4),
                "certified": interval(one.low, one.high, 4)
                if one.low > 0
                else f"at most {above(one.high, 4)}",
                "by": one.by,
                "promised": f"{one.promised:.4g}",
                "meets": "yes" if one.meets else "NO",
            }
            for name, rows in attacks.items()
            for one in rows
        ),
        align="lwlrrrrlrl",
    )
