"""The worst-case game of KOV pairs whose epsilons are multiples of one step, on an exact lattice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.work import count_work
from filterproof.mc.losses.balls import BITS, Rounding, exact_fraction, round_to_side, to_ball
from filterproof.mc.losses.epsilon_values import Epsilon
from filterproof.mc.losses.finite_outputs import loss_minus_epsilon
from filterproof.mc.losses.too_large import check_max_positions
from filterproof.mc.worst_case.graph import StateGraph
from filterproof.mc.worst_case.windows import LossWindows
from filterproof.theory.log_ratio import LogRatio
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK

#: The largest |epsilon| and the largest level, in nats. Beyond, numbers half way between P and Q underflow.
_MAX_NATS = 128.0
#: The largest level and epsilon in steps: sums of their squares fit into int64.
_MAX_UNITS, _MAX_STEPS = 2**20, 2**40
#: Binary logarithm of the positions that a unit of work solves.
_POSITIONS_PER_UNIT = 5
#: Unit roundoff of IEEE double precision with rounding to nearest, and an absolute bound on the total underflow: one
#: operation has an error of at most 2^-1074.
UNIT, UNDERFLOW = Fraction(1, 2**53), Fraction(1, 2**900)


def is_within_double_range(units: Sequence[int], step: Fraction, epsilon: Epsilon) -> bool:
    """Whether epsilon and the levels are so small that no number overflows a double or an int64."""
    size = abs(float(epsilon))
    near = size <= _MAX_NATS and step * max(units) <= _MAX_NATS
    return near and max(units) <= _MAX_UNITS and size <= _MAX_STEPS * step


@dataclass(frozen=True, slots=True)
class LevelGame:
    """X(state, loss) = e^{(loss - epsilon) / 2} (V(state, loss) - (1 - e^{epsilon - loss})_+), on windows of losses.

    X is the scaled gain over stopping, which is small if the loss is far from epsilon. With the masses (1 - d)
    e^{+-k/2} / (2 cosh(k/2)) of KOV(k, d), k = units h, Bellman's recursion for V becomes

        X(s, x) = max over admitted (k, d) of d e^{-|x| / 2}
                  + (1 - d) (X(s', x + k) + X(s', x - k) + 2 sinh((k - |x|)_+ / 2)) / (2 cosh(k / 2))

    where x = loss - epsilon and s' is the state after the request; X = 0 if none is admitted. So V(start, 0) = (1 -
    e^epsilon)_+ + e^{epsilon / 2} X(start, -epsilon). Every number is >= 0, so that there is no cancellation. Losses
    outside the windows count as 0, which makes the value smaller. Only states with unsolved parents are kept in memory.
    """

    graph: StateGraph
    units: tuple[int, ...]
    deltas: tuple[Fraction, ...]
    step: Fraction
    epsilon: Epsilon
    side: Rounding
    windows: LossWindows
    start: float

    @classmethod
    def solve(
        cls,
        graph: StateGraph,
        levels: Sequence[tuple[int, Fraction]],
        step: Fraction,
        epsilon: Epsilon,
        side: Rounding,
        *,
        max_positions: int,
    ) -> LevelGame:
        """Solve Bellman's recursion from the last states to the first; a level is (units, d)."""
        units, deltas = zip(*levels, strict=True)
        # tanh(k / 2) <= k / 2 bounds the gain of a request without infinite losses
        windows = LossWindows.of(
            graph, units, float(epsilon) / float(step), most=float(step) / 2, reveals=any(deltas)
        )
        game = cls(graph, units, deltas, step, epsilon, side, windows, 0.0)
        check_max_positions(windows.positions, max_positions, f"positions in {len(graph.child)} states")
        count_work(windows.positions * len(units) >> _POSITIONS_PER_UNIT)
        return replace(game, start=game._value_and_choices(record=False)[0])

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """Bounds on V(start, 0): lower unless side is "high", upper unless it is "low"."""
        # a round adds three numbers and multiplies once, each within 1 + u; if side is "near", a scale and a gain are
        # within 1 + 2u. The revealing part is one product of two numbers within 1 + 2u, and one more addition
        depth, reveals = self.graph.depth, int(any(self.deltas))
        operations = (3 + reveals) * depth + reveals
        if self.side == "near":
            operations += 2 * depth + 2 + 2 * reveals
        exact, factor = Fraction(self.start), 1 / (1 - operations * UNIT)
        stopped = Fraction(0)
        with PRECISION_LOCK, flint.ctx.workprec(BITS):
            if isinstance(self.epsilon, LogRatio):
                growth, stopped = to_ball(self.epsilon.ratio).sqrt(), max(1 - self.epsilon.ratio, stopped)
            else:
                growth = (to_ball(self.epsilon) / 2).exp()
        low = (exact / factor - UNDERFLOW) * exact_fraction(growth.lower())
        high = (exact * factor + Fraction(self.windows.left_out) + UNDERFLOW) * exact_fraction(growth.upper())
        return stopped + max(low, Fraction(0)), min(stopped + high, Fraction(1))

    def choices(self) -> list[NDArray[np.signedinteger[Any]]]:
        """Return the best request at every position, -1 if none is admitted or nothing can be gained."""
        return self._value_and_choices(record=True)[1]

    def _value_and_choices(self, *, record: bool) -> tuple[float, list[NDArray[np.signedinteger[Any]]]]:
        """Return X at the start, and the best request at every position if requested."""
        child, windows, units = self.graph.child, self.windows, np.array(self.units)
        stride, n = windows.stride, len(child)
        lows, sizes = windows.lows.tolist(), windows.sizes.tolist()
        shelf = _StateStorage.of(child, windows, units)
        scales, (centre, gains) = self._request_scales(), self._crossing_gains_by_parity()
        reveals, least = any(self.deltas), int(windows.lows.min())
        revealed, decays = self._revealed_masses_and_decays() if reveals else (np.empty(0), np.empty(0))
        kind = np.min_scalar_type(-len(units))
        table: list[NDArray[np.signedinteger[Any]]] = [np.empty(0, dtype=kind)] * n
        for i in range(n - 1, -1, -1):
            low, size = lows[i], sizes[i]
            state_values = shelf.cleared_place(i)
            moves = np.flatnonzero(child[i] >= 0)
            if record:
                table[i] = np.full(size, -1, dtype=kind)
            if not size or not len(moves):
                continue
            after = child[i, moves]
            # row r of `views` is the content of the shelf from place r on
            views = np.ndarray((len(shelf.values) - size + 1, size), np.float64, shelf.values, 0, (8, 8))
            gain = views[shelf.place(after, low + units[moves])]
            gain += views[shelf.place(after, low - units[moves])]
            hill = gains[low % stride]
            first = (low - centre[low % stride]) // stride
            begin, end = max(-first, 0), min(hill.shape[1] - first, size)
            if begin < end:
                gain[:, begin:end] += hill[moves, first + begin : first + end]
            gain *= scales[moves, None]
            if reveals:
                gain += revealed[moves, None] * decays[low - least :: stride][:size]
            best = state_values[(low - shelf.lows[i]) // stride :][:size]
            gain.max(axis=0, out=best)
            if record:
                table[i] = np.where(best > 0, moves[gain.argmax(axis=0)], -1).astype(kind)
        inside = lows[0] <= 0 < lows[0] + stride * sizes[0]
        return (float(state_values[-shelf.lows[0] // stride]) if inside else 0.0), table

    def _crossing_gains_by_parity(self) -> tuple[list[int], list[NDArray[np.float64]]]:
        """Return 2 sinh((k - |x|)_+ / 2) of each request, and its first loss, for each parity of losses."""
        largest, stride = max(self.units), self.windows.stride
        zero = math.floor(float(self.epsilon) / float(self.step)) - 1
        while not self._loss_minus_epsilon(zero) >= 0:
            zero += 1
        with PRECISION_LOCK, flint.ctx.workprec(BITS):
            halves = [abs(self._loss_minus_epsilon(zero + j)) / 2 for j in range(-largest, largest)]
            won = np.array([round_to_side(2 * half.sinh(), self.side) for half in halves])
        hills = np.zeros((len(self.units), 2 * largest))
        for m, k in enumerate(self.units):
            # at zero + j the walk crosses epsilon by the distance from epsilon to zero + j + k, or zero + j - k
            hills[m, largest - k : largest] = won[largest : largest + k]
            hills[m, largest : largest + k] = won[largest - k : largest]
        begins = [zero - largest + (parity - zero + largest) % stride for parity in range(stride)]
        return begins, [hills[:, begin - zero + largest :: stride] for begin in begins]

    def _loss_minus_epsilon(self, k: int) -> flint.arb:
        """Return the loss of k steps minus epsilon."""
        return loss_minus_epsilon((self.step * k, Fraction(1)), self.epsilon)

    def _request_scales(self) -> NDArray[np.float64]:
        """Return each request's factor (1 - d) / (2 cosh(k / 2)) in Bellman's recursion."""
        with PRECISION_LOCK, flint.ctx.workprec(BITS):
            scales = [
                round_to_side(to_ball(1 - delta) / (2 * (to_ball(self.step * k) / 2).cosh()), self.side)
                for k, delta in zip(self.units, self.deltas, strict=True)
            ]
        return np.array(scales)

    def _revealed_masses_and_decays(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return d of each request, and e^{-|x| / 2} at each loss of the windows."""
        losses = range(int(self.windows.lows.min()), int(self.windows.highs.max()) + 1)
        with PRECISION_LOCK, flint.ctx.workprec(BITS):
            decays = [round_to_side((-abs(self._loss_minus_epsilon(k)) / 2).exp(), self.side) for k in losses]
        return np.array([round_to_side(to_ball(delta), self.side) for delta in self.deltas]), np.array(decays)


@dataclass(frozen=True, slots=True)
class _StateStorage:
    """X of the states with unsolved parents, in one array, each from its least used loss on.

    States enter it from the last to the first. Nothing before state i uses states beyond the last child of states up to
    i, so that places are reused.
    """

    values: NDArray[np.float64]
    lows: NDArray[np.int64]
    sizes: NDArray[np.int64]
    starts: NDArray[np.int64]
    stride: int

    @classmethod
    def of(cls, child: NDArray[np.int64], windows: LossWindows, units: NDArray[np.int64]) -> _StateStorage:
        """Allocate room for the states of a graph; around each window are zeros as far as a parent reads."""
        filled = windows.sizes > 0
        lows, highs = windows.lows.copy(), np.where(filled, windows.highs, windows.lows)
        for m, k in enumerate(units.tolist()):
            rows = np.flatnonzero((child[:, m] >= 0) & filled)
            np.minimum.at(lows, child[rows, m], windows.lows[rows] - k)
            np.maximum.at(highs, child[rows, m], windows.highs[rows] + k)
        sizes = (highs - lows) // windows.stride + 1
        ends = np.cumsum(sizes)
        last = np.maximum.accumulate(np.maximum(child.max(axis=1), np.arange(len(child))))
        room = int((ends[last] - ends + sizes).max())
        # a window that exceeds the room must not wrap around
        starts = (ends[-1] - ends) % room
        return cls(np.zeros(room + int(sizes.max())), lows, sizes, starts, windows.stride)

    def cleared_place(self, state: int) -> NDArray[np.float64]:
        """Return the place of a state, filled with zeros."""
        place = self.values[self.starts[state] : self.starts[state] + self.sizes[state]]
        place[:] = 0.0
        return place

    def place(self, states: NDArray[np.int64], losses: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places of the losses of the states."""
        places: NDArray[np.int64] = self.starts[states] + (losses - self.lows[states]) // self.stride
        return places
