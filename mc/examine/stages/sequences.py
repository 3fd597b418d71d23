"""The stage of admitted sequences: requests in fixed orders, put to the filter's own code, and what they reveal.

Nothing is sampled. For a filter that ignores losses every sequence that it admits is a game by itself, whose value is
certified from below. Of a filter that looks at losses only a first request is one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from filters.contract.checks import checked_start
from filters.contract.state import State, same
from filters.privacy_filter import PrivacyFilter
from mc.engine.encoding import encode, nameable
from mc.examine.clock import Clock, OutOfTime
from mc.examine.fault import examining
from mc.examine.finding import Finding, Tightness
from mc.examine.measure import Measure, exceeds
from mc.examine.sequence import MOST_PLAYED, Sequence, granted
from mc.examine.subject import Admission, Subject
from mc.examine.witness import Witness, named
from theory.evidence import Evidence, Outcome, Verdict
from theory.pairs import DominatingPair, Gaussian
from theory.pairs.base import Direction

__all__ = ["sequences"]

#: Requests of one kind in a row in most plays, and in the few that go past any warm-up.
_MANY, _LONG = 300, 6000
#: Tiny requests before a large one.
_WARM_UPS = (1, 3, 10, 60, 400, 2500)
#: A request smaller than the largest by this factor is tiny.
_TINY = 256.0
#: The orders by which a sequence is judged before it is looked at exactly.
_ORDERS = (1.5, 2.0, 3.0, 5.0, 9.0, 17.0, 33.0, 65.0, 129.0)


def sequences(subject: Subject, clock: Clock) -> Iterator[Finding]:
    """Findings on the sequences that the filter admits: at most one refutation a family, and the best of the rest."""
    search = _Search(subject)
    try:
        with examining(subject.filter):
            for played in _programs(subject, clock):
                if search.take(played):
                    yield search.refutation(clock)
                if clock.over:
                    raise OutOfTime
    except OutOfTime:
        search.cut = True
    yield search.summary()


@dataclass(slots=True)
class _Search:
    """The best value found at each goal, and the refutations."""

    subject: Subject
    best: dict[Measure, tuple[float, Sequence]] = field(default_factory=dict)
    refuted: list[tuple[Measure, Sequence, float]] = field(default_factory=list)
    families: set[str] = field(default_factory=set)
    plays: int = 0
    longest: int = 0
    cut: bool = False

    def take(self, played: Sequence) -> bool:
        """Measure a sequence; whether it is a refutation, the first of its families."""
        self.plays += 1
        self.longest = max(self.longest, played.rounds)
        names = "+".join(sorted({type(pair).__name__ for pair in played.counts}))
        if names in self.families:
            return False
        for measure in _both(self.subject.goals, played):
            goal = replace(measure, direction="PQ")
            best = self.best.get(goal, (0.0, played))[0]
            promised = self.subject.promised(measure)
            # computed where it may refute, or be the best so far where nothing comes near the promise
            worth = promised if best > 0.9 * promised else max(best, 0.01 * promised)
            if (
                promised >= (1 if measure.kind == "hockey-stick" else math.inf)
                or most(played, measure) <= worth
            ):
                continue
            low = played.low(measure)
            if low > best:
                self.best[goal] = low, played
            if exceeds(low, promised):
                self.refuted.append((measure, played, low))
                self.families.add(names)
                return True
        return False

    def refutation(self, clock: Clock) -> Finding:
        """The last refutation, made short."""
        measure, played, _ = self.refuted[-1]
        filt = self.subject.filter
        played = _shortened(filt, played, measure, self.subject.promised(measure), clock.at_most(5.0))
        low, promised = played.low(measure), self.subject.promised(measure)
        known = nameable()
        data = {
            "filter": named(filt),
            "measure": {"kind": measure.kind, "at": measure.at, "direction": measure.direction},
            "promised": promised,
            "sequence": played.to_data(known),
            "low": encode(low, known),
        }
        said = f"{_said(played)}: {measure} is at least {low:.6g}, promised {promised:.6g}"
        scope = f"the fixed sequence {_said(played)}, in that order; {_purity(filt, played)}"
        verdict = Verdict(Outcome.REFUTED, Evidence.CERTIFIED, scope, said, data)
        row = Tightness(measure, _menu(played), low, None, promised, Evidence.CERTIFIED)
        return Finding(
            "sequences",
            "Do requests fixed in advance compose to more than was promised?",
            said,
            _menu(played),
            "",
            verdict,
            Witness(filt, data),
            tightness=(row,),
        )

    def summary(self) -> Finding:
        """What was played, and how near it came."""
        rows = tuple(
            Tightness(measure, _menu(played), low, None, self.subject.promised(measure), Evidence.CERTIFIED)
            for measure, (low, played) in self.best.items()
            if not exceeds(low, self.subject.promised(measure))
        )
        near = max(rows, key=lambda row: row.share, default=None)
        closest = f"; the closest, {near.menu}, reaches {near.share:.4g} of the promise" if near else ""
        looks = "; of a filter that looks at losses, first requests alone" if self.subject.looks else ""
        found = f"{len(self.refuted)} refutations among {self.plays} sequences{closest}"
        return Finding(
            "sequences",
            "Do requests fixed in advance compose to more than was promised?",
            found,
            ", ".join(one.line.name for one in self.subject.lines),
            f"sequences of more than {self.longest} requests, and other orders{looks}"
            + ("; the rest of the plan: the time was up" if self.cut else ""),
            tightness=rows,
        )


# -- what is played --------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Player:
    """One run of the filter, the requests that it granted so far, and the last state."""

    filter: PrivacyFilter
    clock: Clock
    state: State
    steps: list[tuple[DominatingPair, int]] = field(default_factory=list)
    unchanged: DominatingPair | None = None

    @classmethod
    def fresh(cls, filt: PrivacyFilter, clock: Clock) -> _Player:
        return cls(filt, clock, checked_start(filt, 1))

    def ask(self, pair: DominatingPair, times: int = 1) -> int:
        """How often in a row the pair is granted, at most `times`; stops where it leaves the state as it was."""
        done = 0
        while done < times and not (done % 64 == 63 and self.clock.over):
            after = granted(self.filter, self.state, pair)
            if after is None:
                break
            done += 1
            if same(after, self.state)[0]:
                self.unchanged = pair
                break
            self.state = after
        if done:
            if self.steps and self.steps[-1][0] == pair:
                self.steps[-1] = pair, self.steps[-1][1] + done
            else:
                self.steps.append((pair, done))
        return done

    @property
    def played(self) -> Sequence:
        return Sequence(tuple(self.steps))


def _programs(subject: Subject, clock: Clock) -> Iterator[Sequence]:
    """The sequences, cheapest first; each is admitted as it is built."""
    filt, lines = subject.filter, subject.lines
    for line in lines:
        yield from (Sequence(((pair, 1),)) for pair in line.pairs[:-9:-1] + line.pairs[-9::-3])
    if subject.looks:
        return
    for line in lines:  # repeated until denied, large ones first
        for pair in line.pairs[-1:-14:-2]:
            yield from _repeated(filt, pair, _MANY, clock)
    for line in lines:  # so small that a sum may swallow it, at the start and late
        yield from _swallowed(filt, line, clock)
    for line in lines:  # as much as is left each time, then as much of every other family
        player = _Player.fresh(filt, clock)
        for then in (line, *(other for other in lines if other is not line)):
            _greedily(player, then)
        yield from _told(player)
    for line in lines:  # a warm-up of tiny ones, then as much as is left
        tiny = _tiny(line)
        for times in _WARM_UPS:
            if tiny is None or clock.over:
                break
            player = _Player.fresh(filt, clock)
            if player.ask(tiny, times) < times:
                break
            for then in (line, *(other for other in lines if other is not line)):
                _greedily(player, then)
            yield from _told(player)
    for line in lines:  # large and tiny ones in turn
        tiny = _tiny(line)
        if tiny is None:
            continue
        for times in (1, 4):
            player = _Player.fresh(filt, clock)
            for _ in range(60):
                if not (_greedily(player, line, most=1) + player.ask(tiny, times)) or clock.over:
                    break
            yield from _told(player)
    for one in lines:  # one family until denied, then another
        for size in (one.pairs[-1 - len(one.pairs) // 4], one.pairs[-1 - len(one.pairs) // 2]):
            for other in lines:
                if other is not one and not clock.over:
                    player = _Player.fresh(filt, clock)
                    player.ask(size, _MANY)
                    if player.unchanged is None:
                        player.ask(other.pairs[-1 - len(other.pairs) // 4], _MANY)
                        player.ask(other.pairs[-1 - len(other.pairs) // 2], _MANY)
                        yield from _told(player)
    for line in lines:  # thousands of rounds, past any warm-up
        for place in (len(line.pairs) // 2, 2 * len(line.pairs) // 3):
            if not clock.over:
                yield from _repeated(filt, line.pairs[-1 - min(place, len(line.pairs) - 1)], _LONG, clock)


def _repeated(filt: PrivacyFilter, pair: DominatingPair, most: int, clock: Clock) -> Iterator[Sequence]:
    player = _Player.fresh(filt, clock)
    times = 4
    while True:
        wanted = min(times, most) - (player.steps[-1][1] if player.steps else 0)
        if wanted <= 0 or clock.over:
            return
        got = player.ask(pair, wanted)
        yield from _told(player)
        if got < wanted or player.unchanged is not None:
            return
        times *= 4


def _told(player: _Player) -> Iterator[Sequence]:
    """The play so far; where its last request left the state as it was, that request ever more often."""
    if not player.steps:
        return
    yield player.played
    if player.unchanged is not None and player.steps[-1][0] == player.unchanged:
        for exponent in range(1, 41, 3):
            yield Sequence((*player.steps[:-1], (player.unchanged, 2**exponent)))


def _swallowed(filt: PrivacyFilter, line: Admission, clock: Clock) -> Iterator[Sequence]:
    for before in (0, 1, 2):
        for pair in line.pairs[: max(len(line.pairs) // 2, 1) : 6]:
            if clock.over:
                return
            player = _Player.fresh(filt, clock)
            for size in line.pairs[-1 : -1 - 8 * before : -8][:before]:
                player.ask(size)
            player.ask(pair, 2)
            if player.unchanged is not None:
                yield from _told(player)


def _greedily(player: _Player, line: Admission, most: int = 40) -> int:
    """Ask for the largest pair of the line that is granted, again and again; how many were granted."""
    done, top = 0, len(line.pairs)
    while done < most and not player.clock.over and player.unchanged is None:
        for place in range(top - 1, -1, -1):
            times = player.ask(line.pairs[place])
            if times:
                done, top = done + times, place + 1
                break
            if place < top - 24:  # six octaves down: what is left is not worth it
                return done
        else:
            return done
    return done


def _tiny(line: Admission) -> DominatingPair | None:
    small = [
        pair for size, pair in zip(line.sizes, line.pairs, strict=True) if size <= line.sizes[-1] / _TINY
    ]
    return small[-1] if small else None


# -- what it reveals -------------------------------------------------------------------------------------------


def _both(goals: tuple[Measure, ...], played: Sequence) -> Iterator[Measure]:
    symmetric = all(pair.swapped == pair for pair in played.counts)
    ways: tuple[Direction, ...] = ("PQ",) if symmetric else ("PQ", "QP")
    for goal in goals:
        yield from (replace(goal, direction=way) for way in ways)


def most(played: Sequence, measure: Measure) -> float:
    """An upper bound in doubles, quickly computed: by the Gaussians that the pairs declare, and by Rényi divergences.

    It only decides what is worth an exact look.
    """
    counts = played.counts
    if measure.direction == "QP":
        counts = {pair.swapped: times for pair, times in counts.items()}
    if measure.kind == "renyi":
        return sum(times * _renyi(pair, measure.at) for pair, times in counts.items()) * (1 + 1e-9)
    if played.rounds == 1:
        (pair,) = counts
        return float(pair.hockey_stick(measure.at)) * (1 + 1e-9)
    bound = 1.0
    with np.errstate(all="ignore"):
        total = sum(times * float(pair.gdp_mu) ** 2 for pair, times in counts.items())
        if 0 < total < math.inf:
            bound = float(Gaussian(math.sqrt(total)).hockey_stick(measure.at))
        for order in _ORDERS:
            spent = sum(times * _renyi(pair, order) for pair, times in counts.items())
            if spent < math.inf:
                log = (
                    (order - 1) * (spent - measure.at)
                    + (order - 1) * math.log1p(-1 / order)
                    - math.log(order)
                )
                bound = min(bound, math.exp(min(log, 0.0)))
    return bound * (1 + 1e-9)


@lru_cache(maxsize=1 << 16)
def _renyi(pair: DominatingPair, order: float) -> float:
    with np.errstate(all="ignore"):
        divergence = float(pair.renyi(order))
    return divergence if divergence >= 0 else math.inf


def _shortened(
    filt: PrivacyFilter, played: Sequence, measure: Measure, promised: float, clock: Clock
) -> Sequence:
    """A shorter sequence that is admitted and exceeds the promise as well: steps dropped, then counts lowered."""

    def refutes(tried: Sequence) -> bool:
        return bool(tried.steps) and exceeds(tried.low(measure), promised) and tried.admitted(filt)

    place = 0
    while place < len(played.steps) and not clock.over:
        tried = Sequence(played.steps[:place] + played.steps[place + 1 :])
        if refutes(tried):
            played = tried
        else:
            place += 1
    for place in range(len(played.steps) - 1, -1, -1):
        pair, high = played.steps[place]
        low = 0
        while high - low > 1 and not clock.over:
            middle = (low + high) // 2
            tried = Sequence((*played.steps[:place], (pair, middle), *played.steps[place + 1 :]))
            low, high = (low, middle) if refutes(tried) else (middle, high)
        played = Sequence((*played.steps[:place], (pair, high), *played.steps[place + 1 :]))
    return played


def _said(played: Sequence) -> str:
    steps = [f"{times:,} x {pair!r}" if times > 1 else repr(pair) for pair, times in played.steps[:4]]
    more = f", and {len(played.steps) - 4} further kinds" if len(played.steps) > 4 else ""
    return ", then ".join(steps) + more


def _menu(played: Sequence) -> str:
    names = [f"{times:,} x {type(pair).__name__}" for pair, times in played.counts.items()]
    return ", ".join(names[:3]) + (f", ... ({len(names)} pairs)" if len(names) > 3 else "")


def _purity(filt: PrivacyFilter, played: Sequence) -> str:
    if any(times > MOST_PLAYED for _, times in played.steps):
        return (
            "the last request leaves the state as it was, bit for bit, so it is granted any number of times"
        )
    return f"all {played.rounds:,} requests granted by {type(filt).__name__}, played one by one"
