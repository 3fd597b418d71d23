"""The story of a witness: its play round by round, as the filter's author can follow it, and why it comes to this.

>>> import filterproof as fp
>>> played = Sequence(((fp.Gaussian(1.0), 2),))
>>> class Free(fp.PrivacyFilter):
...     promise = fp.ZCDP(0.5)
...     def start(self, n): return np.zeros(n)
...     def admits(self, spent, request): return spent + request.zcdp_rho <= 0.5
...     def spend(self, spent, request): return spent
>>> told = story_of_sequence(Free(), played, Measure.renyi(2.0))
>>> [(one.rounds, one.asked, one.before, one.after, round(one.reached, 6)) for one in told.turns]
[('1', 'Gaussian(mu=1)', '0', '0', 1.0), ('2', 'Gaussian(mu=1)', '0', '0', 2.0)]
>>> told.passed, told.why
(2, ('Gaussian(mu=1) leaves the state as it was: it was charged nothing',))
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from filters.contract.checks import checked_observe, checked_spend, checked_start
from filters.contract.state import State, leaves, same
from filters.privacy_filter import PrivacyFilter
from mc.examine.measure import Measure, exceeds
from mc.examine.sequence import Sequence, granted
from mc.examine.words import pair_words
from mc.losses.log_ratio import nearest_log
from mc.worst_case.plan import Plan, masses_of
from theory.guarantees import ApproxDP, GaussianDP, Guarantee, PureDP
from theory.pairs import DominatingPair, Gaussian, Laplace, RandomizedResponse
from theory.pairs.base import ChargeName

#: Rows of a story, letters of a state, and the requests that are played for one; the state after more of them.
_ROWS, _LETTERS, _PLAYED, _UNTOLD = 24, 60, 4000, "..."
#: Points of a curve, the largest epsilon of one, and the delta at which it may end.
_POINTS, _FAR, _LITTLE = 13, 200.0, 1e-6
#: What a charge may miss the least one by, if its sum is kept in few bits.
_ROUNDED = 1e-3
#: The charges that a state may sum, each with its power; those of the kind of the promise come first.
_CHARGES: tuple[tuple[ChargeName, int], ...] = (
    ("zcdp_rho", 1),
    ("gdp_mu", 2),
    ("pure_epsilon", 1),
    ("gdp_mu", 1),
)
#: What a request does that costs nothing.
_UNCHANGED = "leaves the state as it was"
#: Requests whose charge tells what a state counts in.
_PROBES = (Gaussian(0.125), RandomizedResponse(0.125), Laplace(8.0), Gaussian(2.0**-6))


@dataclass(frozen=True, slots=True)
class Turn:
    """Rounds of one request in a row: what was asked, the state before and after, and what was revealed by then.

    rounds is "3" or "3-9". after is what the answer made of the state, and `when` which answers came before, where the
    play depends on them. reached is at least the measure of all released until then; promised what is allowed.
    """

    rounds: str
    when: str
    asked: str
    answered: str
    before: str
    after: str
    reached: float
    promised: float


@dataclass(frozen=True, slots=True)
class Story:
    """The play of a witness: its turns, the round at which the promise is passed, and why, as far as it shows.

    pushed says how far the same fault can be pushed. moves tell a schedule, which has no rounds.
    curve has points (epsilon, delta of the play at least, promised).
    """

    measure: Measure
    turns: tuple[Turn, ...]
    passed: int | None
    why: tuple[str, ...]
    pushed: str = ""
    curve: tuple[tuple[float, float, float], ...] = ()
    moves: tuple[str, ...] = ()


def state_words(state: State) -> str:
    """What the filter knows of its one run.

    >>> state_words((np.array([0.25]), np.array([[1.0, 2.0]])))
    '0.25, (1, 2)'
    >>> state_words(np.arange(100.0)[None, :]).endswith("14, 15, 1 ...")
    True
    """
    told = ", ".join(_values(np.asarray(part)[0]) for part in leaves(state))
    return told if len(told) <= _LETTERS else f"{told[: _LETTERS - 4]} ..."


def _values(part: Any) -> str:
    if np.ndim(part):
        return f"({', '.join(map(_values, part))})"
    shown: object = type(part).__repr__
    if shown is object.__repr__:  # an address says nothing
        held = ", ".join(f"{name}={value!r}" for name, value in getattr(part, "__dict__", {}).items())
        return f"{type(part).__name__}({held})"
    return f"{float(part):.6g}" if isinstance(part, float | np.floating) else str(part)


def story_of_sequence(filt: PrivacyFilter, played: Sequence, measure: Measure) -> Story:
    """The story of requests fixed in advance, which the filter grants."""
    turns, why, steps = list[Turn](), list[str](), list[tuple[DominatingPair, int]]()
    promised, state, rounds_done = measure.promised(filt.promise), checked_start(filt, 1), 0
    after_row = state_words(state)
    passed = _passed(played, measure, promised)
    for pair, times in _cut(played, passed):
        before_row, last, played_on = after_row, None, range(min(times, max(_PLAYED - rounds_done, 0)))
        for number in played_on:
            after = granted(filt, state, pair)
            if after is None:
                raise ValueError(f"played must be granted, got a denial of {pair!r}; pass what was admitted")
            if passed is not None and rounds_done + number < passed:  # what comes later explains nothing
                why += _fall(state, after, rounds_done + number + 1)
                unchanged = bool(same(state, after)[0]) and pair.pure_epsilon > 0
                if rounds_done and unchanged and not _free(_moved(filt, pair)):
                    why.append(
                        f"after round {rounds_done:,} {pair_words(pair)} {_UNCHANGED}: it cost nothing"
                    )
            last, state = state, after
        # what is left by a row that is not played to its end is known where a request left all as it was
        whole = len(played_on) == times or (last is not None and bool(same(last, state)[0]))
        after_row = state_words(state) if whole else _UNTOLD
        steps.append((pair, times))
        rounds = f"{rounds_done + 1:,}" if times == 1 else f"{rounds_done + 1:,}-{rounds_done + times:,}"
        request = pair_words(pair) if times == 1 else f"{pair_words(pair)}, {times:,} times"
        rounds_done += times
        reached = Sequence(tuple(steps)).low(measure, promised)
        if len(turns) < _ROWS or rounds_done == played.rounds:
            turns.append(Turn(rounds, "", request, "granted", before_row, after_row, reached, promised))
    asked = () if passed is None else tuple(prefix(played, passed).counts)
    return Story(measure, tuple(turns), passed, _why(why, filt, asked))


def _cut(played: Sequence, passed: int | None) -> Iterator[tuple[DominatingPair, int]]:
    """The steps, short ones round by round, cut where the promise is passed."""
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


def prefix(played: Sequence, rounds: int) -> Sequence:
    """The first so many requests."""
    steps, left = [], rounds
    for pair, times in played.steps:
        if left > 0:
            steps.append((pair, min(times, left)))
        left -= times
    return Sequence(tuple(steps))


def _passed(played: Sequence, measure: Measure, promised: float) -> int | None:
    """The first round after which more was revealed than is promised."""

    def above(rounds: int) -> bool:
        return exceeds(prefix(played, rounds).low(measure, promised), promised)

    rounds = played.rounds
    return bisect_left(range(rounds), True, lo=1, key=above) if above(rounds) else None


# -- why -----------------------------------------------------------------------------------------------


def _why(on_the_way: list[str], filt: PrivacyFilter, asked: tuple[DominatingPair, ...]) -> tuple[str, ...]:
    """The first that was seen on the way, each once, and what each pair was charged."""
    return *list(dict.fromkeys(on_the_way))[:3], *_charged(filt, asked)


def _numbers(state: State, *, summed: bool = False) -> list[tuple[str, float]]:
    """The numbers of a state by name; if summed, of a row of three or more their sum, for they may change places."""
    arrays = [np.asarray(part, dtype=object)[0] for part in leaves(state)]
    numbers: list[tuple[str, float]] = []
    for number, part in enumerate(arrays, 1):
        name = f"part {number} of the state" if len(arrays) > 1 else "the state"
        values = [x for x in np.ravel(part) if isinstance(x, int | float | Fraction | np.number)]
        if np.ndim(part) == 0 and values:
            numbers.append((name, float(values[0])))
        elif summed and len(values) > 2:
            numbers.append((f"the sum of {name}", float(sum(values))))
        else:
            numbers += [(f"number {place} of {name}", float(x)) for place, x in enumerate(values, 1)]
    return numbers


def _fall(before: State, after: State, number: int) -> Iterator[str]:
    """What a grant took away from the state."""
    for (name, old), (_, new) in zip(
        _numbers(before, summed=True), _numbers(after, summed=True), strict=False
    ):
        if 0 <= new < old * 0.75:
            yield f"in round {number}, {name} falls from {old:.4g} to {new:.4g}"


def _moved(filt: PrivacyFilter, pair: DominatingPair) -> list[tuple[str, float]] | None:
    """By how much a fresh run's state grows with a request; None where it is denied."""
    start = checked_start(filt, 1)
    after = granted(filt, start, pair)
    if after is None:
        return None
    grown = zip(_numbers(start), _numbers(after), strict=False)
    return [(name, abs(new - old)) for (name, old), (_, new) in grown]


