"""Simulations and certified values: adversaries against one filter, each simulated and, without sampling, enclosed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from filterproof.filters import GaussianFilter, NaiveRealisationFilter
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc import (
    Adversary,
    EraserForever,
    Estimate,
    HighWhileLossPositive,
    ManySmall,
    RandomSpender,
    WorstCase,
)
from filterproof.mc.engine.adversaries import MenuChasing, MenuRandom, Scripted
from filterproof.mc.estimate.estimator import Method
from filterproof.mc.estimate.renyi_moment import simulate_renyi
from filterproof.mc.estimate.simulate import simulate
from filterproof.mc.evaluate.evaluate import evaluate
from filterproof.mc.evaluate.evaluation import Evaluation
from filterproof.mc.evaluate.random_choice import random_choice_divergence_bounds
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.supremum import Supremum
from filterproof.reports.agreement import IntervalAndEnclosure
from filterproof.reports.chapters.filter_page_subjects import FilterPageSubject
from filterproof.reports.study import Study
from filterproof.theory.evidence import Evidence
from filterproof.theory.pairs.base import Direction

#: The name of the strategy that wins a solved game.
BEST_ON_MENU = "best on the menu"
#: An enclosure [low, high] says something of a simulated number if high is at most so many times low.
_USEFUL = 1.5
#: The aim of the width of a mean over sequences, relative.
_WIDTH = 0.02
#: Rounds of the adversaries that spend a Gaussian budget, and of the one that asks for erasures.
_ROUNDS, _ERASURES = 16, 100


@dataclass(frozen=True, slots=True)
class SimulatedDivergence:
    """A simulated divergence, and certified bounds [low, high] on the same number, computed without sampling.

    `independent` is a second estimate, from plain draws, where the first one rests on the ledger of the filter.
    """

    filter: str
    adversary: str
    measure: Divergence
    estimate: Estimate
    low: float
    high: float
    promised: float
    independent: Estimate | None = None

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The estimate, and the independent one."""
        return (self.estimate,) if self.independent is None else (self.estimate, self.independent)

    def beside_bounds(self, estimate: Estimate) -> IntervalAndEnclosure:
        """The interval of one of the estimates beside the certified bounds."""
        what = f"{self.adversary}, {self.filter}"
        return IntervalAndEnclosure(what, estimate.low, estimate.high, self.low, self.high)


class AdversaryWithBounds(NamedTuple):
    """An adversary, and certified bounds on the divergence that it reaches."""

    name: str
    adversary: Adversary
    direction: Direction
    rounds: int
    low: float
    high: float
    method: Method = "auto"

    @property
    def run_cost_in_rounds(self) -> int:
        """The work of one simulated run, in rounds of requests that are fixed in advance.

        A choice costs as much again, and infinite losses are played apart.
        """
        has_infinite_losses = any(
            np.any(pair.infinite_mass > 0) for pair in self.adversary.possible_requests or ()
        )
        return self.rounds * (1 if isinstance(self.adversary, Scripted) else 2) * (1 + has_infinite_losses)

    @property
    def has_close_bounds(self) -> bool:
        """Whether the upper bound is at most 1.5 times the lower one, so that a simulation can disagree."""
        return self.low > 0 and self.high <= _USEFUL * self.low


@dataclass(frozen=True, slots=True)
class SimulatedDivergences:
    """The comparisons of a filter, and the adversaries that were left out because nothing bounds them closely."""

    rows: tuple[SimulatedDivergence, ...] = ()
    left_out: tuple[str, ...] = field(default=())


def worst_case_direction(game: WorstCase) -> Direction:
    """Return the distribution, P or Q first, that a game's best strategy draws its outputs from."""
    return "QP" if game.direction == "QP" else "PQ"


