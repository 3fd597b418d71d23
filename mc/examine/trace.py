"""The play of a counterexample round by round, and the reasons that it shows.

>>> import filterproof as fp
>>> played = RequestSequence(((fp.Gaussian(1.0), 2),))
>>> class Free(fp.PrivacyFilter):
...     promise = fp.ZCDP(0.5)
...     def start(self, n): return np.zeros(n)
...     def admits(self, spent, request): return spent + request.zcdp_rho <= 0.5
...     def spend(self, spent, request): return spent
>>> trace = trace_of_sequence(Free(), played, Divergence.renyi(2.0))
>>> [(row.rounds, row.request, row.state_before, row.state_after, round(row.reached, 6)) for row in trace.rows]
[('1', 'Gaussian(mu=1)', '0', '0', 1.0), ('2', 'Gaussian(mu=1)', '0', '0', 2.0)]
>>> trace.passed, trace.why
(2, ('in round 1, Gaussian(mu=1) does not change the state: it is not charged',))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from filterproof.filters.adapters.labelled_filter import bridged_filter_of
from filterproof.filters.contract.contract_checks import checked_observe, checked_spend, checked_start
from filterproof.filters.contract.state import State, named_leaves, runs_equal, state_leaves
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.divergence import Divergence, certainly_exceeds
from filterproof.mc.examine.formatting import format_distinct, pair_words
from filterproof.mc.examine.sequence import RequestSequence, granted_state
from filterproof.mc.worst_case.plan import AdaptivePlan, masses_of
from filterproof.theory.guarantees import Guarantee
from filterproof.theory.numerics.stable import log_fraction
from filterproof.theory.pairs import DominatingPair

#: The most rows of a trace and letters of a state, the most requests that are played for one row, and the mark after
#: it.
_ROWS, _LETTERS, _PLAYED, _OMITTED = 24, 60, 4000, "..."
#: The number of points of a curve, its largest epsilon, and the smallest delta at its end.
_POINTS, _MAX_EPSILON, _MIN_DELTA = 13, 200.0, 1e-6
#: The most reasons that are stated, and the largest array whose numbers are named.
_REASONS, _NUMBERS = 3, (int, float, Fraction, np.number)


@dataclass(frozen=True, slots=True)
class TraceRow:
    """Rounds of one request in a row: the request, the state before and after, and the divergence so far.

    `rounds` is "3" or "3-9". `after` is the state after the outcome; `when` names the earlier outcomes if the play
    depends on them. `reached` is a lower bound on the divergence of all releases so far, `promised` the guarantee.
    """

    rounds: str
    when: str
    request: str
    answer: str
    state_before: str
    state_after: str
    reached: float
    promised: float


@dataclass(frozen=True, slots=True)
class Trace:
    """The play of a counterexample: its steps, the round at which it exceeds the guarantee, and the visible reasons.

    `moves` describe a schedule, which has no rounds. `curve` has points (epsilon, lower bound on delta, promised
    delta).
    """

    measure: Divergence
    rows: tuple[TraceRow, ...]
    passed: int | None
    why: tuple[str, ...]
    curve: tuple[tuple[float, float, float], ...] = ()
    moves: tuple[str, ...] = ()

    @property
    def remarks(self) -> list[str]:
        """Return the round in which the guarantee is exceeded, and the reasons that the trace shows."""
        passed = [] if self.passed is None else [f"The promise is passed in round {self.passed}."]
        return [*passed, *(f"Why: {reason}." for reason in self.why)]

    @property
    def lines(self) -> list[str]:
        """Return the trace, one line for each move or step, and the remarks on it."""
        lines = [f"{number}. {move}" for number, move in enumerate(self.moves, 1)]
        for row in self.rows:
            above = " <- above" if certainly_exceeds(row.reached, row.promised) else ""
            reached, promised = format_distinct(row.reached, row.promised)
            when, several = f"{row.when}: " if row.when else "", "s" if "-" in row.rounds else ""
            lines.append(
                f"round{several} {row.rounds}: {when}ask {row.request}: {row.answer}; state {row.state_before} -> "
                f"{row.state_after}; revealed so far {reached} of {promised}{above}"
            )
        return [*lines, *self.remarks]


def state_words(filt: object, state: State, *, cut: bool = True) -> str:
    """Return the state of one run in words; for a program, whose state is a digest, its stored text or its grants.

    >>> state_words(None, (np.array([0.25]), np.array([[1.0, 2.0]])))
    '0.25, (1, 2)'
    >>> state_words(None, {"main": np.array([0.25]), "petty": np.array([0.5])})
    'main=0.25, petty=0.5'
    >>> state_words(None, np.arange(100.0)[None, :]).endswith("14, 15, 1 ...")
    True
    """
    program = bridged_filter_of(filt)
    leaves = named_leaves(state if program is None else program.readable_state(state))
    values = ((name, _values_text(np.asarray(part)[0])) for name, part in leaves)
    text = ", ".join(f"{name}={value}" if name else value for name, value in values)
    return _shortened_text(text) if cut else text


def state_difference_words(before: str, after: str) -> tuple[str, str]:
    """Return two states in words, each cut to the letters around their first difference.

    >>> state_difference_words("0, " * 40 + "0.25, 1", "0, " * 40 + "0.5, 1")
    ('... 0, 0, 0, 0, 0.25, 1', '... 0, 0, 0, 0, 0.5, 1')
    """
    first = next((place for place, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    begin = first - _LETTERS // 4 if max(len(before), len(after)) > _LETTERS and first > _LETTERS // 2 else 0
    return _shortened_text(before, begin), _shortened_text(after, begin)


def _shortened_text(text: str, begin: int = 0) -> str:
    """Return the text from a position on, cut to the letters of one state in a trace."""
    shown = f"... {text[begin:].lstrip()}" if begin else text
    return shown if len(shown) <= _LETTERS else f"{shown[: _LETTERS - 4]} ..."


def _values_text(part: Any) -> str:
    """Return one part of a state as text."""
    if np.ndim(part):
        return f"({', '.join(map(_values_text, part))})"
    shown: object = type(part).__repr__
    if shown is object.__repr__:  # a memory address is no help
        attributes = ", ".join(f"{name}={value!r}" for name, value in getattr(part, "__dict__", {}).items())
        return f"{type(part).__name__}({attributes})"
    return f"{float(part):.6g}" if isinstance(part, float | np.floating) else str(part)


def trace_of_sequence(filt: PrivacyFilter, played: RequestSequence, measure: Divergence) -> Trace:
    """Return the trace of a fixed sequence of requests that the filter grants."""
    rows, why, steps = list[TraceRow](), dict[object, str](), list[tuple[DominatingPair, int]]()
    promised, state, rounds_done = measure.promised(filt.promise), checked_start(filt, 1), 0
    after_row = state_words(filt, state, cut=False)
    passed = _first_exceeding_round(played, measure, promised)
    for pair, times in _steps_split_at_violation(played, passed):
        before_row, last, played_on = after_row, None, range(min(times, max(_PLAYED - rounds_done, 0)))
        for number in played_on:
            after = granted_state(filt, state, pair)
            if after is None:
                raise ValueError(
                    f"every request of the sequence must be granted, got a denial of {pair!r}; pass a sequence "
                    "that the filter admits"
                )
            # later rounds explain nothing, nor does a negative charge of a filter that observes losses
            if passed is not None and rounds_done + number < passed and not filt.looks_at_losses:
                when = f"in round {rounds_done + number + 1:,},"
                _note_wrong_charges(why, state, after, pair, when)
            last, state = state, after
        # the state after a long row is known if one request left it unchanged
        has_final_state = len(played_on) == times or (last is not None and bool(runs_equal(last, state)[0]))
        after_row = state_words(filt, state, cut=False) if has_final_state else _OMITTED
        steps.append((pair, times))
        rounds = f"{rounds_done + 1:,}" if times == 1 else f"{rounds_done + 1:,}-{rounds_done + times:,}"
        request = pair_words(pair) if times == 1 else f"{pair_words(pair)}, {times:,} times"
        rounds_done += times
        reached = RequestSequence(tuple(steps)).lower_bound(measure, promised)
        if len(rows) < _ROWS or rounds_done == played.rounds:
            states = state_difference_words(before_row, after_row)
            rows.append(TraceRow(rounds, "", request, "granted", *states, reached, promised))
    return Trace(measure, tuple(rows), passed, tuple(why.values())[:_REASONS])


def _steps_split_at_violation(
    played: RequestSequence, passed: int | None
) -> Iterator[tuple[DominatingPair, int]]:
    """Yield the steps, short ones round by round, with a cut where the guarantee is exceeded."""
    begin = 0
    for pair, times in played.steps:
        end, cuts = begin + times, range(0)
        if times <= 3 and played.rounds <= _ROWS:
            cuts = range(begin + 1, end)
        elif passed is not None and begin < passed - 1 < end:
            cuts = range(passed - 1, min(passed + 1, end))
        for first, last in pairwise((begin, *cuts, end)):
            yield pair, last - first
        begin = end


def truncate_to_rounds(played: RequestSequence, rounds: int) -> RequestSequence:
    """Return the first rounds of a sequence."""
    steps, left = [], rounds
    for pair, times in played.steps:
        if left > 0:
            steps.append((pair, min(times, left)))
        left -= times
    return RequestSequence(tuple(steps))


def _first_exceeding_round(played: RequestSequence, measure: Divergence, promised: float) -> int | None:
    """Return the first round after which the divergence exceeds the guarantee, or None."""

    def above(rounds: int) -> bool:
        return certainly_exceeds(truncate_to_rounds(played, rounds).lower_bound(measure, promised), promised)

    keeping, exceeding = 0, played.rounds
    if not above(exceeding):
        return None
    while exceeding - keeping > 1:  # `bisect_left` takes no range of 2**63 rounds
        middle = (keeping + exceeding) // 2
        keeping, exceeding = (keeping, middle) if above(middle) else (middle, exceeding)
    return exceeding


# -- reasons ---------------------------------------------------------------------------------------------


def _note_wrong_charges(
    why: dict[object, str], before: State, after: State, pair: DominatingPair, when: str
) -> None:
    """Note each sign of a wrong grant once: an unchanged state, or a number in it that falls."""
    if pair.pure_epsilon > 0 and runs_equal(before, after)[0]:
        why.setdefault(pair, f"{when} {pair_words(pair)} does not change the state: it is not charged")
    for name, old, new in _changed_numbers(before, after):
        if 0 <= new < old * 0.75:
            why.setdefault((when, name), f"{when} {name} falls from {old:.4g} to {new:.4g}")


def _changed_numbers(before: State, after: State) -> Iterator[tuple[str, float, float]]:
    """Yield the changed numbers of a state by name.

    For a row of three or more numbers it yields the sum, because entries may move.
    """
    parts = [[np.asarray(part, dtype=object)[0] for part in state_leaves(state)] for state in (before, after)]
    names = [name for name, _ in named_leaves(before)]
    for number, (given, *both) in enumerate(zip(names, *parts, strict=True), 1):
        name = given or (f"part {number} of the state" if len(names) > 1 else "the state")
        old, new = ([float(x) for x in np.ravel(part) if isinstance(x, _NUMBERS)] for part in both)
        if len(old) > 2:
            yield f"the sum of {name}", sum(old), sum(new)
        else:
            is_scalar = np.ndim(both[0]) == 0
            for place, values in enumerate(zip(old, new, strict=False), 1):
                yield name if is_scalar else f"number {place} of {name}", *values


# -- plans ---------------------------------------------------------------------------------------------


def trace_of_plan(filt: PrivacyFilter, plan: AdaptivePlan, measure: Divergence, ratio: Fraction) -> Trace:
    """Return the trace of an adaptive plan: a step for each position that matters."""
    promised, way = measure.promised(filt.promise), measure.direction
    worths = [plan.truncated_to_rounds(n).value(filt, ratio, way) for n in range(1, plan.rounds + 1)]
    passed = next((n for n, worth in enumerate(worths, 1) if certainly_exceeds(worth, promised)), None)
    rows, why = list[TraceRow](), dict[object, str]()

    def add_step(position: AdaptivePlan, state: State, when: str, number: int) -> None:
        spent = checked_spend(filt, state, position.request, 1)
        after, later = dict[str, list[str]](), list[tuple[AdaptivePlan, State, str]]()
        outcomes = zip(masses_of(position.request), position.then, strict=True)
        possible = [(*masses, then) for masses, then in outcomes if masses[way == "QP"]]
        for p, q, following in possible:
            loss = log_fraction(p / q) if p * q else (np.inf if p else -np.inf)
            observed = checked_observe(filt, spent, np.array([loss]), 1)
            outcome = f"loss {loss:+.3g}"
            after.setdefault(state_words(filt, observed), []).append(outcome)
            if passed is not None and number <= passed:  # later rounds explain nothing
                of = f"{outcome}, which is evidence for Q," if way == "QP" and loss < 0 else f"{outcome},"
                _note_wrong_charges(why, state, observed, position.request, f"in round {number}, after {of}")
            if following is not None:
                later.append((following, observed, f"{when}, {outcome}" if when else f"after {outcome}"))
        ways_on = "; ".join(
            words if len(after) == 1 else f"{words} ({' or '.join(outcome_texts)})"
            for words, outcome_texts in after.items()
        )
        ends = "go on below" if later else "stop"
        ends += ", else stop" if 0 < len(later) < len(possible) else ""
        request, shown = pair_words(position.request), state_words(filt, state)
        words = (str(number), when, request, f"granted, then {ends}", shown, ways_on)
        rows.append(TraceRow(*words, float(worths[number - 1]), promised))
        for following, observed, then in later:
            if len(rows) < _ROWS:
                add_step(following, observed, then, number + 1)

    add_step(plan, checked_start(filt, 1), "", 1)
    rows.sort(key=lambda one: int(one.rounds))
    return Trace(measure, tuple(rows), passed, tuple(why.values())[:_REASONS])


def guarantee_and_play_curves(
    trace: Trace, promise: Guarantee, reached: Callable[[Divergence], float]
) -> Iterator[tuple[float, float, float]]:
    """Yield (epsilon, the play's lower bound on delta, the promised delta)."""
    measure = trace.measure
    far = (2 * measure.at if measure.kind == "hockey-stick" else 0.0) or 1.0
    while measure.kind != "hockey-stick" and far < _MAX_EPSILON and float(promise.delta(far)) > _MIN_DELTA:
        far *= 1.25
    for number in range(_POINTS):
        at = Divergence.hockey_stick(far * number / (_POINTS - 1), measure.direction)
        promised = at.promised(promise)
        if 0 <= promised <= 1:
            yield at.at, reached(at), promised
