"""The stage of admitted sequences: requests in fixed orders, put to the filter's own code, and what they reveal.

Nothing is sampled. For a filter that ignores losses every sequence that it admits is a game by itself, whose value is
certified from below. Of a filter that looks at losses only a first request is one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from filters.contract.checks import checked_observe, checked_start
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

__all__ = ["Player", "greedily", "leaders", "most", "programs", "sequences"]

#: Requests of one kind in a row in most plays, and in the few that go past any warm-up.
_MANY, _LONG = 300, 6000
#: The most requests of one family, each as large as is granted.
_LASTING = 1200
#: Tiny requests before a large one.
_WARM_UPS = (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 400, 1000, 2500)
#: After warm-ups of at most so many requests a size is also repeated.
_STUBBORN = 20
#: Families whose tiny requests make warm-ups.
_WARMED = 4
#: A request smaller than the largest by this factor is tiny.
_TINY = 256.0
#: Families whose largest pair is looked for between the sizes of the grid.
_FINE = ("gaussian", "rr", "laplace", "kov", "erasure")
#: The orders by which a sequence is judged before it is looked at exactly.
_ORDERS = (1.5, 2.0, 3.0, 5.0, 9.0, 17.0, 33.0, 65.0, 129.0)
_LESS = np.array(_ORDERS) - 1
_CKS = _LESS * np.log1p(-1 / np.array(_ORDERS)) - np.log(_ORDERS)


def sequences(subject: Subject, clock: Clock) -> Iterator[Finding]:
    """Findings on the sequences that the filter admits: at most one refutation a family, and the best of the rest."""
    allowed = {goal: subject.promised(goal) for goal in subject.goals}
    search = _Search(
        subject,
        {goal: p for goal, p in allowed.items() if p < (1 if goal.kind == "hockey-stick" else math.inf)},
    )
    try:
        with examining(subject.filter):
            for played in programs(subject, clock):
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
    promised: dict[Measure, float]
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
        for direction in _ways(played):
            for goal, bound in zip(self.goals, most(played, self.goals, direction), strict=True):
                best, promised = self.best.get(goal, (0.0, played))[0], self.promised[goal]
                # computed where it may refute, or be the best so far where nothing comes near the promise
                if bound <= (promised if best > 0.9 * promised else max(best, 0.01 * promised)):
                    continue
                measure = replace(goal, direction=direction)
                low = played.low(measure)
                if low > best:
                    self.best[goal] = low, played
                if exceeds(low, promised) and played.admitted(self.subject.filter):
                    self.refuted.append((measure, played, low))
                    self.families.add(names)
                    return True
        return False

    @property
    def goals(self) -> tuple[Measure, ...]:
        """The goals that can be exceeded at all."""
        return tuple(self.promised)

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
class Player:
    """One run of the filter, the requests that it granted so far, and the last state.

    A filter that looks at losses is shown the upper `tail` quantile of each, as if every release came out like that.
    """

    filter: PrivacyFilter
    clock: Clock
    state: State
    tail: float | None = None
    pure: bool = True
    steps: list[tuple[DominatingPair, int]] = field(default_factory=list)
    unchanged: DominatingPair | None = None

    def ask(self, pair: DominatingPair, times: int = 1) -> int:
        """How often in a row the pair is granted, at most `times`; stops where it leaves the state as it was."""
        done = 0
        while done < times and not (done % 64 == 63 and self.clock.over):
            after = granted(self.filter, self.state, pair)
            if after is None:
                break
            done += 1
            if self.tail is not None:
                after = checked_observe(self.filter, after, np.array([_quantile(pair, self.tail)]), 1)
            elif self.pure and same(after, self.state)[0]:
                self.unchanged = pair
                break
            self.state = after
        if done:
            if self.steps and self.steps[-1][0] == pair:
                self.steps[-1] = pair, self.steps[-1][1] + done
            else:
                self.steps.append((pair, done))
        return done

    def fork(self) -> Player:
        """Another run with the same past."""
        return replace(self, steps=list(self.steps))

    def grants(self, pair: DominatingPair) -> bool:
        """Whether the pair would be granted next."""
        return granted(self.filter, self.state, pair) is not None

    @property
    def played(self) -> Sequence:
        return Sequence(tuple(self.steps))


@lru_cache(maxsize=1 << 14)
def _quantile(pair: DominatingPair, tail: float) -> float:
    return float(pair.loss_quantile(tail))


def programs(subject: Subject, clock: Clock, tail: float | None = None) -> Iterator[Sequence]:
    """The sequences, cheapest first; each is admitted as it is built, with the losses that `tail` tells."""
    filt, lines = subject.filter, subject.lines
    for line in lines:
        yield from (Sequence(((pair, 1),)) for pair in line.pairs[:-9:-1] + line.pairs[-9::-3])
    if subject.looks and tail is None:
        return

    def fresh() -> Player:
        return Player(filt, clock, checked_start(filt, 1), tail, subject.pure)

    for line in lines:  # so small that a sum may swallow it, at the start and late
        yield from _swallowed(fresh, line) if tail is None else ()
    first = leaders((*lines, *subject.closed))
    for line in lines:  # as much as is left each time, then as much of every other family
        player = fresh()
        for then in (line, *(other for other in first if other is not line)):
            greedily(player, then, 8)
        yield from _told(player)
    for line in leaders(lines):  # as much as is left, for as long as anything is
        player = fresh()
        greedily(player, line, _LASTING)
        yield from _told(player)
    for line in leaders(lines)[:_WARMED]:  # a warm-up of tiny ones, then as much as is left
        tiny, warm = _tiny(line), fresh()
        for times in _WARM_UPS if tiny is not None else ():
            wanted = times - (warm.steps[-1][1] if warm.steps else 0)
            if clock.over or tiny is None or warm.ask(tiny, wanted) < wanted:
                break
            player = warm.fork()
            for then in (line, *(other for other in first if other is not line)):
                greedily(player, then, 3)
            yield from _told(player)
            if times <= _STUBBORN:  # one size for as long as it is granted, and not the largest each time
                player = warm.fork()
                greedily(player, line, 4, repeated=_MANY)
                yield from _told(player)
    for line in lines:  # repeated until denied, large ones first
        for pair in line.pairs[-1:-14:-2]:
            yield from _repeated(fresh(), pair, _MANY)
    for line in lines:  # large and tiny ones in turn
        tiny = _tiny(line)
        if tiny is None:
            continue
        for times in (1, 4):
            player = fresh()
            for _ in range(60):
                if not (greedily(player, line, most=1) + player.ask(tiny, times)) or clock.over:
                    break
            yield from _told(player)
    for one in lines:  # one family until denied, then another
        for size in (one.pairs[-1 - len(one.pairs) // 4], one.pairs[-1 - len(one.pairs) // 2]):
            for other in lines:
                if other is not one and not clock.over:
                    player = fresh()
                    player.ask(size, _MANY)
                    if player.unchanged is None:
                        player.ask(other.pairs[-1 - len(other.pairs) // 4], _MANY)
                        player.ask(other.pairs[-1 - len(other.pairs) // 2], _MANY)
                        yield from _told(player)
    for line in lines:  # thousands of rounds: a cap on each round is no cap on all
        if not clock.over:
            yield from _repeated(fresh(), line.largest, MOST_PLAYED)
    for line in lines:  # and past any warm-up
        for place in (len(line.pairs) // 2, 2 * len(line.pairs) // 3):
            if not clock.over:
                yield from _repeated(fresh(), line.pairs[-1 - min(place, len(line.pairs) - 1)], _LONG)


def _repeated(player: Player, pair: DominatingPair, most: int) -> Iterator[Sequence]:
    times = 4
    while True:
        wanted = min(times, most) - (player.steps[-1][1] if player.steps else 0)
        if wanted <= 0 or player.clock.over:
            return
        got = player.ask(pair, wanted)
        yield from _told(player)
        if got < wanted or player.unchanged is not None:
            return
        times *= 4


def _told(player: Player) -> Iterator[Sequence]:
    """The play so far; where its last request left the state as it was, that request ever more often."""
    if not player.steps:
        return
    yield player.played
    if player.unchanged is not None and player.steps[-1][0] == player.unchanged and player.pure:
        for exponent in range(1, 41, 3):
            yield Sequence((*player.steps[:-1], (player.unchanged, 2**exponent)))


def _swallowed(fresh: Callable[[], Player], line: Admission) -> Iterator[Sequence]:
    for before in (0, 1, 2):
        for pair in line.pairs[: max(len(line.pairs) // 2, 1) : 6]:
            player = fresh()
            if player.clock.over:
                return
            for size in line.pairs[-1 : -1 - 8 * before : -8][:before]:
                player.ask(size)
            player.ask(pair, 2)
            if player.unchanged is not None:
                yield from _told(player)


def greedily(player: Player, line: Admission, most: int = 40, *, repeated: int = 1) -> int:
    """Ask for the largest pair of the line that is granted, at most `most` times; how many requests were granted.

    Each pair is asked for `repeated` times in a row, if it is granted as often.
    """
    pairs = line.every
    done, chosen, top = 0, 0, len(pairs)
    while chosen < most and not player.clock.over and player.unchanged is None:
        for place in range(top - 1, -1, -1):
            if player.grants(pairs[place]):
                fine = place + 1 < len(pairs) and line.line.family in _FINE
                pair = _between(player, line, place) if fine else pairs[place]
                done += player.ask(pair, repeated)
                chosen += 1
                top = min(place + 9, len(pairs))
                break
            if place < top - 60 and done:  # far down: what is left is not worth it
                return done
        else:
            return done
    return done


def _between(player: Player, line: Admission, place: int) -> DominatingPair:
    """The largest pair granted between one of the grid that is and the next one, which is not, to a part in 2^12."""
    sizes = sorted({*line.line.sizes, *line.sizes})
    low, high = sizes[place], sizes[place + 1]
    for _ in range(10):
        middle = (low + high) / 2
        low, high = (middle, high) if player.grants(line.line.pair(middle)) else (low, middle)
    return line.line.pair(low)


def leaders(lines: tuple[Admission, ...]) -> tuple[Admission, ...]:
    """The first line of each family."""
    first: dict[str, Admission] = {}
    for line in lines:
        first.setdefault(line.line.family, line)
    return tuple(first.values())


def _tiny(line: Admission) -> DominatingPair | None:
    small = [
        pair for size, pair in zip(line.sizes, line.pairs, strict=True) if size <= line.sizes[-1] / _TINY
    ]
    return small[-1] if small else None


# -- what it reveals -------------------------------------------------------------------------------------------


def _ways(played: Sequence) -> tuple[Direction, ...]:
    return ("PQ",) if all(pair.swapped == pair for pair in played.counts) else ("PQ", "QP")


def most(played: Sequence, goals: tuple[Measure, ...], direction: Direction) -> list[float]:
    """Upper bounds in doubles, quickly computed: by the Gaussians that the pairs declare, and by Rényi divergences.

    They only decide what is worth an exact look.
    """
    orders = (*_ORDERS, *(goal.at for goal in goals if goal.kind == "renyi"))
    spent, total = np.zeros(len(orders)), 0.0
    with np.errstate(all="ignore"):
        for pair, times in played.steps:
            mu, divergences = _declared(pair, orders, direction)
            spent = spent + times * divergences
            total += times * mu * mu
        spent = np.where(np.isnan(spent), np.inf, spent)
    named = dict(zip(orders, spent.tolist(), strict=True))
    first = played.steps[0][0] if direction == "PQ" else played.steps[0][0].swapped
    bounds = []
    for goal in goals:
        if goal.kind == "renyi":
            bound = named[goal.at]
        elif played.rounds == 1:
            bound = float(first.hockey_stick(goal.at))
        else:
            bound = 1.0
            if 0 < total < math.inf:
                bound = float(Gaussian(math.sqrt(total)).hockey_stick(goal.at))
            logs = _LESS * (spent[: len(_ORDERS)] - goal.at) + _CKS
            bound = min(bound, math.exp(min(float(logs.min()), 0.0)))
        bounds.append(bound * (1 + 1e-9))
    return bounds


@lru_cache(maxsize=1 << 14)
def _declared(
    pair: DominatingPair, orders: tuple[float, ...], direction: Direction
) -> tuple[float, NDArray[np.float64]]:
    """(The GDP parameter, the Rényi divergences) of a pair; inf where it has none."""
    pair = pair if direction == "PQ" else pair.swapped
    divergences = np.asarray(pair.renyi(np.array(orders)), dtype=np.float64)
    mu = float(pair.gdp_mu)
    return (mu if mu >= 0 else math.inf), np.where(divergences >= 0, divergences, np.inf)


def _shortened(
    filt: PrivacyFilter, played: Sequence, measure: Measure, promised: float, clock: Clock
) -> Sequence:
    """A shorter sequence that is admitted and exceeds the promise as well: steps dropped, then counts lowered."""

    # a short witness that exceeds the promise by a millionth convinces nobody: keep up to a hundredth of the excess
    goal = min(promised + (played.low(measure) - promised) / 2, 1.01 * promised)

    def refutes(tried: Sequence) -> bool:
        low = tried.low(measure) if tried.steps else 0.0
        return low >= goal and exceeds(low, promised) and tried.admitted(filt)

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