def page_adversaries(
    subject: FilterPageSubject, filt: PrivacyFilter, game: WorstCase, largest: Supremum
) -> Iterator[AdversaryWithBounds]:
    """The adversaries of a filter's page: the game's best strategy, two on its menu, and those of known value."""
    epsilon, rounds = float(subject.epsilon), max(subject.rounds or game.rounds, 1)
    best, menu = worst_case_direction(game), subject.menu
    yield AdversaryWithBounds(BEST_ON_MENU, game.strategy, best, rounds, game.low, game.high)
    chasing = MenuChasing(menu)
    if all(pair.outputs is not None for pair in menu):
        evaluation = evaluate(
            filt,
            chasing,
            epsilon=subject.epsilon,
            rounds=rounds,
            direction=subject.direction,
            evidence=Evidence.CERTIFIED,
        )
        assert isinstance(evaluation, Evaluation)
        yield AdversaryWithBounds(
            "MenuChasing", chasing, evaluation.direction, rounds, evaluation.low, evaluation.high
        )
    else:  # only the first release and the solved game bound it
        first = random_choice_divergence_bounds(filt, menu[:1], epsilon=epsilon, rounds=1, direction=best)
        yield AdversaryWithBounds("MenuChasing", chasing, best, rounds, first.low, game.high)
    mean = random_choice_divergence_bounds(
        filt, menu, epsilon=epsilon, rounds=rounds, direction=best, relative=_WIDTH
    )
    yield AdversaryWithBounds(
        "MenuRandom", MenuRandom(menu), best, rounds, mean.low, min(mean.high, game.high)
    )
    if isinstance(filt, GaussianFilter):
        # whatever spends the budget on Gaussians reaches the guarantee itself; the martingale assumes this equality
        for adversary in (ManySmall(_ROUNDS), HighWhileLossPositive(pace=8), RandomSpender(pace=8)):
            name = type(adversary).__name__
            yield AdversaryWithBounds(
                name, adversary, "PQ", _ROUNDS, largest.low, largest.high, method="tilted"
            )
    if isinstance(filt, NaiveRealisationFilter):
        eraser = EraserForever(p=filt.delta)
        evaluation = evaluate(filt, eraser, epsilon=epsilon, rounds=_ERASURES, evidence=Evidence.CERTIFIED)
        assert isinstance(evaluation, Evaluation)
        yield AdversaryWithBounds("EraserForever", eraser, "PQ", _ERASURES, evaluation.low, evaluation.high)


def compare_adversary(
    study: Study, filt: PrivacyFilter, opponent: AdversaryWithBounds, measure: Divergence, promised: float
) -> SimulatedDivergence:
    """Simulate an adversary's divergence; add a plain estimate if the first uses the ledger."""
    n = study.runs(opponent.rounds, opponent.run_cost_in_rounds)

    def estimate_by(method: Method) -> Estimate:
        if measure.kind == "renyi":
            return simulate_renyi(
                filt,
                opponent.adversary,
                alpha=measure.at,
                n=n,
                seed=study.seed,
                failure=study.failure_per_comparison,
                workers=1,
            )
        return simulate(
            filt,
            opponent.adversary,
            epsilon=measure.at,
            n=n,
            rounds=None if opponent.method == "tilted" else opponent.rounds,
            seed=study.seed,
            failure=study.failure_per_comparison,
            direction=opponent.direction,
            method=method,
            workers=1,
        )

    estimate = estimate_by(opponent.method)
    independent = None
    if measure.kind != "renyi" and "ledger" in estimate.rests_on:
        independent = estimate_by("plain")
    return SimulatedDivergence(
        repr(filt), opponent.name, measure, estimate, opponent.low, opponent.high, promised, independent
    )


def comparisons(
    study: Study,
    subject: FilterPageSubject,
    filt: PrivacyFilter,
    game: WorstCase,
    largest: Supremum,
    *,
    already_compared: str = "",
) -> SimulatedDivergences:
    """Every adversary of a page but `already_compared`, simulated at its epsilon where bounds say something."""
    epsilon = float(subject.epsilon)
    promised = float(filt.promise.delta(epsilon))
    compared, left_out = [], []
    for opponent in page_adversaries(subject, filt, game, largest):
        if opponent.name == already_compared:
            continue
        if opponent.has_close_bounds:
            compared.append(
                compare_adversary(
                    study, filt, opponent, Divergence.hockey_stick(epsilon, opponent.direction), promised
                )
            )
        else:
            left_out.append(opponent.name)
    return SimulatedDivergences(tuple(compared), tuple(left_out))
