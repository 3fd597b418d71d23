"""The Gaussian pair at doubles, against equations (2.2) and (2.3) of paper 003."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from flint import arb

from theory.certified.closed_forms.balls import (
    CLOSE,
    LEAST,
    called,
    cdf,
    gaussian_stick,
    grid,
    quantile,
)
from theory.certified.running_number import RunningNumber, at_least, near
from theory.pairs.gaussian import Gaussian

__all__ = ["numbers"]

_STICK, _RENYI = "Gaussian hockey-stick", "Rényi divergences"
_MUS = (1e-6, 0.03, 0.7, 1.0, 3.0, 40.0)
#: epsilon = mu (z + mu/2): the bulk, both tails, and where the code changes its formula.
_EDGES = (-20.0, -1.5, -0.9, -1e-3, 0.0, 0.8, 5.0, 20.0, 36.0)
_ENDS = ((1e-150, 1e-200), (1e-150, 0.0), (100.0, 0.0), (300.0, 1.0), (1e-3, 5.0), (1.0, 2.0), (1.0, -0.5))


def numbers() -> Iterator[RunningNumber]:
    """hockey_stick, log_hockey_stick, renyi, charges, loss_cdf, loss_quantile and trade_off of Gaussian(mu)."""
    points = [(mu, max(mu * (z + mu / 2), 0.0)) for mu in _MUS for z in _EDGES]
    points += [(mu, -epsilon) for mu, epsilon in points[::3] if epsilon < 600]
    for (mu, epsilon), value in called(lambda m, e: Gaussian(m).hockey_stick(e), [*points, *_ENDS]):
        says = f"Gaussian({mu!r}).hockey_stick({epsilon!r})"
        yield near(_STICK, says, value, partial(_stick, mu, epsilon), slack=CLOSE, least=LEAST)
    far = [(1.0, 100.0), (0.1, 50.0), (1e-3, 3.0), (2.0, 1e4)]
    for (mu, epsilon), value in called(lambda m, e: Gaussian(m).log_hockey_stick(e), [*points, *far]):
        says = f"Gaussian({mu!r}).log_hockey_stick({epsilon!r})"
        yield near(_STICK, says, value, partial(_log_stick, mu, epsilon), slack=CLOSE, least=CLOSE)
    for (mu, alpha), value in called(lambda m, a: Gaussian(m).renyi(a), grid(_MUS, (1.0, 1.25, 8.0, 1e6))):
        says = f"Gaussian({mu!r}).renyi({alpha!r})"
        yield near(_RENYI, says, value, "alpha*mu**2/2", slack=CLOSE, least=LEAST, mu=mu, alpha=alpha)
    for (mu,), value in called(lambda m: Gaussian(m).zcdp_rho, grid(_MUS)):
        yield near(_RENYI, f"Gaussian({mu!r}).zcdp_rho", value, "mu**2/2", slack=CLOSE, mu=mu)
    for (mu,), value in called(lambda m: Gaussian(m).gdp_mu, grid(_MUS)):
        yield at_least(_STICK, f"Gaussian({mu!r}).gdp_mu", value, "mu", mu=mu)
    yield from _law()


def _law() -> Iterator[RunningNumber]:
    """The loss is N(mu^2/2, mu^2), and Gaussian(mu) has the trade-off function Phi(Phi^-1(1 - alpha) - mu)."""
    points: list[tuple[float, ...]] = [
        (mu, mu * (mu / 2 + z)) for mu in (0.03, 1.0, 3.0) for z in (-3.0, -0.5, 0.25, 2.0)
    ]
    for (mu, x), value in called(lambda m, at: Gaussian(m).loss_cdf(at), points):
        says = f"Gaussian({mu!r}).loss_cdf({x!r})"
        yield near(_STICK, says, value, partial(_cdf, mu, x), slack=0, least=CLOSE)
    points = grid((0.03, 1.0, 3.0), (1e-300, 1e-9, 0.2, 0.7, 1 - 1e-9))
    for (mu, share), value in called(lambda m, t: Gaussian(m).loss_quantile(t), points):
        says = f"Gaussian({mu!r}).loss_quantile({share!r})"
        yield near(
            _STICK, says, value, partial(_quantile, mu, share), slack=CLOSE, least=CLOSE * (mu + mu * mu)
        )
    for (mu, alpha), value in called(
        lambda m, a: Gaussian(m).trade_off(a), grid((0.1, 1.0, 3.0), (1e-9, 0.3, 0.9))
    ):
        says = f"Gaussian({mu!r}).trade_off({alpha!r})"
        yield near(_STICK, says, value, partial(_trade_off, mu, alpha), slack=CLOSE, least=LEAST)
    raised = np.array([False, True, True])
    for low, high in ((0.5, 0.75), (0.1, 0.3), (1e-3, 7.0)):
        for value, expected in zip(
            np.asarray(Gaussian.either(low, high, raised).mu), (low, high, high), strict=True
        ):
            yield near(_STICK, f"Gaussian.either({low!r}, {high!r})", value, "mu", slack=0, mu=expected)


def _stick(mu: float, epsilon: float) -> arb:
    return gaussian_stick(arb(mu), arb(epsilon))


def _log_stick(mu: float, epsilon: float) -> arb:
    return _stick(mu, epsilon).log()


def _cdf(mu: float, x: float) -> arb:
    return cdf(arb(x) / arb(mu) - arb(mu) / 2)


def _quantile(mu: float, share: float) -> arb:
    return arb(mu) ** 2 / 2 + arb(mu) * quantile(arb(share))


def _trade_off(mu: float, alpha: float) -> arb:
    return cdf(quantile(arb(alpha)) - arb(mu))
