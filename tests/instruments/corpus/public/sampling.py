"""Steps over sampled batches, accounted for as other ones."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar

import filterproof as fp
from filterproof.theory.pairs import DominatingPair
from tests.instruments.corpus.public.bug import Budget, PublicBugs

CASES = PublicBugs()


class Sampled(Budget):
    """Rényi divergences of sampled steps add up, at one order; `seen` is the step that is accounted for."""

    promise = fp.ApproxDP(1.0, 1e-5)
    kind = staticmethod(lambda size: fp.SubsampledGaussian(0.5, 1 / size))
    order: ClassVar[float] = 16.0

    def seen(self, pair: DominatingPair) -> DominatingPair:
        return pair

    def charge(self, pair: DominatingPair) -> float:
        if pair.subsampled_gaussian_parameters is None:
            return math.inf
        step = pair if self.repaired else self.seen(pair)
        return max(float(step.renyi(self.order)), float(step.swapped.renyi(self.order)))

    def spend(self, pair: DominatingPair) -> bool:
        charge = self.charge(pair)
        if math.isinf(charge):
            return False
        after = Fraction(self.spent) + Fraction(charge)
        if after > 1.0 - math.log(1e5) / (self.order - 1):
            return False
        self.spent = after
        return True


@CASES.add(
    "a limit counts for what comes near it",
    "https://github.com/meta-pytorch/opacus/issues/384",
    "the accountant by the central limit theorem was known to tell less than is spent",
)
class Limit(Sampled):
    """Sampled steps count as the Gaussian that ever more of them come near."""

    def spend(self, pair: DominatingPair) -> bool:
        if self.repaired:
            return super().spend(pair)
        if pair.subsampled_gaussian_parameters is None:
            return False
        rate, sigma, _ = pair.subsampled_gaussian_parameters
        squares = self.spent + float(rate) ** 2 * math.expm1(min(float(sigma) ** -2, 700.0))
        if fp.GaussianDP(math.sqrt(squares)).delta(1.0) > 1e-5:
            return False
        self.spent = squares
        return True


@CASES.add(
    "eight batches count for one",
    "https://github.com/google-deepmind/jax_privacy/pull/271",
    "a noise multiplier was accepted at the sampling rate of a batch, where each step takes several of them",
)
class Accumulated(Sampled):
    """A step over eight batches counts at the sampling rate of one."""

    def seen(self, pair: DominatingPair) -> DominatingPair:
        return pair.with_parameters({"q": pair.parameters()["q"] / 8})  # type: ignore[operator]


@CASES.add(
    "batches that do not overlap count as random ones",
    "https://github.com/meta-pytorch/opacus/issues/80",
    "batches of a constant size were accounted for as if each record were drawn by itself: a shortcut, they say",
)
class Shuffled(Sampled):
    """Batches that do not overlap, so that one of 64 holds a person, count as 64 that are drawn at random."""

    kind = fp.Gaussian

    def charge(self, pair: DominatingPair) -> float:
        if not isinstance(pair, fp.Gaussian) or float(pair.mu) < 1e-3:
            return math.inf
        if self.repaired:
            return float(pair.renyi(self.order))
        step = fp.SubsampledGaussian(1 / 64, 1 / float(pair.mu))
        return 64 * max(float(step.renyi(self.order)), float(step.swapped.renyi(self.order)))
