"""A few of every pair: what each pair owes is checked on these."""

from theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    FinitePair,
    Gaussian,
    Laplace,
    RandomizedResponse,
    SubsampledGaussian,
)

EXAMPLES: tuple[DominatingPair, ...] = (
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
    SubsampledGaussian(0.1, 0.8),
    SubsampledGaussian(0.1, 0.8, adjacency="addition"),
    SubsampledGaussian(0.5, 3.0),
    SubsampledGaussian(0.9, 0.5, adjacency="addition"),
    SubsampledGaussian(1.0, 1.0),
)
