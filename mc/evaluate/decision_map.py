"""The decisions of a strategy against a filter as a map: for each round, where the loss leads and to which request.

Losses are divided into panels, open intervals on each of which the code of both decides alike: it is asked at three
losses of every panel, just inside the ends and in the middle, and where two answers differ bisection finds the double
at which they change, which becomes an end of panels. Losses are real numbers here; of the two adjacent doubles between
which the code's answer changes, the one with the shorter binary expansion is taken for the place.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filters.contract.state import fold, keys, leaves
from filters.privacy_filter import PrivacyFilter
from mc.engine.game import Game
from mc.evaluate.asking import DENIED, Asking, NotAFunctionError, Positions
from mc.losses.too_large import TooLargeError

__all__ = ["STOP", "DecisionMap", "Source", "decides_as_known", "shown_edges"]

#: Where a loss leads: 0 and more is the number of a source of the next round, STOP the end of the transcript, and
#: -2 - k a last release of pair k.
STOP = -1
#: The panel of the point 0 at which every game starts.
POINT = -1
_MOST_EDGES, _MOST_SOURCES, _PASSES = 250, 200_000, 12
#: A round with more positions than this is played only where no decision changed before.
_WORTH_GOING_ON = 1000
#: Decimals, in nats, to which states that hold losses are compared: their sums are rounded.
_DECIMALS = 9
_FAR = np.int64(-(2**63))


@dataclass(frozen=True, slots=True)
class Source:
    """The positions of one panel before an output: `pair` is released (None: they wait), then leads[J] from panel J."""

    panel: int
    pair: int | None
    leads: tuple[int, ...] | None


@dataclass(slots=True)
class DecisionMap:
    """rounds[t] lists the sources of round t on the panels between `edges`; the first round has one, at the point 0.

    leads is None in the last round: what is released there ends the transcript. found are the edges at which decisions
    change; positions counts the questions asked.
    """

    asking: Asking
    edges: NDArray[np.float64]
    found: tuple[float, ...]
    merged: float
    rounds: list[list[Source]] = field(default_factory=list)
    start: int = STOP
    positions: int = 0
    _bisections: set[tuple[float, float, int]] = field(default_factory=set)

    @classmethod
    def of(cls, asking: Asking, *, low: float, high: float, width: float, merged: float) -> DecisionMap:
        """The map on panels of at most `width` between low and high, with edges at every change found.

        A change within `merged` of one found before is none of its own.
        """
        found: set[float] = set()
        for _ in range(_PASSES):
            told = cls(asking, _edges(found, low, high, width), tuple(sorted(found)), merged)
            new = _apart(told._play(), found, merged)
            if not new:
                return told
            found |= new
        raise _too_many(len(found))

    @property
    def drawn(self) -> set[int]:
        """The pairs whose output is seen before the transcript ends."""
        return {
            one.pair for one in self._kinds() if one.pair is not None and set(one.leads or (STOP,)) != {STOP}
        }

    @property
    def last(self) -> set[int]:
        """The pairs with whose release a transcript ends."""
        every = self._kinds()
        ends = {-2 - lead for one in every for lead in set(one.leads or ()) if lead < STOP}
        return ends | {
            one.pair for one in every if one.pair is not None and set(one.leads or (STOP,)) == {STOP}
        }

    def _kinds(self) -> list[Source]:
        """One source for each pair and row of leads: sources that differ in nothing else share the row."""
        return list({(one.pair, id(one.leads)): one for sources in self.rounds for one in sources}.values())

    def _probes(self) -> NDArray[np.float64]:
        low, high = self.edges[:-1], self.edges[1:]
        # what changes within `merged` of an edge counts as changing there
        inside = np.minimum(2 * self.merged, (high - low) / 8)
        first, last = np.nextafter(low, np.inf), np.nextafter(high, -np.inf)
        return np.stack(
            [np.maximum(low + inside, first), (low + high) / 2, np.minimum(high - inside, last)], axis=1
        )

    def _play(self) -> set[float]:
        """Fill in the rounds; returns the losses at which a decision changes inside a panel."""
        changes: set[float] = set()
        probes = self._probes()
        start = self.asking.start()
        heads, held, leads = self._after(0, [_Asked.point(start)], probes, changes)
        self.start = leads[0][0]
        for t in range(1, self.asking.game.rounds + 1):
            if not heads:
                break
            if sum(map(len, self.rounds)) + len(heads) > _MOST_SOURCES:
                raise TooLargeError(
                    f"adversary and filter must have at most {_MOST_SOURCES} positions, got more after {t} rounds; "
                    "pass fewer rounds, or use fp.simulate"
                )
            if t == self.asking.game.rounds:
                self.rounds.append([Source(panel, pair, None) for panel, pair in heads])
                break
            if changes and len(heads) > _WORTH_GOING_ON:
                break  # panels that are cut where decisions change may have fewer positions
            after = self._after(t, self._asked(heads, held), probes, changes)
            self.rounds.append(
                [Source(panel, pair, row) for (panel, pair), row in zip(heads, after[2], strict=True)]
            )
            heads, held = after[0], after[1]
        return changes

    def _asked(self, heads: list[tuple[int, int | None]], held: Positions) -> list[_Asked]:
        """The sources to ask; those whose answers need not be told apart are one and the same."""
        blind = not self.asking.game.filter.looks_at_losses and not self.asking.keeps_last
        names = _names(held, rounded=False) if blind else [None] * held.n
        alike: dict[Hashable, _Asked] = {}
        asked: list[_Asked] = []
        for i, (panel, pair) in enumerate(heads):
            three = np.arange(3 * i, 3 * i + 3)
            if pair is None:
                asked.append(_Asked(held.take(three), None, (panel,), True))
            elif blind and names[3 * i] == names[3 * i + 1] == names[3 * i + 2]:
                key = ("blind", names[3 * i])
                if key not in alike:
                    alike[key] = _Asked(held.take(three[:1]), key, None, False)
                asked.append(alike[key])
            elif panel == POINT:
                asked.append(_Asked(held.take(three[:1]), None, None, False, not blind))
            else:
                asked.append(_Asked(held.take(three), None, None, False, not blind))
        return asked

    def _after(
        self, t: int, asked: list[_Asked], probes: NDArray[np.float64], changes: set[float]
    ) -> tuple[list[tuple[int, int | None]], Positions, list[tuple[int, ...]]]:
        """The next sources (panel and pair), their positions at three probes each, and where each asked one leads."""
        unique: dict[Hashable, int] = {}
        first: list[_Asked] = []
        which: list[int] = []
        for one in asked:
            place = unique.setdefault(one.key if one.key is not None else len(which) + 0.5, len(first))
            if place == len(first):
                first.append(one)
            which.append(place)
        parts = [one.outputs(self.asking, probes) for one in first]
        at = Positions.joined(parts)
        self.positions += at.n
        codes, after = self._answers(t, at)
        number: dict[Hashable, int] = {}
        heads: list[tuple[int, int | None]] = []
        kept: list[int] = []
        answered: list[list[int]] = [[] for _ in first]
        # sources whose outputs lie at equally many (panel, own probe, probe of the panel) are looked at together
        begins = np.concatenate([[0], np.cumsum([part.n for part in parts])])
        alike: dict[tuple[tuple[int, int, int], bool], list[int]] = {}
        for i, one in enumerate(first):
            alike.setdefault((one.shape(len(probes)), one.paired), []).append(i)
        for (shape, paired), members in alike.items():
            at_place = begins[members].reshape(-1, 1, 1, 1) + np.arange(math.prod(shape)).reshape(shape)
            code = codes[at_place]
            self._changes(
                t,
                [first[i] for i in members],
                code,
                at.loss[at_place],
                _whole(after, at_place, code),
                changes,
            )
            if paired:
                self._check_history(after, at_place, code)
            chosen = code[:, :, shape[1] // 2, shape[2] // 2]
            spots = at_place[:, :, 0, :] if shape[2] == 3 else np.repeat(at_place[:, :, 0, :], 3, axis=2)
            on = np.argwhere(chosen > STOP)
            names = _names(after.take(spots[chosen > STOP].reshape(-1)), rounded=paired)
            rows = chosen.tolist()
            for n, (i, j) in enumerate(on.tolist()):
                targets = first[members[i]].targets
                panel, c = targets[j] if targets is not None else j, rows[i][j]
                rows[i][j] = number.setdefault((panel, c, *names[3 * n : 3 * n + 3]), len(heads))
                if rows[i][j] == len(heads):
                    heads.append((panel, c - 1 if c else None))  # 0 stands for waiting
                    kept.extend(spots[i, j].tolist())
            for i, row in zip(members, rows, strict=True):
                answered[i] = row
        held = after.take(np.array(kept, dtype=np.intp))
        leads = [tuple(row) for row in answered]
        return heads, held, [leads[place] for place in which]

    def _answers(self, t: int, at: Positions) -> tuple[NDArray[np.intp], Positions]:
        """What happens at each position: 1 + k a release of pair k, 0 waiting, STOP the end, -2 - k a last release."""
        game = self.asking.game
        number, after = self.asking.ask(t, at)
        code = number + 1
        denied = np.flatnonzero(number == DENIED)
        if len(denied) and not game.waits:
            part = after.take(denied)
            final = self.asking.final(Positions(part.loss, at.last[denied], part.state, part.memory))
            code[denied] = np.where(final == DENIED, STOP, -2 - final)
        return code, after

    def _changes(
        self,
        t: int,
        asked: list[_Asked],
        code: NDArray[np.intp],
        loss: NDArray[np.float64],
        whole: list[NDArray[Any]],
        changes: set[float],
    ) -> None:
        """Bisect between probes whose answers differ: along the loss reached, and along the loss before it."""
        seen = self._bisections
        if len(changes) + len(self.found) > _MOST_EDGES:
            raise _too_many(len(changes) + len(self.found))
        for i, j, k, left in np.argwhere(_differ([code, *whole], 3)).tolist():
            ends = (float(loss[i, j, k, left]), float(loss[i, j, k, left + 1]))
            if (key := (*ends, 0 if self.merged else t)) not in seen:
                seen.add(key)
                changes.add(self._bisected(t, ends, partial(asked[i].reached, self.asking, k)))
        for i, j, k, y in np.argwhere(_differ([code, *whole], 2)).tolist():
            ends = (float(asked[i].at.loss[k]), float(asked[i].at.loss[k + 1]))
            if (key := (*ends, 0 if self.merged else t)) not in seen:
                seen.add(key)
                move = partial(asked[i].between, self.asking, k, float(loss[i, j, k, y]))
                changes.add(self._bisected(t, ends, move))

    def _bisected(self, t: int, ends: tuple[float, float], position: Any) -> float:
        """The double at which the answer changes between `ends`."""

        def answer(x: float) -> Hashable:
            code, after = self._answers(t, position(x))
            whole = tuple(leaf for leaf in _arrays(after) if leaf.dtype.kind != "f")
            return int(code[0]), keys(whole)[0] if whole and code[0] > STOP else None

        low, high = _ordinal(ends[0]), _ordinal(ends[1])
        below = answer(ends[0])
        while high - low > 1:
            middle = (low + high) // 2
            self.positions += 1
            low, high = (middle, high) if answer(_double(middle)) == below else (low, middle)
        a, b = _double(low), _double(high)
        return min((a, b), key=lambda x: x.as_integer_ratio()[1])

    def _check_history(self, after: Positions, place: NDArray[np.intp], code: NDArray[np.intp]) -> None:
        alike = ((code == code[:, :, :1, :1]) & (code > STOP)).all(axis=(2, 3))
        for leaf in (leaf for leaf in _arrays(after) if leaf.dtype.kind == "f"):
            held = leaf[place[alike]]
            if not np.allclose(held, held[:, :1], rtol=1e-9, atol=1e-9, equal_nan=True):
                raise NotAFunctionError(
                    f"{type(self.asking.game.filter).__name__} must keep no more of the past than the loss so far, "
                    "once a request was charged, got states that differ at one loss; use fp.simulate, which plays any "
                    "filter"
                )


@dataclass(frozen=True, slots=True)
class _Asked:
    """A source whose outputs are to be put to the adversary: its positions at probes of its panel.

    key, where it is not None, tells sources apart whose outputs need not be: nothing that follows depends on the loss
    before. targets are the panels that its outputs can reach, None for all.
    """

    at: Positions
    key: Hashable
    targets: tuple[int, ...] | None
    alone: bool
    paired: bool = False

    @classmethod
    def point(cls, at: Positions) -> _Asked:
        return cls(at, None, (POINT,), True)

    def shape(self, panels: int) -> tuple[int, int, int]:
        if self.alone:  # a waiting source: its own probes
            return 1, 1, self.at.n
        return panels, self.at.n, 3

    def outputs(self, asking: Asking, probes: NDArray[np.float64]) -> Positions:
        """The positions to ask at: (panel, own probe, probe of the panel)."""
        if self.alone:
            return self.at.take(np.arange(self.at.n))  # the adversary may change its memory
        panels, three = probes.shape
        many = self.at.n
        rows = np.tile(np.repeat(np.arange(many), three), panels)
        loss = np.repeat(probes, many, axis=0).reshape(-1)
        there = self.at.take(rows)
        return asking.observed(there, loss, loss - there.loss)

    def reached(self, asking: Asking, k: int, y: float) -> Positions:
        """The position at loss y, from own probe k."""
        there = self.at.take(np.array([k]))
        if self.alone:
            return Positions(np.array([y]), there.last, there.state, there.memory)
        loss = np.array([y])
        return asking.observed(there, loss, loss - there.loss)

    def between(self, asking: Asking, k: int, y: float, x: float) -> Positions:
        """The position at loss y, from a loss x between own probes k and k + 1: the state is interpolated."""
        both = self.at.take(np.array([k, k + 1]))
        share = (x - both.loss[0]) / (both.loss[1] - both.loss[0])

        def mixed(leaf: Any) -> Any:
            if not isinstance(leaf, np.ndarray):
                return leaf
            if leaf.dtype.kind != "f":
                return leaf[:1]
            own = np.isclose(leaf, both.loss.reshape(-1, *[1] * (leaf.ndim - 1)), rtol=1e-12, atol=1e-12)
            line = leaf[:1] + (leaf[1:] - leaf[:1]) * share
            line = np.where(leaf[:1] == leaf[1:], leaf[:1], line)
            return np.where(np.all(own, axis=0)[None], x, line)  # what is the loss is exactly the loss

        there = Positions(
            np.array([x]), np.zeros(1), fold(mixed, tuple, both.state), fold(mixed, tuple, both.memory)
        )
        loss = np.array([y])
        return asking.observed(there, loss, loss - there.loss)


def decides_as_known(game: Game) -> bool:
    """Whether filter and adversary are the library's own: their decisions change where probes see it.

    Filters here that look at losses go on in one interval around 0, strategies change at 0, and 0 is an edge. Of other
    code nothing is known between two probes. A solved strategy is a table with any number of changes.
    """
    inner = game.filter
    while isinstance(kept := getattr(inner, "inner", None), PrivacyFilter):
        if type(inner).__module__.partition(".")[0] != "mc":
            return False
        inner = kept
    of_filters = type(inner).__module__.partition(".")[0] == "filters"
    return of_filters and type(game.adversary).__module__ == "mc.engine.adversaries"


def shown_edges(found: Sequence[float]) -> str:
    """The losses at which decisions may change, for a scope."""
    some = ", ".join(f"{edge:.6g}" for edge in sorted({0.0, *found})[:6])
    more = f", ... ({len({0.0, *found})} in all)" if len({0.0, *found}) > 6 else ""
    return f"decisions that change at most at the losses {some}{more}"


def _too_many(found: int) -> TooLargeError:
    return TooLargeError(
        f"adversary and filter must change their decisions at no more than {_MOST_EDGES} losses, and at the same ones "
        f"wherever the loss came from, got {found} and more; use fp.simulate, which plays any strategy"
    )


def _apart(changes: set[float], found: set[float], merged: float) -> set[float]:
    """The changes that are not near a change already found, nor near one another."""
    new: set[float] = set()
    known = sorted(found)
    for edge in sorted(changes - found):
        place = bisect_left(known, edge)
        near = known[max(place - 1, 0) : place + 1]
        if all(abs(edge - other) > merged for other in near):
            new.add(edge)
            known.insert(place, edge)
    return new


def _edges(forced: set[float], low: float, high: float, width: float) -> NDArray[np.float64]:
    # 0, where every game starts, so that an interval of losses around it has its two ends in different panels
    ends = [low, *sorted(x for x in {*forced, 0.0} if low < x < high), high]
    parts = [np.linspace(a, b, int(np.ceil((b - a) / width)) + 1)[:-1] for a, b in pairwise(ends)]
    return np.append(np.concatenate(parts), high)


def _arrays(at: Positions) -> list[NDArray[Any]]:
    return [leaf for leaf in leaves((at.state, at.memory)) if isinstance(leaf, np.ndarray) and leaf.ndim]


def _names(at: Positions, *, rounded: bool) -> list[Hashable]:
    """A key for the state and memory of each position; states that hold sums of losses are known to rounding only."""
    return keys(
        tuple(
            np.round(leaf, _DECIMALS) if rounded and leaf.dtype.kind == "f" else leaf for leaf in _arrays(at)
        )
    )


def _whole(at: Positions, place: NDArray[np.intp], code: NDArray[np.intp]) -> list[NDArray[Any]]:
    """The parts of state and memory that are no doubles, where the transcript goes on."""
    goes = code > STOP
    flat = [leaf.reshape(at.n, -1) for leaf in _arrays(at) if leaf.dtype.kind not in "fO"]
    return [np.where(goes, leaf[place, i], 0) for leaf in flat for i in range(leaf.shape[1])]


def _differ(arrays: list[NDArray[Any]], axis: int) -> NDArray[np.bool_]:
    """Where neighbours along the axis differ in one of the arrays."""
    return np.asarray(np.any([np.diff(array.astype(np.int64), axis=axis) != 0 for array in arrays], axis=0))


def _ordinal(x: float) -> int:
    bits = int(np.float64(x).view(np.int64))
    return bits if bits >= 0 else int(_FAR) - bits


def _double(ordinal: int) -> float:
    return float(np.int64(ordinal if ordinal >= 0 else int(_FAR) - ordinal).view(np.float64))
