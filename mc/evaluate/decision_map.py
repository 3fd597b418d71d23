"""A map of a strategy against a filter: for each round and loss, the next request.

Losses are real numbers here, divided into panels. A source is a panel with a pair and the data of filter and
adversary: the positions with a loss in that panel, before the output of that pair. The map has three steps:

1. Play. The output of a source takes its loss to any panel. The code of filter and adversary decides there. It gets
   queries from three losses of the source's panel at three losses of the new panel: nine queries, or three if the data
   do not depend on the previous loss.
2. Join. If all answers agree, the source leads from that panel to one source of the next round: the new panel, the
   requested pair, and the data. Sources with the same panel, pair and data are merged.
3. Cut. If two neighbouring queries have different answers, bisection finds the double at which the answer of the code
   changes, along the new loss or along the previous one. It becomes an edge. The play starts again on the panels that
   the edge cuts, until no round finds another edge.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.state import map_arrays, run_keys, state_leaves
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.game import Game
from filterproof.mc.evaluate.adversary_queries import DENIED, AdversaryQueries, NotAFunctionError, Positions
from filterproof.mc.evaluate.quadrature_panels import QuadraturePanels, bisect_change, new_distinct_changes
from filterproof.mc.losses.too_large import TooLargeError

#: The target of an output: 0 or more is a source of the next round, STOP is the end of the transcript, and -2 - k is a
#: last release of pair k.
STOP = -1
#: In the last round every release ends the transcript.
_ENDS = (STOP,)
#: The panel of the point 0, where every game starts.
POINT = -1
_MAX_EDGES, _MAX_SOURCES, _PASSES = 250, 200_000, 12
#: A round with more positions than this is played only if no decision changed before.
_MAX_UNSPLIT_POSITIONS = 1000
#: Decimals, in nats, to which states with losses are compared: their sums are rounded.
_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class PanelDecision:
    """The decisions at a source: `pair` is released (None: none), and an output in panel J leads to lead_numbers[J]."""

    panel: int
    pair: int | None
    lead_numbers: tuple[int, ...]

    @property
    def ends_transcript(self) -> bool:
        """Whether every output of the source ends the transcript."""
        return set(self.lead_numbers) == {STOP}


@dataclass(frozen=True, slots=True)
class _RoundSources:
    """The sources of a round as (panel, pair), and their positions at three probes of the panel each, in one row."""

    sources: list[tuple[int, int | None]]
    positions_asked: Positions


@dataclass(slots=True)
class DecisionMap:
    """rounds[t] lists the decisions at the sources of round t; the first round has one, at the point 0.

    `changes` are the edges at which decisions change; `positions` counts the queries.
    """

    asking: AdversaryQueries
    panels: QuadraturePanels
    changes: tuple[float, ...]
    merged: float
    rounds: list[list[PanelDecision]] = field(default_factory=list)
    start: int = STOP
    positions: int = 0
    _new: set[float] = field(default_factory=set)
    _bisections: set[tuple[float, float, int]] = field(default_factory=set)

    @classmethod
    def of(
        cls, asking: AdversaryQueries, *, low: float, high: float, width: float, merged: float
    ) -> DecisionMap:
        """Return the map on panels of at most `width` between low and high, with edges at every change found.

        A change within `merged` of an earlier one is not separate.
        """
        changes: set[float] = set()
        for _ in range(_PASSES):
            panels = QuadraturePanels.between(changes, low=low, high=high, width=width, merged=merged)
            decisions = cls(asking, panels, tuple(sorted(changes)), merged)
            decisions._play_rounds()
            if not (new := decisions._new_changes()):
                return decisions
            changes |= new
        raise _too_many_edges(len(changes))

    @property
    def edges(self) -> NDArray[np.float64]:
        """The ends of the panels."""
        return self.panels.edges

    @property
    def observed_pairs(self) -> set[int]:
        """The pairs whose output is seen before the transcript ends."""
        return {
            source.pair
            for source in self._panel_decisions()
            if source.pair is not None and not source.ends_transcript
        }

    @property
    def last(self) -> set[int]:
        """The pairs whose release ends a transcript."""
        every = self._panel_decisions()
        ends = {-2 - lead for source in every for lead in set(source.lead_numbers) if lead < STOP}
        return ends | {source.pair for source in every if source.pair is not None and source.ends_transcript}

    def _panel_decisions(self) -> list[PanelDecision]:
        """Return one decision for each pair and row of leads; otherwise equal decisions share the row."""
        return list(
            {
                (decision.pair, id(decision.lead_numbers)): decision
                for sources in self.rounds
                for decision in sources
            }.values()
        )

    def _new_changes(self) -> set[float]:
        """The relevant changes that are not edges yet."""
        return new_distinct_changes(self._new, set(self.changes), self.merged)

    def _play_rounds(self) -> None:
        """Fill in the rounds, as far as no decision changes inside a panel."""
        game = self.asking.game
        start = self.asking.start().take(np.zeros(3, dtype=np.intp))
        standing, leads = self._next_round(0, [_OutputGroup(start, 3, (POINT,), False)])
        self.start = leads[0][0]
        for t in range(1, game.rounds + 1):
            if not standing.sources:
                break
            if sum(map(len, self.rounds)) + len(standing.sources) > _MAX_SOURCES:
                raise TooLargeError(
                    f"adversary and filter must have at most {_MAX_SOURCES} positions, got more after {t} rounds; "
                    "pass fewer rounds, or use fp.simulate"
                )
            if t == game.rounds:
                self.rounds.append([PanelDecision(panel, pair, _ENDS) for panel, pair in standing.sources])
                break
            if len(standing.sources) > _MAX_UNSPLIT_POSITIONS and self._new_changes():
                break  # with panels split at changes of decisions there may be fewer positions
            batches, output_of = self._distinct_outputs(standing)
            after, leads = self._next_round(t, batches)
            self.rounds.append(
                [
                    PanelDecision(*source, leads[place])
                    for source, place in zip(standing.sources, output_of, strict=True)
                ]
            )
            standing = after

    def _distinct_outputs(self, standing: _RoundSources) -> tuple[list[_OutputGroup], list[int]]:
        """Return the distinct outputs to query, and which of them belong to each source."""
        blind = not self.asking.game.filter.looks_at_losses and not self.asking.keeps_last
        names = _position_keys(standing.positions_asked, rounded=False) if blind else []
        rows: dict[tuple[bool, int], list[int]] = {(True, 3): [], (False, 1): [], (False, 3): []}
        waiting: list[int] = []
        alike: dict[Hashable, tuple[tuple[bool, int], int]] = {}
        place_of: list[tuple[tuple[bool, int], int]] = []
        for i, (panel, pair) in enumerate(standing.sources):
            # nothing later depends on the loss before
            forgets = blind and pair is not None and len(set(names[3 * i : 3 * i + 3])) == 1
            kind = pair is None, 1 if pair is not None and (forgets or panel == POINT) else 3
            place = new = kind, len(rows[kind]) // kind[1]
            if forgets:
                place = alike.setdefault(names[3 * i], new)
            if place is new:
                rows[kind] += range(3 * i, 3 * i + kind[1])
                waiting += [panel] * kind[0]
            place_of.append(place)
        batches, first, many = [], {}, 0
        for (waits, owns), own in rows.items():
            first[waits, owns] = many
            if own:
                positions = standing.positions_asked.take(np.array(own))
                batches.append(
                    _OutputGroup(positions, owns, tuple(waiting) if waits else None, not blind and not waits)
                )
            many += len(own) // owns
        return batches, [first[kind] + i for kind, i in place_of]

    def _next_round(self, t: int, batches: list[_OutputGroup]) -> tuple[_RoundSources, list[tuple[int, ...]]]:
        """Return the sources of the next round, and the target of each output: steps 1 to 3, for one round."""
        number: dict[Hashable, int] = {}
        sources: list[tuple[int, int | None]] = []
        next_positions: list[Positions] = []
        rows: list[tuple[int, ...]] = []
        for batch in batches:
            at, shape = batch.query_positions(self.asking, self.panels.probes)
            self.positions += at.n if t else 1  # the start, three times
            flat, after = self._results_at(t, at)
            code = flat.reshape(shape)
            self._bisect_answers(t, batch, code, at.loss.reshape(shape), after)
            if batch.paired and batch.owns > 1:
                self._check_history(code, after)
            # a cell is an output with a panel that it reaches, queried in the middle and stored from the first own
            # probe
            leads = code[:, :, batch.deciding_probe, 1].copy()
            goes = leads > STOP
            three = np.arange(code.size).reshape(shape)[:, :, 0][goes]
            names = _position_keys(after.take(three.reshape(-1)), rounded=batch.paired)
            fresh = []
            for cell, (i, panel) in enumerate(np.argwhere(goes).tolist()):
                pair = int(leads[i, panel]) - 1 if leads[i, panel] else None  # 0 means waiting
                source = panel if batch.waiting is None else batch.waiting[i], pair
                stored_names = tuple(names[3 * cell : 3 * cell + 3])
                leads[i, panel] = number.setdefault((source, stored_names), len(sources))
                if leads[i, panel] == len(sources):
                    sources.append(source)
                    fresh += three[cell].tolist()
            next_positions.append(after.take(np.array(fresh, dtype=np.intp)))
            rows += map(tuple, leads.tolist())
        return _RoundSources(sources, Positions.joined(next_positions)), rows

    def _results_at(self, t: int, at: Positions) -> tuple[NDArray[np.intp], Positions]:
        """Return the result at each position: 1 + k to release pair k, 0 to wait, STOP, -2 - k for a last release."""
        game = self.asking.game
        number, after = self.asking.ask(t, at)
        code = number + 1
        denied = np.flatnonzero(number == DENIED)
        if len(denied) and not game.waits:
            part = after.take(denied)
            final = self.asking.final(Positions(part.loss, at.last[denied], part.state, part.memory))
            code[denied] = np.where(final == DENIED, STOP, -2 - final)
        return code, after

    def _bisect_answers(
        self,
        t: int,
        batch: _OutputGroup,
        code: NDArray[np.intp],
        loss: NDArray[np.float64],
        after: Positions,
    ) -> None:
        """Bisect between neighbouring queries with different answers: along the new loss and the loss before."""
        if len(self._new) + len(self.changes) > _MAX_EDGES:
            raise _too_many_edges(len(self._new) + len(self.changes))
        answers = np.stack(
            [code, *(part.reshape(code.shape) for part in _non_float_parts(after, code.reshape(-1)))]
        )
        for i, panel, own, probe in _differing_places(answers[..., 1:] != answers[..., :-1]):
            ends = loss[i, panel, own, probe : probe + 2]
            self._bisect_change(
                t, partial(batch.position_at_loss, self.asking, batch.own_probe_row(i, own)), ends
            )
        for i, panel, own, probe in _differing_places(answers[..., 1:, :] != answers[..., :-1, :]):
            row, y = batch.own_probe_row(i, own), float(loss[i, panel, own, probe])
            self._bisect_change(
                t, partial(batch.between, self.asking, row, y), batch.positions_before.loss[row : row + 2]
            )

    def _bisect_change(
        self, t: int, position: Callable[[float], Positions], ends: NDArray[np.float64]
    ) -> None:
        """Locate a change of the result between the ends of an interval of losses by bisection."""
        low, high = ends.tolist()
        if (key := (low, high, 0 if self.merged else t)) not in self._bisections:
            self._bisections.add(key)
            self._new.add(bisect_change(partial(self._result_at, t, position), low, high))
            self.positions -= 1  # the lower end was counted before

    def _result_at(self, t: int, position: Callable[[float], Positions], x: float) -> Hashable:
        """Return the result at a position, and the part of its state that is no double."""
        self.positions += 1
        code, after = self._results_at(t, position(x))
        exact_leaves = tuple(leaf for leaf in _position_arrays(after) if leaf.dtype.kind != "f")
        return int(code[0]), run_keys(exact_leaves)[0] if exact_leaves and code[0] > STOP else None

    def _check_history(self, code: NDArray[np.intp], after: Positions) -> None:
        """Check that the state at one loss depends on the loss before by rounding only."""
        nine = code.reshape(-1, 3, 3)
        alike = ((nine == nine[:, :1, :1]) & (nine > STOP)).all(axis=(1, 2))
        for leaf in (leaf for leaf in _position_arrays(after) if leaf.dtype.kind == "f"):
            values = leaf.reshape(len(nine), 3, 3, *leaf.shape[1:])[alike]
            if not np.allclose(values, values[:, :1], rtol=1e-9, atol=1e-9, equal_nan=True):
                raise NotAFunctionError(
                    f"the state of {type(self.asking.game.filter).__name__} must be a function of the loss after a "
                    "request was charged, got different states at one loss; use fp.simulate, which plays any filter"
                )


@dataclass(frozen=True, slots=True)
class _OutputGroup:
    """Outputs of one kind: each is that of one source, or of several equal ones.

    `positions_before` are the positions before, `owns` for each output: at three probes of its panel, or at one.
    `waiting` are the panels of waiting sources, whose loss stays. `paired` says that the state may depend on the loss
    before.
    """

    positions_before: Positions
    owns: int
    waiting: tuple[int, ...] | None
    paired: bool

    @property
    def deciding_probe(self) -> int:
        """The index of the own probe that decides the target of an output: the middle one."""
        return 0 if self.waiting is not None else self.owns // 2

    def own_probe_row(self, i: int, own: int) -> int:
        """Return the row in `positions_before` of one own probe of output i."""
        return i * self.owns + own

    def query_positions(
        self, asking: AdversaryQueries, probes: NDArray[np.float64]
    ) -> tuple[Positions, tuple[int, int, int, int]]:
        """Return the positions to query, and their shape: outputs, new panels, own probes, probes."""
        many = self.positions_before.n // self.owns
        if self.waiting is not None:
            # the adversary may change its memory
            copied = self.positions_before.take(np.arange(self.positions_before.n))
            return copied, (many, 1, 1, 3)
        shape = many, len(probes), self.owns, 3
        rows = np.broadcast_to(np.arange(self.positions_before.n).reshape(many, 1, self.owns, 1), shape)
        losses = np.broadcast_to(probes[None, :, None], shape)
        return _positions_after(
            asking, self.positions_before.take(rows.reshape(-1)), losses.reshape(-1)
        ), shape

    def position_at_loss(self, asking: AdversaryQueries, row: int, y: float) -> Positions:
        """Return the position after a release that takes the loss to y, from one row before."""
        there = self.positions_before.take(np.array([row]))
        return (
            there._replace(loss=np.array([y]))
            if self.waiting is not None
            else _positions_after(asking, there, y)
        )

    def between(self, asking: AdversaryQueries, row: int, y: float, x: float) -> Positions:
        """Return the position at loss y, from a loss x between two neighbours before: the state is interpolated."""
        ends = self.positions_before.take(np.array([row, row + 1]))
        share = (x - ends.loss[0]) / (ends.loss[1] - ends.loss[0])

        def interpolate_leaf(leaf: Any) -> Any:
            """Return an array of a state interpolated between the two neighbours."""
            if not isinstance(leaf, np.ndarray):
                return leaf
            if leaf.dtype.kind != "f":
                return leaf[:1]
            own = np.isclose(leaf, ends.loss.reshape(-1, *[1] * (leaf.ndim - 1)), rtol=1e-12, atol=1e-12)
            line = leaf[:1] + (leaf[1:] - leaf[:1]) * share
            line = np.where(leaf[:1] == leaf[1:], leaf[:1], line)
            return np.where(
                np.all(own, axis=0)[None], x, line
            )  # a state that equals the loss stays exactly equal

        state, memory = map_arrays(interpolate_leaf, ends.state), map_arrays(interpolate_leaf, ends.memory)
        return _positions_after(asking, Positions(np.array([x]), np.zeros(1), state, memory), y)


def _differing_places(differ: NDArray[np.bool_]) -> list[list[int]]:
    """Return the places of different answers; the answers are on the first axis."""
    places: list[list[int]] = np.argwhere(differ.any(axis=0)).tolist()
    return places


def _positions_after(
    asking: AdversaryQueries, before: Positions, loss: float | NDArray[np.float64]
) -> Positions:
    """Return the positions after a release that takes the loss to `loss`."""
    reached = np.broadcast_to(loss, before.n).astype(np.float64)
    return asking.after_loss(before, reached, reached - before.loss)


def filter_and_adversary_from_library(game: Game) -> bool:
    """Whether filter and adversary are the library's own, so that probes see every change.

    Filters of the library that look at losses continue in one interval around 0, strategies change at 0, and 0 is an
    edge. Nothing is known about other code between two probes. A solved strategy is a table with any number of changes.
    """
    inner = game.filter
    while isinstance(below := getattr(inner, "inner", None), PrivacyFilter):
        if not type(inner).__module__.startswith("filterproof.mc."):
            return False
        inner = below
    of_filters = type(inner).__module__.startswith("filterproof.filters.")
    return of_filters and type(game.adversary).__module__ == "filterproof.mc.engine.adversaries"


def _too_many_edges(edges: int) -> TooLargeError:
    """Return a TooLargeError for a map with so many panel edges."""
    return TooLargeError(
        f"adversary and filter must change their decisions at no more than {_MAX_EDGES} losses, and at the same ones "
        f"wherever the loss came from, got {edges} and more; use fp.simulate, which plays any strategy"
    )


def _position_arrays(at: Positions) -> list[NDArray[Any]]:
    """Return the arrays of the filter state and the adversary memory of positions."""
    return [
        leaf for leaf in state_leaves((at.state, at.memory)) if isinstance(leaf, np.ndarray) and leaf.ndim
    ]


def _position_keys(at: Positions, *, rounded: bool) -> list[Hashable]:
    """Return a key for the state and memory of each position; states with sums of losses are rounded."""
    return run_keys(
        tuple(
            np.round(leaf, _DECIMALS) if rounded and leaf.dtype.kind == "f" else leaf
            for leaf in _position_arrays(at)
        )
    )


def _non_float_parts(at: Positions, code: NDArray[np.intp]) -> list[NDArray[Any]]:
    """Return the parts of state and memory that are not doubles; objects are numbered."""
    goes, parts = code > STOP, [leaf for leaf in _position_arrays(at) if leaf.dtype.kind != "f"]
    numbers: dict[Hashable, int] = {}
    flat = [
        np.array([[numbers.setdefault(key, len(numbers))] for key in run_keys(leaf)], dtype=np.int64)
        if leaf.dtype.hasobject
        else leaf.reshape(at.n, -1)
        for leaf in parts
    ]
    return [np.where(goes, leaf[:, i], 0).astype(np.int64) for leaf in flat for i in range(leaf.shape[1])]
