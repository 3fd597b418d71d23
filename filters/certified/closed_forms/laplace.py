"""The Laplace pair at doubles, against its law: atoms 1/2 and e^{-e}/2, and e^{(l-e)/2}/4 dl between them, e = 1/b."""

from __future__ import annotations

from collections.abc import Iterator

from filters.certified.closed_form import CLOSE, LEAST, grid, of_pair
from filters.certified.running_number import RunningNumber
from theory.pairs.laplace import Laplace

__all__ = ["numbers"]

_THEOREM, _STICK, _PURE = "Rényi divergences", "Gaussian hockey-stick", "RR zCDP"
_SCALES = (1e-3, 0.05, 0.3, 1.0, 3.0, 7.0, 49.0, 1e6)
#: What the mu of Laplace(b) is certified at: on both sides of where the code changes its formula, at e = 2.
_CHARGED = (
    *(1e-3, 0.01, 0.1, 0.3, 0.4999, 0.5, 0.5001, 0.7, 0.9, 1.3, 2.0, 3.0),
    *(7.0, 10.0, 33.0, 99.0, 1e3, 1e6),
)


def numbers() -> Iterator[RunningNumber]:
    """hockey_stick, renyi, charges, loss_cdf and loss_quantile of Laplace(b)."""
    sticks = [(b, share / b) for b in _SCALES for share in (-1.5, -0.75, 0.0, 1e-6, 0.4, 0.96875, 1.5)]
    orders = grid(_SCALES, (1.0, 1.001, 1.5, 2.0, 40.0, 1e4))
    charged = grid((*_SCALES, *_CHARGED))
    losses = [(b, share / b) for b in (0.3, 1.0, 7.0) for share in (-1.01, -0.99, 0.0, 0.5, 0.99, 1.01)]
    tails = grid((0.3, 1.0, 7.0), (1e-9, 0.499, 0.501, 0.75, 0.999, 1 - 1e-12))
    for row in (
        # at epsilon near 1/b what is left of H is of the size of the rounding of 1/b
        of_pair(_THEOREM, "Laplace", Laplace, "hockey_stick", sticks, least=_stick_error),
        of_pair(_THEOREM, "Laplace", Laplace, "renyi", orders, least=LEAST),
        of_pair(_PURE, "Laplace", Laplace, "pure_epsilon", charged, arguments=0),
        of_pair(_PURE, "Laplace", Laplace, "zcdp_rho", charged, arguments=0),
        of_pair(
            _STICK, "Laplace", Laplace, "gdp_mu", grid(_CHARGED), slack=2.0**-46, charge=True, arguments=0
        ),
        of_pair(_THEOREM, "Laplace", Laplace, "loss_cdf", losses, slack=0, least=CLOSE),
        of_pair(_THEOREM, "Laplace", Laplace, "loss_quantile", tails, least=lambda b, _: CLOSE * (1 + 1 / b)),
    ):
        yield from row.numbers()


def _stick_error(b: float, epsilon: float) -> float:
    return max(LEAST, 2.0**-51 * abs(epsilon))