def _free(moved: list[tuple[str, float]] | None) -> bool:
    """Whether a request was granted and the state stays as it was."""
    return bool(moved) and not any(size for _, size in moved or ())


def _charged(filt: PrivacyFilter, asked: tuple[DominatingPair, ...]) -> Iterator[str]:
    """What each pair was charged, beside the least that is true, where the state shows in which currency it counts."""
    effects = {pair: moved for pair in asked[:6] if (moved := _moved(filt, pair)) is not None}
    for pair, moved in effects.items():
        if _free(moved) and pair.pure_epsilon > 0 and not filt.looks_at_losses:  # it may pay for what it lost
            yield f"{pair_words(pair)} {_UNCHANGED}: it was charged nothing"
    yield from _apart(effects)
    currency = _currency(filt)
    if currency is None:
        return
    place, charge, power = currency
    unit = {"zcdp_rho": "zCDP rho", "pure_epsilon": "pure epsilon", "gdp_mu": "GDP mu"}[charge]
    for pair, moved in effects.items():
        paid, least = moved[place][1] ** (1 / power), pair.least(charge)[0]
        if charge == "pure_epsilon" and isinstance(filt.promise, ApproxDP) and math.isinf(least):
            least = 0.0 if pair.kov is None else float(pair.kov.epsilon)  # a delta may pay for the rest
        if 0 < paid < least * (1 - _ROUNDED):
            yield f"{pair_words(pair)} was charged {paid:.4g}; its least {unit} is {least:.4g}"


