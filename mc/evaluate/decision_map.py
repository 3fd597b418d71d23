"""The decisions of a strategy against a filter as a map: for each round, where the loss leads and to which request.

Losses are real numbers here, and are divided into panels. A source is a panel with a pair: the positions whose loss
lies in that panel, before the output of that pair, with what filter and adversary keep there. The map has three steps:

1. Play. The output of a source takes its loss to any panel. The code of both decides there, asked from each of three
   losses of the source's own panel at each of three losses of the panel reached: nine questions, or three where nothing
   that is kept depends on the loss before.
2. Join. Where all answers agree, the source leads from that panel to one source of the next round: the panel reached,
   the pair that is released there, and what is kept. Sources that agree in all three are one.
3. Cut. Where two neighbouring questions are answered differently, bisection finds the double at which the code's answer
   changes, along the loss reached or along the loss before it. It becomes an edge, and the play begins again on the
   panels that it cuts, until no round finds another.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filters.contract.state import fold, keys, leaves
from filters.privacy_filter import PrivacyFilter
from mc.engine.game import Game
from mc.evaluate.asking import DENIED, Asking, NotAFunctionError, Positions
from mc.evaluate.panels import Panels, apart, bisected
from mc.losses.too_large import TooLargeError

__all__ = ["STOP", "DecisionMap", "PanelSource", "decides_as_known"]

#: Where a loss leads: 0 and more is the number of a source of the next round, STOP the end of the transcript, and
#: -2 - k a last release of pair k.
STOP = -1
#: In the last round whatever is released ends the transcript.
_ENDS = (STOP,)
#: The panel of the point 0 at which every game starts.
POINT = -1
_MOST_EDGES, _MOST_SOURCES, _PASSES = 250, 200_000, 12
#: A round with more positions than this is played only where no decision changed before.
_WORTH_GOING_ON = 1000
#: Decimals, in nats, to which states that hold losses are compared: their sums are rounded.
_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class PanelSource:
    """The positions of one panel before an output: `pair` is released (None: they wait), then leads[J] from panel J."""

    panel: int
    pair: int | None
    leads: tuple[int, ...]

    @property
    def ends(self) -> bool:
        """Whether every output ends the transcript."""
        return set(self.leads) == {STOP}


@dataclass(frozen=True, slots=True)
class _Round:
    """The sources of a round as (panel, pair), and their positions at three probes of the panel each, in one row."""

    sources: list[tuple[int, int | None]]
    held: Positions


@dataclass(slots=True)
class DecisionMap:
    """rounds[t] lists the sources of round t on the panels; the first round has one, at the point 0.

    found are the edges at which decisions change; positions counts the questions asked.
    """

    asking: Asking
    panels: Panels
    found: tuple[float, ...]
    merged: float
    rounds: list[list[PanelSource]] = field(default_factory=list)
    start: int = STOP
    positions: int = 0
    _changes: set[float] = field(default_factory=set)
    _bisections: set[tuple[float, float, int]] = field(default_factory=set)

    @classmethod
    def of(cls, asking: Asking, *, low: float, high: float, width: float, merged: float) -> DecisionMap:
        """The map on panels of at most `width` between low and high, with edges at every change found.

        A change within `merged` of one found before is none of its own.
        """
        found: set[float] = set()
        for _ in range(_PASSES):
            panels = Panels.between(found, low=low, high=high, width=width, merged=merged)
            decisions = cls(asking, panels, tuple(sorted(found)), merged)
            decisions._play()
            new = apart(decisions._changes, found, merged)
            if not new:
                return decisions
            found |= new
        raise _too_many(len(found))

    @property
    def edges(self) -> NDArray[np.float64]:
        """The ends of the panels."""
        return self.panels.edges

    @property
    def drawn(self) -> set[int]:
        """The pairs whose output is seen before the transcript ends."""
        return {source.pair for source in self._kinds() if source.pair is not None and not source.ends}

    @property
    def last(self) -> set[int]:
        """The pairs with whose release a transcript ends."""
        every = self._kinds()
        ends = {-2 - lead for source in every for lead in set(source.leads) if lead < STOP}
        return ends | {source.pair for source in every if source.pair is not None and source.ends}

    def _kinds(self) -> list[PanelSource]:
        """One source for each pair and row of leads: sources that differ in nothing else share the row."""
        return list({(one.pair, id(one.leads)): one for sources in self.rounds for one in sources}.values())

    def _play(self) -> None:
        """Fill in the rounds, as far as no decision changes inside a panel."""
        game = self.asking.game
        point = _Outputs(self.asking.start(), POINT, False)
        here, leads = self._ask(0, [point])
        self.start = leads[0][0]
        for t in range(1, game.rounds + 1):
            if not here.sources:
                break
            if sum(map(len, self.rounds)) + len(here.sources) > _MOST_SOURCES:
                raise TooLargeError(
                    f"adversary and filter must have at most {_MOST_SOURCES} positions, got more after {t} rounds; "
                    "pass fewer rounds, or use fp.simulate"
                )
            if t == game.rounds:
                self.rounds.append([PanelSource(panel, pair, _ENDS) for panel, pair in here.sources])
                break
            if self._changes and len(here.sources) > _WORTH_GOING_ON:
                break  # panels that are cut where decisions change may have fewer positions
            outputs, which = self._outputs(here)
            after, leads = self._ask(t, outputs)
            rows = [leads[place] for place in which]
            self.rounds.append(
                [PanelSource(*source, row) for source, row in zip(here.sources, rows, strict=True)]
            )
            here = after

    def _outputs(self, here: _Round) -> tuple[list[_Outputs], list[int]]:
        """The outputs to ask about, and which of them are those of each source: alike ones are asked about once."""
        blind = not self.asking.game.filter.looks_at_losses and not self.asking.keeps_last
        names = _names(here.held, rounded=False) if blind else []
        outputs: list[_Outputs] = []
        which: list[int] = []
        alike: dict[Hashable, int] = {}
        for i, (panel, pair) in enumerate(here.sources):
            three, waits = np.arange(3 * i, 3 * i + 3), pair is None
            # nothing that follows depends on the loss before
            forgets = blind and not waits and len(set(names[3 * i : 3 * i + 3])) == 1
            place = alike.setdefault(names[3 * i], len(outputs)) if forgets else len(outputs)
            which.append(place)
            if place == len(outputs):
                single = forgets or (panel == POINT and not waits)
                own = here.held.take(three[:1] if single else three)
                outputs.append(_Outputs(own, panel if waits else None, not blind and not waits))
        return outputs, which

    def _ask(self, t: int, outputs: list[_Outputs]) -> tuple[_Round, list[tuple[int, ...]]]:
        """The sources of the next round, and where each of the outputs leads: steps 1 to 3, for one round."""
        parts = [output.positions(self.asking, self.panels.probes) for output in outputs]
        at = Positions.joined(parts)
        self.positions += at.n
        code, after = self._answers(t, at)
        begins = np.cumsum([0, *(part.n for part in parts)])
        kinds: dict[tuple[tuple[int, int, int], bool], list[int]] = defaultdict(list)
        for i, output in enumerate(outputs):
            kinds[output.shape(len(self.panels)), output.paired].append(i)
        number: dict[Hashable, int] = {}
        sources: list[tuple[int, int | None]] = []
        kept: list[int] = []
        leads: list[tuple[int, ...]] = [()] * len(outputs)
        for (shape, paired), members in kinds.items():
            # asked[i, j, k, y] is the question about output i at probe y of panel j, from its own probe k
            asked = begins[members].reshape(-1, 1, 1, 1) + np.arange(math.prod(shape)).reshape(shape)
            self._cut(t, [outputs[i] for i in members], asked, code, at.loss, after)
            if paired:
                self._check_history(after, asked, code[asked])
            chosen = code[asked[:, :, shape[1] // 2, shape[2] // 2]]
            spots = asked[:, :, 0, :] if shape[2] == 3 else np.repeat(asked[:, :, 0, :], 3, axis=2)
            goes = chosen > STOP
            names = _names(after.take(spots[goes].reshape(-1)), rounded=paired)
            rows = chosen.tolist()
            for n, (i, j) in enumerate(np.argwhere(goes).tolist()):
                waiting, c = outputs[members[i]].waiting, rows[i][j]
                panel = j if waiting is None else waiting
                place = number.setdefault((panel, c, *names[3 * n : 3 * n + 3]), len(sources))
                rows[i][j] = place
                if place == len(sources):
                    sources.append((panel, c - 1 if c else None))  # 0 stands for waiting
                    kept.extend(spots[i, j].tolist())
            for i, row in zip(members, rows, strict=True):
                leads[i] = tuple(row)
        return _Round(sources, after.take(np.array(kept, dtype=np.intp))), leads

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

    def _cut(
        self,
        t: int,
        outputs: list[_Outputs],
        asked: NDArray[np.intp],
        code: NDArray[np.intp],
        loss: NDArray[np.float64],
        after: Positions,
    ) -> None:
        """Bisect between neighbouring questions with different answers: along the loss reached and the loss before."""
        if len(self._changes) + len(self.found) > _MOST_EDGES:
            raise _too_many(len(self._changes) + len(self.found))
        answers = [code[asked], *_whole(after, asked, code[asked])]
        for before in (False, True):
            for i, j, k, y in np.argwhere(_differ(answers, 2 if before else 3)).tolist():
                output, there = outputs[i], float(loss[asked[i, j, k, y]])
                if before:
                    ends = (float(output.own.loss[k]), float(output.own.loss[k + 1]))
                    position = partial(output.between, self.asking, k, there)
                else:
                    ends = (there, float(loss[asked[i, j, k, y + 1]]))
                    position = partial(output.reached, self.asking, k)
                if (key := (*ends, 0 if self.merged else t)) not in self._bisections:
                    self._bisections.add(key)
                    place, more = bisected(partial(self._answer, t, position), *ends)
                    self._changes.add(place)
                    self.positions += more

    def _answer(self, t: int, position: Callable[[float], Positions], x: float) -> Hashable:
        """What happens at a position, and what is kept of it that is no double."""
        code, after = self._answers(t, position(x))
        whole = tuple(leaf for leaf in _arrays(after) if leaf.dtype.kind != "f")
        return int(code[0]), keys(whole)[0] if whole and code[0] > STOP else None

    def _check_history(self, after: Positions, place: NDArray[np.intp], code: NDArray[np.intp]) -> None:
        alike = ((code == code[:, :, :1, :1]) & (code > STOP)).all(axis=(2, 3))
        for leaf in (leaf for leaf in _arrays(after) if leaf.dtype.kind == "f"):
            values = leaf[place[alike]]
            if not np.allclose(values, values[:, :1], rtol=1e-9, atol=1e-9, equal_nan=True):
                raise NotAFunctionError(
                    f"{type(self.asking.game.filter).__name__} must keep no more of the past than the loss so far, "
                    "once a request was charged, got states that differ at one loss; use fp.simulate, which plays any "
                    "filter"
                )


@dataclass(frozen=True, slots=True)
class _Outputs:
    """What a source, or several that need not be told apart, may be followed by: to be put to filter and adversary.

    own are the positions before, at three probes of the panel or at one. waiting is the panel of a source that waits:
    its loss stays. paired says that what is kept may depend on the loss before.
    """

    own: Positions
    waiting: int | None
    paired: bool

    def shape(self, panels: int) -> tuple[int, int, int]:
        """How many panels are reached, from how many own probes, at how many probes of each."""
        return (1, 1, self.own.n) if self.waiting is not None else (panels, self.own.n, 3)

    def positions(self, asking: Asking, probes: NDArray[np.float64]) -> Positions:
        """The positions to ask at, as `shape` says."""
        if self.waiting is not None:
            return self.own.take(np.arange(self.own.n))  # the adversary may change its memory
        panels, three = probes.shape
        rows = np.tile(np.repeat(np.arange(self.own.n), three), panels)
        return _moved(asking, self.own.take(rows), np.repeat(probes, self.own.n, axis=0).reshape(-1))

    def reached(self, asking: Asking, k: int, y: float) -> Positions:
        """The position at loss y, from own probe k."""
        there = self.own.take(np.array([k]))
        return there._replace(loss=np.array([y])) if self.waiting is not None else _moved(asking, there, y)

    def between(self, asking: Asking, k: int, y: float, x: float) -> Positions:
        """The position at loss y, from a loss x between own probes k and k + 1: the state is interpolated."""
        both = self.own.take(np.array([k, k + 1]))
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

        state, memory = fold(mixed, tuple, both.state), fold(mixed, tuple, both.memory)
        return _moved(asking, Positions(np.array([x]), np.zeros(1), state, memory), y)


def _moved(asking: Asking, before: Positions, loss: float | NDArray[np.float64]) -> Positions:
    """The positions after a release that takes the loss to `loss`."""
    reached = np.broadcast_to(loss, before.n).astype(np.float64)
    return asking.observed(before, reached, reached - before.loss)


def decides_as_known(game: Game) -> bool:
    """Whether filter and adversary are the library's own: their decisions change where probes see it.

    Filters here that look at losses go on in one interval around 0, strategies change at 0, and 0 is an edge. Of other
    code nothing is known between two probes. A solved strategy is a table with any number of changes.
    """
    inner = game.filter
    while isinstance(below := getattr(inner, "inner", None), PrivacyFilter):
        if type(inner).__module__.partition(".")[0] != "mc":
            return False
        inner = below
    of_filters = type(inner).__module__.partition(".")[0] == "filters"
    return of_filters and type(game.adversary).__module__ == "mc.engine.adversaries"


def _too_many(edges: int) -> TooLargeError:
    return TooLargeError(
        f"adversary and filter must change their decisions at no more than {_MOST_EDGES} losses, and at the same ones "
        f"wherever the loss came from, got {edges} and more; use fp.simulate, which plays any strategy"
    )


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
