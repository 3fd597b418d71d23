"""The worst-case game on a lattice for requests with many losses, solved by Fourier transforms."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.work import count_work
from filterproof.mc.losses.balls import Rounding
from filterproof.mc.losses.epsilon_values import Epsilon
from filterproof.mc.losses.fourier_sums import ELEMENTARY_ERROR, fft_rounding_error
from filterproof.mc.losses.lattice_pld import LatticePLD
from filterproof.mc.losses.too_large import check_max_positions
from filterproof.mc.worst_case.graph import StateGraph
from filterproof.mc.worst_case.windows import LossWindows

#: -log of the share of the value that losses outside the window may have.
_TRUNCATION_EXPONENT = 40.0
#: The tilts that are tried, in units of one over the largest standard deviation of a request's loss.
_TILTS = 2.0 ** np.arange(-10.0, 5.0, 0.25)
#: About the number of doubles in the states that are solved together.
_CHUNK_DOUBLES = 1 << 18
#: Binary logarithm of the losses that a unit of work transforms.
_POINTS_PER_UNIT = 6
#: The smallest P(L = inf) of a request for which losses are not tilted.
_REVEALED = 1e-13


@dataclass(frozen=True, slots=True)
class DenseGame:
    """Y(state, x) = e^{-tilt x} (V(state, loss) - (1 - e^{-x})_+), x = loss - epsilon, on one window of losses.

    Y is the tilted gain over stopping. Bellman's recursion is

        Y(s, x) = max(0, max over admitted m of sum_k a_k Y(s', x + k h) + gain_m(x)),  a_k = P(L = k h) e^{tilt k h},

    where s' is the state after m and gain_m the gain of a single request m. The sums over losses are Fourier
    transforms. Their absolute errors, bounded by `error_bound`, are small against Y(start, -epsilon) if the tilt is
    about that of the most likely way to epsilon. Outside the window, Y counts as 0 if side is "low". If side is
    "high", it counts as the rest by Markov's inequality below the window, and as e^{-x} above it. Only states with
    unsolved parents are kept in memory.
    """

    graph: StateGraph
    distributions: tuple[LatticePLD, ...]
    step: float
    epsilon: float
    side: Rounding
    tilt: float
    first: int
    size: int
    start: float
    error_bound: float

    @classmethod
    def solve(
        cls,
        graph: StateGraph,
        distributions: Sequence[LatticePLD],
        step: Fraction,
        epsilon: Epsilon,
        side: Rounding,
        *,
        max_positions: int,
        left: float | None = None,
    ) -> DenseGame:
        """Solve Bellman's recursion backwards; e^-left is about the relative value of losses outside the window."""
        tilt, first, last = _tilt_and_loss_window(
            graph, distributions, float(step), float(epsilon), _TRUNCATION_EXPONENT if left is None else left
        )
        far = max(abs(first), abs(last)) * float(step)
        # a larger epsilon has a smaller value: this covers the rounding of epsilon and of losses
        nudge = 2.0**-46 * (1 + abs(float(epsilon)) + far)
        moved = float(epsilon) + (nudge if side == "low" else -nudge)
        game = cls(
            graph, tuple(distributions), float(step), moved, side, tilt, first, last + 1 - first, 0.0, 0.0
        )
        doubles = int(_states_in_memory(graph).max()) * 2 * game.size + 40 * len(graph.child)
        what = f"doubles in memory for {len(graph.child)} states of {game.size} losses"
        check_max_positions(doubles, max_positions, what)
        count_work(len(graph.child) * len(distributions) * game.size >> _POINTS_PER_UNIT)
        for node, best, _, wrong in game._sweep_backwards(record=False):
            if node == 0:
                game = replace(game, start=float(best[-first]), error_bound=wrong)
        return game

    @property
    def windows(self) -> LossWindows:
        """The window of losses, the same for all states."""
        lows = np.full(len(self.graph.child), self.first, dtype=np.int64)
        return LossWindows(lows, lows + (self.size - 1), 1, 0.0)

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """Bounds on V(start, 0): lower unless side is "high", upper unless it is "low"."""
        stopped = -math.expm1(min(self.epsilon, 0.0))
        scale = math.exp(-self.tilt * self.epsilon)
        slack = 2.0**-38 + 2 * self.graph.depth * max(map(self._rounding_error, self.distributions))
        below = stopped * (1 - 2.0**-50) + scale * max(self.start - self.error_bound, 0.0) * (1 - slack)
        above = stopped * (1 + 2.0**-50) + scale * (self.start + self.error_bound) * (1 + 2 * slack)
        return max(Fraction(below), Fraction(0)), min(Fraction(above), Fraction(1))

    def choices(self) -> list[NDArray[np.signedinteger[Any]]]:
        """Return the best request at every position, -1 if none gains anything."""
        table: list[NDArray[np.signedinteger[Any]]] = [
            np.full(self.size, -1, dtype=np.int16) for _ in range(len(self.graph.child))
        ]
        for node, _, choice, _ in self._sweep_backwards(record=True):
            table[node] = choice
        return table

    def _sweep_backwards(
        self, *, record: bool
    ) -> Iterator[tuple[int, NDArray[np.float64], NDArray[np.int16], float]]:
        """Yield (state, Y, the best request if `record`, a bound on the error of Y) for each state with a request."""
        child, size = self.graph.child, self.size
        kernels, length = self._transition_kernels()
        gains, below, moments = self._gains_tails_and_moments()
        term_error = 4 * fft_rounding_error(length)
        # the largest product of moments over the plays from each state on, and a bound on errors of sums of logarithms
        largest = np.exp(self.graph.largest_sums_after(np.log(moments)[:, None])[:, 0]) * (1 + 2.0**-20)
        growth = largest if self.side == "high" else np.zeros(len(child))
        until = _first_parent_or_self(self.graph)
        spectra: dict[int, NDArray[np.complex128]] = {}
        norms, errors = np.zeros(len(child)), np.zeros(len(child))
        leaving: dict[int, list[int]] = {}
        for begin, end in _state_groups(child, max(_CHUNK_DOUBLES // length, 1)):
            nodes = np.arange(begin, end)
            best = np.zeros((end - begin, size))
            chosen = np.full(best.shape if record else (end - begin, 0), -1, dtype=np.int16)
            for m in np.flatnonzero((child[begin:end] >= 0).any(axis=0)).tolist():
                rows = np.flatnonzero(child[begin:end, m] >= 0)
                after = child[begin + rows, m]
                total = gains[m] + below[m] * growth[after, None]
                later = np.flatnonzero(norms[after] > 0)
                if len(later):
                    product = np.array([spectra[k] for k in after[later].tolist()])
                    product *= kernels[m]
                    total[later] += np.fft.irfft(product, length, axis=1)[:, :size]
                wrong = moments[m] * (errors[after] + term_error * norms[after])
                errors[begin + rows] = np.maximum(errors[begin + rows], wrong)
                if record:
                    chosen[rows] = np.where(total > best[rows], m, chosen[rows])
                best[rows] = np.maximum(best[rows], total)
            norms[begin:end] = np.sqrt(np.einsum("ij,ij->i", best, best)) * (1 + 2.0**-40)
            some = nodes[(norms[begin:end] > 0) & (nodes > 0)]
            if len(some):
                spectra.update(zip(some.tolist(), np.fft.rfft(best[some - begin], length), strict=True))
            for node in some.tolist():
                leaving.setdefault(int(until[node]), []).append(node)
            for node in range(end - 1, begin - 1, -1):
                if (child[node] >= 0).any():
                    yield node, best[node - begin], chosen[node - begin], float(errors[node])
                for gone in leaving.pop(node, ()):
                    del spectra[gone]

    @property
    def _excess_losses(self) -> NDArray[np.float64]:
        """The losses of the window minus epsilon."""
        losses = self.step * np.arange(self.first, self.first + self.size, dtype=np.float64)
        return losses - self.epsilon

    def _rounding_error(self, distribution: LatticePLD) -> float:
        """Return the relative error of one round, without the transforms."""
        reach = self.tilt * self.step * float(np.abs(distribution.places).max())
        # logarithms of masses are at most 745
        return 8 * ELEMENTARY_ERROR + 2.0**-50 * (reach + 745) + (len(distribution.places) + 8) * 2.0**-52

    def _transition_kernels(self) -> tuple[NDArray[np.complex128], int]:
        """Return the transforms of the distributions and their length, without losses that always leave the window."""
        reach = max(
            min(int(np.abs(distribution.places).max()), self.size) for distribution in self.distributions
        )
        length = 1 << math.ceil(math.log2(self.size + reach))
        rows = np.zeros((len(self.distributions), length))
        for row, distribution in zip(rows, self.distributions, strict=True):
            inside = np.abs(distribution.places) < self.size
            np.add.at(
                row,
                -distribution.places[inside] % length,
                distribution.tilted_masses(self.tilt * self.step)[inside],
            )
        return np.fft.rfft(rows, axis=1), length

    def _gains_tails_and_moments(
        self,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return each request's gain at each x, its gain below the window, and its tilted moment.

        With side "high" the gain includes that above the window, where Y is at most e^{-(tilt+1)x}.
        """
        x, up = self._excess_losses, self.side == "high"
        sign = 1 if up else -1
        scale = np.exp(-self.tilt * x)
        gains, below = np.zeros((2, len(self.distributions), self.size))
        moments = np.zeros(len(self.distributions))
        revealed = self.graph.depth * max(distribution.revealed for distribution in self.distributions)
        for m, distribution in enumerate(self.distributions):
            tilted = distribution.tilted_masses(self.tilt * self.step)
            moments[m] = tilted.sum() * (1 + 2.0**-36)
            # above epsilon a distribution also gains from a Q-mass below one, and from rounding of its P-mass
            other = math.fsum([1.0, *-distribution.tilted_masses(-self.step)]) + sign * 2.0**-40
            rounded = math.fsum([-1.0, *distribution.masses, distribution.revealed]) + sign * 2.0**-50
            lacking = np.exp(-np.maximum(x, 0.0)) * other + rounded
            gain = np.where(x < 0, distribution.revealed, lacking)
            # at the crossing of epsilon the payoff depends only on the loss afterwards
            zero, crossing = np.searchsorted(x, 0.0), np.searchsorted(x, -distribution.places * self.step)
            a, b = np.minimum(zero, crossing), np.maximum(zero, crossing)
            crosses = a < b
            rows = zip(
                *(r[crosses].tolist() for r in (distribution.places, distribution.masses, a, b)), strict=True
            )
            before = int((distribution.places + a)[crosses].min(initial=0))
            until = int((distribution.places + b)[crosses].max(initial=0))
            after = self.step * np.arange(self.first + before, self.first + until, dtype=np.float64)
            with np.errstate(over="ignore"):  # beyond the length of any row
                paid = np.abs(np.expm1(-(after - self.epsilon)))
            for offset, mass, i, j in rows:
                gain[i:j] += mass * paid[i + offset - before : j + offset - before]
            gains[m] = scale * gain
            if up:
                places = np.arange(self.size)
                weight = np.append(np.cumsum(distribution.tilted_masses(-self.step)[::-1])[::-1], 0.0)
                out = np.searchsorted(distribution.places, self.size - places)
                with np.errstate(divide="ignore"):  # one of the factors may be no double
                    gains[m] += np.exp(np.log(weight[out]) - (self.tilt + 1) * x)
                out = np.searchsorted(distribution.places, -places)
                below[m] = np.append(0.0, np.cumsum(tilted))[out]
                gains[m] += revealed * scale * np.append(0.0, np.cumsum(distribution.masses))[out]
        return gains, below, moments


def _tilt_and_loss_window(
    graph: StateGraph, distributions: Sequence[LatticePLD], step: float, epsilon: float, left: float
) -> tuple[float, int, int]:
    """Return the exponential tilt, and the first and the last loss of the window in steps."""
    widest = (
        max(
            math.sqrt(max(distribution.tilted_mean_and_variance(0.0)[1] for distribution in distributions)),
            1e-6,
        )
        * step
    )
    leans = np.concatenate([-_TILTS[::-1], _TILTS]) / widest
    moments = np.array(
        [[distribution.log_moment(lean * step) for lean in leans] for distribution in distributions]
    )
    largest = graph.largest_sums_before(moments).max(
        axis=0
    )  # the largest moment over all plays, at each tilt
    down, up = leans < 0, leans > 0
    low = min(float(((largest[down] + left) / leans[down]).max()), epsilon) - step
    # sums of squares of e^{tilt (epsilon - low)}, and the moments, must be doubles
    fits = (leans[up] * (epsilon - low) < 340.0) & (moments[:, up].max(axis=0) < 500.0)
    cost = np.where(fits, largest[up] - leans[up] * epsilon, 0.0)
    revealed = max(distribution.revealed for distribution in distributions) > _REVEALED
    tilt = float(leans[up][cost.argmin()]) if cost.min() < 0 and not revealed else 0.0
    # the value is about e^cost
    high = float(((largest[up] + left - min(float(cost.min()), 0.0)) / leans[up]).min())
    high = max(min(high, epsilon + left / (tilt + 1)), 0.0, epsilon) + step
    return tilt, math.floor(low / step), math.ceil(high / step)


def _state_groups(child: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of states to solve together, the last ones first, without a parent and its child."""
    least = np.where(child >= 0, child, len(child)).min(axis=1, initial=len(child)).tolist()
    end = len(child)
    while end:
        begin = end - 1
        while begin and end - begin < most and least[begin - 1] >= end:
            begin -= 1
        yield begin, end
        end = begin


def _first_parent_or_self(graph: StateGraph) -> NDArray[np.int64]:
    """Return the first parent of each state, or the state itself without one."""
    until = np.arange(len(graph.child))
    for m in range(graph.child.shape[1]):
        rows = np.flatnonzero(graph.child[:, m] >= 0)
        np.minimum.at(until, graph.child[rows, m], rows)
    return until


def _states_in_memory(graph: StateGraph) -> NDArray[np.int64]:
    """Return the number of states in memory while each state is solved."""
    change = np.zeros(len(graph.child) + 1, dtype=np.int64)
    np.add.at(change, _first_parent_or_self(graph), 1)
    change[1:] -= 1
    return np.cumsum(change)[:-1]
