"""The stage of games: solves and certifies the worst adversary over menus of requests that the filter admits."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, product

import numpy as np

from filterproof.filters.contract.contract_checks import checked_observe, checked_start
from filterproof.filters.contract.state import runs_equal
from filterproof.filters.contract.work import WorkLimit
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.counterexample import NOTICEABLE_FACTOR, menu_counterexample
from filterproof.mc.examine.divergence import Divergence, certainly_exceeds
from filterproof.mc.examine.examination_context import ExaminationContext
from filterproof.mc.examine.filter_fault import FilterFault, filter_faults_raised
from filterproof.mc.examine.formatting import count_words, pair_words
from filterproof.mc.examine.search import MAX_TARGETS, MIN_PROMISED, SMALL_SHARE, Measurement, Search
from filterproof.mc.examine.sequence import granted_state
from filterproof.mc.examine.stage_finding import Tightness
from filterproof.mc.examine.stages.admission_boundary import best_guessed_menus
from filterproof.mc.examine.stages.game_menus import GameMenu, candidate_menus, own_menus, rare_event_menus
from filterproof.mc.examine.stages.rational_plans import EXACT_POSITIONS, plans_with_best_second_requests
from filterproof.mc.losses.too_large import TooLargeError
from filterproof.mc.worst_case.renyi_game import renyi_worst_case_lower_bound
from filterproof.mc.worst_case.solve import worst_case_of_checked_filter
from filterproof.theory.evidence import Outcome, Verdict
from filterproof.theory.numerics.decimals import format_up
from filterproof.theory.pairs import DominatingPair

#: The most positions of a game.
_POSITIONS = 2_500_000
#: The relative width of the bounds on a game that is too large at the default step.
_ROUGH_PRECISION = 0.2
#: The rounds of a request that leaves the state unchanged: a game of a fifth of a second, and one of a second.
_UNCHARGED_ROUNDS = (200, 500)


def _guessed_menus(
    subject: ExaminationContext, targets: tuple[Divergence, ...], limit: WorkLimit
) -> Iterator[GameMenu]:
    """Yield guessed menus: those that seem to exceed the guarantee first, the others by their guessed value."""
    left: list[tuple[float, GameMenu]] = []
    for share, menu in best_guessed_menus(subject, targets, limit.fraction(0.5)):
        finite = len(menu.pairs) == 1 or all(pair.outputs is not None for pair in menu.pairs)
        if subject.observes_losses and not finite:
            continue  # for these filters games are solved over finite pairs, or one Gaussian
        if share > NOTICEABLE_FACTOR:
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
                yield from (GameMenu(again, (pair,), rounds) for rounds in _UNCHARGED_ROUNDS)
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


def _renyi_game_refutation(subject: ExaminationContext) -> Measurement:
    """Yield the first game that exceeds a Rényi guarantee: over one finite pair, short games first.

    A game of more rounds is worth no less, so that the longest comes before those that may be too large.
    """
    filt = subject.filter
    small = [each for each in subject.families if each.definition.mechanism in ("rr", "twopoint", "own")]
    families = [family.pairs for family in small if family.largest.outputs is not None]
    targets = [target for target in subject.targets if target.kind == "renyi"]
    for target, rounds, pairs in product(targets[:MAX_TARGETS], (4, 150, 30), families):
        sizes = dict.fromkeys((pairs[-1], pairs[-1 - len(pairs) // 6], pairs[len(pairs) // 2]))
        for pair, measure in product(sizes, target.both_directions):
            game = partial(renyi_worst_case_lower_bound, filt, (pair,), max_positions=EXACT_POSITIONS)
            try:
                low, _ = game(order=measure.at, rounds=rounds, direction=measure.direction)
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
    if len(candidates) <= MAX_TARGETS:
        return candidates
    positive = [target for target in candidates if subject.promised(target) > MIN_PROMISED]
    return tuple(positive[:: max(1, len(positive) // MAX_TARGETS)][:MAX_TARGETS])


@dataclass(slots=True)
class GameSearch(Search):
    """Games over menus of requests, and plans in rational numbers."""

    stage, question = "games", "What is the largest divergence of an adversary over a menu?"
    share = 0.25

    def candidates(self, limit: WorkLimit) -> Iterator[Measurement]:
        """Yield games and plans until all targets are refuted."""
        subject, targets = self.subject, chosen_targets(self.subject)
        if subject.observes_losses:
            yield _renyi_game_refutation(subject)
        for menu in own_menus(subject, (1, 2) if targets else ()):  # a filter is often broken by its own menu
            yield self.games_of_menu(menu, targets)
        for menu, target in rare_event_menus(subject, limit.fraction(SMALL_SHARE)):
            yield self.games_of_menu(menu, (target,))
        yield self.plans(targets)
        menus = chain(
            _free_request_menus(subject),
            _guessed_menus(subject, targets, limit),
            candidate_menus(subject, limit),
        )
        while not self.refuted.issuperset(targets) and (later := next(menus, None)) and not limit.exhausted:
            yield self.games_of_menu(later, targets)

    def games_of_menu(self, menu: GameMenu, targets: tuple[Divergence, ...]) -> Measurement:
        """Solve the games of a menu at the targets without a refutation."""
        for target in targets:
            if target not in self.refuted:
                for finding in solve_both_directions(self.subject, menu, target):
                    self.tried += finding is not None
                    yield finding

    def plans(self, targets: tuple[Divergence, ...]) -> Measurement:
        """Yield plans of at most two rounds, in rational numbers, up to the first that refutes."""
        subject = self.subject
        if not subject.mechanisms >= {"rr", "twopoint"}:
            return  # the search requests these families
        # some pairs may be outside the filter's scope
        with suppress(FilterFault), filter_faults_raised(subject.filter):
            for shown in plans_with_best_second_requests(subject, targets):
                menu = f"the plan's own pairs, {count_words(shown.plan.size, 'request')}"
                if certainly_exceeds(shown.value, shown.promised) and shown.replay().refutes:
                    yield self.refutation(menu, f"the plan found, at epsilon={shown.measure.at:g}", shown)
                    return
                yield self.finding(Tightness.of(shown, menu, replays=True))

    def words(self) -> tuple[str, str, str, Verdict | None]:
        """Return the words on the games. HOLDS on the union of the menus is not claimed: an adversary may mix them."""
        rows = [finding.tightness[0] for finding in self.within.values()]
        verdicts = {
            finding.menu: finding.verdict for finding in self.within.values() if finding.verdict is not None
        }
        widest = max((row for row in rows if row.menu in verdicts), key=lambda row: row.attack, default=None)
        return (
            f"{count_words(self.tried, 'game')} solved: {len(self.refutations)} above the guarantee, "
            f"{sum(row.worst is not None and row.worst <= row.promised for row in rows)} certified within it",
            "; ".join(dict.fromkeys(row.menu for row in rows)),
            "other menus, longer games, other sizes",
            verdicts[widest.menu] if widest is not None and not self.refutations else None,
        )


def solve_both_directions(subject: ExaminationContext, menu: GameMenu, target: Divergence) -> Measurement:
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
        yield GameSearch.finding(row, verdict)
