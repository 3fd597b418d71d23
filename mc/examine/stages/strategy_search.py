"""The stage of strategies: finds strategies that read realised losses on a coarse grid, and simulates them.

The grid only chooses a strategy: each loss is rounded to one of a few, and the resulting game is solved on the
filter's own code. A simulation with new random numbers then estimates the value of the strategy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, product
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.work import WorkLimit
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.adversaries import Scripted
from filterproof.mc.engine.adversary import Adversary
from filterproof.mc.estimate.estimator import Method
from filterproof.mc.evaluate.walk import OutcomeBranch
from filterproof.mc.examine.counterexample import record_simulation
from filterproof.mc.examine.divergence import Divergence, certainly_exceeds
from filterproof.mc.examine.examination_context import ExaminationContext
from filterproof.mc.examine.formatting import count_words, pair_words
from filterproof.mc.examine.search import FAILURE, MAX_TARGETS, MIN_PROMISED, SMALL_SHARE, Measurement, Search
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.mc.examine.stage_finding import Tightness
from filterproof.mc.examine.stages.admission_boundary import best_guessed_menus, loss_isf_and_masses
from filterproof.mc.examine.stages.game_menus import MAX_ROUNDS, GameMenu
from filterproof.mc.examine.stages.games import GameSearch
from filterproof.mc.examine.stages.plays import (
    LOSS_TAILS,
    PlayInProgress,
    greedy_plays,
    unlocked_family_plays,
)
from filterproof.mc.examine.stages.sequences import class_names, quick_upper_bounds
from filterproof.mc.worst_case.strategy import TreeStrategy
from filterproof.mc.worst_case.tree import GameTree
from filterproof.theory.evidence import Evidence
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.pairs.base import Direction
from filterproof.theory.rounding import next_below

#: The most positions of a game on the grid.
_MAX_POSITIONS = 60_000
#: Paths of a simulation, and of a second one if the first exceeds the guarantee but its interval does not.
_SIMULATED_PATHS = (200_000, 2_000_000)
#: The most strategies that are simulated.
_PLAYED = 64
#: The most rounds of a game on the grid over affordable requests.
_MAX_GRID_ROUNDS = 5
#: The largest Rényi order that is simulated first.
_MAX_SIMULATED_ORDER = 64.0
#: The share of the guarantee from which a strategy on the grid is simulated.
_MIN_GUESSED_SHARE = 0.7


@dataclass(slots=True)
class StrategySearch(Search):
    """Strategies against a filter that looks at losses: fixed ones first, then those from the grid.

    Each of at most 64 simulations has its share of the failure probability.
    """

    stage, question = "search", "Can a strategy that reads realised losses exceed the guarantee?"
    share = GameSearch.share

    simulated: int = 0

    def candidates(self, limit: WorkLimit) -> Iterator[Measurement]:
        """Yield sampled pairs, fixed orders at three loss quantiles, and games on the grid."""
        subject, targets = self.subject, self.subject.hockey_stick_targets
        measures = [*chain.from_iterable(target.both_directions for target in targets[:MAX_TARGETS])]
        for pair in subject.sampled:
            if rounds := PlayInProgress.fresh(subject, limit).request_and_count_grants(pair, MAX_ROUNDS):
                row, words = Scripted((pair,), (rounds,)), pair_words(pair)
                yield from (self.simulate(row, words, each, rounds, method="plain") for each in measures)
        if not subject.observes_losses:
            return
        renyi = [target for target in subject.targets if target.kind == "renyi" and 1 < target.at < math.inf]
        for tail in LOSS_TAILS:
            part, tried = limit.fraction(SMALL_SHARE), set[tuple[str, str]]()
            for played in chain(
                greedy_plays(subject, part, tail), unlocked_family_plays(subject, part, tail)
            ):
                if part.exhausted:
                    break
                yield self.fixed_order(played, (*renyi, *targets), tried)
        for menu, measure in product(_grid_menus(subject, targets[:MAX_TARGETS], limit), measures):
            yield self.best_on_grid(menu, measure)
            if self.simulated >= _PLAYED:
                self.cut = True
                return

    def simulate(
        self, strategy: Adversary, menu: str, measure: Divergence, rounds: int, *, method: Method = "auto"
    ) -> Measurement:
        """Simulate the strategy with new random numbers, again with more paths if only the estimate is too large."""
        subject, promised = self.subject, self.subject.promised(measure)
        for paths in _SIMULATED_PATHS:
            if self.simulated >= _PLAYED:
                return
            self.simulated += 1
            simulated = record_simulation(
                subject.filter,
                strategy,
                epsilon=measure.at if measure.kind == "hockey-stick" else None,
                alpha=measure.at if measure.kind == "renyi" else None,
                n=paths,
                seed=subject.seed + self.simulated,
                rounds=rounds,
                confidence=1 - FAILURE / _PLAYED,
                method=method,
                direction=measure.direction,
                workers=1,
                kinds=(TreeStrategy,),
            )
            low = float(simulated.data["low"])
            if certainly_exceeds(low, promised):
                yield self.refutation(menu, f"one strategy over {menu}, played {paths:,} times", simulated)
                return
            yield self.finding(Tightness(measure, menu, low, None, promised, Evidence.STATISTICAL))
            if float(simulated.data["value"]) <= promised:
                return

    def fixed_order(
        self, played: RequestSequence, targets: tuple[Divergence, ...], tried: set[tuple[str, str]]
    ) -> Measurement:
        """Simulate an order of requests that would be granted with all losses at one quantile, if it is promising."""
        names = class_names(played)
        exceeded: dict[Direction, list[tuple[float, Divergence]]] = {}
        for measure, bound in quick_upper_bounds(played, targets, ("PQ", "QP")):
            promised = self.subject.promised(measure)
            if bound <= promised or (names, measure.direction) in tried or played.rounds > MAX_ROUNDS:
                continue
            if certainly_exceeds(low := played.lower_bound(measure, promised), promised):
                share = low / promised if promised > MIN_PROMISED else 1.0
                if measure.kind == "renyi":  # few paths suffice at a small order, and none do at a large one
                    share = math.inf if measure.at <= _MAX_SIMULATED_ORDER else 1.0
                exceeded.setdefault(measure.direction, []).append((share, measure))
        for direction, measures in exceeded.items():
            tried.add((names, direction))
            # a simulation needs the fewest paths where the guarantee is exceeded most
            most, before = max(measures, key=lambda each: each[0]), len(self.refutations)
            for _, measure in dict.fromkeys((most, measures[0])):
                if len(self.refutations) == before:
                    yield from self.simulate(
                        Scripted(*zip(*played.steps, strict=True)), names, measure, played.rounds
                    )

    def best_on_grid(self, menu: GameMenu, measure: Divergence) -> Measurement:
        """Simulate the best strategy on the grid if it may be worth that."""
        filt, rounds = self.subject.filter, menu.rounds or 1
        worth, strategy = grid_strategy(filt, menu.pairs, measure, rounds)
        self.tried += 1
        if worth >= _MIN_GUESSED_SHARE * self.subject.promised(measure):
            yield from self.simulate(strategy, " or ".join(map(pair_words, menu.pairs)), measure, rounds)

    def words(self) -> tuple[str, str, str, None]:
        """Return the words on the solved and simulated strategies."""
        games, played = count_words(self.tried, "game"), count_words(self.simulated, "strategy", "strategies")
        return (
            f"{games} on a grid of losses; {played} simulated",
            ", ".join(family.definition.name for family in self.subject.families),
            "strategies of more than a few rounds, and those between the grid points",
            None,
        )


def _grid_menus(
    subject: ExaminationContext, targets: tuple[Divergence, ...], limit: WorkLimit
) -> Iterator[GameMenu]:
    """Yield a first request with those granted after it; then the largest request of a family for more rounds."""
    for _, menu in best_guessed_menus(subject, targets, limit.fraction(0.5)):
        if menu.rounds is not None and menu.rounds <= _MAX_GRID_ROUNDS:
            yield menu
    for rounds, family in product(range(2, _MAX_GRID_ROUNDS), subject.families):
        yield GameMenu(pair_words(family.largest), (family.largest,), rounds)


def grid_strategy(
    filt: PrivacyFilter, menu: tuple[DominatingPair, ...], measure: Divergence, rounds: int
) -> tuple[float, TreeStrategy]:
    """Return about the value of the best strategy on a grid of losses, and the strategy. It is only a suggestion."""
    way = measure.direction
    distributions = [_loss_grid_and_masses(pair if way == "PQ" else pair.swapped) for pair in menu]

    def branch(x: float) -> OutcomeBranch[Any]:
        return OutcomeBranch(partial(add, x) if np.isfinite(x) else None, x if way == "PQ" else -x)

    outcomes = [[branch(x) for x in losses.tolist()] for losses, _ in distributions]
    tree = GameTree.of(filt, menu, outcomes, 0.0, rounds=rounds, max_positions=_MAX_POSITIONS)

    def payoff(losses: object) -> NDArray[np.float64]:
        return np.maximum(-np.expm1(measure.at - np.asarray(losses, dtype=np.float64)), 0.0)

    value, choices = tree.solve([mass.tolist() for _, mass in distributions], payoff)
    return float(value), _restricted_to_reachable(tree.strategy(choices))


def _restricted_to_reachable(strategy: TreeStrategy) -> TreeStrategy:
    """Return the strategy restricted to the positions that it can reach."""
    positions, kept_choices, kept_children = np.array([0]), [], []
    for choice, child in zip(strategy.choice, strategy.child, strict=True):
        chosen = choice[positions]
        small = np.full((len(positions), *child.shape[1:]), -1, dtype=np.int32)
        asking = np.flatnonzero(chosen >= 0)
        rows = child[positions[asking], chosen[asking]]
        following = np.unique(rows[rows >= 0])
        small[asking, chosen[asking]] = np.where(
            rows >= 0, np.searchsorted(following, np.maximum(rows, 0)), -1
        )
        kept_choices.append(chosen)
        kept_children.append(small)
        positions = following
        if not len(positions):
            break
    return replace(strategy, choice=tuple(kept_choices), child=tuple(kept_children))


def _loss_grid_and_masses(pair: DominatingPair) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a few losses with their masses: equal shares of the middle, and the far tails."""
    tails = np.array([1e-7, 1e-5, 1e-3, 0.03, 0.15, 0.35, 0.65, 0.85, 0.97, 1 - 1e-3])
    losses, masses = loss_isf_and_masses(pair, tails)
    infinite = float(pair.infinite_mass)
    is_finite = np.isfinite(losses)
    if pair.outputs is None:  # so that sums coincide, and each is a possible loss of the pair
        smallest, greatest = np.asarray(pair.loss_isf(np.array([next_below(1.0), 0.0])))
        losses = np.clip(np.round(losses * 256) / 256, smallest, greatest)
    distinct, place = np.unique(losses[is_finite], return_inverse=True)
    joined = np.bincount(place.reshape(-1), weights=masses[is_finite]).astype(np.float64)
    if infinite > 0:
        joined *= (1 - infinite) / max(joined.sum(), 1e-300)
        distinct, joined = np.append(distinct, np.inf), np.append(joined, infinite)
    return distinct, joined
