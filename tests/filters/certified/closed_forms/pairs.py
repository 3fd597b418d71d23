"""The pairs where formulas change and doubles are short of digits: what they say, beside their truths."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from filterproof.filters.certified.comparison import CLOSE, Comparison
from filterproof.theory.pairs.base import DominatingPair
from filterproof.theory.pairs.finite import pure_to_gdp
from filterproof.theory.pairs.gaussian import Gaussian
from filterproof.theory.pairs.laplace import Laplace
from filterproof.theory.pairs.randomized_response import RandomizedResponse
from filterproof.theory.pairs.reference_values import ReferenceValue
from filterproof.theory.pairs.subsampled_gaussian import SubsampledGaussian
from tests.filters.certified.closed_form import LEAST, closed_form, grid, of_pair

_RENYI, _STICK, _PURE = "Rényi divergences", "Gaussian hockey-stick", "RR zCDP"
#: The mu that is charged for a pair that is no Gaussian: raised by this at most.
_RAISED = {"slack": 2.0**-46, "charge": True}

_MUS = (1e-6, 0.03, 0.7, 1.0, 3.0, 40.0)
#: epsilon = mu (z + mu/2): the bulk, both tails, and where the code changes its formula.
_EDGES = (-20.0, -1.5, -0.9, -1e-3, 0.0, 0.8, 5.0, 20.0, 36.0)
_ENDS = ((1e-150, 1e-200), (1e-150, 0.0), (100.0, 0.0), (300.0, 1.0), (1e-3, 5.0), (1.0, 2.0), (1.0, -0.5))
_LARGE_LEVELS = ((1.0, 100.0), (0.1, 50.0), (1e-3, 3.0), (2.0, 1e4))
_GAUSSIANS = [(mu, max(mu * (z + mu / 2), 0.0)) for mu in _MUS for z in _EDGES]
_GAUSSIANS += [(mu, -epsilon) for mu, epsilon in _GAUSSIANS[::3] if epsilon < 600]
_SCALES = (1e-3, 0.05, 0.3, 1.0, 3.0, 7.0, 49.0, 1e6)
#: What the mu of Laplace(b) is certified at: on both sides of where the code changes its formula, at e = 2.
_CHARGED = (
    1e-3,
    0.01,
    0.1,
    0.3,
    0.4999,
    0.5,
    0.5001,
    0.7,
    0.9,
    1.3,
    2.0,
    3.0,
    7.0,
    10.0,
    33.0,
    99.0,
    1e3,
    1e6,
)
#: Rates and sigmas; an epsilon and whole orders, for removal alone.
_SAMPLED = ((0.01, 0.8), (0.2, 2.0), (0.7, 1.0), (1.0, 3.0))
_WHOLE = ((0.01, 0.8, 40.0), (0.2, 0.5, 200.0), (0.7, 1.0, 700.0))
_EPSILONS = (1e-9, 1e-3, 0.25, 1.0, 3.0, 40.0, 600.0)
_EPSILONS_CHARGED = (*_EPSILONS, 1.2, 1.4999, 1.5, 2.5, 7.0, 0.1, 0.33, 0.9, 5.0, 11.0, 19.0, 90.0)


def _at(*numbers: float) -> list[tuple[float, ...]]:
    return [(q, s, x) for q, s in _SAMPLED for x in numbers]


def _tails() -> list[tuple[float, float]]:
    """On both sides of the probability with which a bit is kept."""
    keeps = {e: float(RandomizedResponse(e).outputs[0][1]) for e in (0.25, 3.0)}
    return [(e, t) for e, p in keeps.items() for t in (0.0, p * (1 - 1e-9), p * (1 + 1e-9), 1 - 1e-9)]


class _Asked(NamedTuple):
    """What a pair is asked at points, its parameters and then the argument, and the errors that it declares."""

    theorem: str
    make: Callable[..., DominatingPair]
    asked: str
    points: list[tuple[float, ...]]
    errors: dict[str, Any] = {}  # noqa: RUF012


_addition = partial(SubsampledGaussian, adjacency="addition")
_ASKED = (
    _Asked(_STICK, Gaussian, "hockey_stick", [*_GAUSSIANS, *_ENDS]),
    _Asked(_RENYI, Gaussian, "renyi", grid(_MUS, (1.0, 1.25, 8.0, 1e6))),
    _Asked(
        *(_STICK, Gaussian, "loss_isf", grid((0.03, 3.0), (1e-300, 1e-9, 0.2, 0.7, 1 - 1e-9))),
        {"least": lambda mu, _: CLOSE * (mu + mu * mu)},
    ),
    # at epsilon near 1/b what is left of H is of the size of the rounding of 1/b
    _Asked(
        *(_RENYI, Laplace, "hockey_stick"),
        [(b, share / b) for b in _SCALES for share in (-1.5, -0.75, 0.0, 1e-6, 0.4, 0.96875, 1.5)],
        {"least": lambda b, x: max(LEAST, 2.0**-51 * abs(x))},
    ),
    _Asked(_RENYI, Laplace, "renyi", grid(_SCALES, (1.0, 1.001, 1.5, 2.0, 40.0, 1e4))),
    _Asked(_STICK, Laplace, "gdp_mu", grid(_CHARGED), _RAISED),
    _Asked(
        *(_RENYI, Laplace, "loss_cdf"),
        [(b, share / b) for b in (0.3, 7.0) for share in (-1.01, -0.99, 0.0, 0.5, 0.99, 1.01)],
    ),
    _Asked(
        *(_RENYI, Laplace, "loss_isf", grid((0.3, 7.0), (1e-9, 0.499, 0.501, 0.75, 0.999, 1 - 1e-12))),
        {"least": lambda b, _: CLOSE * (1 + 1 / b)},
    ),
    # tested to 1e-11 since it was written: epsilon is turned into that of the full batch
    *(
        _Asked(_STICK, make, "hockey_stick", _at(-0.6, -1e-3, 0.0, 1e-3, 0.05, 0.6, 4.0), {"slack": 1e-11})
        for make in (SubsampledGaussian, _addition)
    ),
    _Asked(_STICK, SubsampledGaussian, "renyi", [*_at(1.0, 1.5, 5.5), *_WHOLE]),
    _Asked(_STICK, _addition, "renyi", _at(1.0, 1.5, 5.5)),
    _Asked(_RENYI, RandomizedResponse, "loss_isf", _tails()),
    _Asked(_STICK, RandomizedResponse, "gdp_mu", grid(_EPSILONS_CHARGED), _RAISED),
)


def numbers() -> Iterator[Comparison]:
    """What pairs are asked at edges; the logarithm of H and the trade-off of the Gaussian; `pure_to_gdp`."""
    for theorem, make, asked, points, errors in _ASKED:
        name = getattr(make, "__name__", "SubsampledGaussian, addition")
        yield from of_pair(theorem, name, make, asked, points, **errors)
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
    yield from closed_form(_STICK, says, pure_to_gdp, truth, grid(_EPSILONS_CHARGED), **_RAISED)


def _log_stick(mu: float, epsilon: float) -> ReferenceValue:
    hockey_stick = Gaussian(mu).reference_values.hockey_stick(epsilon)
    return ReferenceValue(f"log({hockey_stick.formula})", hockey_stick.at)
