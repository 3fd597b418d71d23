"""Simulation of a batch: rounds of request, decision and release for all its runs at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from reprlib import repr as short
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.contract_checks import (
    checked_observe,
    checked_spend,
    checked_start,
    checked_step,
    count_call,
)
from filterproof.filters.contract.library import consists_of_library_values, is_library_class
from filterproof.filters.contract.state import (
    State,
    compact_runs,
    concatenate_runs,
    read_only,
    replace_selected,
    select_runs,
    state_leaves,
)
from filterproof.mc.engine.adversary import AdversaryView, checked_request
from filterproof.mc.engine.distinct_states import DistinctStates, distinct_states
from filterproof.mc.engine.finished_runs import FinishedRuns
from filterproof.mc.engine.game import Game
from filterproof.mc.engine.streams import Batch
from filterproof.theory.pairs import DominatingPair

_NO_RUNS = np.empty(0, dtype=np.intp)
#: The number of runs from which distinct states pay off.
_MIN_RUNS = 4096
# glibc reuses freed arrays of a batch's size after a block of 16 MB was freed: a batch then takes 3/4 of the time
np.empty(2**24, dtype=np.uint8)


def play_batch(game: Game, batch: Batch) -> FinishedRuns:
    """Return the paths of one batch, a function of (game, batch) alone."""
    live = _new_runs(game, batch)
    #: Denied runs with a final request, which they all make together at the end.
    pending_final: list[_LiveRuns] = []
    for t in range(game.rounds):
        if game.waits:
            live.release_or_wait(t)
        else:
            live.release_or_end(t, "request", pending_final if game.adversary.asks_finally else None)
        if live.n == 0:
            break
    live.finish(slice(None))
    if pending_final:
        live = _concatenate_live_runs(pending_final)
        live.release_or_end(game.rounds, "final", None)
        live.finish(slice(None))
    done = live.done
    if game.monitor is not None and game.monitor.act == "assert":
        game.monitor.check_finished(done.loss, done.log_weight, done.log_finite)
    return done


@dataclass(slots=True)
class _LiveRuns:
    """The live runs of a batch, and the paths of the finished ones.

    spent, spent_log_finite and over_bound are the sums of the budget monitor, None without one. `releases` is a single
    number as long as it is the same for all runs. `output_rng` draws the outputs; `adversary_rng` is the adversary's
    generator. With `distinct`, `state` is the number of each run's state.
    """

    game: Game
    done: FinishedRuns
    output_rng: np.random.Generator
    adversary_rng: np.random.Generator
    distinct: DistinctStates | None
    path: NDArray[np.intp]
    loss: NDArray[np.float64]
    last: NDArray[np.float64]
    log_weight: NDArray[np.float64] | None
    log_finite: NDArray[np.float64] | None
    releases: NDArray[np.int64] | int
    spent: NDArray[np.float64] | None
    spent_log_finite: NDArray[np.float64] | None
    over_bound: NDArray[np.bool_] | None
    state: State
    memory: Any

    @property
    def n(self) -> int:
        return len(self.loss)

    @property
    def per_run_data(self) -> tuple[Any, ...]:
        """The arrays with one entry per run, with None and data that all runs share among them."""
        return tuple([getattr(self, name) for name in _PER_RUN])

    def of(self, runs: tuple[Any, ...]) -> _LiveRuns:
        """Return other runs of the same batch."""
        return _LiveRuns(self.game, self.done, self.output_rng, self.adversary_rng, self.distinct, *runs)

    def replace_runs(self, runs: tuple[Any, ...]) -> None:
        """Replace these runs by others."""
        for name, value in zip(_PER_RUN, runs, strict=True):
            setattr(self, name, value)

    def drop(self, runs: NDArray[np.intp]) -> None:
        """Drop these runs, in increasing order, in place: the last runs move into their places."""
        if len(runs):
            n = self.n - len(runs)
            staying = np.ones(len(runs), dtype=np.bool_)
            staying[runs[runs.searchsorted(n) :] - n] = False
            tail = n + staying.nonzero()[0]
            self.replace_runs(compact_runs(self.per_run_data, tail, runs[: len(tail)], n))

    def finish(self, runs: NDArray[np.intp] | slice) -> None:
        """Write the present values of these runs into their finished paths."""
        path = self.path[runs]
        for name in ("loss", "log_weight", "log_finite", "over_bound", "spent"):
            if (values := getattr(self, name)) is not None:
                getattr(self.done, name)[path] = values[runs]
        self.done.releases[path] = self.releases if isinstance(self.releases, int) else self.releases[runs]

    def next_request(self, t: int, method: Literal["request", "final"]) -> DominatingPair:
        """Return the adversary's request in round t from a read-only view; it sees log P/Q in both directions."""
        game = self.game
        seen = (self.loss, self.last) if game.direction == "PQ" else (-self.loss, -self.last)
        state = self.state if self.distinct is None else ()
        view = AdversaryView(t, *read_only((*seen, state)), self.memory, game.filter, self.adversary_rng)
        request = checked_request(game.adversary, method, view)
        if game.monitor is not None:
            game.monitor.check(request, f"{type(game.adversary).__name__}.{method}")
        return request

    def release_or_end(
        self, t: int, method: Literal["request", "final"], pending_final: list[_LiveRuns] | None
    ) -> None:
        """Release to the admitted runs; finish the others, or keep them for their final requests."""
        request = self.next_request(t, method)
        # from the filter's own state: the adversary may have changed the one in its view
        admitted, after = self.step(request)
        if self.over_bound is not None:
            admitted, request = self.charge_monitor(request, admitted)
            after = None
            if self.n == 0:
                return
        denied = np.flatnonzero(~admitted) if np.count_nonzero(admitted) < self.n else _NO_RUNS
        if self.game.filter.looks_at_losses or 2 * len(denied) > self.n:
            after = None
        if len(denied):
            if pending_final is None:
                self.finish(denied)
            else:
                pending_final.append(self.of(select_runs(self.per_run_data, denied)))
                pending_final[-1].leave_distinct()
        if after is not None:
            # the few denied runs take part in the draw and are dropped after it, which is cheaper than a copy of the
            # others
            self.release(request, after)
            self.drop(denied)
        else:
            if len(denied):
                go = np.flatnonzero(admitted)
                self.replace_runs(select_runs(self.per_run_data, go))
                if self.n == 0:
                    return
                request = request.take(go)
            self.release(request)
        self.releases += 1

    def release_or_wait(self, t: int) -> None:
        """Release to the admitted runs; the others, with loss 0 in this round, request again in the next one."""
        request = self.next_request(t, "request")
        admitted, _ = checked_step(self.game.filter, self.state, request, self.n)
        if self.over_bound is not None:
            admitted, request = self.charge_monitor(request, admitted)
        self.last = np.zeros(self.n)
        if len(go := np.flatnonzero(admitted)):
            some = self.of(select_runs(self.per_run_data, go))
            some.release(request.take(go))
            for name in ("last", "loss", "log_weight", "log_finite"):
                if (values := getattr(self, name)) is not None:
                    values[go] = getattr(some, name)
            self.releases[go] += 1  # type: ignore[index]
            self.state = replace_selected(self.state, go, some.state)

    def charge_monitor(
        self, request: DominatingPair, admitted: NDArray[np.bool_]
    ) -> tuple[NDArray[np.bool_], DominatingPair]:
        """Charge the admitted runs in the budget monitor, and flag or end those that exceed it.

        Returns decisions and request of the runs still live.
        """
        monitor = self.game.monitor
        assert monitor is not None
        assert self.over_bound is not None
        cost, log_finite = monitor.log_moment_and_log_finite(
            request if self.game.direction == "PQ" else request.swapped
        )
        self.spent = spent = self.spent + np.where(admitted, cost, 0.0)
        self.spent_log_finite = spent_log_finite = self.spent_log_finite + np.where(admitted, log_finite, 0.0)
        over = admitted & monitor.is_exceeded(spent, spent_log_finite) & (self.loss < np.inf)
        self.over_bound |= over
        if monitor.act != "truncate" or not over.any():
            return admitted, request
        self.finish(np.flatnonzero(over))
        go = np.flatnonzero(~over)
        self.replace_runs(select_runs(self.per_run_data, go))
        return admitted[go], request.take(go)

    def release(self, request: DominatingPair, after: State | None = None) -> None:
        """Charge every run for the request, unless `after` is the charged state; draw and add its privacy losses.

        The filter observes them if it looks at losses.
        """
        game, forward = self.game, self.game.direction == "PQ"
        self.state = self.spend(request) if after is None else after
        pair = request if forward else request.swapped
        if self.log_finite is None:
            self.last = pair.sample(self.output_rng, self.n, game.order)
        else:
            self.last = pair.sample_finite(self.output_rng, self.n, game.order)
            with np.errstate(divide="ignore"):  # log 0 = -inf for an infinite mass of 1
                self.log_finite += np.log1p(-pair.infinite_mass)
        if self.log_weight is not None:
            self.log_weight += pair.log_weight(self.last, game.order)
        self.loss += self.last
        if game.filter.looks_at_losses:
            seen = self.last if forward else -self.last
            self.state = self.observe(seen)

    # -- the filter's decisions, for each run or for each distinct state ---------------------------------------

    def step(self, request: DominatingPair) -> tuple[NDArray[np.bool_], State | None]:
        """Return which runs the filter admits, and their states after the request or None."""
        if self.distinct is not None and (after := self.distinct.step(self.state, request)) is not None:
            count_call(self.n)
            return after >= 0, None if self.distinct.charges_apart else after
        self.leave_distinct()
        return checked_step(self.game.filter, self.state, request, self.n)

    def spend(self, request: DominatingPair) -> State:
        """Return the states after the admitted request."""
        if self.distinct is not None and (after := self.distinct.step(self.state, request)) is not None:
            count_call(self.n)
            return after
        self.leave_distinct()
        return checked_spend(self.game.filter, self.state, request, self.n)

    def observe(self, loss: NDArray[np.float64]) -> State:
        """Return the states after the runs realise their losses."""
        if self.distinct is not None and (after := self.distinct.observe(self.state, loss)) is not None:
            count_call(self.n)
            return after
        self.leave_distinct()
        return checked_observe(self.game.filter, self.state, loss, self.n)

    def leave_distinct(self) -> None:
        """Give each run a state of its own."""
        if self.distinct is not None:
            self.state = self.distinct.states_of_runs(self.state)
            self.distinct = None


