"""Quadrature nodes of the privacy loss, and the transfer of mass between them by a release.

The density of the loss after a release of Gaussian(mu) is entire, with |f(a + ib)| <= e^{b^2 / 2 mu^2} f(a), because
it is an integral of Gaussian densities with that property over masses >= 0. So is its product with the payoff of a
part. By Bernstein's theorem, n nodes on a panel of half width h integrate a function bounded by M on the ellipse of
parameter r with an error of at most 8 h M r^{-(2n-1)} / (r - 1): polynomials of degree 2n - 1 are exact, one of them
is within 2 M r^{-(2n-1)} / (r - 1), and integral and sum both have norm 2 h.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import ClassVar

import flint
import numpy as np
from numpy.typing import NDArray

from filterproof.mc.losses.balls import BITS, to_ball
from filterproof.theory.numerics.gauss_legendre import gauss_legendre
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs import DominatingPair, normal_distribution
from filterproof.theory.rounding import round_up

#: The parameters of ellipses among which the best is chosen.
_ELLIPSES = np.exp(np.linspace(0.02, 3.5, 120))
#: Steps of more than this many standard deviations are bounded and not computed.
_BAND = 24.0
#: Covers the rounding of a bound that is computed in doubles.
_SLACK = 1.0 + 2.0**-20
_MIN_BOUND = 1e-290


@dataclass(frozen=True, slots=True)
class _PanelNodes:
    """Nodes at `loss`, panel after panel, of which panel j begins at first[j], part after part, then the point 0."""

    loss: NDArray[np.float64]
    first: NDArray[np.intp]
    parts: tuple[slice, ...]

    def of(self, panel: int) -> slice:
        """Return the slice of the nodes of a panel; -1 is the point 0."""
        if panel < 0:
            return slice(len(self.loss) - 1, len(self.loss))
        return slice(int(self.first[panel]), int(self.first[panel + 1]))


@dataclass(frozen=True, slots=True)
class LossNodes(_PanelNodes):
    """The Gauss-Legendre nodes on every panel, one panel after the other, then the point 0.

    A mass at a node is density times weight.
    """

    weight: NDArray[np.float64]
    bounds: ClassVar[int] = 1
    _moves: dict[DominatingPair, NDArray[np.float64]] = field(default_factory=dict)

    @classmethod
    def on_panels(
        cls, edges: NDArray[np.float64], parts: NDArray[np.float64], counts: NDArray[np.intp]
    ) -> LossNodes:
        """Return the nodes on panels between `edges`, part by part: `parts` has these edges and some more."""
        losses, weights = [], []
        for (low, high), n in zip(pairwise(parts.tolist()), counts.tolist(), strict=True):
            unit, share = gauss_legendre(n)
            losses.append((low + high) / 2 + (high - low) / 2 * unit)
            weights.append((high - low) / 2 * share)
        ends = np.cumsum([0, *counts.tolist()])
        return cls(
            np.append(np.concatenate(losses), 0.0),
            ends[np.searchsorted(parts, edges)],
            tuple(slice(a, b) for a, b in pairwise(ends.tolist())),
            np.append(np.concatenate(weights), 0.0),
        )

    def masses_after_release(self, pair: DominatingPair, masses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the masses at the nodes, shape (m, k, nodes), after a release of `pair`."""
        if pair not in self._moves:
            self._moves[pair] = self.transition_matrix(pair)
        rows = np.flatnonzero(masses.max(axis=(0, 1)))
        return np.asarray(masses[:, :, rows] @ self._moves[pair][rows])

    def transition_matrix(self, pair: DominatingPair) -> NDArray[np.float64]:
        """Return moves; moves[i, j] is the mass that a release of `pair` takes from node i to node j."""
        mu = normal_mu(pair)
        z = (self.loss[None, :] - self.loss[:, None] - mu * mu / 2) / mu
        return np.asarray(np.exp(-z * z / 2) * (self.weight / (mu * np.sqrt(2 * np.pi))))


def normal_mu(pair: DominatingPair) -> float:
    """Return mu of a pair that is Gaussian(mu). Raises ValueError for any other."""
    if (mu := pair.normal_mu) is None:
        raise ValueError(
            f"adversary must request Gaussian pairs, or only pairs with finitely many outputs, got {pair!r}; use "
            "fp.simulate"
        )
    return float(mu)


