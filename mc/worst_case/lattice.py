"""The game on a loss lattice, for filters that do not look at losses: for each state, V is an array over losses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray

from mc.losses.balls import BITS, Rounding, ball, rounded
from mc.losses.lattice_law import LatticeLaw
from mc.losses.log_ratio import Epsilon, LogRatio
from mc.losses.too_large import TOO_LARGE, TooLargeError
from mc.worst_case.graph import StateGraph
from mc.worst_case.reach import Moves

__all__ = ["UNDERFLOW", "LatticeGame", "gap_above", "payoffs", "rounded_bounds"]

#: Unit roundoff of IEEE double precision, rounding to nearest.
_UNIT = Fraction(1, 2**53)
#: An absolute bound on what underflow can add up to: one operation errs by at most 2^-1074.
UNDERFLOW = Fraction(1, 2**900)


@dataclass(frozen=True, slots=True)
class LatticeGame:
    """V(state i, k h) = values[i][k - lows[i]], for every loss k h that can occur in state i.

    V is computed in doubles as sums of products of numbers >= 0. Nothing cancels, so each operation errs by a
    relative 2^-53 at most, and `rounded_bounds` bounds the error of the whole.
    """

    graph: StateGraph
    laws: tuple[LatticeLaw, ...]
    lows: NDArray[np.int64]
    values: list[NDArray[np.float64]]
    side: Rounding

    @classmethod
    def solve(
        cls,
        graph: StateGraph,
        laws: Sequence[LatticeLaw],
        step: Fraction,
        epsilon: Epsilon,
        side: Rounding,
        *,
        max_positions: int,
    ) -> LatticeGame:
        """Bellman's recursion from the last states to the first."""
        moved = Moves.of(laws)
        reached = graph.sums_before(np.stack([-moved.least, moved.most], axis=1))
        lows, highs = -reached[:, 0], reached[:, 1]
        least, most = int(lows.min()), int(highs.max())
        if (held := int((highs - lows + 1).sum())) > max_positions:
            raise TooLargeError(
                f"max_positions must cover the game, got max_positions={max_positions} and {held} positions "
                f"in {len(lows)} states; {TOO_LARGE}"
            )
        pay = payoffs(range(least, most + 1), step, epsilon, side)
        # below `zero` the payoff is 0; V exceeds the payoff only where the loss can still rise to `zero` and, if all
        # laws are honest, fall below it
        zero = least + int(np.searchsorted(pay, 0.0, side="right"))
        up = np.array([max(int(law.offsets[-1]), 0) if not law.revealed else 2**40 for law in laws])
        rises, falls = graph.sums_after(np.stack([up, np.maximum(-moved.least, 0)], axis=1)).T
        honest = all(law.honest for law in laws)
        values: list[NDArray[np.float64]] = [np.empty(0)] * len(lows)
        spare = np.empty((2, most - least + 1))
        for i in range(len(lows) - 1, -1, -1):
            low, high = int(lows[i]), int(highs[i])
            best = pay[low - least : high + 1 - least].copy()
            values[i] = best
            a = max(low, zero - int(rises[i]))
            b = min(high, zero + int(falls[i])) if honest else high
            if a > b:
                continue
            gain, part = spare[0, : b + 1 - a], spare[1, : b + 1 - a]
            window = best[a - low : b + 1 - low]
            for m in np.flatnonzero(graph.child[i] >= 0).tolist():
                after = int(graph.child[i, m])
                _expect(laws[m], values[after], a - int(lows[after]), side, gain, part)
                np.maximum(window, gain, out=window)
        return cls(graph, tuple(laws), lows, values, side)

    @property
    def start(self) -> float:
        """V at the start, as computed."""
        return float(self.values[0][-int(self.lows[0])])

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of losses of each state."""
        return np.array([len(best) for best in self.values])

    @property
    def stride(self) -> int:
        """The distance of two losses that a state holds, in steps."""
        return 1

    @property
    def positions(self) -> int:
        """The number of (state, loss) positions."""
        return int(self.sizes.sum())

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """Bounds on V(start, 0): below unless side is "high", above unless it is "low"."""
        return rounded_bounds(self.start, self.laws, self.graph.depth, self.side)

    def choices(self) -> list[NDArray[np.signedinteger[Any]]]:
        """The best request at every position, -1 where none is admitted."""
        table: list[NDArray[np.signedinteger[Any]]] = []
        for i, best in enumerate(self.values):
            low, n = int(self.lows[i]), len(best)
            choice = np.full(n, -1, dtype=np.int16)
            top = np.full(n, -1.0)
            gain, part = np.empty(n), np.empty(n)
            for m in np.flatnonzero(self.graph.child[i] >= 0).tolist():
                after = int(self.graph.child[i, m])
                _expect(self.laws[m], self.values[after], low - int(self.lows[after]), self.side, gain, part)
                better = gain > top
                choice[better] = m
                np.copyto(top, gain, where=better)
            table.append(choice)
        return table


def _expect(
    law: LatticeLaw,
    following: NDArray[np.float64],
    first: int,
    side: Rounding,
    gain: NDArray[np.float64],
    part: NDArray[np.float64],
) -> None:
    """gain[j] = revealed + sum_k P(L = k h) following[first + j + k].

    V increases with L, which bounds it outside the window of `following`: below by 0 or the first value, above by
    the last value or 1, whichever serves `side`.
    """
    n = len(gain)
    begin = first + int(law.offsets[0])
    end = first + n + int(law.offsets[-1])
    if begin < 0 or end > len(following):
        below, above = (0.0, following[-1]) if side == "low" else (following[0], 1.0)
        following = np.concatenate(
            [
                np.full(max(-begin, 0), below),
                following[max(begin, 0) : max(end, 0)],
                np.full(max(end - max(len(following), begin), 0), above),
            ]
        )
        first -= begin
    for j, (offset, mass) in enumerate(zip(law.offsets.tolist(), law.masses.tolist(), strict=True)):
        source = following[first + offset : first + offset + n]
        np.multiply(source, mass, out=part if j else gain)
        if j:
            np.add(gain, part, out=gain)
    if law.revealed:
        np.add(gain, law.revealed, out=gain)


def payoffs(units: Sequence[int], step: Fraction, epsilon: Epsilon, side: Rounding) -> NDArray[np.float64]:
    """(1 - e^{epsilon - k step})_+ for every k of `units`, each rounded to `side`."""
    gap = gap_above(epsilon)
    paid = []
    for k in units:
        above = gap(step * k)
        with flint.ctx.workprec(BITS):
            paid.append(rounded(-(-above).expm1(), side) if above > 0 else 0.0)
    return np.array(paid)


def gap_above(epsilon: Epsilon) -> Callable[[Fraction], flint.arb]:
    """The function loss -> loss - epsilon of rational losses, a ball of relative radius 2^-64 or exactly 0.

    Where epsilon is the logarithm of a rational, loss = epsilon only if both are 0 (Hermite, Lindemann), so some
    precision separates them.
    """
    if not isinstance(epsilon, LogRatio):
        exact = Fraction(epsilon)
        return lambda loss: ball(loss - exact)
    excess = epsilon.ratio - 1
    with flint.ctx.workprec(BITS):
        usual = ball(excess).log1p()

    def gap(loss: Fraction) -> flint.arb:
        top, bits = usual, BITS
        while True:
            with flint.ctx.workprec(bits):
                above = ball(loss, bits) - top
                if above.rad() <= abs(above).lower() * flint.arb(2) ** -64:  # true for an exact 0, too
                    return above
                bits *= 2
            with flint.ctx.workprec(bits):
                top = ball(excess, bits).log1p()

    return gap


def rounded_bounds(
    value: float, laws: Sequence[LatticeLaw], depth: int, side: Rounding
) -> tuple[Fraction, Fraction]:
    """Bounds on V of which `value` was computed, by a factor f >= 1 and an absolute 2^-900 of underflow.

    Each round multiplies and adds at most n + 2 numbers >= 0, n the outputs of a request, each operation
    within 1 + u, u = 2^-53, of the exact one, and takes a maximum, which is exact. Masses and payoffs that
    were rounded to the nearest double are within 1 + 2u; (1 + u)^m <= 1 / (1 - m u). Higham, Lemma 3.1.
    """
    widest = max(len(law.offsets) for law in laws)
    operations = depth * (widest + 2) + (2 * depth + 2 if side == "near" else 0)
    exact, factor = Fraction(value), 1 / (1 - operations * _UNIT)
    return max(exact / factor - UNDERFLOW, Fraction(0)), min(exact * factor + UNDERFLOW, Fraction(1))