def _apart(effects: dict[DominatingPair, list[tuple[str, float]]]) -> Iterator[str]:
    """Pairs that are charged to different numbers of the state."""
    places = {
        pair: frozenset(n for n, (_, size) in enumerate(moved) if size) for pair, moved in effects.items()
    }
    kinds = {type(pair.asked).__name__: held for pair, held in places.items() if held}
    shared = frozenset.intersection(*kinds.values()) if kinds else frozenset()
    if len(set(kinds.values())) > 1 and not shared:
        names = {pair: effects[pair][min(held)][0] for pair, held in places.items() if held}
        yield "; ".join(f"{pair_words(pair)} is charged to {name}" for pair, name in names.items())


def _currency(filt: PrivacyFilter) -> tuple[int, ChargeName, int] | None:
    """(The number of the state, the charge, its power) that two kinds of requests are charged in; None if no one is."""
    try:
        effects = {pair: moved for pair in _PROBES if (moved := _moved(filt, pair)) is not None}
    except Exception:  # noqa: BLE001 - the filter's own code, at requests that may be outside its scope
        return None
    charges = _CHARGES
    if isinstance(filt.promise, PureDP | ApproxDP):
        charges = _CHARGES[2:3] + _CHARGES[:2]
    elif isinstance(filt.promise, GaussianDP):
        charges = _CHARGES[1:2] + _CHARGES[:1]
    for charge, power in charges:
        for place in range(max((len(moved) for moved in effects.values()), default=0)):
            charged_alike = [
                pair
                for pair, moved in effects.items()
                if np.isclose(moved[place][1], float(getattr(pair, charge)) ** power, rtol=1e-9, atol=0.0)
            ]
            if len(charged_alike) >= 2:
                return place, charge, power
    return None