_PER_RUN = tuple(field.name for field in fields(_LiveRuns))[5:]


def _new_runs(game: Game, batch: Batch) -> _LiveRuns:
    """Return all runs of a batch before the first round."""
    n, adversary_rng = batch.size, batch.adversary_rng()
    weighed, acts = game.erasures == "weighed", game.monitor is not None and game.monitor.act != "assert"
    stateless = not game.adversary.reads_state and is_library_class(type(game.adversary))
    table = stateless and not game.waits and n >= _MIN_RUNS and consists_of_library_values(game.filter)
    distinct = distinct_states(game.filter) if table else None
    done = FinishedRuns(
        np.zeros(n),
        np.zeros(n),
        np.zeros(n, dtype=np.int64),
        np.zeros(n) if weighed else 0.0,
        np.zeros(n, dtype=np.bool_) if acts else False,
        np.zeros(n) if acts else 0.0,
    )
    return _LiveRuns(
        game,
        done,
        batch.output_rng(),
        adversary_rng,
        distinct,
        path=np.arange(n),
        loss=np.zeros(n),
        last=np.zeros(n),
        log_weight=None if game.order == 1.0 else np.zeros(n),
        log_finite=np.zeros(n) if weighed else None,
        releases=np.zeros(n, dtype=np.int64) if game.waits else 0,
        spent=np.zeros(n) if acts else None,
        spent_log_finite=np.zeros(n) if acts else None,
        over_bound=np.zeros(n, dtype=np.bool_) if acts else None,
        state=checked_start(game.filter, n) if distinct is None else distinct.start(n),
        memory=_adversary_memory(game, n, adversary_rng),
    )


def _adversary_memory(game: Game, n: int, rng: np.random.Generator) -> Any:
    """Return the adversary's memory of n new runs. Raises ValueError for lists and for arrays of other runs."""

    def check(leaf: Any) -> None:
        """Raise ValueError for a list, or for an array whose first axis is not the runs."""
        if isinstance(leaf, list) or (np.ndim(leaf) and len(leaf) != n):
            raise ValueError(
                f"{type(game.adversary).__name__}.start must return None, an array with the run on its first axis, "
                f"or a tuple of these, got {short(leaf)} for {n} runs; size it by n"
            )

    memory = game.adversary.start(game.filter, n, rng)
    for leaf in state_leaves(memory):
        check(leaf)
    return memory


def _concatenate_live_runs(parts: Sequence[_LiveRuns]) -> _LiveRuns:
    """Return the runs of several groups of live runs as one group."""
    merged = parts[0].of(concatenate_runs([part.per_run_data for part in parts]))
    merged.releases = np.repeat([part.releases for part in parts], [part.n for part in parts])
    return merged
