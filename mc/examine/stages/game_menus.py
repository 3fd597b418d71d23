"""The menus that games are played over: multiples of what lasts, families side by side, levels granted at some time.

A filter that is shown what was lost may be paid in silences: each costs next to nothing, and many of them tell the
worlds apart. So there is the menu of an alarm that nearly always keeps silent, asked again and again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from filters.contract.work import WorkLimit
from mc.examine.measure import Measure
from mc.examine.stages.plays import Player, leaders
from mc.examine.subject import Admission, Subject, named_pairs
from mc.examine.words import pair_words
from theory.pairs import DominatingPair, FinitePair

#: Rounds that the least pair of a menu lasts, and how many multiples of it the menu holds.
_PACES, _WIDTHS = (1, 2, 3, 4, 6, 9, 14, 20, 32, 48), (1, 2, 3, 5, 8)
#: How often the alarm goes off, and its loss as a share of the largest randomised response at the start.
_RATES, _SHARES = (Fraction(1, 16), Fraction(1, 10), Fraction(1, 6), Fraction(1, 4)), (0.7, 0.5, 0.35, 1.0)
#: Rounds of silence, the guessed share of the promise from which a game is solved, and one at which rounds are enough.
_SILENCES, _WORTH, _ENOUGH = 200, 0.9, 1.25
#: The games that are solved, first those that are shortest and enough, then the most telling.
_GAMES = 4


@dataclass(frozen=True, slots=True)
class Menu:
    """Pairs to play with for so many rounds, None for as many as are granted, and their name in words.

    Then they are played for each number of rounds in `longer`, by one process, which keeps the laws of the pairs.
    """

    name: str
    pairs: tuple[DominatingPair, ...]
    rounds: int | None
    longer: tuple[int | None, ...] = ()


def sticks(subject: Subject) -> tuple[Measure, ...]:
    """The hockey-sticks at which a promise says something."""
    return tuple(goal for goal in subject.goals if goal.kind == "hockey-stick" and subject.promised(goal) < 1)


def menus(subject: Subject, limit: WorkLimit) -> Iterator[Menu]:
    """Menus from small to large: multiples of what lasts a number of rounds, alone and with other families."""
    filt = subject.filter
    by_name: dict[str, list[Admission]] = {}
    for line in subject.lines:
        by_name.setdefault(line.line.family, []).append(line)
    if design := named_pairs(
        filt, "design"
    ):  # a table may be wrong for these alone, by little in many rounds
        yield Menu("its own design", design, None)
    if own := named_pairs(filt, "menu"):
        yield Menu("its own menu", own, 1, (3, 5, 8, 30, 100, None))
    lattice = [line for name in ("rr", "kov", "erasure") for line in by_name.get(name, ())]
    half, names = limit.fraction(0.5), len(subject.lines)
    paces = {
        line.line.name: _paces(subject, line, half.fraction(1 / (names - place)))
        for place, line in enumerate(subject.lines)
    }
    for pace in _PACES:
        yield from _labelled(subject, paces, pace)
        if pace == 3:
            yield from _named(subject, limit.fraction(0.3))
        for width in _WIDTHS:
            for line in by_name.get("rr", ()):
                yield from _ladder(line, paces[line.line.name], pace, width)
        if lattice:
            yield from _mixed(lattice, paces, pace)
        for name in ("gaussian", "laplace", "subsampled") if not subject.looks and pace >= 4 else ():
            for line in by_name.get(name, ()):
                yield from _ladder(line, paces[line.line.name], pace, 3)
        if pace <= 4:
            for line in by_name.get("twopoint", ()):
                yield from _both_ways(line, paces[line.line.name], pace)


def _paces(subject: Subject, line: Admission, limit: WorkLimit) -> dict[int, float]:
    """For each pace the largest size that is granted that often in a row, whatever is lost where that matters."""
    sizes: dict[int, float] = {}
    wanted = list(_PACES)
    for size, pair in zip(reversed(line.sizes), reversed(line.pairs), strict=True):
        if not wanted or limit.exhausted:
            break
        times = 0
        for tail in (0.1, 0.5, 0.9) if subject.looks else (None,):
            player = Player.fresh(subject, limit, tail)
            times = max(times, player.ask(pair, wanted[-1]))
        while wanted and times >= wanted[0]:
            sizes[wanted.pop(0)] = size
    return sizes


def _named(subject: Subject, limit: WorkLimit) -> Iterator[Menu]:
    """Responses of the sizes that are granted at some time: levels may change with the round or with an answer."""
    response = next((one for one in (*subject.lines, *subject.closed) if one.line.family == "rr"), None)
    if response is None:
        return
    sizes: dict[float, None] = {}
    longest = 1
    for tail in (0.1, 0.9) if subject.looks else (None,):
        player = Player.fresh(subject, limit, tail)
        for rounds in range(60):
            # the largest of its own numbers, or of the grid, that is granted now
            least, most = response.line.least, response.line.most
            own_sizes = [t for t in sorted(response.line.extra, reverse=True) if least <= t <= most]
            for t in (*own_sizes, *response.line.sizes[::-4]):
                if not limit.remaining:
                    return
                if player.ask(response.line.pair(t)):
                    sizes[t] = None
                    longest = max(longest, rounds + 1)
                    break
            else:
                break
    largest = sorted(sizes, reverse=True)[:4]
    own_sizes = [t for t in response.line.extra[:12] if any(abs(t - s) > 0 for s in largest)]
    for more in ((), own_sizes[:2], own_sizes[:4]):
        levels = sorted({*largest, *more})
        if levels and limit.remaining:
            for rounds in (6, 14, 40):
                if more or rounds <= 2 * longest + 6:
                    pairs = tuple(map(response.line.pair, levels))
                    told = f"responses of {len(levels)} levels" if len(levels) > 1 else pair_words(pairs[0])
                    yield Menu(f"{told} granted at some time", pairs, rounds)


def _ladder(line: Admission, paces: dict[int, float], pace: int, width: int) -> Iterator[Menu]:
    least = paces.get(pace)
    if least is None:
        return
    multiples = (1, 2, 4) if width == 3 and line.line.family != "rr" else range(1, width + 1)
    pairs = tuple(line.line.pair(least * k) for k in multiples if least * k <= line.sizes[-1] * 1.0001)
    if len(pairs) > 1 or width == 1:
        many = f"{line.line.name}, {len(pairs)} multiples of {least:.4g}"
        yield Menu(many if len(pairs) > 1 else f"{pair_words(pairs[0])} again and again", pairs, 4 * pace)


def _labelled(subject: Subject, paces: dict[str, dict[int, float]], pace: int) -> Iterator[Menu]:
    """One request at each of its labels: an adversary chooses these, too."""
    for kind in ("rr", "gaussian"):
        lines = [line for line in subject.lines if line.line.kind == kind]
        sizes = [sizes[pace] for line in lines if pace in (sizes := paces[line.line.name])]
        if len(lines) > 1 and sizes:
            pairs = tuple(line.line.pair(min(sizes)) for line in lines)
            yield Menu(f"{kind} at each label", pairs, len(lines) * pace)


def _mixed(lattice: list[Admission], paces: dict[str, dict[int, float]], pace: int) -> Iterator[Menu]:
    """Randomised response beside pairs that may reveal all, on one lattice."""
    response = next((line for line in lattice if line.line.family == "rr"), None)
    step = paces[response.line.name].get(pace) if response is not None else None
    for line in lattice:
        least = paces[line.line.name].get(pace)
        if line is response or least is None:
            continue
        if line.line.family == "erasure":
            ladder = tuple(line.line.pair(size) for size in (least, least / 4))
        else:
            size = step if step is not None and step <= line.sizes[-1] else least
            ladder = _twice(line, size)
        if response is not None and step is not None:
            ladder += _twice(response, step)
        yield Menu(f"{line.line.name} with randomised response", ladder, 3 * pace)


def _twice(line: Admission, size: float) -> tuple[DominatingPair, ...]:
    return tuple(line.line.pair(k * size) for k in (1, 2) if k * size <= line.sizes[-1])


def _both_ways(line: Admission, paces: dict[int, float], pace: int) -> Iterator[Menu]:
    if (size := paces.get(pace)) is not None:
        pair, small = line.line.pair(size), line.line.pair(max(size / 4, line.line.least))
        name = f"{line.line.name}, {size:.4g} and a quarter, both ways round"
        yield Menu(name, (pair, pair.swapped, small), pace + 1)


# -- alarms --------------------------------------------------------------------------------------------


def alarms(subject: Subject, limit: WorkLimit) -> list[tuple[Menu, Measure]]:
    """The alarms whose silences alone pass the promise in few rounds, or come nearest to it, and where."""
    goals = [goal for goal in sticks(subject) if subject.promised(goal) > 0]
    largest = [line.sizes[-1] for line in leaders(subject.lines) if line.line.family in ("rr", "twopoint")]
    if not (subject.looks and largest and "twopoint" in subject.families and goals):
        return []
    games: list[tuple[float, Menu, Measure]] = []
    for pair in _alarms(largest[0]):
        if limit.exhausted:
            break
        # how often a run that is answered by silence is granted the alarm
        longest = Player.fresh(subject, limit).ask(pair, _SILENCES, loss=math.log(pair.p[0] / pair.q[0]))
        for goal in goals:
            share, rounds = _shortest(pair, longest, goal.at, subject.promised(goal))
            if share > _WORTH:
                games.append((share, Menu("an alarm that nearly always keeps silent", (pair,), rounds), goal))
    games.sort(key=lambda game: (-min(game[0], _ENOUGH), game[1].rounds or 0))
    return [(menu, goal) for _, menu, goal in games[:_GAMES]]


def _alarms(level: float) -> Iterator[FinitePair]:
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
