"""The stage of strategies: finds strategies that read realised losses on a coarse grid, and simulates them.

The grid only chooses a strategy: each loss is rounded to one of a few, and the resulting game is solved on the
filter's own code. A simulation with new random numbers then estimates the value of the strategy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, product
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.work import OutOfWork, WorkLimit, stopping_at
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.adversaries import Scripted
from filterproof.mc.engine.adversary import Adversary
from filterproof.mc.estimate.estimator import Method
from filterproof.mc.evaluate.walk import OutcomeBranch
from filterproof.mc.examine.counterexample import record_simulation
from filterproof.mc.examine.divergence import Divergence, certainly_exceeds
from filterproof.mc.examine.examination_context import ExaminationContext
from filterproof.mc.examine.filter_fault import filter_faults_raised
from filterproof.mc.examine.formatting import count_words, pair_words
from filterproof.mc.examine.stage_finding import SearchLog, StageFinding, Tightness
from filterproof.mc.examine.stages.admission_boundary import best_guessed_menus, loss_isf_and_masses
from filterproof.mc.examine.stages.game_menus import GameMenu
from filterproof.mc.examine.stages.plays import PlayInProgress, greedy_plays, unlocked_family_plays
from filterproof.mc.examine.stages.sequences import quick_upper_bounds
from filterproof.mc.examine.worker import register_summary
from filterproof.mc.losses.too_large import TooLargeError
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
#: The most strategies that are simulated, and the most rounds of a fixed one.
_PLAYED, _MAX_FIXED_ROUNDS = 64, 250
#: The most rounds of a game on the grid over affordable requests.
_MAX_GRID_ROUNDS = 5
#: The share of the work for fixed orders, at each of three loss quantiles.
_FIXED_SHARE = 0.1
#: The largest Rényi order that is simulated first.
_MAX_SIMULATED_ORDER = 64.0
#: The guarantee above which shares of it are compared: a smaller one says little to a reader.
_MIN_PROMISED = 1e-12
#: The share of the guarantee from which a strategy on the grid is simulated.
_MIN_GUESSED_SHARE = 0.7


def strategy_stage(subject: ExaminationContext, limit: WorkLimit, failure: float) -> Iterator[StageFinding]:
    """Yield findings on strategies against a filter that looks at losses: fixed ones first, then those from the grid.

    At most 64 simulated strategies share the failure probability.
    """
    targets = subject.hockey_stick_targets
    renyi = [target for target in subject.targets if target.kind == "renyi" and 1 < target.at < math.inf]
    trial = StrategySearch(subject=subject, each=failure / _PLAYED)
    register_summary(trial.summary)
    yield from _sampled_order_findings(trial, targets[:3], limit)
    if not subject.observes_losses:
        if subject.sampled:
            yield trial.summary()
        return
    for tail in (0.5, 0.9, 0.1):
        yield from _fixed_order_findings(trial, (*renyi, *targets), limit.fraction(_FIXED_SHARE), tail)
    measures = [*chain.from_iterable(target.both_directions for target in targets[:3])]
    for menu, measure in ((menu, measure) for menu in _grid_menus(subject, limit) for measure in measures):
        yield from trial.play_best_on_grid(menu, measure, limit)
        if limit.exhausted or trial.played >= _PLAYED:
            break
    trial.cut = limit.exhausted or trial.played >= _PLAYED  # the menus end with the work, too
    yield trial.summary()


@dataclass(slots=True)
class StrategySearch(SearchLog):
    """The strategies simulated so far, each with a failure probability of its own."""

    stage, question = "search", "Can a strategy that reads realised losses exceed the guarantee?"

    subject: ExaminationContext = field(kw_only=True)
    each: float = field(kw_only=True)
    played: int = 0

    def play(
        self, strategy: Adversary, menu: str, measure: Divergence, rounds: int, *, method: Method = "auto"
    ) -> Iterator[StageFinding]:
        """Simulate the strategy with new random numbers; yield a finding if it exceeds the guarantee."""
        subject, promised = self.subject, self.subject.promised(measure)
        for paths in _SIMULATED_PATHS:
            if self.played >= _PLAYED:
                return
            self.played += 1
            simulated = record_simulation(
                subject.filter,
                strategy,
                epsilon=measure.at if measure.kind == "hockey-stick" else None,
                alpha=measure.at if measure.kind == "renyi" else None,
                n=paths,
                seed=subject.seed + self.played,
                rounds=rounds,
                confidence=1 - self.each,
                method=method,
                direction=measure.direction,
                workers=1,
                kinds=(TreeStrategy,),
            )
            low = float(simulated.data["low"])
            self.rows[self.played] = Tightness(measure, menu, low, None, promised, Evidence.STATISTICAL)
            if certainly_exceeds(low, promised):
                yield self.refutation(menu, f"one strategy over {menu}, played {paths:,} times", simulated)
            if certainly_exceeds(low, promised) or float(simulated.data["value"]) <= promised:
                return

    def play_best_on_grid(
        self, menu: GameMenu, measure: Divergence, limit: WorkLimit
    ) -> Iterator[StageFinding]:
        """Simulate the best strategy on the grid if it may be worth that; yield its finding above the guarantee."""
        filt, findings, rounds = self.subject.filter, list[StageFinding](), menu.rounds or 1
        try:
            with filter_faults_raised(filt), stopping_at(limit.fraction(1 / 4)):
                worth, strategy = grid_strategy(filt, menu.pairs, measure, rounds)
                self.tried += 1
                if worth >= _MIN_GUESSED_SHARE * self.subject.promised(measure):
                    words = " or ".join(map(pair_words, menu.pairs))
                    findings += self.play(strategy, words, measure, rounds)
        except (TooLargeError, OutOfWork):
            self.too_large += 1
        yield from findings

    def summary(self) -> StageFinding:
        """Return the summary of the solved and simulated strategies and the nearest one."""
        games, played = count_words(self.tried, "game"), count_words(self.played, "strategy", "strategies")
        return self.finding(
            f"{games} on a grid of losses; {played} simulated",
            ", ".join(family.definition.name for family in self.subject.families),
            "strategies of more than a few rounds, and those between the grid points",
        )


def _fixed_order_findings(
    trial: StrategySearch, targets: tuple[Divergence, ...], limit: WorkLimit, tail: float
) -> Iterator[StageFinding]:
    """Yield promising orders of requests that would be granted with all losses at one quantile."""
    tried = set[tuple[str, str]]()
    subject = trial.subject
    for played in chain(greedy_plays(subject, limit, tail), unlocked_family_plays(subject, limit, tail)):
        if limit.exhausted:
            return
        names = "+".join(sorted({type(pair.unlabelled).__name__ for pair in played.counts}))
        exceeded: dict[Direction, list[tuple[float, Divergence]]] = {}
        for measure, bound in quick_upper_bounds(played, targets, ("PQ", "QP")):
            promised = subject.promised(measure)
            if bound <= promised or (names, measure.direction) in tried or played.rounds > _MAX_FIXED_ROUNDS:
                continue
            if certainly_exceeds(low := played.lower_bound(measure, promised), promised):
                share = low / promised if promised > _MIN_PROMISED else 1.0
                if measure.kind == "renyi":  # few paths suffice at a small order, and none do at a large one
                    share = math.inf if measure.at <= _MAX_SIMULATED_ORDER else 1.0
                exceeded.setdefault(measure.direction, []).append((share, measure))
        for direction, measures in exceeded.items():
            tried.add((names, direction))
            # a simulation needs the fewest paths where the guarantee is exceeded most
            most = max(measures, key=lambda each: each[0])
            for _, measure in dict.fromkeys((most, measures[0])):
                strategy = Scripted(*zip(*played.steps, strict=True))
                findings = list(trial.play(strategy, names, measure, played.rounds))
                yield from findings
                if findings:
                    break


def _sampled_order_findings(
    trial: StrategySearch, targets: tuple[Divergence, ...], limit: WorkLimit
) -> Iterator[StageFinding]:
    """Yield a refutation by a row of one of the filter's own pairs that can only be sampled."""
    for pair in trial.subject.sampled:
        player = PlayInProgress.fresh(trial.subject, limit)
        rounds = player.request_and_count_grants(pair, _MAX_FIXED_ROUNDS)
        if not rounds:
            continue
        row = Scripted((pair,), (rounds,))
        for measure in chain.from_iterable(target.both_directions for target in targets):
            findings = list(trial.play(row, pair_words(pair), measure, rounds, method="plain"))
            yield from findings
            if findings or limit.exhausted:
                return


def _grid_menus(subject: ExaminationContext, limit: WorkLimit) -> Iterator[GameMenu]:
    """Yield a first request with those granted after it; then the largest request of a family for more rounds."""
    for _, menu in best_guessed_menus(subject, subject.hockey_stick_targets[:3], limit.fraction(0.5)):
        if menu.rounds is not None and menu.rounds <= _MAX_GRID_ROUNDS:
            yield menu
    for rounds, family in product((2, 3, 4), subject.families):
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
