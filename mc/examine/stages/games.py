"""The stage of exact games: the worst adversary over menus of what the filter really admits, solved and certified."""

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
from filterproof.filters.contract.state import same
from filterproof.filters.contract.work import OutOfWork, WorkLimit
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.counterexample import menu_counterexample
from filterproof.mc.examine.divergence import Divergence, exceeds
from filterproof.mc.examine.examination import StageFinding, Tightness
from filterproof.mc.examine.examination_context import ExaminationContext, named_pairs
from filterproof.mc.examine.filter_fault import FilterFault
from filterproof.mc.examine.formatting import count_words, pair_words
from filterproof.mc.examine.search_log import SearchLog
from filterproof.mc.examine.sequence import granted
from filterproof.mc.examine.stages.admissible_region import alternatives
from filterproof.mc.examine.stages.game_menus import Menu, alarms, menus, sticks
from filterproof.mc.examine.stages.plays import leaders
from filterproof.mc.examine.stages.rational_plans import best_second_requests
from filterproof.mc.examine.worker import limited, so_far
from filterproof.mc.losses.too_large import TooLargeError
from filterproof.mc.worst_case.renyi_game import renyi_game
from filterproof.mc.worst_case.solve import solved_case
from filterproof.theory.evidence import Outcome, Verdict
from filterproof.theory.numerics.decimals import above
from filterproof.theory.pairs import DominatingPair

_ASKED = "What is the most that the worst adversary over a menu can reach?"
#: Positions of one game; more take longer than they are worth here.
_POSITIONS = 2_500_000
#: The relative width of the bounds on a game that is too large at the default step.
_ROUGHLY = 0.2
#: What a guess is worth from which its game is solved before all others, how many of these, and the share of the work
#: for a plan.
_SURE, _FIRST, _PLANNED = 1.01, 8, 0.25
#: The share of the work in which menus are guessed.
_GUESSING = 0.5
#: The share of the work in which alarms are heard out.
_LISTENING = 0.1
#: The rounds of a request that leaves no trace: a game of a fifth of a second, and one of a second.
_UNSEEN = (200, 500)
#: The goals at which games are solved where a promise has many.
_GOALS = 3


def games(subject: ExaminationContext, limit: WorkLimit) -> Iterator[StageFinding]:
    """A finding for each refutation, and one on all menus that were solved."""
    goals = chosen_goals(subject)
    tried = GameSearch(subject=subject)
    so_far(tried.summary)
    if subject.looks:
        with suppress(OutOfWork):
            yield from limited(_renyi_games(subject), subject.filter, limit.fraction(0.2))
    if not goals:
        return
    # what a filter was made for may be what breaks it
    if own := named_pairs(subject.filter, "menu"):
        for found in tried.play(Menu("its own menu", own, 1, (2,)), goals, limit):
            yield found
            goals = _left(goals, found)
    for alarm, goal in alarms(subject, limit.fraction(_LISTENING)):
        yield from tried.play(alarm, (goal,), limit)
    yield from _planned(subject, limit.fraction(_PLANNED))
    for menu in chain(_unseen(subject), _guessed(subject, goals, limit), menus(subject, limit)):
        if limit.exhausted or not goals:
            break
        for found in tried.play(menu, goals, limit):
            yield found
            goals = _left(goals, found)
    tried.cut = limit.exhausted  # menus end with the work, too
    yield tried.summary()


def _left(goals: tuple[Divergence, ...], found: StageFinding) -> tuple[Divergence, ...]:
    """The goals at which nothing is refuted yet."""
    return tuple(goal for goal in goals if goal.at != found.tightness[0].measure.at)


def _guessed(subject: ExaminationContext, goals: tuple[Divergence, ...], limit: WorkLimit) -> Iterator[Menu]:
    """Guessed menus, a few that seem above the promise at once, the others by what they seem to be worth."""
    left: list[tuple[float, Menu]] = []
    sure = 0
    for share, menu in alternatives(subject, goals, limit.fraction(_GUESSING)):
        if subject.looks and len(menu.pairs) > 1 and any(pair.outputs is None for pair in menu.pairs):
            continue  # its games are solved over finite pairs, or one Gaussian
        if share > _SURE and sure < _FIRST:
            sure += 1
            yield menu
        else:
            left.append((share, menu))
    yield from (menu for _, menu in sorted(left, key=lambda one: -one[0]))


def _unseen(subject: ExaminationContext) -> Iterator[Menu]:
    """Of each family the largest request none of whose losses the filter sees: it is granted without end."""
    for line in leaders(subject.lines) if subject.looks else ():
        for pair in reversed(line.pairs):
            if pair.outputs is not None and _unchanged(subject.filter, pair):
                again = f"{pair_words(pair)} again and again"
                yield from (Menu(again, (pair,), rounds) for rounds in _UNSEEN)
                break


def _unchanged(filt: PrivacyFilter, pair: DominatingPair) -> bool:
    """Whether a fresh run is as it was after the request, whatever it lost."""
    start = checked_start(filt, 1)
    spent = granted(filt, start, pair)
    seen = [
        way * float(loss) for one, way in ((pair, 1), (pair.swapped, -1)) for loss, _ in one.outputs or ()
    ]
    return spent is not None and all(
        math.isfinite(loss) and same(checked_observe(filt, spent, np.array([loss]), 1), start)[0]
        for loss in seen
    )