# -- plans ---------------------------------------------------------------------------------------------


def story_of_plan(filt: PrivacyFilter, plan: Plan, measure: Measure, ratio: Fraction) -> Story:
    """The story of an adaptive plan: a turn for each position that it comes to, as far as it matters."""
    promised, way = measure.promised(filt.promise), measure.direction
    worths = [plan.first(n).worth(filt, ratio, way) for n in range(1, plan.rounds + 1)]
    passed = next((n for n, worth in enumerate(worths, 1) if exceeds(worth, promised)), None)
    turns: list[Turn] = []
    why: list[str] = []

    def tell(position: Plan, state: State, when: str, number: int) -> None:
        spent = checked_spend(filt, state, position.request, 1)
        after: dict[str, list[str]] = {}
        later: list[tuple[Plan, State, str]] = []
        outcomes = zip(masses_of(position.request), position.then, strict=True)
        possible = [(*masses, then) for masses, then in outcomes if masses[way == "QP"]]
        for p, q, following in possible:
            loss = nearest_log(p / q) if p * q else (np.inf if p else -np.inf)
            observed = checked_observe(filt, spent, np.array([loss]), 1)
            outcome = f"loss {loss:+.3g}"
            after.setdefault(state_words(observed), []).append(outcome)
            if passed is not None and number <= passed:  # what comes later explains nothing
                why.extend(_fall(state, observed, number))
                if same(state, observed)[0]:
                    of = f"{outcome}, which tells for Q," if way == "QP" and loss < 0 else outcome
                    why.append(f"after {of} {pair_words(position.request)} {_UNCHANGED}: it cost nothing")
            if following is not None:
                later.append((following, observed, f"{when}, {outcome}" if when else f"after {outcome}"))
        ways_on = "; ".join(
            words if len(after) == 1 else f"{words} ({' or '.join(said)})" for words, said in after.items()
        )
        ends = "go on below" if later else "stop"
        ends += ", else stop" if 0 < len(later) < len(possible) else ""
        turns.append(
            Turn(
                str(number),
                when,
                pair_words(position.request),
                f"granted, then {ends}",
                state_words(state),
                ways_on,
                float(worths[number - 1]),
                promised,
            )
        )
        for following, observed, words in later:
            if len(turns) < _ROWS:
                tell(following, observed, words, number + 1)

    tell(plan, checked_start(filt, 1), "", 1)
    turns.sort(key=lambda one: int(one.rounds))
    asked = () if passed is None else tuple(dict.fromkeys(plan.first(passed).requests()))
    return Story(measure, tuple(turns), passed, _why(why, filt, asked))


def curve_of(
    story: Story, promise: Guarantee, reached: Callable[[Measure], float]
) -> Iterator[tuple[float, float, float]]:
    """Points of the promised curve and the play's, `_POINTS` epsilons up to where little is promised."""
    measure = story.measure
    far = (2 * measure.at if measure.kind == "hockey-stick" else 0.0) or 1.0
    while measure.kind != "hockey-stick" and far < _FAR and float(promise.delta(far)) > _LITTLE:
        far *= 1.25
    for number in range(_POINTS):
        at = Measure.hockey_stick(far * number / (_POINTS - 1), measure.direction)
        promised = at.promised(promise)
        if 0 <= promised <= 1:
            yield at.at, reached(at), promised
