"""The law of a transcript's privacy loss, followed forward round by round, for requests with finitely many outputs."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import TypeAlias

import flint
import numpy as np

from filters.contract.state import keys, leaves
from mc.evaluate.asking import DENIED, Asking, Positions
from mc.evaluate.walk import Asked, Branch, Layer, walk
from mc.losses.balls import BITS, ball
from mc.losses.lattice_law import level
from mc.losses.log_ratio import LogRatio
from mc.losses.outputs import exact_outputs, nearest_log
from mc.losses.too_large import TooLargeError
from theory.pairs import DominatingPair
from theory.pairs.base import Direction

__all__ = ["NoFiniteLawError", "TranscriptLaw"]

#: A loss a + log b, both rational: the same number only if a and b are the same (Lindemann).
Loss: TypeAlias = tuple[Fraction, Fraction]
#: A probability, a rational where all masses are, else a ball; rationals of flint mix with balls, and are fast.
Mass: TypeAlias = "flint.fmpq | flint.arb"

_ZERO: Loss = (Fraction(0), Fraction(1))


class NoFiniteLawError(Exception):
    """A request has more than finitely many outputs, or its masses are known to doubles only."""


@dataclass(frozen=True, slots=True)
class _Finite:
    """The outputs of a request: finite losses with their P-masses, and the masses of what only P and only Q produce."""

    outputs: tuple[tuple[Loss, Mass], ...]
    branches: tuple[Branch[Loss], ...]
    erased_p: flint.fmpq
    erased_q: flint.fmpq

    @classmethod
    def of(
        cls,
        outputs: Sequence[tuple[Loss, Fraction | flint.arb, float | None]],
        erased_p: Fraction,
        erased_q: Fraction,
    ) -> _Finite:
        """From (loss, P-mass, loss that is shown) of every output."""
        branches = tuple(Branch(partial(_sum, loss), seen) for loss, _, seen in outputs)
        masses = [_rational(mass) if isinstance(mass, Fraction) else mass for _, mass, _ in outputs]
        losses = [loss for loss, _, _ in outputs]
        finite = tuple(zip(losses, masses, strict=True))
        return cls(finite, branches, _rational(erased_p), _rational(erased_q))


@dataclass(slots=True)
class _Strategy:
    """The play in which a strategy's one request is made at every position; a denied run waits, or its transcript ends.

    ends lists, for the round played last, the positions where a transcript ends, each with the pair that is released
    last there, or DENIED.
    """

    asking: Asking
    ends: list[tuple[int, int]] = field(default_factory=list)
    _known: dict[int, _Finite] = field(default_factory=dict)

    def start(self) -> Positions:
        return self.asking.start()

    def asked(self, t: int, places: Positions, n: int) -> Iterator[Asked[Loss, Positions]]:
        number, after = self.asking.ask(t, Positions(*places))
        self.ends = []
        for k in np.unique(number).tolist():
            rows = np.flatnonzero(number == k)
            if k == DENIED and not self.asking.game.waits:
                last = self.asking.final(after.take(rows))
                self.ends = list(zip(rows.tolist(), last.tolist(), strict=True))
            else:
                yield k, self.finite(k).branches, rows, after.take(rows)

    def finite(self, request: int) -> _Finite:
        """The outputs of pair number `request`; of DENIED, that nothing happens."""
        if request not in self._known:
            nothing = _Finite.of([(_ZERO, Fraction(1), None)], Fraction(0), Fraction(0))
            self._known[request] = nothing if request == DENIED else _outputs(self.asking.pairs[request])
        return self._known[request]

    def shown(self, places: Positions, losses: list[Loss], seen: float) -> Positions:
        total = np.array([_shown(loss) for loss in losses])
        return self.asking.observed(places, total, np.full(len(losses), seen))

    def names(self, places: Positions) -> list[Hashable]:
        arrays = [leaf for leaf in leaves((places.memory,)) if isinstance(leaf, np.ndarray)]
        known = [places.state, *arrays, *([places.last] if self.asking.keeps_last else [])]
        return keys(tuple(known)) if len(known) > 1 else keys(places.state)


@dataclass(slots=True)
class TranscriptLaw:
    """mass[L] is the P-mass of the transcripts of loss L; their Q-mass is e^{-L} times that.

    erased_p is the P-mass of transcripts that Q cannot produce. erased_q[L] times e^{-L}, summed, is the Q-mass of
    those that P cannot produce. positions counts what was visited, rounds is the longest play.
    """

    mass: dict[Loss, Mass] = field(default_factory=dict)
    erased_p: Mass = field(default_factory=flint.fmpq)
    erased_q: dict[Loss, Mass] = field(default_factory=dict)
    positions: int = 0
    rounds: int = 0

    @classmethod
    def of(cls, asking: Asking, *, max_positions: int) -> TranscriptLaw:
        """The law of the game; NoFiniteLawError for a request without finitely many exact outputs."""
        law, play, rounds = cls(), _Strategy(asking), asking.game.rounds
        with flint.ctx.workprec(BITS):
            mass: list[Mass] = [flint.fmpq(1)]
            for t, layer in enumerate(walk(play, _ZERO, rounds=rounds)):
                if t == rounds or not mass:
                    for m, loss in zip(mass, layer.losses, strict=True):
                        law._end(m, loss)
                    break
                law._count(len(mass), max_positions)
                if any(move.request != DENIED for move in layer.moves):
                    law.rounds = t + 1
                for row, k in play.ends:
                    law._last(play.finite(k), mass[row], layer.losses[row])
                mass = law._carried(play, layer, mass)
        return law

    @property
    def exact(self) -> bool:
        """Whether every mass is rational and every loss the logarithm of a rational."""
        masses = [self.erased_p, *self.mass.values(), *self.erased_q.values()]
        return all(isinstance(m, flint.fmpq) for m in masses) and all(
            a == 0 for a, _ in [*self.mass, *self.erased_q]
        )

    def value(self, epsilon: float | LogRatio, direction: Direction) -> Fraction | flint.arb:
        """H_{e^epsilon} of the transcript: a rational where the law is exact and epsilon a LogRatio, else a ball."""
        forward = direction == "PQ"
        if self.exact and isinstance(epsilon, LogRatio):
            r = epsilon.ratio
            gain = sum(
                (
                    _fraction(m) * max(1 - r / b if forward else 1 / b - r, Fraction(0))
                    for (_, b), m in self.mass.items()
                ),
                start=Fraction(0),
            )
            if forward:
                return gain + _fraction(self.erased_p)
            return gain + sum(_fraction(m) / b for (_, b), m in self.erased_q.items())
        with flint.ctx.workprec(BITS):
            total = flint.arb(0)
            for loss, m in self.mass.items():
                paid = _paid(_gap(loss if forward else (-loss[0], 1 / loss[1]), epsilon))
                total += m * paid * (1 if forward else (-_size(loss)).exp())
            if forward:
                return total + self.erased_p
            return total + sum(
                (m * (-_size(loss)).exp() for loss, m in self.erased_q.items()), start=flint.arb(0)
            )

    def _count(self, more: int, most: int) -> None:
        self.positions += more
        if self.positions > most:
            raise TooLargeError(
                f"max_positions must cover the game, got max_positions={most} with {self.positions} positions; pass "
                "fewer rounds, levels that are multiples of 2**-7, say, or a larger max_positions"
            )

    def _end(self, m: Mass, loss: Loss) -> None:
        self.mass[loss] = self.mass.get(loss, 0) + m

    def _erase(self, finite: _Finite, m: Mass, loss: Loss) -> None:
        if finite.erased_p:
            self.erased_p += m * finite.erased_p
        if finite.erased_q:
            self.erased_q[loss] = self.erased_q.get(loss, 0) + m * finite.erased_q

    def _last(self, finite: _Finite, m: Mass, loss: Loss) -> None:
        """A release with which the transcript ends."""
        self._erase(finite, m, loss)
        for step, share in finite.outputs:
            self._end(m * share, _sum(loss, step))

    def _carried(self, play: _Strategy, layer: Layer[Loss], mass: list[Mass]) -> list[Mass]:
        """The masses of the next layer, whose positions are numbered as they are reached here."""
        after: dict[int, Mass] = {}
        for move in layer.moves:
            finite, rows = play.finite(move.request), move.rows.tolist()
            for row in rows:
                self._erase(finite, mass[row], layer.losses[row])
            for (_, share), reached in zip(finite.outputs, move.child.T.tolist(), strict=True):
                for row, place in zip(rows, reached, strict=True):
                    after[place] = after.get(place, 0) + mass[row] * share
        return list(after.values())


def _sum(loss: Loss, step: Loss) -> Loss:
    return loss[0] + step[0], loss[1] * step[1]


def _rational(m: Fraction) -> flint.fmpq:
    return flint.fmpq(m.numerator, m.denominator)


def _fraction(m: flint.fmpq) -> Fraction:
    return Fraction(int(m.p), int(m.q))


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


def _outputs(pair: DominatingPair) -> _Finite:
    zero = Fraction(0)
    if (exact := exact_outputs(pair, "PQ")) is not None:
        finite = [((zero, 1 / output.tilt), output.mass, output.seen) for output in exact if output.tilt]
        erased_p = sum((output.mass for output in exact if not output.tilt), start=zero)
        return _Finite.of(finite, erased_p, Fraction(1) - sum(output.mass * output.tilt for output in exact))
    if (known := level(pair)) is None:
        raise NoFiniteLawError
    rest = 1 - known.delta
    assert pair.kov is not None
    ratio, size = pair.kov.ratio, float(pair.kov.epsilon)
    if known.exact == 0:
        return _Finite.of([(_ZERO, rest, 0.0)], known.delta, known.delta)
    both: list[tuple[Loss, Mass, float]] = []
    for sign in (1, -1):
        if ratio is not None:
            b = ratio if sign > 0 else 1 / ratio
            both.append(((zero, b), rest * b / (1 + b), sign * size))
        else:
            assert known.exact is not None
            growth = (sign * known.epsilon).exp()
            both.append(((sign * known.exact, Fraction(1)), ball(rest) * growth / (1 + growth), sign * size))
    return _Finite.of(both, known.delta, known.delta)
