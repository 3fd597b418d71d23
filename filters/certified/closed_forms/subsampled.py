"""The subsampled Gaussian at doubles, against its definition: sums over its two Gaussians, and integrals in balls."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from filters.certified.closed_form import CLOSE, LEAST, of_pair
from filters.certified.running_number import RunningNumber
from theory.pairs.subsampled_gaussian import SubsampledGaussian

__all__ = ["numbers"]

_THEOREM = "Gaussian hockey-stick"
_POINTS = ((0.01, 0.8), (0.2, 2.0), (0.7, 1.0), (1.0, 3.0))
#: A level and whole orders, for removal alone.
_HIGH = ((0.5, 1.0, 31.0),)
_WHOLE = ((0.01, 0.8, 40.0), (0.2, 0.5, 200.0), (0.7, 1.0, 700.0))


def numbers() -> Iterator[RunningNumber]:
    """hockey_stick, renyi, charges, loss_cdf and loss_quantile, for removal and addition."""
    levels, orders = _with((-0.6, -1e-3, 0.0, 1e-3, 0.05, 0.6, 4.0)), _with((1.0, 1.5, 2.0, 5.5))
    losses, tails = _with((-0.2, 0.05, 0.3)), _with((1e-9, 0.3, 0.8))
    for side in ("removal", "addition"):
        make, name = partial(SubsampledGaussian, adjacency=side), f"SubsampledGaussian, {side}:"
        high, whole = (_HIGH, _WHOLE) if side == "removal" else ((), ())
        for row in (
            # tested to 1e-11 since it was written: epsilon is turned into that of the full batch
            of_pair(_THEOREM, name, make, "hockey_stick", [*levels, *high], slack=1e-11, least=LEAST),
            of_pair(_THEOREM, name, make, "renyi", [*orders, *whole], least=LEAST),
            of_pair(_THEOREM, name, make, "loss_cdf", losses, slack=0, least=CLOSE),
            of_pair(_THEOREM, name, make, "loss_quantile", tails, least=_quantile_error),
        ):
            yield from row.numbers()
    for charge in ("zcdp_rho", "gdp_mu"):
        yield from of_pair(
            _THEOREM, "SubsampledGaussian", SubsampledGaussian, charge, _POINTS, arguments=0
        ).numbers()


def _quantile_error(q: float, s: float, tail: float) -> float:
    return CLOSE * (1 + 1 / s + 1 / s**2)


def _with(numbers: tuple[float, ...]) -> list[tuple[float, ...]]:
    return [(q, s, x) for q, s in _POINTS for x in numbers]