def _renyi_games(subject: ExaminationContext) -> Iterator[StageFinding]:
    """The first game that is worth more than a Rényi promise, over one finite pair; longer games before other orders.

    A game of more rounds is worth no less, so that the longest comes before what may be left where it is too large.
    """
    filt = subject.filter
    small = [line for line in subject.lines if line.line.family in ("rr", "twopoint", "own")]
    lines = [line.pairs for line in small if line.largest.outputs is not None]
    goals = [goal for goal in subject.goals if goal.kind == "renyi"]
    for goal, rounds, pairs in product(goals[:3], (4, 150, 30), lines):
        sizes = dict.fromkeys((pairs[-1], pairs[-1 - len(pairs) // 6], pairs[len(pairs) // 2]))
        for pair, measure in product(sizes, goal.both):
            game: dict[str, Any] = {"rounds": rounds, "direction": measure.direction, "max_positions": 20_000}
            try:
                low, _ = renyi_game(filt, (pair,), order=measure.at, **game)
            except ValueError:
                continue
            if exceeds(low, subject.promised(measure)):
                shown = menu_counterexample(filt, (pair,), measure, rounds=rounds, low=low, high=None)
                asked = f"{pair_words(pair)} again and again"
                length = count_words(rounds, "round")
                scope = (
                    f"an adversary that asks for {asked}, in at most {length}, and stops when that is best"
                )
                yield StageFinding.refuted("games", _ASKED, asked, scope, shown)
                return


def chosen_goals(subject: ExaminationContext) -> tuple[Divergence, ...]:
    """The hockey-sticks to solve games at: promised more than nothing where that can be, and less than all."""
    found = sticks(subject)
    if len(found) <= _GOALS:
        return found
    telling = [goal for goal in found if subject.promised(goal) > 1e-12]
    return tuple(telling[:: max(1, len(telling) // _GOALS)][:_GOALS])


def _planned(subject: ExaminationContext, limit: WorkLimit) -> Iterator[StageFinding]:
    """A small request and the best replies to its answers, in rational numbers: the shortest kind of counterexample."""
    if not subject.families >= {"rr", "twopoint"}:
        return  # those are what the search asks for
    replies = best_second_requests(subject, chosen_goals(subject))
    with suppress(OutOfWork, FilterFault):  # it also asks for families that may be outside the filter's scope
        for counterexample in limited(replies, subject.filter, limit):
            if counterexample.replay().refutes:
                menu = f"the plan's own pairs, {counterexample.plan.size} requests"
                scope = f"the plan found, at epsilon={counterexample.measure.at:g}"
                yield StageFinding.refuted("games", _ASKED, menu, scope, counterexample)
                return


@dataclass(slots=True)
class GameSearch(SearchLog):
    """The games solved so far, by their menus and measures."""

    stage, asked = "games", _ASKED

    subject: ExaminationContext = field(kw_only=True)
    certified: dict[str, Verdict] = field(default_factory=dict)

    def play(self, menu: Menu, goals: tuple[Divergence, ...], limit: WorkLimit) -> Iterator[StageFinding]:
        """Solve the games of a menu; a finding for each that is worth more than the promise."""
        part = limit.fraction(1 / (2 if menu.longer else 4))
        try:
            for game in limited(_games(self.subject, menu, goals), self.subject.filter, part):
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

    def summary(self) -> StageFinding:
        """What was solved; HOLDS on the union of menus is not claimed, for an adversary may mix them."""
        rows = tuple(self.rows.values())
        widest = max(
            (row for row in rows if row.menu in self.certified), key=lambda row: row.attack, default=None
        )
        return self.finding(
            f"{count_words(self.tried, 'game')} solved, {self.refuted} worth more than the promise, "
            f"{sum(row.worst is not None and row.worst <= row.promised for row in rows)} certified within it",
            "; ".join(dict.fromkeys(row.menu for row in rows)),
            "other menus, longer games, pairs between these",
            rows,
            self.certified[widest.menu] if widest is not None and not self.refuted else None,
        )


def _games(
    subject: ExaminationContext, menu: Menu, goals: tuple[Divergence, ...]
) -> Iterator[StageFinding | None]:
    """The games of a menu, None for one that is too large."""
    for rounds, goal in product((menu.rounds, *menu.longer), goals):
        yield from solved(subject, replace(menu, rounds=rounds), goal)


def solved(subject: ExaminationContext, menu: Menu, goal: Divergence) -> Iterator[StageFinding | None]:
    """One game in both directions, where they differ and the first is not worth more than the promise.

    A finding each, None for a game that is too large; HOLDS on the menu where the promise is certainly kept there.
    """
    filt = subject.filter
    symmetric = not subject.looks and all(pair.swapped == pair for pair in menu.pairs)
    for measure in (goal,) if symmetric else goal.both:
        promised = subject.promised(measure)
        game: dict[str, Any] = {
            "rounds": menu.rounds,
            "direction": measure.direction,
            "max_positions": _POSITIONS,
        }
        play = partial(solved_case, filt, menu.pairs, epsilon=measure.at, **game)
        try:
            try:
                worst = play()
            except TooLargeError:
                worst = play(relative=_ROUGHLY)
        except ValueError:
            yield None
            continue
        if not worst.tried:
            continue
        row = Tightness(measure, menu.name, worst.low, worst.high, promised, worst.evidence)
        if not exceeds(worst.low, promised):
            within_it = f"{menu.name} at {measure}: at most {above(worst.high)}, promised {promised:.6g}"
            scope = f"{worst.scope}; at {measure}"
            keeps = Verdict(Outcome.HOLDS, worst.evidence, scope, within_it)
            verdict = keeps if worst.high <= promised else None
            yield StageFinding("games", _ASKED, row.reached, menu.name, "", verdict, tightness=(row,))
            continue
        shown = menu_counterexample(
            filt, menu.pairs, measure, rounds=menu.rounds, low=worst.low, high=worst.high
        )
        told = ("games", _ASKED, menu.name, worst.scope, shown)
        yield StageFinding.refuted(*told, worst=worst.high, evidence=worst.evidence)
        return
