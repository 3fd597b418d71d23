"""Revalidation of a counterexample with a new instance of the filter.

A stage finds a counterexample with a filter that has already answered many requests, and a filter may keep data
outside its states. A replay starts with a new instance, and a request that the new instance denies was never released.

>>> import filterproof as fp
>>> from filterproof.mc.examine.divergence import Divergence
>>> from filterproof.mc.examine.sequence import RequestSequence
>>> from filterproof.mc.examine.counterexample import sequence_counterexample
>>> twice = RequestSequence(((fp.Gaussian(1.0), 2),))
>>> revalidate(sequence_counterexample(fp.ZCDPFilter(0.5), twice, Divergence.renyi(2.0), 2.0), lambda work: work())
'ZCDPFilter denies a request of the sequence: no longer granted; the program has changed, or is not the one of the \
counterexample; replay it with the recorded filter and version'
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
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
from filterproof.filters.contract.state import read_only, select_runs
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.adversary import Adversary, AdversaryView, checked_request
from filterproof.mc.engine.encoding import decode_fraction
from filterproof.mc.examine.counterexample import Counterexample
from filterproof.mc.examine.formatting import user_code_name
from filterproof.mc.examine.replay import ROUNDING_FACTOR, ReplayError
from filterproof.mc.examine.sequence import granted_state
from filterproof.mc.worst_case.plan import GAIN_MARGIN, AdaptivePlan, History
from filterproof.mc.worst_case.strategy import LatticeStrategy, TreeStrategy
from filterproof.theory.pairs.base import Direction

#: The most histories of a plan, and of another adversary, that new instances play. Those of the latter are drawn.
_MAX_HISTORIES, _DRAWN = 64, 16
#: The rounds of a drawn history for an adversary without a last round.
_DEFAULT_ROUNDS = 1000


def revalidate(counterexample: Counterexample, in_new_process: Callable[[Callable[[], Any]], Any]) -> str:
    """Return why a replay with a new filter does not confirm the counterexample, or ''.

    `in_new_process` runs work where the filter has not been used. An adversary has one run, but the replay of an
    adaptive counterexample has many. Therefore single histories are replayed as well: for a plan, enough of them to
    exceed the guarantee; for another game, some drawn ones.
    """
    try:
        refutes, histories = in_new_process(partial(_refutes_and_histories, counterexample))
    except ReplayError as other:
        return str(other)
    if not refutes:
        return "its value is within the guarantee"
    if all(
        in_new_process(partial(history_is_granted, counterexample.filter, history)) for history in histories
    ):
        return ""
    return "a single run is denied a request that was granted when several runs were played at once"


def nondeterminism_fault(filt: PrivacyFilter) -> str:
    """Return the sentence about a filter whose answers depend on earlier runs."""
    return (
        f"{user_code_name(filt)} breaks the contract: its answers depend on earlier runs; keep everything that changes "
        "in the state"
    )


def history_is_granted(filt: PrivacyFilter, history: History) -> bool:
    """Whether one run grants the requests one by one and observes their losses."""
    state: Any = checked_start(filt, 1)
    for pair, loss in history:
        shown = loss if filt.looks_at_losses and math.isfinite(loss) else None
        state = granted_state(filt, state, pair, shown)
        if state is None:
            return False
    return True


def _refutes_and_histories(counterexample: Counterexample) -> tuple[bool, tuple[History, ...]]:
    """Return whether the replay refutes, and the histories that it depends on."""
    again, filt, way = counterexample.replay(), counterexample.filter, counterexample.measure.direction
    if counterexample.kind == "plan":
        ratio = decode_fraction(counterexample.data["ratio"]) * ROUNDING_FACTOR
        promised = Fraction(again.promised) * (1 + GAIN_MARGIN)
        histories = _most_valuable_histories(counterexample.plan, ratio, way, promised)
    elif again.strategy is not None:
        histories = _drawn_histories(filt, again.strategy, counterexample.data["rounds"], way)
    else:  # a sequence is a single play
        return again.refutes, ()
    # those that differ for the filter: if it sees no losses, only the requests count
    observes_losses = filt.looks_at_losses
    distinct = {
        history if observes_losses else tuple(pair for pair, _ in history): history for history in histories
    }
    return again.refutes, tuple(distinct.values())


def _most_valuable_histories(
    plan: AdaptivePlan, ratio: Fraction, way: Direction, promised: Fraction
) -> Iterator[History]:
    """Yield the most valuable histories until their total value exceeds the guarantee."""
    total = Fraction(0)
    by_worth = sorted(plan.iter_terminal_values(ratio, way), key=lambda one: one[1], reverse=True)
    for history, worth in islice(by_worth, _MAX_HISTORIES):
        if total > promised:
            return
        total += worth
        yield history


def _drawn_histories(
    filt: PrivacyFilter, foe: Adversary, rounds: int | None, way: Direction
) -> Iterator[History]:
    """Yield histories of granted requests with outputs drawn from the world in which the divergence is large.

    A request in the table of a solved game was granted there, so that the filter is not called again.
    """
    rng, n = np.random.default_rng(0), _DRAWN
    foe, histories, runs = foe.against(filt), [list[tuple[Any, float]]() for _ in range(n)], np.arange(n)
    state, memory, total, last = checked_start(filt, n), foe.start(filt, n, rng), np.zeros(n), np.zeros(n)
    for t in range(rounds or foe.horizon or _DEFAULT_ROUNDS):
        view = AdversaryView(t, *read_only((total, last, state)), memory, filt, rng)
        request = checked_request(foe, "request", view)
        by_table = isinstance(foe, TreeStrategy | LatticeStrategy)
        grants = memory[-1] >= 0 if by_table else checked_admits(filt, state, request, len(runs))
        live = np.flatnonzero(grants)
        if not len(live):
            break
        runs, request, memory = runs[live], request.take(live), select_runs(memory, live)
        last = request.sample(rng, len(live)) if way == "PQ" else -request.swapped.sample(rng, len(live))
        total, state = total[live] + last, select_runs(state, live)
        if not by_table:
            state = checked_spend(filt, state, request, len(live))
            if filt.looks_at_losses:
                state = checked_observe(filt, state, last, len(live))
        for place, run in enumerate(runs):
            histories[run].append((request.of_run(place), float(last[place])))
    return map(tuple, histories)
