"""The distribution of a transcript's privacy loss for requests with finitely many outputs."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import flint
import numpy as np

from filterproof.filters.contract.state import run_keys, state_leaves
from filterproof.mc.evaluate.adversary_queries import DENIED, AdversaryQueries, Positions
from filterproof.mc.evaluate.walk import AskedRequests, OutcomeBranch, RoundLayer, walk_layers
from filterproof.mc.losses.balls import BITS
from filterproof.mc.losses.epsilon_values import Epsilon
from filterproof.mc.losses.finite_outputs import (
    ZERO_LOSS,
    FiniteOutputs,
    Loss,
    Mass,
    exp_minus_loss,
    fraction_from_fmpq,
    hockey_stick_payoff,
    loss_adder,
    loss_as_double,
)
from filterproof.mc.losses.too_large import check_max_positions
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs.base import Direction


@dataclass(slots=True)
class _StrategyPlay:
    """The play in which a strategy's one request is made at every position; a denied run waits, or its transcript ends.

    `ends` lists, for the last played round, the positions where a transcript ends, each with its last released pair, or
    DENIED.
    """

    asking: AdversaryQueries
    ends: list[tuple[int, int]] = field(default_factory=list)
    _outputs_cache: dict[int, FiniteOutputs] = field(default_factory=dict)

    def start(self) -> Positions:
        return self.asking.start()

    def requests(self, t: int, places: Positions, n: int) -> Iterator[AskedRequests[Loss, Positions]]:
        """Yield each distinct request with its branches and the positions that make it."""
        number, after = self.asking.ask(t, Positions(*places))
        self.ends = []
        for k in np.unique(number).tolist():
            rows = np.flatnonzero(number == k)
            if k == DENIED and not self.asking.game.waits:
                last = self.asking.final(after.take(rows))
                self.ends = list(zip(rows.tolist(), last.tolist(), strict=True))
            else:
                branches = [
                    OutcomeBranch(loss_adder(loss), seen)
                    for loss, _, seen in self.outputs_of_request(k).outputs
                ]
                yield k, branches, rows, after.take(rows)

    def outputs_of_request(self, request: int) -> FiniteOutputs:
        """Return the outputs of pair number `request`; for DENIED, one output of loss 0."""
        if request not in self._outputs_cache:
            self._outputs_cache[request] = (
                FiniteOutputs(((ZERO_LOSS, flint.fmpq(1), None),), flint.fmpq(0), flint.fmpq(0))
                if request == DENIED
                else FiniteOutputs.of_pair(self.asking.pairs[request])
            )
        return self._outputs_cache[request]

    def places_after_outcome(self, places: Positions, losses: list[Loss], seen: float) -> Positions:
        """Return the positions after an outcome of loss `seen`; `losses` are the sums with it."""
        total = np.array([loss_as_double(loss) for loss in losses])
        return self.asking.after_loss(places, total, np.full(len(losses), seen))

    def place_keys(self, places: Positions) -> list[Hashable]:
        """Return a key for each position; positions with equal keys continue alike."""
        arrays = [leaf for leaf in state_leaves((places.memory,)) if isinstance(leaf, np.ndarray)]
        identity_parts = [places.state, *arrays, *([places.last] if self.asking.keeps_last else [])]
        return run_keys(tuple(identity_parts)) if len(identity_parts) > 1 else run_keys(places.state)


@dataclass(slots=True)
class TranscriptLossDistribution:
    """The distribution of the loss: mass[L] is the P-mass of the transcripts of loss L.

    `erased_p` is the P-mass of transcripts that Q cannot produce. The sum of erased_q[L] e^{-L} is the Q-mass of those
    that P cannot produce. `positions` counts the visited positions, `rounds` is the longest play.
    """

    mass: dict[Loss, Mass] = field(default_factory=dict)
    erased_p: Mass = field(default_factory=flint.fmpq)
    erased_q: dict[Loss, Mass] = field(default_factory=dict)
    positions: int = 0
    rounds: int = 0

    @classmethod
    def of(cls, asking: AdversaryQueries, *, max_positions: int) -> TranscriptLossDistribution:
        """Return the distribution of the game.

        Raises NoFiniteLawError for a request without finitely many exact outputs.
        """
        distribution, play, rounds = cls(), _StrategyPlay(asking), asking.game.rounds
        with PRECISION_LOCK, flint.ctx.workprec(BITS):
            mass: list[Mass] = [flint.fmpq(1)]
            for t, layer in enumerate(walk_layers(play, ZERO_LOSS, rounds=rounds)):
                if t == rounds or not mass:
                    for m, loss in zip(mass, layer.losses, strict=True):
                        distribution._add_ended_mass(m, loss)
                    break
                distribution.positions += len(mass)
                check_max_positions(distribution.positions, max_positions, f"positions after {t + 1} rounds")
                if any(move.request != DENIED for move in layer.moves):
                    distribution.rounds = t + 1
                for row, k in play.ends:  # with a last release, or none
                    finite, m, (a, b) = play.outputs_of_request(k), mass[row], layer.losses[row]
                    distribution._add_erased_mass(finite, m, (a, b))
                    for step, share, _ in finite.outputs:
                        distribution._add_ended_mass(m * share, (a + step[0], b * step[1]))
                mass = distribution._next_masses(play, layer, mass)
        return distribution

    def value(self, epsilon: Epsilon, direction: Direction) -> Fraction | flint.arb:
        """Return H_{e^epsilon} of the transcript, rational for rational masses and likelihood ratios."""
        with PRECISION_LOCK, flint.ctx.workprec(BITS):
            if direction == "PQ":
                total = self.erased_p + sum(
                    m * hockey_stick_payoff(loss, epsilon) for loss, m in self.mass.items()
                )
            else:
                total = sum(
                    (m * exp_minus_loss(loss) for loss, m in self.erased_q.items()), start=flint.fmpq(0)
                )
                for loss, m in self.mass.items():
                    total += m * exp_minus_loss(loss) * hockey_stick_payoff((-loss[0], 1 / loss[1]), epsilon)
        return fraction_from_fmpq(total) if isinstance(total, flint.fmpq) else total

    def _add_ended_mass(self, m: Mass, loss: Loss) -> None:
        """Add the P-mass of transcripts that end with this loss."""
        self.mass[loss] = self.mass.get(loss, 0) + m

    def _add_erased_mass(self, finite: FiniteOutputs, m: Mass, loss: Loss) -> None:
        """Add the masses of a release's outputs that only P or only Q can produce."""
        if finite.erased_p:
            self.erased_p += m * finite.erased_p
        if finite.erased_q:
            self.erased_q[loss] = self.erased_q.get(loss, 0) + m * finite.erased_q

    def _next_masses(self, play: _StrategyPlay, layer: RoundLayer[Loss], mass: list[Mass]) -> list[Mass]:
        """Return the masses of the next layer, whose positions are numbered in the order of first visits."""
        after: dict[int, Mass] = {}
        for move in layer.moves:
            finite, rows = play.outputs_of_request(move.request), move.rows.tolist()
            for row in rows:
                self._add_erased_mass(finite, mass[row], layer.losses[row])
            for (_, share, _), reached in zip(finite.outputs, move.child.T.tolist(), strict=True):
                for row, place in zip(rows, reached, strict=True):
                    after[place] = after.get(place, 0) + mass[row] * share
        return list(after.values())
