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

    changes are the edges at which decisions change; positions counts the questions asked.
    """

    asking: Asking
    panels: Panels
    changes: tuple[float, ...]
    merged: float
    rounds: list[list[PanelSource]] = field(default_factory=list)
    start: int = STOP
    positions: int = 0
    _new: set[float] = field(default_factory=set)
    _bisections: set[tuple[float, float, int]] = field(default_factory=set)

    @classmethod
    def of(cls, asking: Asking, *, low: float, high: float, width: float, merged: float) -> DecisionMap:
        """The map on panels of at most `width` between low and high, with edges at every change found.

        A change within `merged` of one found before is none of its own.
        """
        changes: set[float] = set()
        for _ in range(_PASSES):
            panels = Panels.between(changes, low=low, high=high, width=width, merged=merged)
            decisions = cls(asking, panels, tuple(sorted(changes)), merged)
            decisions._play()
            new = apart(decisions._new, changes, merged)
            if not new:
                return decisions
            changes |= new
        raise _too_many(len(changes))

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
        standing, leads = self._ask(0, [point])
        self.start = leads[0][0]
        for t in range(1, game.rounds + 1):
            if not standing.sources:
                break
            if sum(map(len, self.rounds)) + len(standing.sources) > _MOST_SOURCES:
                raise TooLargeError(
                    f"adversary and filter must have at most {_MOST_SOURCES} positions, got more after {t} rounds; "
                    "pass fewer rounds, or use fp.simulate"
                )
            if t == game.rounds:
                self.rounds.append([PanelSource(panel, pair, _ENDS) for panel, pair in standing.sources])
                break
            if self._new and len(standing.sources) > _WORTH_GOING_ON:
                break  # panels that are cut where decisions change may have fewer positions
            outputs, output_of = self._outputs(standing)
            after, leads = self._ask(t, outputs)
            rows = [leads[place] for place in output_of]
            self.rounds.append(
                [PanelSource(*source, row) for source, row in zip(standing.sources, rows, strict=True)]
            )
            standing = after

    def _outputs(self, standing: _Round) -> tuple[list[_Outputs], list[int]]:
        """The outputs to ask about, and which of them are those of each source: alike ones are asked about once."""
        blind = not self.asking.game.filter.looks_at_losses and not self.asking.keeps_last
        names = _names(standing.held, rounded=False) if blind else []
        outputs: list[_Outputs] = []
        output_of: list[int] = []
        alike: dict[Hashable, int] = {}
        for i, (panel, pair) in enumerate(standing.sources):
            three, waits = np.arange(3 * i, 3 * i + 3), pair is None
            # nothing that follows depends on the loss before
            forgets = blind and not waits and len(set(names[3 * i : 3 * i + 3])) == 1
            place = alike.setdefault(names[3 * i], len(outputs)) if forgets else len(outputs)
            output_of.append(place)
            if place == len(outputs):
                single = forgets or (panel == POINT and not waits)
                own = standing.held.take(three[:1] if single else three)
                outputs.append(_Outputs(own, panel if waits else None, not blind and not waits))
        return outputs, output_of

    def _ask(self, t: int, outputs: list[_Outputs]) -> tuple[_Round, list[tuple[int, ...]]]:
        """The sources of the next round, and where each of the outputs leads: steps 1 to 3, for one round."""
        at = Positions.joined([output.positions(self.asking, self.panels.probes) for output in outputs])
        self.positions += at.n
        questions = _Questions.about(outputs, len(self.panels))
        code, after = self._answers(t, at)
        self._cut(t, outputs, questions, code, at.loss, after)
        self._check_history(questions, code, after)
        return _joined(outputs, questions, code, after)

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
        questions: _Questions,
        code: NDArray[np.intp],
        loss: NDArray[np.float64],
        after: Positions,
    ) -> None:
        """Bisect between neighbouring questions with different answers: along the loss reached and the loss before."""
        if len(self._new) + len(self.changes) > _MOST_EDGES:
            raise _too_many(len(self._new) + len(self.changes))
        answers = np.stack([code, *_whole(after, code)])
        for before, (row, neighbour) in enumerate((questions.reached, questions.before)):
            differ = np.any(answers[:, row] != answers[:, neighbour], axis=0)
            for q, other in zip(row[differ].tolist(), neighbour[differ].tolist(), strict=True):
                output, k = outputs[questions.output[q]], int(questions.own[q])
                if before:
                    ends = float(output.own.loss[k]), float(output.own.loss[k + 1])
                    position = partial(output.between, self.asking, k, float(loss[q]))
                else:
                    ends = float(loss[q]), float(loss[other])
                    position = partial(output.reached, self.asking, k)
                if (key := (*ends, 0 if self.merged else t)) not in self._bisections:
                    self._bisections.add(key)
                    place, more = bisected(partial(self._answer, t, position), *ends)
                    self._new.add(place)
                    self.positions += more

    def _answer(self, t: int, position: Callable[[float], Positions], x: float) -> Hashable:
        """What happens at a position, and what is kept of it that is no double."""
        code, after = self._answers(t, position(x))
        whole = tuple(leaf for leaf in _arrays(after) if leaf.dtype.kind != "f")
        return int(code[0]), keys(whole)[0] if whole and code[0] > STOP else None

    def _check_history(self, questions: _Questions, code: NDArray[np.intp], after: Positions) -> None:
        """What is kept at one loss must not depend, beyond rounding, on the loss before; asked[cell, own, probe]."""
        asked = questions.nine
        alike = asked[((code[asked] == code[asked[:, :1, :1]]) & (code[asked] > STOP)).all(axis=(1, 2))]
        for leaf in (leaf for leaf in _arrays(after) if leaf.dtype.kind == "f"):
            values = leaf[alike]
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
        ends = self.own.take(np.array([k, k + 1]))
        share = (x - ends.loss[0]) / (ends.loss[1] - ends.loss[0])

        def mixed(leaf: Any) -> Any:
            if not isinstance(leaf, np.ndarray):
                return leaf
            if leaf.dtype.kind != "f":
                return leaf[:1]
            own = np.isclose(leaf, ends.loss.reshape(-1, *[1] * (leaf.ndim - 1)), rtol=1e-12, atol=1e-12)
            line = leaf[:1] + (leaf[1:] - leaf[:1]) * share
            line = np.where(leaf[:1] == leaf[1:], leaf[:1], line)
            return np.where(np.all(own, axis=0)[None], x, line)  # what is the loss is exactly the loss

        state, memory = fold(mixed, tuple, ends.state), fold(mixed, tuple, ends.memory)
        return _moved(asking, Positions(np.array([x]), np.zeros(1), state, memory), y)


@dataclass(frozen=True, slots=True)
class _Questions:
    """The questions about some outputs, in the order of output, panel reached, own probe, probe of that panel.

    output and own are the output and the own probe of each question. A cell is an output with a panel that it reaches:
    cells are their outputs and panels, middle the question in the middle of each, three[cell] those from its first own
    probe (one thrice where it has one), nine[cell, own probe, probe] those of the paired cells. `reached` and
    `before` are all neighbours, (questions, their neighbours): at the next probe, and from the next own probe.
    """

    output: NDArray[np.intp]
    own: NDArray[np.intp]
    cells: tuple[NDArray[np.intp], NDArray[np.intp]]
    paired: NDArray[np.bool_]
    middle: NDArray[np.intp]
    three: NDArray[np.intp]
    nine: NDArray[np.intp]
    reached: tuple[NDArray[np.intp], NDArray[np.intp]]
    before: tuple[NDArray[np.intp], NDArray[np.intp]]

    @classmethod
    def about(cls, outputs: list[_Outputs], panels: int) -> _Questions:
        """The questions that `positions` of each output puts, one output after the other."""
        reached, owns, probes = np.array([output.shape(panels) for output in outputs], dtype=np.intp).T
        output = np.repeat(np.arange(len(outputs)), reached)
        panel = np.arange(len(output)) - np.repeat(np.cumsum(reached) - reached, reached)
        owns, probes = owns[output], probes[output]
        size = owns * probes
        first = np.cumsum(size) - size
        paired = np.array([output.paired for output in outputs])[output]
        cell, question = np.repeat(np.arange(len(size)), size), np.arange(int(size.sum()))
        own, probe = np.divmod(question - first[cell], probes[cell])
        next_probe = question[probe + 1 < probes[cell]]
        next_own = question[own + 1 < owns[cell]]
        return cls(
            output[cell],
            own,
            (output, panel),
            paired,
            first + owns // 2 * probes + probes // 2,
            first[:, None] + np.minimum(np.arange(3), probes[:, None] - 1),
            first[paired & (size == 9), None, None] + np.arange(9).reshape(3, 3),
            (next_probe, next_probe + 1),
            (next_own, next_own + probes[cell[next_own]]),
        )


def _joined(
    outputs: list[_Outputs], questions: _Questions, code: NDArray[np.intp], after: Positions
) -> tuple[_Round, list[tuple[int, ...]]]:
    """The sources of the next round, each once, and where each of the outputs leads from every panel."""
    of_output, panel = (column.tolist() for column in questions.cells)
    leads = code[questions.middle].tolist()
    names: dict[int, list[Hashable]] = {}
    for paired in (False, True):
        cells = np.flatnonzero((code[questions.middle] > STOP) & (questions.paired == paired))
        each = _names(after.take(questions.three[cells].reshape(-1)), rounded=paired)
        names |= {cell: each[3 * i : 3 * i + 3] for i, cell in enumerate(cells.tolist())}
    number: dict[Hashable, int] = {}
    sources: list[tuple[int, int | None]] = []
    first_cells: list[int] = []
    for cell in sorted(names):
        waiting, c = outputs[of_output[cell]].waiting, leads[cell]
        source = panel[cell] if waiting is None else waiting, c - 1 if c else None  # 0 stands for waiting
        leads[cell] = number.setdefault((*source, *names[cell]), len(sources))
        if leads[cell] == len(sources):
            sources.append(source)
            first_cells.append(cell)
    rows: list[list[int]] = [[] for _ in outputs]
    for i, lead in zip(of_output, leads, strict=True):
        rows[i].append(lead)
    kept = after.take(questions.three[np.array(first_cells, dtype=np.intp)].reshape(-1))
    return _Round(sources, kept), [tuple(row) for row in rows]


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


def _whole(at: Positions, code: NDArray[np.intp]) -> list[NDArray[Any]]:
    """The parts of state and memory that are no doubles, where the transcript goes on."""
    goes = code > STOP
    flat = [leaf.reshape(at.n, -1) for leaf in _arrays(at) if leaf.dtype.kind not in "fO"]
    return [np.where(goes, leaf[:, i], 0).astype(np.int64) for leaf in flat for i in range(leaf.shape[1])]
