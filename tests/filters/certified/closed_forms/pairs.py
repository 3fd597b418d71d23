"""The pairs at doubles: hockey-sticks, divergences, charges and laws of the loss, beside those of their truths."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from filters.certified.running_number import CLOSE, Claims, RunningNumber
from tests.filters.certified.closed_form import DECLARED, LEAST, closed_form, grid, of_pair
from theory.pairs.base import DominatingPair
from theory.pairs.erasure import Erasure
from theory.pairs.finite import FinitePair, pure_to_gdp
from theory.pairs.gaussian import Gaussian
from theory.pairs.kov import KOV
from theory.pairs.laplace import Laplace
from theory.pairs.randomized_response import RandomizedResponse
from theory.pairs.subsampled_gaussian import SubsampledGaussian
from theory.pairs.truths import TrueValue

_RENYI, _STICK, _PURE = "Rényi divergences", "Gaussian hockey-stick", "RR zCDP"
_Law: TypeAlias = tuple[float | Fraction, ...]
_Make: TypeAlias = Callable[..., DominatingPair]
#: The mu that is charged for a pair that is no Gaussian: raised by this at most.
_RAISED: Mapping[str, Any] = {"slack": 2.0**-46, "charge": True}

_MUS = (1e-6, 0.03, 0.7, 1.0, 3.0, 40.0)
#: epsilon = mu (z + mu/2): the bulk, both tails, and where the code changes its formula.
_EDGES = (-20.0, -1.5, -0.9, -1e-3, 0.0, 0.8, 5.0, 20.0, 36.0)
_ENDS = ((1e-150, 1e-200), (1e-150, 0.0), (100.0, 0.0), (300.0, 1.0), (1e-3, 5.0), (1.0, 2.0), (1.0, -0.5))
_FAR = ((1.0, 100.0), (0.1, 50.0), (1e-3, 3.0), (2.0, 1e4))

_SCALES = (1e-3, 0.05, 0.3, 1.0, 3.0, 7.0, 49.0, 1e6)
#: What the mu of Laplace(b) is certified at: on both sides of where the code changes its formula, at e = 2.
_SCALES_CHARGED = (
    *(1e-3, 0.01, 0.1, 0.3, 0.4999, 0.5, 0.5001, 0.7, 0.9, 1.3, 2.0, 3.0),
    *(7.0, 10.0, 33.0, 99.0, 1e3, 1e6),
)

#: Rates and sigmas; an epsilon and whole orders, for removal alone.
_SAMPLED = ((0.01, 0.8), (0.2, 2.0), (0.7, 1.0), (1.0, 3.0))
_HIGH = ((0.5, 1.0, 31.0),)
_WHOLE = ((0.01, 0.8, 40.0), (0.2, 0.5, 200.0), (0.7, 1.0, 700.0))

_EPSILONS = (1e-9, 1e-3, 0.25, 1.0, 3.0, 40.0, 600.0)
_EPSILONS_CHARGED = (*_EPSILONS, 0.0, 1.2, 1.4999, 1.5, 2.5, 7.0, 0.1, 0.33, 0.9, 5.0, 11.0, 19.0, 90.0)
#: On either side of a threshold.
_BESIDE = 1 - 1e-9, 1 + 1e-9
_ORDERS = (1.0, 1.001, 1.5, 2.0, 32.0, 1e3)
#: Laws whose masses sum to one exactly: of others nobody says which law is meant.
_LAWS: tuple[tuple[_Law, _Law], ...] = (
    ((0.5, 0.3125, 0.1875), (0.3125, 0.3125, 0.375)),
    ((0.5, 0.5), (0.5 - 2.0**-40, 0.5 + 2.0**-40)),
    ((0.25, 0.75, 0.0), (0.125, 0.625, 0.25)),
    ((Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 7), Fraction(6, 7))),
    ((2.0**-30, 1 - 2.0**-30), (2.0**-10, 1 - 2.0**-10)),
    ((0.5, 0.25, 0.25), (0.125, 0.25, 0.625)),  # of whose trade-off curve the first corner tells
)


def numbers() -> Iterator[RunningNumber]:
    """hockey_stick, renyi, charges, loss_cdf and loss_quantile of the pairs, and what only one kind of them has."""
    yield from _gaussian()
    yield from _laplace()
    yield from _subsampled()
    yield from _finite()
    yield from _charges()


def _gaussian() -> Iterator[RunningNumber]:
    """Equations (2.2) and (2.3) of paper 003; the logarithm of H, the trade-off, and `either`."""
    points = [(mu, max(mu * (z + mu / 2), 0.0)) for mu in _MUS for z in _EDGES]
    points += [(mu, -epsilon) for mu, epsilon in points[::3] if epsilon < 600]
    losses = [(mu, mu * (mu / 2 + z)) for mu in (0.03, 1.0, 3.0) for z in (-3.0, -0.5, 0.25, 2.0)]
    tails = grid((0.03, 1.0, 3.0), (1e-300, 1e-9, 0.2, 0.7, 1 - 1e-9))
    of = partial(of_pair, name="Gaussian", make=Gaussian)
    yield from of(_STICK, asked="hockey_stick", points=[*points, *_ENDS])
    yield from of(_RENYI, asked="renyi", points=grid(_MUS, (1.0, 1.25, 8.0, 1e6)))
    yield from of(_RENYI, asked="zcdp_rho", points=grid(_MUS))
    yield from of(_STICK, asked="gdp_mu", points=grid(_MUS), slack=2.0**-48, charge=True)
    yield from of(_STICK, asked="loss_cdf", points=losses)
    yield from of(_STICK, asked="loss_quantile", points=tails, least=lambda mu, _: CLOSE * (mu + mu * mu))
    yield from closed_form(
        _STICK,
        "Gaussian({!r}).log_hockey_stick({!r})",
        lambda mu, epsilon: Gaussian(mu).log_hockey_stick(epsilon),
        _log_stick,
        [*points, *_FAR],
        least=CLOSE,
    )
    yield from closed_form(
        _STICK,
        "Gaussian({!r}).trade_off({!r})",
        lambda mu, alpha: Gaussian(mu).trade_off(alpha),
        lambda mu, alpha: TrueValue("tail(mu - quantile(alpha))", {"mu": mu, "alpha": alpha}),
        grid((0.1, 1.0, 3.0), (1e-9, 0.3, 0.9)),
        least=LEAST,
    )
    for low, high in ((0.5, 0.75), (0.1, 0.3), (1e-3, 7.0)):
        mus = np.asarray(Gaussian.either(low, high, np.array([False, True, True])).mu)
        for value, expected in zip(mus, (low, high, high), strict=True):
            yield Claims(_STICK).equal(f"Gaussian.either({low!r}, {high!r})", value, "mu", mu=expected)


def _log_stick(mu: float, epsilon: float) -> TrueValue:
    stick = Gaussian(mu).truths.hockey_stick(epsilon)
    return TrueValue(f"log({stick.formula})", stick.at)


def _laplace() -> Iterator[RunningNumber]:
    """By its law: atoms 1/2 and e^{-e}/2, and e^{(l-e)/2}/4 dl between them, e = 1/b."""
    sticks = [(b, share / b) for b in _SCALES for share in (-1.5, -0.75, 0.0, 1e-6, 0.4, 0.96875, 1.5)]
    charged = grid((*_SCALES, *_SCALES_CHARGED))
    losses = [(b, share / b) for b in (0.3, 1.0, 7.0) for share in (-1.01, -0.99, 0.0, 0.5, 0.99, 1.01)]
    tails = grid((0.3, 1.0, 7.0), (1e-9, 0.499, 0.501, 0.75, 0.999, 1 - 1e-12))
    of = partial(of_pair, name="Laplace", make=Laplace)
    # at epsilon near 1/b what is left of H is of the size of the rounding of 1/b
    yield from of(
        _RENYI, asked="hockey_stick", points=sticks, least=lambda b, x: max(LEAST, 2.0**-51 * abs(x))
    )
    yield from of(_RENYI, asked="renyi", points=grid(_SCALES, (1.0, 1.001, 1.5, 2.0, 40.0, 1e4)))
    yield from of(_PURE, asked="pure_epsilon", points=charged)
    yield from of(_PURE, asked="zcdp_rho", points=charged)
    yield from of(_STICK, asked="gdp_mu", points=grid(_SCALES_CHARGED), **_RAISED)
    yield from of(_RENYI, asked="loss_cdf", points=losses)
    yield from of(_RENYI, asked="loss_quantile", points=tails, least=lambda b, _: CLOSE * (1 + 1 / b))


def _subsampled() -> Iterator[RunningNumber]:
    """Its definition: sums over its two Gaussians, and integrals in balls."""

    def at(*numbers: float) -> list[tuple[float, ...]]:
        return [(q, s, x) for q, s in _SAMPLED for x in numbers]

    levels, orders = at(-0.6, -1e-3, 0.0, 1e-3, 0.05, 0.6, 4.0), at(1.0, 1.5, 2.0, 5.5)
    for side in ("removal", "addition"):
        high, whole = (_HIGH, _WHOLE) if side == "removal" else ((), ())
        make = partial(SubsampledGaussian, adjacency=side)
        of = partial(of_pair, _STICK, f"SubsampledGaussian, {side}:", make)
        # tested to 1e-11 since it was written: epsilon is turned into that of the full batch
        yield from of("hockey_stick", [*levels, *high], slack=1e-11)
        yield from of("renyi", [*orders, *whole])
        yield from of("loss_cdf", at(-0.2, 0.05, 0.3))
        yield from of(
            "loss_quantile", at(1e-9, 0.3, 0.8), least=lambda q, s, _: CLOSE * (1 + 1 / s + 1 / s**2)
        )
    for charge in ("zcdp_rho", "gdp_mu"):
        yield from of_pair(_STICK, "SubsampledGaussian", SubsampledGaussian, charge, _SAMPLED)


def _finite() -> Iterator[RunningNumber]:
    """The divergences of pairs of finitely many outcomes: sums over them; their charges, and the law of the loss."""
    responses = [(e, share * e) for e in _EPSILONS for share in (-2.0, -0.5, 0.0, 0.3, 0.875)]
    responses = [(e, x) for e, x in responses if abs(x) < 700]
    erased = [(e, d, x) for e, x in responses if x >= 0 for d in (0.0, 1e-300, 1e-5, 0.5)]
    blanks = grid((1e-300, 1e-5, 0.25, 1.0), (0.0, 0.5, 600.0))
    orders = grid(_EPSILONS, _ORDERS)
    jumps = [(e, share * e) for e in (0.25, 3.0) for share in (-1.01, -0.99, 0.99, 1.01)]
    # on both sides of the probability with which a bit is kept
    tails = [(e, t) for e in (0.25, 3.0) for t in (0.0, *(_keeps(e) * near for near in _BESIDE), 1 - 1e-9)]
    of = partial(of_pair, _RENYI)
    yield from of("RandomizedResponse", RandomizedResponse, "hockey_stick", responses)
    yield from of("RandomizedResponse", RandomizedResponse, "renyi", orders)
    yield from of("RandomizedResponse", RandomizedResponse, "loss_cdf", jumps)
    yield from of("RandomizedResponse", RandomizedResponse, "loss_quantile", tails)
    yield from of("KOV", KOV, "hockey_stick", erased)
    yield from of("KOV", KOV, "renyi", [(e, 0.0, a) for e, a in orders])
    yield from of("KOV", KOV, "loss_cdf", [(e, 0.125, x) for e, x in jumps])
    mass = float(KOV(0.5, 0.125).infinite_mass)
    yield Claims(_RENYI).equal("KOV(0.5, 0.125).infinite_mass", mass, 0.125)
    yield from of("Erasure", Erasure, "hockey_stick", blanks)
    for charge in DECLARED:
        yield from of("KOV", KOV, charge, [(0.5, 1e-300), (0.5, 0.25)])
        yield from of("Erasure", Erasure, charge, [(1e-300,), (1.0,)])
    for place, (p, q) in enumerate(_LAWS):
        given = FinitePair(p, q)
        for name, pair in ((f"FinitePair {place}", given), (f"FinitePair.swapped {place}", given.swapped)):
            same = lambda pair=pair: pair  # noqa: E731
            # a loss in doubles is that of the masses to 2^-52 of itself, which tells where little is left of H
            yield from of(name, same, "hockey_stick", grid((-0.7, -1e-3, 0.0, 0.1, 0.4, 1.1)), least=2.0**-50)
            yield from of(name, same, "renyi", grid(_ORDERS))
            for charge, slack in zip(DECLARED, (CLOSE, pair.truths.zcdp_slack, CLOSE), strict=True):
                yield from of(name, same, charge, [()], slack=slack)


def _keeps(e: float) -> float:
    return float(RandomizedResponse(e).outputs[0][1])


def _charges() -> Iterator[RunningNumber]:
    """What they are charged: the pure epsilon, its half square, and the mu of the Gaussian that dominates them."""
    charged, above_zero = grid(_EPSILONS_CHARGED), [(e,) for e in _EPSILONS_CHARGED if e > 0]
    same: _Make = lambda e: KOV(e, 0.0)  # noqa: E731
    for name, make in (("RandomizedResponse", RandomizedResponse), ("KOV with delta = 0", same)):
        yield from of_pair(_PURE, name, make, "pure_epsilon", charged, slack=0)
        yield from of_pair(_PURE, name, make, "zcdp_rho", charged)
        yield from of_pair(_STICK, name, make, "gdp_mu", above_zero, **_RAISED)
    says, truth = "pure_to_gdp({!r}) = 2 Phi^-1(e^e/(1+e^e))", lambda e: RandomizedResponse(e).truths.gdp_mu
    yield from closed_form(_STICK, says, pure_to_gdp, truth, above_zero, **_RAISED)
