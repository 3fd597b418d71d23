"""The Gaussian where formulas change and doubles are short of digits, and the mu of pure mechanisms."""

from __future__ import annotations

from collections.abc import Iterator

from filterproof.filters.certified.comparison import CLOSE, Comparison
from filterproof.theory.pairs.finite import pure_to_gdp
from filterproof.theory.pairs.gaussian import Gaussian
from filterproof.theory.pairs.randomized_response import RandomizedResponse
from filterproof.theory.pairs.reference_values import ReferenceValue
from tests.filters.certified.closed_form import LEAST, closed_form, grid

_STICK = "Gaussian hockey-stick"
_MUS = (1e-6, 0.03, 0.7, 1.0, 3.0, 40.0)
#: epsilon = mu (z + mu/2): the bulk, both tails, and where the code changes its formula.
_EDGES = (-20.0, -1.5, -0.9, -1e-3, 0.0, 0.8, 5.0, 20.0, 36.0)
_ENDS = ((1e-150, 1e-200), (1e-150, 0.0), (100.0, 0.0), (300.0, 1.0), (1e-3, 5.0), (1.0, 2.0), (1.0, -0.5))
_LARGE_LEVELS = ((1.0, 100.0), (0.1, 50.0), (1e-3, 3.0), (2.0, 1e4))
_GAUSSIANS = [(mu, max(mu * (z + mu / 2), 0.0)) for mu in _MUS for z in _EDGES]
_GAUSSIANS += [(mu, -epsilon) for mu, epsilon in _GAUSSIANS[::3] if epsilon < 600]
#: On both sides of where the code of mu changes its formula.
_EPSILONS = (*(10.0 ** (k / 4) for k in range(-36, 12)), 1.4999, 1.5)


def numbers() -> Iterator[Comparison]:
    """The logarithm of H and the trade-off of the Gaussian, and `pure_to_gdp`."""
    yield from closed_form(
        _STICK,
        "Gaussian({!r}).log_hockey_stick({!r})",
        lambda mu, epsilon: Gaussian(mu).log_hockey_stick(epsilon),
        _log_stick,
        [*_GAUSSIANS, *_ENDS, *_LARGE_LEVELS],
        least=CLOSE,
    )
    yield from closed_form(
        _STICK,
        "Gaussian({!r}).trade_off({!r})",
        lambda mu, alpha: Gaussian(mu).trade_off(alpha),
        lambda mu, alpha: ReferenceValue("tail(mu - quantile(alpha))", {"mu": mu, "alpha": alpha}),
        grid((0.1, 1.0, 3.0), (1e-9, 0.3, 0.9)),
        least=LEAST,
    )
    says = "pure_to_gdp({!r}) = 2 Phi^-1(e^e/(1+e^e))"
    truth = lambda e: RandomizedResponse(e).reference_values.gdp_mu  # noqa: E731
    yield from closed_form(_STICK, says, pure_to_gdp, truth, grid(_EPSILONS), slack=2.0**-46, charge=True)


def _log_stick(mu: float, epsilon: float) -> ReferenceValue:
    hockey_stick = Gaussian(mu).reference_values.hockey_stick(epsilon)
    return ReferenceValue(f"log({hockey_stick.formula})", hockey_stick.at)
