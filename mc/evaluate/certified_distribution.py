"""Certified bounds on the divergence of a strategy of Gaussian requests, in ball arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import flint
import numpy as np
from numpy.typing import NDArray

from filterproof.mc.engine.game import Game
from filterproof.mc.evaluate.adversary_queries import AdversaryQueries, retry_with_last_loss
from filterproof.mc.evaluate.decision_map import DecisionMap, filter_and_adversary_from_library
from filterproof.mc.evaluate.evaluation import Evaluation
from filterproof.mc.evaluate.forward_distribution import ForwardDistribution
from filterproof.mc.evaluate.loss_nodes import BallNodes, nodes_needed, quadrature_error
from filterproof.mc.evaluate.loss_range import LossRange, probe_loss_range
from filterproof.mc.evaluate.quadrature_panels import edges_text
from filterproof.mc.losses.balls import BITS, to_ball
from filterproof.mc.losses.epsilon_values import Epsilon
from filterproof.mc.losses.finite_outputs import loss_as_ball
from filterproof.mc.losses.too_large import TooLargeError
from filterproof.theory.log_ratio import LogRatio
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs import normal_distribution
from filterproof.theory.pairs.base import Direction
from filterproof.theory.rounding import round_down, round_up

#: The error of quadrature as a share of the smallest requested value.
_QUADRATURE_SHARE = 1e-12
#: If there are too many changes, those closer than this, in nats, count as one.
_MERGE_DISTANCE = 5e-12
#: A last release below this share of the smallest mu is bounded by none and by this share.
_SMALLEST_LAST_RELEASE = 2.0**-8
#: The log of the payoff of a node such that all of them together pay less than 1e-270.
_LOG_TINY = math.log(1e-280)


@dataclass(frozen=True, slots=True)
class CertifiedDistribution:
    """Bounds on P-masses at nodes; `divergence_enclosure` bounds the divergence at every requested epsilon."""

    distribution: ForwardDistribution
    nodes: BallNodes

    @staticmethod
    def evaluations(
        game: Game,
        epsilons: Sequence[Epsilon],
        ways: tuple[Direction, ...],
        scope: str,
    ) -> list[Evaluation]:
        """Return the enclosure at each epsilon.

        Raises ValueError for requests that are no Gaussians, and for user code.
        """
        if not filter_and_adversary_from_library(game):
            raise ValueError(
                "filter and adversary must be the library's own for CERTIFIED evidence on continuous losses, got "
                f"{type(game.filter).__name__} and {type(game.adversary).__name__}; call without evidence: between two "
                "probed losses, other code may decide differently"
            )

        def solve(asking: AdversaryQueries) -> list[Evaluation]:
            """Return the enclosure at each epsilon for the requests of one game."""
            probed = probe_loss_range(asking, [float(epsilon) for epsilon in epsilons])
            decisions, found_to = _decision_map(probed, asking)
            rough = ForwardDistribution.of(decisions, probed.nodes(decisions, epsilons, ways, finer=False))
            rough.check_masses_not_underflowed(ways)
            least = min(rough.value(float(epsilon), way) for epsilon in epsilons for way in ways)
            distribution = CertifiedDistribution.of(decisions, probed, epsilons, ways, max(least, 1e-200))
            where = f"{scope}; for losses as real numbers and {edges_text(decisions.changes)}{found_to}"
            sizes = len(decisions.rounds), decisions.positions
            return [
                Evaluation.from_worse_direction(
                    epsilon,
                    {way: distribution.divergence_enclosure(epsilon, way) for way in ways},
                    None,
                    *sizes,
                    where,
                )
                for epsilon in epsilons
            ]

        return retry_with_last_loss(game, solve)

    @classmethod
    def of(
        cls,
        decisions: DecisionMap,
        probed: LossRange,
        epsilons: Sequence[Epsilon],
        ways: Sequence[Direction],
        least_value: float,
    ) -> CertifiedDistribution:
        """Return the distribution of the game in the map, on as many nodes as values of `least_value` need."""
        drawn = [float(decisions.asking.pairs[k].gdp_mu) for k in decisions.observed_pairs]
        least = min(drawn, default=probed.scale)
        ends = probed.part_edges(
            decisions, [kink for epsilon in epsilons for kink in _doubles_around(epsilon)], ways
        )
        error = (
            _QUADRATURE_SHARE
            * least_value
            * math.exp(min(float(ends[0]), 0.0))
            / (len(decisions.rounds) + 1)
            / len(ends)
        )
        error, half = max(error, 1e-250), np.diff(ends) / 2 * (1 + 2.0**-20)
        counts = nodes_needed(half, least, error)
        last = [
            max(float(decisions.asking.pairs[k].gdp_mu), least * _SMALLEST_LAST_RELEASE)
            for k in decisions.last
        ]
        kinks = [
            (kink, way == "PQ") for epsilon in epsilons for kink in _doubles_around(epsilon) for way in ways
        ]
        for kink, forward in kinks:
            for mu in (None, *{min(last), max(last)}) if last else (None,):
                bound = _log_payoff_density_bound(half, ends, least, mu, kink, forward)
                while (short := quadrature_error(half, counts.astype(np.float64), bound) > error).any():
                    counts[short] += 2
        nodes = BallNodes.on_panels(decisions.edges, ends, counts, least)
        return cls(ForwardDistribution.of(decisions, nodes), nodes)

    def divergence_enclosure(self, epsilon: Epsilon, direction: Direction) -> tuple[float, float]:
        """Return two doubles with H_{e^epsilon} of the transcript between them."""
        bounds = [self._divergence_bounds(double, direction) for double in _doubles_around(epsilon)]
        return bounds[-1][0], bounds[0][1]  # H decreases in epsilon

    def _divergence_bounds(self, epsilon: float, direction: Direction) -> tuple[float, float]:
        """Return certified lower and upper bounds on the divergence at a double epsilon."""
        forward = direction == "PQ"
        with PRECISION_LOCK, flint.ctx.workprec(BITS):
            eps = to_ball(epsilon)
            low, high = self._last_release_bounds(self.distribution.ended, None, None, eps, forward)
            for number, mass in self.distribution.last.items():
                mu = float(self.distribution.pairs[number].gdp_mu)
                finest = self.nodes.least * _SMALLEST_LAST_RELEASE
                below, above = (mu, mu) if mu >= finest else (None, finest)
                more = self._last_release_bounds(mass, below, above, eps, forward)
                low, high = low + more[0], high + more[1]
            high += to_ball(float(self.nodes.lost[0 if forward else 1]))
            return max(round_down(low), 0.0), min(round_up(high), 1.0)

    def _last_release_bounds(
        self,
        mass: NDArray[np.float64],
        below: float | None,
        above: float | None,
        eps: flint.arb,
        forward: bool,
    ) -> tuple[flint.arb, flint.arb]:
        """Return bounds on the payoff of masses whose last release is between Gaussian(below) and Gaussian(above)."""
        low, high = flint.arb(0), flint.arb(0)
        if not mass[1].any():
            return low, high
        with np.errstate(divide="ignore"):
            paid_at_most = np.log(mass[1]) - (0.0 if forward else self.nodes.loss)
        for i in np.flatnonzero(paid_at_most > _LOG_TINY).tolist():
            x = self.nodes.places[i]
            gap, weight = (eps - x, 1) if forward else (eps + x, (-x).exp())
            least = _gaussian_hockey_stick(below, gap) * weight
            most = least if above == below else _gaussian_hockey_stick(above, gap) * weight
            low += to_ball(float(mass[0, i])) * least
            high += to_ball(float(mass[1, i])) * most
        part_masses = np.array([mass[1, part].sum() for part in self.nodes.parts])
        touched = part_masses > 0
        half, lost = self.nodes.half_widths, 0.0
        for mu in (below, above):  # bounds on the quadrature of density times payoff on every part
            bound = _log_payoff_density_bound(
                half, self.nodes.ends, self.nodes.least, mu, float(eps), forward
            )
            lost += float(quadrature_error(half, self.nodes.node_counts, bound)[touched].sum())
        return low - to_ball(lost), high + to_ball(lost) + to_ball(1e-270)


def _log_payoff_density_bound(
    half: NDArray[np.float64],
    ends: NDArray[np.float64],
    least: float,
    mu: float | None,
    epsilon: float,
    forward: bool,
) -> Callable[[float], NDArray[np.float64]]:
    """Return r -> a bound on the log of density times hockey-stick payoff, on the ellipses of r.

    With d the distance of an ellipse from the kink at epsilon and b its height, the payoff of a release of mu is at
    most e^{b^2 / 2 mu^2} H(d), and H(d) <= e^{-(d / mu - mu / 2)^2 / 2} above mu^2 / 2, plus, on the paying side, 1 +
    e^{epsilon - loss}: H(-d) = 1 - e^{-d} + e^{-d} H(d).
    """
    kink = epsilon if forward else -epsilon
    centre = (ends[1:] + ends[:-1]) / 2

    def bound(r: float) -> NDArray[np.float64]:
        """Return the log of the bound on the ellipse with parameter r of each part."""
        wide, b = half * (r + 1 / r) / 2, half * (r - 1 / r) / 2
        far = np.maximum(np.abs(centre - kink) - wide, 0.0) * (1 - 2.0**-20)
        logs = np.full(len(half), -np.inf)
        over = np.log1p(np.exp(np.maximum(wide - np.abs(centre - kink), 0.0)))
        if mu is not None:
            beyond = np.maximum(far / mu - mu / 2, 0.0)
            logs = (b / mu) ** 2 / 2 - beyond * beyond / 2 + over
        pays = centre > kink if forward else centre < kink
        logs = np.logaddexp(logs, np.where(pays, over, -np.inf))
        logs = logs + (b / least) ** 2 / 2 - math.log(2 * math.pi) / 2 - math.log(least)
        return np.asarray(logs if forward else logs + np.maximum(wide - centre, 0.0))

    return bound


def _decision_map(probed: LossRange, asking: AdversaryQueries) -> tuple[DecisionMap, str]:
    """Return the map of decisions, and the precision of its changes in nats unless they are exact.

    Code that adds losses rounds them differently on different paths, so that one threshold may look like many.
    """
    try:
        return probed.decision_map(asking, merged=0.0), ""
    except TooLargeError:
        return probed.decision_map(
            asking, merged=_MERGE_DISTANCE
        ), f", found to {2 * _MERGE_DISTANCE:.0e} nats"


def _doubles_around(epsilon: Epsilon) -> tuple[float, ...]:
    """Return epsilon if it is a double, else the doubles below and above it."""
    if not isinstance(epsilon, LogRatio):
        return (epsilon,)
    size = loss_as_ball((0, epsilon.ratio))
    return round_down(size), round_up(size)


def _gaussian_hockey_stick(mu: float | None, gap: flint.arb) -> flint.arb:
    """Return H_{e^gap} of Gaussian(mu); of no release if mu is None."""
    if mu is None:
        paid = -gap.expm1()
        return paid if gap < 0 else flint.arb(0) if gap > 0 else paid.union(flint.arb(0))
    return normal_distribution.hockey_stick(to_ball(mu), gap)
