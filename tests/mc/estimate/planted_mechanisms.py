"""Release functions with their promises, sound and faulty: those of Ding et al. (2018) and others.

A sparse vector's output has a number for each query, padded by `UNUSED`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import filterproof as fp

Release = Callable[[Any, np.random.Generator], object]

#: What stands for the queries after the last answered one, and for an answer below the threshold beside a number.
UNUSED = -1000.0
EPSILON, THRESHOLD = 0.7, 1.0
DING = fp.PureDP(EPSILON)
TWO, ONE, LARGE = (1.0, 1.0), (1.0,), (1.0, 3.0)
#: 1 / TINY overflows.
TINY = 1e-309
#: The mass of Laplace noise of scale 1, truncated to [-3, 3], beyond the support of the same noise shifted by 1.
TRUNCATED = (math.exp(-2) - math.exp(-3)) / (2 - 2 * math.exp(-3))


@dataclass(frozen=True)
class Planted:
    """A release function, its promise, two neighbouring data sets, and whether it breaks its promise.

    `drawn` dominates the outputs, where such a pair is known.
    """

    release: Release
    faulty: bool
    data: tuple[float, ...] = (1.0,) * 10
    neighbour: tuple[float, ...] = (0.0,) * 5 + (2.0,) * 5
    promise: fp.Guarantee | fp.DominatingPair = DING
    drawn: fp.DominatingPair | None = None
    n: int = 20_000


def planted(
    release: Release,
    promise: fp.Guarantee | fp.DominatingPair,
    drawn: fp.DominatingPair | None = None,
    data: tuple[float, ...] = TWO,
) -> Planted:
    """Return a mechanism on one record more or less, faulty unless it draws the pair that it promises."""
    return Planted(release, drawn != promise, data, ONE, promise, drawn)


def noisy_max(*, value: bool) -> Release:
    """Return the index of the largest noisy answer, or its value, which is a fault."""

    def release(answers: Any, rng: np.random.Generator) -> float:
        noisy = np.asarray(answers) + rng.laplace(scale=2 / EPSILON, size=len(answers))
        return float(noisy.max() if value else noisy.argmax())

    return release


def histogram(scale: float) -> Release:
    return lambda answers, rng: np.asarray(answers) + rng.laplace(scale=scale, size=len(answers))


@dataclass(frozen=True)
class SparseVector:
    """Answers which queries are above a threshold, until `most` are.

    The scales are multiples of 1/epsilon; the scale of queries is 0 without noise.
    """

    threshold_scale: float = 2.0
    query_scale: float = 4.0
    most: int = 1
    value: bool = False

    def __call__(self, answers: Any, rng: np.random.Generator) -> Any:
        level = THRESHOLD + rng.laplace(scale=self.threshold_scale / EPSILON)
        released, above = np.full(len(answers), UNUSED), 0
        for k, answer in enumerate(answers):
            noisy = answer + (rng.laplace(scale=self.query_scale / EPSILON) if self.query_scale else 0.0)
            is_above = noisy >= level
            released[k] = noisy if is_above and self.value else is_above
            above += is_above
            if above >= self.most:
                break
        return released


def noisy_sum(scale: float) -> Release:
    """Return Laplace noise that is left out where its scale overflows."""
    return lambda data, rng: sum(data) + (scale * rng.laplace() if math.isfinite(scale) else 0.0)


def truncated(data: Any, rng: np.random.Generator) -> float:
    """Return Laplace noise that is drawn again until it lies in [-3, 3]."""
    while abs(noise := rng.laplace()) > 3.0:
        pass
    return float(sum(data) + noise)


def gaussian(data: Any, rng: np.random.Generator) -> object:
    return np.full(3, sum(data)) / math.sqrt(3) + rng.normal(size=3)


def response(data: Any, rng: np.random.Generator) -> bool:
    return (len(data) == 2) ^ bool(rng.random() < 1 / (1 + math.e))


_ALL_DIFFER = {"data": (1.0,) * 10, "neighbour": (0.0,) * 10}
_HALVES = {"data": (1.0,) * 5 + (0.0,) * 5, "neighbour": (0.0,) * 5 + (1.0,) * 5}
_ONE_DIFFERS = {"data": (1.0,) * 5, "neighbour": (2.0, *(1.0,) * 4)}
_SMALLEST = fp.RandomizedResponse(6e-309)

PLANTED: dict[str, Planted] = {
    "noisy max": Planted(noisy_max(value=False), False),
    "noisy max that returns the value": Planted(noisy_max(value=True), True, **_ALL_DIFFER),
    "histogram": Planted(histogram(1 / EPSILON), False, **_ONE_DIFFERS),
    "histogram of scale epsilon": Planted(histogram(EPSILON), True, **_ONE_DIFFERS),
    "sparse vector": Planted(SparseVector(), False, **_HALVES),
    "sparse vector without noise of queries (iSVT 1)": Planted(
        SparseVector(query_scale=0.0, most=10), True, **_HALVES
    ),
    "sparse vector without a limit (iSVT 2)": Planted(
        SparseVector(query_scale=2.0, most=10), True, **_HALVES
    ),
    "sparse vector with noise that does not grow (iSVT 3)": Planted(
        SparseVector(threshold_scale=4.0, query_scale=4 / 3, most=4), True, **_HALVES
    ),
    "sparse vector that returns the value (iSVT 4)": Planted(
        SparseVector(query_scale=2.0, value=True), True, n=160_000, **_HALVES
    ),
    "raw value now and then": planted(
        lambda data, rng: len(data) + rng.laplace() * (rng.random() > 0.01), fp.PureDP(1.0)
    ),
    "NaN for one data set": planted(
        lambda data, rng: math.nan if len(data) > 1 and rng.random() < 0.01 else 0.0, fp.PureDP(1.0)
    ),
    "variance for deviation": planted(
        lambda data, rng: len(data) + rng.normal(scale=0.5), fp.GaussianDP(1.0), fp.Gaussian(2.0)
    ),
    "no noise": planted(lambda data, rng: len(data), fp.ZCDP(0.5)),
    "noise divided by the dimension": planted(
        lambda data, rng: sum(data) + rng.laplace(size=4) / 4, fp.Laplace(0.25), fp.RandomizedResponse(16.0)
    ),
    "sensitivity not scaled": planted(
        lambda data, rng: sum(data) + rng.normal(), fp.Gaussian(1.0), fp.Gaussian(3.0), LARGE
    ),
    "raw value at infinite scale": planted(noisy_sum(math.inf), fp.RandomizedResponse(TINY)),
    "truncation short": planted(truncated, fp.PureDP(1.0), fp.KOV(1.0, TRUNCATED)),
    # the samples show it at the epsilon of the pair, and at no other
    "truncation short of a pair between two epsilons of the grid": planted(
        truncated, fp.Laplace(0.4), fp.KOV(1.0, TRUNCATED)
    ),
    "Laplace noise": planted(noisy_sum(2.0), fp.Laplace(2.0), fp.Laplace(2.0)),
    "Laplace noise of half the scale": planted(noisy_sum(2.0), fp.PureDP(0.1), fp.Laplace(2.0)),
    "Gaussian noise": planted(gaussian, fp.Gaussian(1.0), fp.Gaussian(1.0)),
    "Gaussian noise of a tenth of the scale": planted(gaussian, fp.PureDP(0.1), fp.Gaussian(1.0)),
    "response": planted(response, fp.RandomizedResponse(1.0), fp.RandomizedResponse(1.0)),
    "response of a tenth of the epsilon": planted(response, fp.PureDP(0.1), fp.RandomizedResponse(1.0)),
    "the largest scale": planted(noisy_sum(1 / 6e-309), _SMALLEST, _SMALLEST),
    "truncation that is charged": planted(truncated, fp.KOV(1.0, TRUNCATED), fp.KOV(1.0, TRUNCATED)),
}
#: These need many samples.
MANY = {name for name in PLANTED if name.endswith(("(iSVT 2)", "(iSVT 3)", "(iSVT 4)"))}
