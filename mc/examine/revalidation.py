"""Revalidation of a counterexample with a new instance of the filter.

A stage finds a counterexample by a filter that has answered many questions, and a filter may keep what it was asked
outside its states. Whoever replays the counterexample begins with a fresh one; what that one denies was never released.

>>> import filterproof as fp
>>> from filterproof.mc.examine.divergence import Divergence
>>> from filterproof.mc.examine.sequence import Sequence
>>> from filterproof.mc.examine.counterexample import sequence_counterexample
>>> twice = Sequence(((fp.Gaussian(1.0), 2),))
>>> differs(sequence_counterexample(fp.ZCDPFilter(0.5), twice, Divergence.renyi(2.0), 2.0), lambda work: work())
'the sequence must be admitted, got a denial by ZCDPFilter; check the filter'
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from filterproof.filters.contract.contract_checks import (
    checked_admits,
    checked_observe,
    checked_spend,
    checked_start,
)
from filterproof.filters.contract.state import read_only, take
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.adversary import Adversary, View, checked_request
from filterproof.mc.engine.encoding import decode_fraction
from filterproof.mc.examine.counterexample import Counterexample
from filterproof.mc.examine.replay import ROUNDED, ReplayError
from filterproof.mc.examine.sequence import granted
from filterproof.mc.worst_case.plan import MARGIN, History, Plan
from filterproof.mc.worst_case.strategy import LatticeStrategy, TreeStrategy
from filterproof.theory.pairs.base import Direction

#: The most histories of a plan that are put to fresh filters, and those of another adversary, which are drawn.
_MOST, _DRAWN = 64, 16
#: The rounds of a drawn history whose adversary knows no end.
_LONGEST = 1000


def differs(counterexample: Counterexample, afresh: Callable[[Callable[[], Any]], Any]) -> str:
    """What comes out otherwise, in words, when the counterexample is played again; '' where it refutes.

    `afresh` returns what a work returns that is done where the filter was not asked before. An adversary has one run,
    but the replay of an adaptive counterexample asks for many, so that each of its histories that is looked at is
    played afresh, too: of a plan those that together are worth more than the promise, of another game some that are
    drawn as it is played.
    """
    try:
        refutes, histories = afresh(partial(_replayed, counterexample))
    except ReplayError as other:
        return str(other)
    if not refutes:
        return "it is within the promise"
    if all(afresh(partial(happens, counterexample.filter, history)) for history in histories):
        return ""
    return "a run that is asked for by itself is denied what it was granted among others"


def is_nondeterministic(filt: PrivacyFilter) -> str:
    """The fault of a filter one of whose counterexamples differs when it is played afresh."""
    return f"{type(filt).__name__} breaks the contract: its answers depend on what it was asked before"


def happens(filt: PrivacyFilter, history: History) -> bool:
    """Whether one run grants the requests one by one, shown their losses."""
    state: Any = checked_start(filt, 1)
    for pair, loss in history:
        state = granted(filt, state, pair, loss if filt.looks_at_losses and math.isfinite(loss) else None)
        if state is None:
            return False
    return True


def _replayed(counterexample: Counterexample) -> tuple[bool, tuple[History, ...]]:
    """Whether the replay refutes, and the histories that have to happen for it."""
    again, filt, way = counterexample.replay(), counterexample.filter, counterexample.measure.direction
    if counterexample.kind == "plan":
        ratio = decode_fraction(counterexample.data["ratio"]) * ROUNDED
        histories = [
            *_largest_histories(counterexample.plan, ratio, way, Fraction(again.promised) * (1 + MARGIN))
        ]
    elif again.strategy is not None:
        histories = [*_drawn(filt, again.strategy, counterexample.data["rounds"], way)]
    else:  # one play by itself
        return again.refutes, ()
    return again.refutes, _told_apart(filt, histories)


def _told_apart(filt: PrivacyFilter, histories: Iterable[History]) -> tuple[History, ...]:
    """The histories that are not the same for the filter: where it sees no losses, what is asked is all it knows."""
    looks = filt.looks_at_losses
    return tuple({one if looks else tuple(pair for pair, _ in one): one for one in histories}.values())


def _largest_histories(plan: Plan, ratio: Fraction, way: Direction, promised: Fraction) -> Iterator[History]:
    """The histories that are worth most, until together they are worth more than the promise."""
    total = Fraction(0)
    by_worth = sorted(plan.paid(ratio, way), key=lambda one: one[1], reverse=True)
    for history, worth in islice(by_worth, _MOST):
        if total > promised:
            return
        total += worth
        yield history


def _drawn(filt: PrivacyFilter, foe: Adversary, rounds: int | None, way: Direction) -> Iterator[History]:
    """What runs are granted, each output drawn from the world in which the measure is large.

    What a solved game's table asks for it was granted in that game, so that the filter is not asked here.
    """
    rng, n = np.random.default_rng(0), _DRAWN
    foe, histories, runs = foe.against(filt), [list[tuple[Any, float]]() for _ in range(n)], np.arange(n)
    state, memory, total, last = checked_start(filt, n), foe.start(filt, n, rng), np.zeros(n), np.zeros(n)
    for t in range(rounds or foe.horizon or _LONGEST):
        asked = checked_request(foe, "request", View(t, *read_only((total, last, state)), memory, filt, rng))
        by_table = isinstance(foe, TreeStrategy | LatticeStrategy)
        grants = memory[-1] >= 0 if by_table else checked_admits(filt, state, asked, len(runs))
        live = np.flatnonzero(grants)
        if not len(live):
            break
        runs, asked, memory = runs[live], asked.take(live), take(memory, live)
        last = asked.sample(rng, len(live)) if way == "PQ" else -asked.swapped.sample(rng, len(live))
        total, state = total[live] + last, take(state, live)
        if not by_table:
            state = checked_spend(filt, state, asked, len(live))
            if filt.looks_at_losses:
                state = checked_observe(filt, state, last, len(live))
        for place, run in enumerate(runs):
            histories[run].append((asked.of_run(place), float(last[place])))
    return map(tuple, histories)
