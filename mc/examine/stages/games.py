"""The stage of games: solves and certifies the worst adversary over menus of requests that the filter admits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, product
from typing import Any

import numpy as np

from filterproof.filters.contract.contract_checks import checked_observe, checked_start
from filterproof.filters.contract.state import runs_equal
from filterproof.filters.contract.work import OutOfWork, WorkLimit
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.counterexample import menu_counterexample
from filterproof.mc.examine.divergence import Divergence, certainly_exceeds
from filterproof.mc.examine.examination_context import ExaminationContext
from filterproof.mc.examine.filter_fault import FilterFault
from filterproof.mc.examine.formatting import count_words, pair_words
from filterproof.mc.examine.pairs_in_attributes import pairs_of_attribute
from filterproof.mc.examine.sequence import granted_state
from filterproof.mc.examine.stage_finding import SearchLog, StageFinding, Tightness
from filterproof.mc.examine.stages.admission_boundary import best_guessed_menus
from filterproof.mc.examine.stages.game_menus import GameMenu, candidate_menus, rare_event_menus
from filterproof.mc.examine.stages.rational_plans import plans_with_best_second_requests
from filterproof.mc.examine.worker import iter_within_limit, register_summary
from filterproof.mc.losses.too_large import TooLargeError
from filterproof.mc.worst_case.renyi_game import renyi_worst_case_lower_bound
from filterproof.mc.worst_case.solve import worst_case_of_checked_filter
from filterproof.theory.evidence import Outcome, Verdict
from filterproof.theory.numerics.decimals import format_up
from filterproof.theory.pairs import DominatingPair

_QUESTION = "What is the largest divergence of an adversary over a menu?"
#: The most positions of a game.
_POSITIONS = 2_500_000
#: The relative width of the bounds on a game that is too large at the default step.
_ROUGH_PRECISION = 0.2
#: The guessed value from which a game is solved first, the number of such games, and the share of the work for a plan.
_SURE, _FIRST, _PLANNED = 1.01, 8, 0.25
#: The share of the work for guessing menus.
_GUESS_SHARE = 0.5
#: The share of the work for rare-event queries.
_RARE_EVENT_SHARE = 0.1
#: The rounds of a request that leaves the state unchanged: a game of a fifth of a second, and one of a second.
_NOT_TRIED = (200, 500)
#: The most divergences at which games are solved.
_MAX_TARGETS = 3


def game_stage(subject: ExaminationContext, limit: WorkLimit) -> Iterator[StageFinding]:
    """Yield a finding for each refutation, and one on all solved menus."""
    targets = chosen_targets(subject)
    tried = GameSearch(subject=subject)
    register_summary(tried.summary)
    if subject.observes_losses:
        with suppress(OutOfWork):
            yield from iter_within_limit(_renyi_game_refutation(subject), subject.filter, limit.fraction(0.2))
    if not targets:
        return
    # a filter is often broken by its own menu
    if own := pairs_of_attribute(subject.filter, "menu"):
        for finding in tried.solve_games_of_menu(GameMenu("its own menu", own, 1, (2,)), targets, limit):
            yield finding
            targets = _unrefuted_divergences(targets, finding)
    for menu, target in rare_event_menus(subject, limit.fraction(_RARE_EVENT_SHARE)):
        yield from tried.solve_games_of_menu(menu, (target,), limit)
    yield from tried.plan(limit.fraction(_PLANNED))
    for menu in chain(
        _free_request_menus(subject), _guessed_menus(subject, targets, limit), candidate_menus(subject, limit)
    ):
        if limit.exhausted or not targets:
            break
        for finding in tried.solve_games_of_menu(menu, targets, limit):
            yield finding
            targets = _unrefuted_divergences(targets, finding)
    tried.cut = limit.exhausted  # the menus end with the work, too
    yield tried.summary()


def _unrefuted_divergences(targets: tuple[Divergence, ...], finding: StageFinding) -> tuple[Divergence, ...]:
    return tuple(target for target in targets if target.at != finding.tightness[0].measure.at)


def _guessed_menus(
    subject: ExaminationContext, targets: tuple[Divergence, ...], limit: WorkLimit
) -> Iterator[GameMenu]:
    """Yield guessed menus: a few that seem to exceed the guarantee first, the others by their guessed value."""
    left: list[tuple[float, GameMenu]] = []
    sure = 0
    for share, menu in best_guessed_menus(subject, targets, limit.fraction(_GUESS_SHARE)):
        finite = len(menu.pairs) == 1 or all(pair.outputs is not None for pair in menu.pairs)
        if subject.observes_losses and not finite:
            continue  # for these filters games are solved over finite pairs, or one Gaussian
        if share > _SURE and sure < _FIRST:
            sure += 1
            yield menu
        else:
            left.append((share, menu))
    yield from (menu for _, menu in sorted(left, key=lambda one: -one[0]))


def _free_request_menus(subject: ExaminationContext) -> Iterator[GameMenu]:
    """Yield the largest request of each family that never changes the state: it is granted without end."""
    for family in subject.first_families if subject.observes_losses else ():
        for pair in reversed(family.pairs):
            if pair.outputs is not None and _leaves_state_unchanged(subject.filter, pair):
                again = f"{pair_words(pair)} again and again"
                yield from (GameMenu(again, (pair,), rounds) for rounds in _NOT_TRIED)
                break


def _leaves_state_unchanged(filt: PrivacyFilter, pair: DominatingPair) -> bool:
    """Whether a request leaves the state of a fresh run unchanged, whatever its loss."""
    start = checked_start(filt, 1)
    spent = granted_state(filt, start, pair)
    seen = [
        way * float(loss)
        for directed_pair, way in ((pair, 1), (pair.swapped, -1))
        for loss, _ in directed_pair.outputs or ()
    ]
    return spent is not None and all(
        math.isfinite(loss) and runs_equal(checked_observe(filt, spent, np.array([loss]), 1), start)[0]
        for loss in seen
    )


def _renyi_game_refutation(subject: ExaminationContext) -> Iterator[StageFinding]:
    """Yield the first game that exceeds a Rényi guarantee: over one finite pair, short games first.

    A game of more rounds is worth no less, so that the longest comes before those that may be too large.
    """
    filt = subject.filter
    small = [each for each in subject.families if each.definition.mechanism in ("rr", "twopoint", "own")]
    families = [family.pairs for family in small if family.largest.outputs is not None]
    targets = [target for target in subject.targets if target.kind == "renyi"]
    for target, rounds, pairs in product(targets[:3], (4, 150, 30), families):
        sizes = dict.fromkeys((pairs[-1], pairs[-1 - len(pairs) // 6], pairs[len(pairs) // 2]))
        for pair, measure in product(sizes, target.both_directions):
            game: dict[str, Any] = {"rounds": rounds, "direction": measure.direction, "max_positions": 20_000}
            try:
                low, _ = renyi_worst_case_lower_bound(filt, (pair,), order=measure.at, **game)
            except ValueError:
                continue
            if certainly_exceeds(low, subject.promised(measure)):
                shown = menu_counterexample(filt, (pair,), measure, rounds=rounds, low=low, high=None)
                again, length = f"{pair_words(pair)} again and again", count_words(rounds, "round")
                scope = (
                    f"an adversary that asks for {again}, in at most {length}, and stops when that is best"
                )
                yield GameSearch.refutation(again, scope, shown)
                return


def chosen_targets(subject: ExaminationContext) -> tuple[Divergence, ...]:
    """Return the divergences at which games are solved: those with a guarantee in (0, 1), if there are any."""
    candidates = subject.hockey_stick_targets
    if len(candidates) <= _MAX_TARGETS:
        return candidates
    positive = [target for target in candidates if subject.promised(target) > 1e-12]
    return tuple(positive[:: max(1, len(positive) // _MAX_TARGETS)][:_MAX_TARGETS])


@dataclass(slots=True)
class GameSearch(SearchLog):
    """The games solved so far, by menu and divergence."""

    stage, question = "games", _QUESTION

    subject: ExaminationContext = field(kw_only=True)
    certified: dict[str, Verdict] = field(default_factory=dict)

    def solve_games_of_menu(
        self, menu: GameMenu, targets: tuple[Divergence, ...], limit: WorkLimit
    ) -> Iterator[StageFinding]:
        """Solve the games of a menu; yield a finding for each that exceeds the guarantee."""
        part = limit.fraction(1 / (2 if menu.longer_counts else 4))
        games = chain.from_iterable(
            solve_both_directions(self.subject, replace(menu, rounds=rounds), target)
            for rounds, target in product((menu.rounds, *menu.longer_counts), targets)
        )
        try:
            for game in iter_within_limit(games, self.subject.filter, part):
                if game is None:
                    self.too_large += 1
                    continue
                self.tried += 1
                for row in game.tightness:
                    self.rows[self.tried] = row
                if game.counterexample is not None:
                    self.refuted += 1
                    yield game
                elif game.verdict is not None:
                    self.certified[game.menu] = game.verdict
        except OutOfWork:
            self.too_large += 1

    def plan(self, limit: WorkLimit) -> Iterator[StageFinding]:
        """Keep plans of at most two rounds, in rational numbers; yield a finding for the first that refutes."""
        subject = self.subject
        if not subject.mechanisms >= {"rr", "twopoint"}:
            return  # the search requests these families
        plans = plans_with_best_second_requests(subject, chosen_targets(subject))
        with suppress(OutOfWork, FilterFault):  # some pairs may be outside the filter's scope
            for shown in iter_within_limit(plans, subject.filter, limit):
                menu = f"the plan's own pairs, {count_words(shown.plan.size, 'request')}"
                if certainly_exceeds(shown.value, shown.promised) and shown.replay().refutes:
                    yield self.refutation(menu, f"the plan found, at epsilon={shown.measure.at:g}", shown)
                    return
                self.keep(("plan", shown.measure.at), Tightness.of(shown, menu, replays=True))

    def summary(self) -> StageFinding:
        """Return the summary. It claims no HOLDS on the union of the menus, because an adversary may mix them."""
        rows = self.rows.values()
        certified = (row for row in rows if row.menu in self.certified)
        widest = max(certified, key=lambda row: row.attack, default=None)
        return self.finding(
            f"{count_words(self.tried, 'game')} solved: {self.refuted} above the guarantee, "
            f"{sum(row.worst is not None and row.worst <= row.promised for row in rows)} certified within it",
            "; ".join(dict.fromkeys(row.menu for row in rows)),
            "other menus, longer games, other sizes",
            self.certified[widest.menu] if widest is not None and not self.refuted else None,
        )


def solve_both_directions(
    subject: ExaminationContext, menu: GameMenu, target: Divergence
) -> Iterator[StageFinding | None]:
    """Solve one game in both directions; skip the second if it is equal or the first exceeds the guarantee.

    Yields a finding for each, or None for a game that is too large. HOLDS on the menu if the guarantee is certainly
    kept there.
    """
    filt = subject.filter
    symmetric = not subject.observes_losses and all(pair.swapped == pair for pair in menu.pairs)
    for measure in (target,) if symmetric else target.both_directions:
        promised, replays = subject.promised(measure), True
        game = partial(worst_case_of_checked_filter, filt, menu.pairs, rounds=menu.rounds)
        play = partial(game, epsilon=measure.at, direction=measure.direction, max_positions=_POSITIONS)
        try:
            try:
                worst = play()
            except TooLargeError:
                worst, replays = play(relative=_ROUGH_PRECISION), False
        except ValueError:
            yield None
            continue
        if not worst.grants_any_request:
            continue
        low, high = worst.low, worst.high
        shown = menu_counterexample(filt, menu.pairs, measure, rounds=menu.rounds, low=low, high=high)
        if certainly_exceeds(low, promised):
            yield GameSearch.refutation(menu.name, worst.scope, shown, worst=high, evidence=worst.evidence)
            return
        row = Tightness.of(shown, menu.name, worst=high, evidence=worst.evidence, replays=replays)
        verdict = None
        if high <= promised:
            within_it = f"{menu.name} at {measure}: at most {format_up(high)}, promised {promised:.6g}"
            verdict = Verdict(Outcome.HOLDS, worst.evidence, f"{worst.scope}; at {measure}", within_it)
        yield StageFinding("games", _QUESTION, row.reached, menu.name, "", verdict, tightness=(row,))
