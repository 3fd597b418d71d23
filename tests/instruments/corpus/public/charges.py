"""Charges that are less than what is due."""

from __future__ import annotations

import math

import filterproof as fp
from filterproof.theory.pairs import DominatingPair
from tests.instruments.corpus.public.bug import PublicBugs, Sum

CASES = PublicBugs()


@CASES.add(
    "half is deducted",
    "https://github.com/w3c/attribution/pull/264",
    "a reviewer found that half the sensitivity was deducted where the whole was due",
)
class Half(Sum):
    """Half the sensitivity is deducted, beside noise for the whole of it."""

    part = 1 / 2


@CASES.add(
    "an average is charged once",
    "https://github.com/opendp/smartnoise-sdk/issues/202",
    "an average was rewritten as a sum and a count with the same options, and half of the epsilon was told",
)
class Average(Sum):
    """An average is a sum and a count, two releases with the stated parameter each, and one of them is charged."""

    promise, kind, part = fp.ZCDP(0.5), fp.Gaussian, 1 / 2


@CASES.add(
    "less noise costs less",
    "https://github.com/OpenMined/PySyft/issues/6914",
    "a query with less noise was charged less",
)
class Inverse(Sum):
    """More noise is charged more."""

    def charge(self, pair: DominatingPair) -> float:
        epsilon = self.due(pair)
        return epsilon if self.repaired or epsilon == 0.0 or math.isinf(epsilon) else 0.1 / epsilon


@CASES.add(
    "permute and flip at the price of the exponential mechanism",
    "https://github.com/opendp/opendp/issues/2911",
    "a noisy maximum declared epsilon^2/8 under zCDP, a quarter of what a mechanism that is pure alone may take",
)
class NoisyMax(Sum):
    """Permute and flip, which is pure and no more, has the rho of the exponential mechanism."""

    promise, part = fp.ZCDP(0.5), 1 / 4

    def due(self, pair: DominatingPair) -> float:
        return math.inf if pair.pure_epsilon is None else float(pair.pure_epsilon) ** 2 / 2


@CASES.add(
    "the mass at the threshold",
    "https://github.com/opendp/opendp/issues/2922",
    "delta was the tail beyond a threshold at which counts were released as well",
)
class Threshold(Sum):
    """The delta of a threshold leaves out the mass at the threshold itself, which is released."""

    promise, part = fp.ApproxDP(1.0, 1e-2), math.exp(-1.0)
    kind = staticmethod(lambda size: fp.Erasure(size / 100))

    def due(self, pair: DominatingPair) -> float:
        return float(pair.p) if isinstance(pair, fp.Erasure) else math.inf


@CASES.add(
    "two centres in one slice",
    "https://github.com/IBM/differential-privacy-library/issues/104",
    "features and target were centred on one slice of the budget, without composition",
)
class Slices(Sum):
    """Features and target are each centred with noise of the whole slice, and the slice is charged once."""

    part = 1 / 2


@CASES.add(
    "noise found to two digits",
    "https://github.com/meta-pytorch/opacus/issues/346",
    "the search for the noise stopped on either side of what is due",
)
class Rounded(Sum):
    """Noise is looked for to two digits, up or down, and what is found counts for what is due."""

    promise, kind = fp.ZCDP(0.5), fp.Gaussian

    def charge(self, pair: DominatingPair) -> float:
        if not isinstance(pair, fp.Gaussian) or float(pair.mu) < 1e-3:
            return math.inf
        hundredths = 100 / float(pair.mu)
        sigma = (math.floor(hundredths) if self.repaired else round(hundredths)) / 100
        return 0.5 / sigma**2 if sigma > 0 else math.inf


@CASES.add(
    "a scale that is squared",
    "https://github.com/opendp/smartnoise-core/issues/316",
    "the noise scale of the Gaussian mechanism was squared",
)
class Squared(Sum):
    """The noise's scale is squared on its way to the sampler."""

    promise, kind = fp.ZCDP(2.0), fp.Gaussian

    def charge(self, pair: DominatingPair) -> float:
        if not isinstance(pair, fp.Gaussian) or float(pair.mu) < 1e-3:
            return math.inf
        drawn = 1 / float(pair.mu)
        return 0.5 / (drawn if self.repaired else math.sqrt(drawn)) ** 2


@CASES.add(
    "a record that is replaced",
    "https://github.com/google/differential-privacy/issues/378",
    "noise relative to the clipping norm was accounted for as if relative to the sensitivity, twice that norm",
)
class Replaced(Sum):
    """A record that is replaced moves a sum by two clipping norms, and is charged for one."""

    promise, kind, part = fp.ZCDP(0.5), fp.Gaussian, 1 / 4
