"""Dominating pairs of common mechanisms; `PAIR_CLASSES` lists their classes and `example_pairs()` gives a few
instances of each."""

from functools import cache

from filterproof.theory.pairs.base import DominatingPair, ExactMasses
from filterproof.theory.pairs.bounded_range import BoundedRange
from filterproof.theory.pairs.discrete_gaussian import DiscreteGaussian
from filterproof.theory.pairs.discrete_laplace import DiscreteLaplace
from filterproof.theory.pairs.erasure import Erasure
from filterproof.theory.pairs.finite import FinitePair
from filterproof.theory.pairs.gaussian import Gaussian
from filterproof.theory.pairs.kov import KOV
from filterproof.theory.pairs.labelled import LabelledRequest
from filterproof.theory.pairs.laplace import Laplace
from filterproof.theory.pairs.randomized_response import RandomizedResponse
from filterproof.theory.pairs.selection import PairPerRun
from filterproof.theory.pairs.subsampled_gaussian import SubsampledGaussian

__all__ = [
    "KOV",
    "BoundedRange",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "DominatingPair",
    "Erasure",
    "ExactMasses",
    "FinitePair",
    "Gaussian",
    "LabelledRequest",
    "Laplace",
    "PairPerRun",
    "RandomizedResponse",
    "SubsampledGaussian",
]

#: Classes of the pairs of one mechanism. The theorems are about their charges.
PAIR_CLASSES: tuple[type[DominatingPair], ...] = (
    Gaussian,
    RandomizedResponse,
    Erasure,
    KOV,
    FinitePair,
    Laplace,
    BoundedRange,
    DiscreteGaussian,
    DiscreteLaplace,
    SubsampledGaussian,
)
_LIBRARY_PAIR_CLASSES = frozenset(PAIR_CLASSES)


@cache
def example_pairs() -> tuple[DominatingPair, ...]:
    """Return a few instances of every pair; tests check the contract on these and certify their numbers."""
    # made on demand, because their logarithms load ball arithmetic
    return (
        Gaussian(0.7),
        Gaussian(1e-4),
        Gaussian(6.0),
        RandomizedResponse(1.2),
        RandomizedResponse(1e-6),
        Erasure(0.2),
        KOV(1.0, 0.05),
        FinitePair((0.5, 0.3, 0.2, 0.0), (0.1, 0.3, 0.4, 0.2)),
        FinitePair((0.5, 0.3, 0.2), (0.0, 0.3, 0.7)),
        Laplace(0.8),
        Laplace(30.0),
        Laplace(0.1),
        BoundedRange(1.5),
        BoundedRange(0.01),
        DiscreteGaussian(0.5),
        DiscreteGaussian(3.0, 2),
        DiscreteLaplace(0.8),
        DiscreteLaplace(2.0, 4),
        DiscreteLaplace(9.0, 3),
        SubsampledGaussian(0.1, 0.8),
        SubsampledGaussian(0.1, 0.8, adjacency="addition"),
        SubsampledGaussian(0.5, 3.0),
        SubsampledGaussian(0.9, 0.5, adjacency="addition"),
        SubsampledGaussian(1.0, 1.0),
    )


def library_class(pair: DominatingPair) -> type[DominatingPair] | None:
    """Return the class of this library that the pair has or extends, or None.

    A subclass may override charges alone, so that its distribution is that of the class that it extends.
    """
    return next((kind for kind in type(pair).__mro__ if kind in _LIBRARY_PAIR_CLASSES), None)


def is_ours(pair: DominatingPair) -> bool:
    """Whether a pair is of a class of this library and no subclass, so that the theorems cover its charges."""
    kind = type(pair)
    if kind is LabelledRequest:
        return is_ours(pair.unlabelled)
    return kind in _LIBRARY_PAIR_CLASSES or (kind is PairPerRun and all(map(is_ours, pair.members)))
