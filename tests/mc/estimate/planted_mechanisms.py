"""The faulty mechanisms of Ding et al. (2018), with their sound forms: release functions of pure(epsilon).

The data are answers of counting queries. A sparse vector's output has a number for each query, padded by `UNUSED`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

#: What stands for the queries after the last answered one, and for an answer below the threshold beside a number.
UNUSED = -1000.0
EPSILON, THRESHOLD = 0.7, 1.0


@dataclass(frozen=True)
class Planted:
    """A release function, its neighbouring answers of queries, and whether it breaks its guarantee."""

    release: Callable[[Any, np.random.Generator], object]
    faulty: bool
    data: tuple[float, ...] = (1.0,) * 10
    neighbour: tuple[float, ...] = (0.0,) * 5 + (2.0,) * 5


def noisy_max(noise: str, *, value: bool) -> Callable[[Any, np.random.Generator], object]:
    """Return the index of the largest noisy answer, or its value, which is a fault."""

    def release(answers: Any, rng: np.random.Generator) -> float:
        noisy = np.asarray(answers) + getattr(rng, noise)(scale=2 / EPSILON, size=len(answers))
        return float(noisy.max() if value else noisy.argmax())

    return release


def histogram(scale: float) -> Callable[[Any, np.random.Generator], object]:
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


_ALL_DIFFER = {"data": (1.0,) * 10, "neighbour": (0.0,) * 10}
_HALVES = {"data": (1.0,) * 5 + (0.0,) * 5, "neighbour": (0.0,) * 5 + (1.0,) * 5}
_ONE_DIFFERS = {"data": (1.0,) * 5, "neighbour": (2.0, *(1.0,) * 4)}

PLANTED: dict[str, Planted] = {
    "noisy max": Planted(noisy_max("laplace", value=False), False),
    "noisy max, exponential": Planted(noisy_max("exponential", value=False), False),
    "noisy max that returns the value": Planted(noisy_max("laplace", value=True), True, **_ALL_DIFFER),
    "noisy max, exponential, that returns the value": Planted(
        noisy_max("exponential", value=True), True, **_ALL_DIFFER
    ),
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
        SparseVector(query_scale=2.0, value=True), True, **_HALVES
    ),
}
