"""The Gaussian pair at doubles, against equations (2.2) and (2.3) of paper 003."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from filters.certified.closed_form import CLOSE, LEAST, ClosedForm, grid, of_pair
from filters.certified.running_number import Claims, RunningNumber
from theory.pairs.gaussian import Gaussian
from theory.pairs.truths import TrueValue

__all__ = ["numbers"]

_STICK, _RENYI = "Gaussian hockey-stick", "Rényi divergences"
_MUS = (1e-6, 0.03, 0.7, 1.0, 3.0, 40.0)
#: epsilon = mu (z + mu/2): the bulk, both tails, and where the code changes its formula.
_EDGES = (-20.0, -1.5, -0.9, -1e-3, 0.0, 0.8, 5.0, 20.0, 36.0)
_ENDS = ((1e-150, 1e-200), (1e-150, 0.0), (100.0, 0.0), (300.0, 1.0), (1e-3, 5.0), (1.0, 2.0), (1.0, -0.5))
_FAR = ((1.0, 100.0), (0.1, 50.0), (1e-3, 3.0), (2.0, 1e4))


def numbers() -> Iterator[RunningNumber]:
    """hockey_stick, log_hockey_stick, renyi, charges, loss_cdf, loss_quantile and trade_off of Gaussian(mu)."""
    points = [(mu, max(mu * (z + mu / 2), 0.0)) for mu in _MUS for z in _EDGES]
    points += [(mu, -epsilon) for mu, epsilon in points[::3] if epsilon < 600]
    losses = [(mu, mu * (mu / 2 + z)) for mu in (0.03, 1.0, 3.0) for z in (-3.0, -0.5, 0.25, 2.0)]
    tails = grid((0.03, 1.0, 3.0), (1e-300, 1e-9, 0.2, 0.7, 1 - 1e-9))
    for row in (
        of_pair(_STICK, "Gaussian", Gaussian, "hockey_stick", [*points, *_ENDS], least=LEAST),
        ClosedForm(
            _STICK,
            "Gaussian({!r}).log_hockey_stick({!r})",
            lambda mu, epsilon: Gaussian(mu).log_hockey_stick(epsilon),
            _log_stick,
            [*points, *_FAR],
            least=CLOSE,
        ),
        of_pair(_RENYI, "Gaussian", Gaussian, "renyi", grid(_MUS, (1.0, 1.25, 8.0, 1e6)), least=LEAST),
        of_pair(_RENYI, "Gaussian", Gaussian, "zcdp_rho", grid(_MUS), arguments=0),
        of_pair(_STICK, "Gaussian", Gaussian, "gdp_mu", grid(_MUS), slack=2.0**-48, charge=True, arguments=0),
        of_pair(_STICK, "Gaussian", Gaussian, "loss_cdf", losses, slack=0, least=CLOSE),
        of_pair(
            _STICK, "Gaussian", Gaussian, "loss_quantile", tails, least=lambda mu, _: CLOSE * (mu + mu * mu)
        ),
        ClosedForm(
            _STICK,
            "Gaussian({!r}).trade_off({!r})",
            lambda mu, alpha: Gaussian(mu).trade_off(alpha),
            lambda mu, alpha: TrueValue("tail(mu - quantile(alpha))", {"mu": mu, "alpha": alpha}),
            grid((0.1, 1.0, 3.0), (1e-9, 0.3, 0.9)),
            least=LEAST,
        ),
    ):
        yield from row.numbers()
    yield from _either()


def _log_stick(mu: float, epsilon: float) -> TrueValue:
    stick = Gaussian(mu).truths.hockey_stick(epsilon)
    return TrueValue(f"log({stick.formula})", stick.at)


def _either() -> Iterator[RunningNumber]:
    raised = np.array([False, True, True])
    for low, high in ((0.5, 0.75), (0.1, 0.3), (1e-3, 7.0)):
        for value, expected in zip(
            np.asarray(Gaussian.either(low, high, raised).mu), (low, high, high), strict=True
        ):
            yield Claims(_STICK).equal(f"Gaussian.either({low!r}, {high!r})", value, "mu", mu=expected)
