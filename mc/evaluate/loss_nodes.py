"""Nodes of the privacy loss on panels, and how a release moves mass between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from theory.numerics.legendre import gauss_legendre
from theory.pairs import DominatingPair

__all__ = ["Nodes"]

#: What rounding may do to a sum of losses, in nats.
_ROUNDING = 1e-11

#: Losses beyond this are met with probability below the least double.
_FAR = 700.0


@dataclass(frozen=True, slots=True)
class Nodes:
    """The nodes of every panel, one panel after the other, then the point 0.

    Smooth nodes are those of Gauss and Legendre, with their weights: a mass at a node is density times weight. Other
    nodes lie on a lattice, with the ends of panels, and a loss between two is split over both, its P-mass and Q-mass
    kept.
    """

    loss: NDArray[np.float64]
    weight: NDArray[np.float64]
    first: NDArray[np.intp]
    smooth: bool
    parts: tuple[slice, ...]
    bounds: ClassVar[int] = 1
    _moves: dict[DominatingPair, NDArray[np.float64]] = field(default_factory=dict)

    @classmethod
    def on(
        cls,
        edges: NDArray[np.float64],
        parts: NDArray[np.float64],
        counts: NDArray[np.intp],
    ) -> Nodes:
        """Smooth nodes on panels between `edges`, part by part: `parts` holds these edges and some more."""
        losses, weights = [], []
        for (low, high), n in zip(pairwise(parts.tolist()), counts.tolist(), strict=True):
            unit, share = gauss_legendre(n)
            losses.append((low + high) / 2 + (high - low) / 2 * unit)
            weights.append((high - low) / 2 * share)
        return cls._of(edges, parts, losses, weights, smooth=True)

    @classmethod
    def lattice(cls, edges: NDArray[np.float64], parts: NDArray[np.float64], step: float) -> Nodes:
        """The multiples of `step` in every part, and its ends."""
        losses = []
        for low, high in pairwise(parts.tolist()):
            inside = np.arange(np.floor(low / step) + 1, np.ceil(high / step)) * step
            inside = inside[(inside > low + step / 1024) & (inside < high - step / 1024)]
            losses.append(np.concatenate([[low], inside, [high]]))
        return cls._of(edges, parts, losses, [np.zeros(len(loss)) for loss in losses], smooth=False)

    @classmethod
    def _of(
        cls,
        edges: NDArray[np.float64],
        parts: NDArray[np.float64],
        losses: list[NDArray[np.float64]],
        weights: list[NDArray[np.float64]],
        *,
        smooth: bool,
    ) -> Nodes:
        ends = np.cumsum([0, *map(len, losses)])
        return cls(
            np.append(np.concatenate(losses), 0.0),
            np.append(np.concatenate(weights), 0.0),
            ends[np.searchsorted(parts, edges)],
            smooth,
            tuple(slice(a, b) for a, b in pairwise(ends.tolist())),
        )

    def of(self, panel: int) -> slice:
        """Where the nodes of a panel are; -1 is the point 0."""
        if panel < 0:
            return slice(len(self.loss) - 1, len(self.loss))
        return slice(int(self.first[panel]), int(self.first[panel + 1]))

    def released(self, pair: DominatingPair, masses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where masses of shape (m, k, nodes) are after a release of `pair`."""
        if pair not in self._moves:
            self._moves[pair] = self.moves(pair)
        rows = np.flatnonzero(masses.max(axis=(0, 1)))
        return np.asarray(masses[:, :, rows] @ self._moves[pair][rows])

    def moves(self, pair: DominatingPair) -> NDArray[np.float64]:
        """moves[i, j] is the mass that a release of `pair` takes from node i to node j."""
        step = self.loss[None, :] - self.loss[:, None]
        if self.smooth:
            assert pair.normal_mu is not None
            mu = float(pair.normal_mu)
            z = (step - mu * mu / 2) / mu
            return np.asarray(np.exp(-z * z / 2) * (self.weight / (mu * np.sqrt(2 * np.pi))))
        moved = np.zeros_like(step)
        for where in self.parts:
            moved[:, where] = _split(pair, step[:, where])
        return moved


def _split(pair: DominatingPair, step: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mass between neighbouring columns, over both, such that P-mass and Q-mass are kept."""
    left, right = step[:, :-1], step[:, 1:]
    p, q = _between(pair, step)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        # shares of e^{-loss} between its values at both ends
        grown = np.where(p > 0, np.exp(np.log(q) - np.log(p) + left), 0.0)
        decay = np.exp(left - right)
        share = np.clip(np.where(p > 0, (grown - decay) / (1 - decay), 0.0), 0.0, 1.0)
    moved = np.zeros_like(step)
    moved[:, :-1] += p * share
    moved[:, 1:] += p * (1 - share)
    return moved


def _between(
    pair: DominatingPair, step: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """P- and Q-mass of the losses in (step[:, j], step[:, j + 1]]; a small one is taken from the other law."""
    # a loss with a mass of its own that rounding puts just above a node belongs to it
    near = step + _ROUNDING
    below = np.asarray(pair.loss_cdf(near))
    above = np.asarray(pair.swapped.loss_cdf(-near))  # Q(L >= near)
    p, q = np.diff(below, axis=1), -np.diff(above, axis=1)
    middle = (step[:, 1:] + step[:, :-1]) / 2
    with np.errstate(over="ignore", invalid="ignore"):
        upper = (middle > 0) & (p < 1e-6) & (q < p)
        p = np.where(upper, q * np.exp(np.minimum(middle, _FAR)), p)
        lower = (middle < 0) & (q < 1e-6) & (p < q)
        q = np.where(lower, p * np.exp(np.minimum(-middle, _FAR)), q)
    return np.maximum(p, 0.0), np.maximum(q, 0.0)
