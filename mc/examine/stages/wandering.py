"""The stage of wandering: what is left of the time goes to plays and small games without end, drawn from the seed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mc.examine.clock import Clock
from mc.examine.sequence import Sequence
from mc.examine.stage_finding import StageFinding, Tightness
from mc.examine.stages.frontier import Affordable
from mc.examine.stages.game_menus import Menu
from mc.examine.stages.games import Tried, chosen_goals
from mc.examine.stages.plays import leaders
from mc.examine.stages.sequences import Search
from mc.examine.subject import Subject
from mc.examine.worker import so_far

__all__ = ["wandering"]

_ASKED = "Does anything that is drawn at random, of what it affords at each moment, exceed the promise?"
#: How often a request is asked in a row, and which share of what is afforded it is.
_TIMES, _SHARES = (1, 1, 2, 5, 20, 150), (1.0, 0.9, 0.5, 0.2, 0.02)
#: Requests that the least of a menu lasts, and the rounds of its game.
_PACES, _ROUNDS = (1, 2, 3, 5, 9, 20), (2, 3, 4, 6, 9)


def wandering(subject: Subject, clock: Clock) -> Iterator[StageFinding]:
    """The first refutation, or one finding on all that was tried until the time was up."""
    search, tried, goals = Search.of(subject), Tried(subject), chosen_goals(subject)

    def summary() -> StageFinding:
        rows: tuple[Tightness, ...] = (*search.rows, *tried.rows)
        near = max(rows, key=lambda row: row.share, default=None)
        closest = f"; the closest, {near.reached}" if near else ""
        found = f"{search.plays} plays and {len(tried.rows)} games{closest}"
        menu = ", ".join(one.line.name for one in subject.lines)
        return StageFinding("wandering", _ASKED, found, menu, "all other plays", tightness=rows)

    so_far(summary)
    for drawn in _drawn(subject, clock):
        if isinstance(drawn, Sequence):
            if search.take(drawn, only_above=True):
                yield search.refutation()
                return
        elif goals and subject.pure:
            for found in tried.play(drawn, goals[:2], clock.at_most(5.0)):
                yield found
                return
    yield summary()


def _drawn(subject: Subject, clock: Clock) -> Iterator[Sequence | Menu]:
    rng, frontier = np.random.default_rng(subject.seed), Affordable(subject, clock)
    own_lines, lines = subject.lines, (*subject.lines, *leaders((*subject.lines, *subject.closed)))
    while not clock.over:
        player = frontier.fresh()
        for _ in range(0 if subject.looks else int(rng.integers(2, 7))):
            line = lines[int(rng.integers(len(lines)))]
            times, share = int(rng.choice(_TIMES)), float(rng.choice(_SHARES))
            if (size := frontier.afforded(player, line)) is not None:
                player.ask(line.line.pair(max(share * size, line.line.least)), times)
        if player.steps:
            yield player.played
        pace, rounds = int(rng.choice(_PACES)), int(rng.choice(_ROUNDS))
        pairs = []
        for place in rng.integers(len(own_lines), size=int(rng.integers(1, 4))):
            size, times = frontier.afforded(frontier.fresh(), own_lines[place], pace), int(rng.integers(2, 4))
            if size is not None:
                pairs += [
                    own_lines[place].line.pair(t)
                    for t in (size, times * size)
                    if t <= own_lines[place].line.most
                ]
        if pairs:
            yield Menu("some of what it affords", tuple(dict.fromkeys(pairs)), rounds)