def quadrature_error(
    half: NDArray[np.float64], nodes: NDArray[np.float64], log_bound: Callable[[float], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return an upper bound on each panel's quadrature error: the smallest over the ellipses r."""
    with np.errstate(over="ignore"):
        logs = [
            np.log(8 * half) + log_bound(r) - (2 * nodes - 1) * math.log(r) - math.log(r - 1)
            for r in _ELLIPSES.tolist()
        ]
        return np.asarray(np.exp(np.min(logs, axis=0)) * _SLACK + _MIN_BOUND)


def _log_integrand_bound(
    half: NDArray[np.float64], mu: float, least: float
) -> Callable[[float], NDArray[np.float64]]:
    """Return the function of r that bounds log(density times kernel) on each panel's ellipse."""

    def log_bound(r: float) -> NDArray[np.float64]:
        b = half * (r - 1 / r) / 2
        logs = math.log(2 * math.pi) + math.log(mu) + math.log(least)  # a product may be no double
        return ((b / mu) ** 2 + (b / least) ** 2) / 2 - logs

    return log_bound


def nodes_needed(half: NDArray[np.float64], least: float, error: float) -> NDArray[np.intp]:
    """Return the number of nodes on each panel that keeps the error at most `error` for a mu of `least`."""
    counts = np.full(len(half), 4)
    bound = _log_integrand_bound(half, least, least)
    while (short := quadrature_error(half, counts.astype(np.float64), bound) > error).any():
        counts[short] += 2
    return counts


@dataclass(frozen=True, slots=True)
class BallNodes(_PanelNodes):
    """The nodes of every part of every panel in balls, then the point 0; masses are lower and upper bounds.

    lost[0] and lost[1] bound the P-mass and the Q-mass that left the range.
    """

    ends: NDArray[np.float64]
    least: float
    places: list[flint.arb]
    weights: list[flint.arb]
    lost: NDArray[np.float64]
    bounds: ClassVar[int] = 2
    _moves: dict[DominatingPair, tuple[NDArray[np.float64], NDArray[np.float64]]] = field(
        default_factory=dict
    )

    @classmethod
    def on_panels(
        cls, edges: NDArray[np.float64], ends: NDArray[np.float64], counts: NDArray[np.intp], least: float
    ) -> BallNodes:
        """Return the nodes on panels between `edges`, divided at `ends`; `least` is the smallest drawn mu."""
        places, weights = [], []
        with PRECISION_LOCK, flint.ctx.workprec(BITS):
            for (low, high), n in zip(pairwise(ends.tolist()), counts.tolist(), strict=True):
                centre, half = (to_ball(low) + to_ball(high)) / 2, (to_ball(high) - to_ball(low)) / 2
                for unit, share in _legendre_nodes(n):
                    places.append(centre + half * unit)
                    weights.append(half * share)
        places.append(flint.arb(0))
        weights.append(flint.arb(1))
        first = np.concatenate([[0], np.cumsum(counts)])[np.searchsorted(ends, edges)]
        bounds = np.cumsum([0, *counts.tolist()]).tolist()
        parts = tuple(slice(a, b) for a, b in pairwise(bounds))
        loss = np.array([float(x) for x in places])
        return cls(loss, first, parts, ends, least, places, weights, np.zeros(2))

    @property
    def half_widths(self) -> NDArray[np.float64]:
        """Return half the width of every part, rounded up."""
        return np.asarray(np.diff(self.ends) / 2 * _SLACK)

    @property
    def node_counts(self) -> NDArray[np.float64]:
        """Return the number of nodes of every part."""
        return np.array([part.stop - part.start for part in self.parts], dtype=np.float64)

    def masses_after_release(self, pair: DominatingPair, masses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return lower and upper bounds on masses of shape (m, 2, nodes) after a release of `pair`.

        A sum of n products of nonnegative doubles is within a factor 1 +- (n + 2) 2^-53 of the exact one, in any order.
        """
        mu = normal_mu(pair)
        if pair not in self._moves:
            self._moves[pair] = self._transition_bounds(mu)
        low, high = self._moves[pair]
        rounding = (len(self.loss) + 8) * 2.0**-52
        error = quadrature_error(
            self.half_widths, self.node_counts, _log_integrand_bound(self.half_widths, mu, self.least)
        )
        weight = np.array([float(w) for w in self.weights]) * (_SLACK * error.sum())
        weight[-1] = 0.0
        rows = np.flatnonzero(masses[:, 1].max(axis=0))
        moved = np.empty_like(masses)
        moved[:, 0] = np.maximum(
            (masses[:, 0][:, rows] @ low[rows]) * (1 - rounding) - weight - _MIN_BOUND, 0.0
        )
        moved[:, 1] = (masses[:, 1][:, rows] @ high[rows]) * (1 + rounding) + weight + _MIN_BOUND
        moved[:, :, -1] = 0.0
        self._add_lost_mass_bounds(mu, masses[:, 1].sum(axis=0), error * mu * 3)
        return moved

    def _add_lost_mass_bounds(self, mu: float, mass: NDArray[np.float64], error: NDArray[np.float64]) -> None:
        """Add bounds on the P-mass and the Q-mass that a release takes out of the range to `lost`."""
        part_masses = np.array([mass[part].sum() for part in self.parts]) + error
        part_masses, ends = np.append(part_masses, mass[-1]), np.append(self.ends, 0.0)
        left, right = np.append(self.ends[:-1], 0.0), np.append(self.ends[1:], 0.0)
        with PRECISION_LOCK, flint.ctx.workprec(BITS):
            for m, a, b in zip(part_masses.tolist(), left.tolist(), right.tolist(), strict=True):
                if m <= 0:
                    continue
                ahead, back = (float(ends[-2]) - b) / mu, (a - float(ends[0])) / mu
                # P(L > ahead), P(L < -back) under P, whose loss has mean mu^2 / 2, and under Q, with mean -mu^2 / 2
                p = _normal_tail_bound(ahead - mu / 2) + _normal_tail_bound(back + mu / 2)
                q = _normal_tail_bound(ahead + mu / 2) + _normal_tail_bound(back - mu / 2)
                # one factor may be no double
                self.lost[0] += round_up(to_ball(m) * p) * _SLACK
                self.lost[1] += round_up(to_ball(m) * q * (-to_ball(a)).exp()) * _SLACK

    def _transition_bounds(self, mu: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return bounds on the masses that a release takes from node to node: density times the target's weight."""
        n = len(self.loss)
        step = (self.loss[None, :] - self.loss[:, None] - mu * mu / 2) / mu
        weight = np.array([float(w) for w in self.weights])
        top = math.exp(-((_BAND - 1) ** 2) / 2) / mu * _SLACK
        low, high = np.zeros((n, n)), np.broadcast_to(top * weight, (n, n)).copy()
        with PRECISION_LOCK, flint.ctx.workprec(96):
            m = to_ball(mu)
            scale = 1 / (m * (2 * flint.arb.pi()).sqrt())
            # e^{-(z - x)^2 / 2} = e^{-x^2 / 2} e^{x z} e^{-z^2 / 2}: one exponential per entry, and few products
            steps = [x / m for x in self.places]
            shifted = [x / m - m / 2 for x in self.places]
            scaled = [w * scale * (-z * z / 2).exp() for w, z in zip(self.weights, shifted, strict=True)]
            for i, x in enumerate(steps):
                near = np.flatnonzero(np.abs(step[i]) < _BAND)
                own = (-x * x / 2).exp()
                density = [(x * shifted[j]).exp() * scaled[j] * own for j in near.tolist()]
                if any(each.rel_accuracy_bits() < 53 for each in density):
                    raise ArithmeticError(
                        f"balls must keep their precision while nodes are weighed, got {flint.ctx.prec} bits; "
                        "set flint.ctx.prec in no other thread"
                    )
                low[i, near] = high[i, near] = list(map(float, density))
        inside = np.abs(step) < _BAND
        low[inside] *= 1 - 2.0**-50
        high[inside] *= 1 + 2.0**-50
        low[:, -1] = high[:, -1] = 0.0
        return low, high


@lru_cache(maxsize=256)
def _legendre_nodes(n: int) -> tuple[tuple[flint.arb, flint.arb], ...]:
    """Return the n Gauss-Legendre nodes on [-1, 1] with their weights, in balls."""
    with PRECISION_LOCK, flint.ctx.workprec(BITS):
        return tuple(flint.arb.legendre_p_root(n, k, weight=True) for k in range(n))


def _normal_tail_bound(t: float) -> flint.arb:
    """Return an upper bound on P(N(0, 1) > t) for a rounded t."""
    return normal_distribution.tail(to_ball(t)) * _SLACK
