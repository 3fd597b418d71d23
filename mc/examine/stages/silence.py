"""The menu of an alarm that nearly always keeps silent, asked again and again: what its silences tell together.

A filter that is shown what was lost may be paid in silences: each costs next to nothing, and many of them tell the
worlds apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from mc.examine.clock import Clock
from mc.examine.measure import Measure
from mc.examine.stages.game_menus import Menu, sticks
from mc.examine.stages.plays import Player, leaders
from mc.examine.subject import Subject
from theory.pairs import FinitePair

__all__ = ["alarms"]

#: How often the alarm goes off, and its loss as a share of the largest randomised response at the start.
_RATES, _SHARES = (Fraction(1, 16), Fraction(1, 10), Fraction(1, 6), Fraction(1, 4)), (0.7, 0.5, 0.35, 1.0)
#: Rounds of silence, the guessed share of the promise from which a game is solved, and one at which rounds are enough.
_ROUNDS, _WORTH, _ENOUGH = 200, 0.9, 1.25
#: The games that are solved, first those that are shortest and enough, then the most telling.
_GAMES = 4


def alarms(subject: Subject, clock: Clock) -> list[tuple[Menu, Measure]]:
    """The alarms whose silences alone pass the promise in few rounds, or come nearest to it, and where."""
    goals = [goal for goal in sticks(subject) if subject.promised(goal) > 0]
    largest = [line.sizes[-1] for line in leaders(subject.lines) if line.line.family == "rr"]
    if not (subject.looks and not subject.slow and largest and "twopoint" in subject.families and goals):
        return []
    games: list[tuple[float, Menu, Measure]] = []
    for pair in _pairs(largest[0]):
        if clock.over:
            break
        # how often a run that is answered by silence is granted the alarm
        longest = Player.fresh(subject, clock).ask(pair, _ROUNDS, loss=math.log(pair.p[0] / pair.q[0]))
        for goal in goals:
            share, rounds = _shortest(pair, longest, goal.at, subject.promised(goal))
            if share > _WORTH:
                games.append((share, Menu("an alarm that nearly always keeps silent", (pair,), rounds), goal))
    games.sort(key=lambda game: (-min(game[0], _ENOUGH), game[1].rounds or 0))
    return [(menu, goal) for _, menu, goal in games[:_GAMES]]


def _pairs(level: float) -> Iterator[FinitePair]:
    """Alarms that go off at these rates under P, and the more often under Q; and the same from Q's side."""
    for share, rate in product(_SHARES, _RATES):
        ratio = Fraction(math.exp(min(share * level, 3.0))).limit_denominator(8)
        if ratio > 1 and rate * ratio < 1:
            pair = FinitePair((1 - rate, rate), (1 - rate * ratio, rate * ratio))
            yield from (pair, pair.swapped)


def _shortest(pair: FinitePair, longest: int, epsilon: float, promised: float) -> tuple[float, int]:
    """The share of the promise that silence alone reaches, and after how many rounds: the fewest that are enough."""
    rounds = np.arange(longest + 1)
    more, less = sorted((float(pair.p[0]), float(pair.q[0])), reverse=True)
    shares = np.maximum(more**rounds - math.exp(epsilon) * less**rounds, 0.0) / promised
    chosen = int(np.argmax(shares >= _ENOUGH) or np.argmax(shares))
    return float(shares[chosen]), chosen
