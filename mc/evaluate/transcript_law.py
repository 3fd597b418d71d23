"""The law of a transcript's privacy loss, followed forward round by round, for requests with finitely many outputs."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

import flint
import numpy as np
from numpy.typing import NDArray

from filters.contract.state import keys, leaves
from mc.evaluate.asking import DENIED, Asking, Positions
from mc.losses.balls import BITS, ball
from mc.losses.lattice_law import level
from mc.losses.log_ratio import LogRatio
from mc.losses.outputs import nearest_log
from mc.losses.too_large import TooLargeError
from theory.pairs import DominatingPair
from theory.pairs.base import Direction

__all__ = ["NoFiniteLawError", "TranscriptLaw"]

#: A loss a + log b, both rational: the same number only if a and b are the same (Lindemann).
Loss: TypeAlias = tuple[Fraction, Fraction]
#: A probability, a rational where all masses are, else a ball.
Mass: TypeAlias = "Fraction | flint.arb"

_ZERO: Loss = (Fraction(0), Fraction(1))


class NoFiniteLawError(Exception):
    """A request has more than finitely many outputs, or its masses are known to doubles only."""


@dataclass(frozen=True, slots=True)
class _Output:
    """One finite loss of a request, with its P-mass, as shown to the filter."""

    loss: Loss
    mass: Mass
    seen: float


@dataclass(frozen=True, slots=True)
class _Finite:
    """The outputs of a request: finite losses, and the masses of what only P and only Q can produce."""

    outputs: tuple[_Output, ...]
    erased_p: Fraction
    erased_q: Fraction


@dataclass(slots=True)
class TranscriptLaw:
    """mass[L] is the P-mass of the transcripts of loss L; their Q-mass is e^{-L} times that.

    erased_p is the P-mass of transcripts that Q cannot produce. erased_q[L] times e^{-L}, summed, is the Q-mass of
    those that P cannot produce. positions counts what was visited, rounds is the longest play.
    """

    mass: dict[Loss, Mass] = field(default_factory=dict)
    erased_p: Mass = Fraction(0)
    erased_q: dict[Loss, Mass] = field(default_factory=dict)
    positions: int = 0
    rounds: int = 0

    @classmethod
    def of(cls, asking: Asking, *, max_positions: int) -> TranscriptLaw:
        """The law of the game; NoFiniteLawError for a request without finitely many exact outputs."""
        law = cls()
        outputs: dict[int, _Finite] = {}
        with flint.ctx.workprec(BITS):
            at, mass, loss = asking.start(), [Fraction(1)], [_ZERO]
            aside: list[tuple[Positions, list[Mass], list[Loss]]] = []
            for t in range(asking.game.rounds):
                law._count(len(mass), max_positions)
                number, after = asking.ask(t, at)
                denied = np.flatnonzero(number == DENIED)
                stay = asking.game.waits
                if len(denied) and not stay:
                    rows = denied.tolist()
                    lost = ([mass[i] for i in rows], [loss[i] for i in rows])
                    if asking.game.adversary.asks_finally:
                        aside.append((Positions.take(after, denied), *lost))
                    else:
                        law._end(*lost)
                if len(denied) < len(mass):
                    law.rounds = t + 1
                at, mass, loss = law._round(asking, outputs, number, after, mass, loss, stay)
                if not mass:
                    break
            law._end(mass, loss)
            for at, mass, loss in aside:
                law._last(asking, outputs, asking.final(at), mass, loss)
        return law

    @property
    def exact(self) -> bool:
        """Whether every mass is rational and every loss the logarithm of a rational."""
        masses = [self.erased_p, *self.mass.values(), *self.erased_q.values()]
        return all(isinstance(m, Fraction) for m in masses) and all(
            a == 0 for a, _ in [*self.mass, *self.erased_q]
        )

    def value(self, epsilon: float | LogRatio, direction: Direction) -> Mass:
        """H_{e^epsilon} of the transcript: a rational where the law is exact and epsilon a LogRatio, else a ball."""
        forward = direction == "PQ"
        if self.exact and isinstance(epsilon, LogRatio):
            r = epsilon.ratio
            kept = sum(
                (
                    m * max(1 - r / b if forward else 1 / b - r, Fraction(0))
                    for (_, b), m in self.mass.items()
                ),
                start=Fraction(0),
            )
            gone = self.erased_p if forward else sum(m / b for (_, b), m in self.erased_q.items())
            return kept + gone
        with flint.ctx.workprec(BITS):
            total = flint.arb(0)
            for loss, m in self.mass.items():
                paid = _paid(_gap(loss if forward else (-loss[0], 1 / loss[1]), epsilon))
                total += _ball(m) * paid * (1 if forward else (-_size(loss)).exp())
            if forward:
                return total + _ball(self.erased_p)
            return total + sum(
                (_ball(m) * (-_size(loss)).exp() for loss, m in self.erased_q.items()), start=flint.arb(0)
            )

    def _count(self, more: int, most: int) -> None:
        self.positions += more
        if self.positions > most:
            raise TooLargeError(
                f"max_positions must cover the game, got max_positions={most} with {self.positions} positions; pass "
                "fewer rounds, levels that are multiples of 2**-7, say, or a larger max_positions"
            )

    def _end(self, mass: list[Mass], loss: list[Loss]) -> None:
        for m, one in zip(mass, loss, strict=True):
            self.mass[one] = _added(self.mass.get(one, Fraction(0)), m)

    def _erase(self, finite: _Finite, m: Mass, loss: Loss) -> None:
        if finite.erased_p:
            self.erased_p = _added(self.erased_p, _product(m, finite.erased_p))
        if finite.erased_q:
            gone = _product(m, finite.erased_q)
            self.erased_q[loss] = _added(self.erased_q.get(loss, Fraction(0)), gone)

    def _last(
        self,
        asking: Asking,
        outputs: dict[int, _Finite],
        number: NDArray[np.intp],
        mass: list[Mass],
        loss: list[Loss],
    ) -> None:
        for k, m, one in zip(number.tolist(), mass, loss, strict=True):
            if k == DENIED:
                self._end([m], [one])
                continue
            finite = _finite(asking, outputs, k)
            self._erase(finite, m, one)
            for output in finite.outputs:
                self._end([_product(m, output.mass)], [_sum(one, output.loss)])

    def _round(
        self,
        asking: Asking,
        outputs: dict[int, _Finite],
        number: NDArray[np.intp],
        after: Positions,
        mass: list[Mass],
        loss: list[Loss],
        stay: bool,
    ) -> tuple[Positions, list[Mass], list[Loss]]:
        """The positions after the outputs of a round, equal ones merged."""
        place: dict[Hashable, int] = {}
        parts: list[Positions] = []
        masses: list[Mass] = []
        losses: list[Loss] = []

        def arrive(there: Positions, rows: list[int], moved: list[Mass], step: Loss) -> None:
            fresh = []
            names = zip(_keys(there, asking.keeps_last), rows, moved, strict=True)
            for i, (key, row, m) in enumerate(names):
                reached = _sum(loss[row], step)
                known = place.setdefault((key, reached), len(masses))
                if known == len(masses):
                    masses.append(m)
                    losses.append(reached)
                    fresh.append(i)
                else:
                    masses[known] = _added(masses[known], m)
            if fresh:
                parts.append(there.take(np.array(fresh)))

        for k in np.unique(number).tolist():
            rows = np.flatnonzero(number == k)
            if k == DENIED:
                if stay:
                    arrive(after.take(rows), rows.tolist(), [mass[i] for i in rows.tolist()], _ZERO)
                continue
            finite = _finite(asking, outputs, k)
            some = after.take(rows)
            for i in rows.tolist():
                self._erase(finite, mass[i], loss[i])
            for output in finite.outputs:
                total = np.array([_shown(_sum(loss[i], output.loss)) for i in rows.tolist()])
                there = asking.observed(some, total, np.full(len(rows), output.seen))
                arrive(
                    there, rows.tolist(), [_product(mass[i], output.mass) for i in rows.tolist()], output.loss
                )
        return (Positions.joined(parts) if parts else after), masses, losses


def _keys(at: Positions, keeps_last: bool) -> list[Hashable]:
    arrays = [leaf for leaf in leaves((at.memory,)) if isinstance(leaf, np.ndarray)]
    known = [at.state, *arrays, *([at.last] if keeps_last else [])]
    return keys(tuple(known)) if len(known) > 1 else keys(at.state)


def _sum(loss: Loss, step: Loss) -> Loss:
    return loss[0] + step[0], loss[1] * step[1]


def _product(m: Mass, other: Mass) -> Mass:
    if isinstance(m, Fraction) and isinstance(other, Fraction):
        return m * other
    return _ball(m) * _ball(other)


def _added(m: Mass, other: Mass) -> Mass:
    if isinstance(m, Fraction) and isinstance(other, Fraction):
        return m + other
    return _ball(m) + _ball(other)


def _ball(m: Mass) -> flint.arb:
    return ball(m) if isinstance(m, Fraction) else m


def _size(loss: Loss) -> flint.arb:
    return ball(loss[0]) + (ball(loss[1] - 1).log1p() if loss[1] != 1 else 0)


def _shown(loss: Loss) -> float:
    """The double nearest to a loss, as an adversary sees it."""
    if loss[0] == 0:
        return nearest_log(loss[1])
    return float(loss[0]) if loss[1] == 1 else float(_size(loss))


def _gap(loss: Loss, epsilon: float | LogRatio) -> flint.arb:
    """loss - epsilon, exactly 0 where they are equal."""
    a, b = loss
    if isinstance(epsilon, LogRatio):
        return _size((a, b / epsilon.ratio))
    return _size((a - Fraction(epsilon), b))


def _paid(gap: flint.arb) -> flint.arb:
    """(1 - e^{-gap})_+."""
    if gap <= 0:
        return flint.arb(0)
    paid = -(-gap).expm1()
    return paid if gap > 0 else paid.union(flint.arb(0))


def _finite(asking: Asking, known: dict[int, _Finite], k: int) -> _Finite:
    if k not in known:
        known[k] = _outputs(asking.pairs[k])
    return known[k]


def _outputs(pair: DominatingPair) -> _Finite:
    zero = Fraction(0)
    if (masses := getattr(pair, "exact_masses", None)) is not None:
        merged: dict[Fraction, Fraction] = {}
        for p, q in zip(masses.p, masses.q, strict=True):
            if p > 0 and q > 0:
                merged[p / Fraction(q)] = merged.get(p / Fraction(q), zero) + p
        outputs = tuple(_Output((zero, b), p, nearest_log(b)) for b, p in merged.items())
        erased_p = sum((p for p, q in zip(masses.p, masses.q, strict=True) if q == 0), start=zero)
        erased_q = sum((q for p, q in zip(masses.p, masses.q, strict=True) if p == 0), start=zero)
        return _Finite(outputs, erased_p, erased_q)
    if (known := level(pair)) is None:
        raise NoFiniteLawError
    rest = 1 - known.delta
    ratio: Fraction | None = getattr(pair, "ratio", None)
    if known.exact == 0:
        return _Finite((_Output(_ZERO, rest, 0.0),), known.delta, known.delta)
    size = float(pair.epsilon)  # type: ignore[attr-defined]
    both: list[_Output] = []
    for sign in (1, -1):
        if ratio is not None:
            b = ratio if sign > 0 else 1 / ratio
            both.append(_Output((zero, b), rest * b / (1 + b), sign * size))
        else:
            assert known.exact is not None
            growth = (sign * known.epsilon).exp()
            both.append(
                _Output((sign * known.exact, Fraction(1)), ball(rest) * growth / (1 + growth), sign * size)
            )
    return _Finite(tuple(both), known.delta, known.delta)
