"""Draws of losses, told the random numbers they use: each is then a function, held against the inverse of its law.

The law tilted to the order s has density P^s Q^{1-s}, normalised; weights lead back from it to P.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import accumulate, product
from math import comb
from typing import Any

import numpy as np
from flint import arb

from filters.certified.running_number import CLOSE, Claims, RunningNumber
from theory.pairs import (
    KOV,
    DominatingPair,
    FinitePair,
    Gaussian,
    Laplace,
    RandomizedResponse,
    SubsampledGaussian,
)

_CLAIMS = Claims("tilted weights")
_ORDERS = (1.0, 1.75, 4.0)
#: Random numbers are taken so close to a threshold, on either side of it.
_BESIDE = 1e-9


class _Told:
    """A generator whose numbers are told: those asked for first come first."""

    #: None that compiled code draws from.
    bit_generator = None

    def __init__(self, uniform: Sequence[float] = (), normal: Sequence[float] = ()) -> None:
        self._uniform, self._normal = list(uniform), list(normal)

    def random(self, n: int) -> np.ndarray[Any, Any]:
        return np.array([self._uniform.pop(0) for _ in range(n)])

    def standard_normal(self, n: int | None = None, *, out: Any = None) -> Any:
        if out is None:
            return np.array([self._normal.pop(0) for _ in range(n or 0)])
        out[:] = [self._normal.pop(0) for _ in range(len(out))]
        return out


def _drawn(
    pair: DominatingPair, order: float, uniform: tuple[float, ...], normal: tuple[float, ...] = ()
) -> float:
    """One loss, drawn by the numbers that are told."""
    return float(pair.sample(_Told(uniform, normal), 1, order)[0])  # type: ignore[arg-type]


def _beside(threshold: arb, below: Any, above: Any) -> tuple[tuple[float, Any], ...]:
    """The uniform numbers next to a threshold, on either side, and what each of them picks."""
    at = float(threshold.mid())
    return (at * (1 - _BESIDE), below), (at * (1 + _BESIDE), above)


def numbers() -> Iterator[RunningNumber]:
    """sample, sample_finite and log_weight of the pairs."""
    yield from _gaussian()
    yield from _outcomes()
    yield from _finite()
    yield from _laplace()
    yield from _removal()
    yield from _addition()
    yield from _weights()


def _gaussian() -> Iterator[RunningNumber]:
    """mu z + (s - 1/2) mu^2: few draws, and enough of them to be compiled where that is possible."""
    for mu, order in product((0.3, 2.0), _ORDERS):
        few = Gaussian(mu).sample(_Told(normal=(-1.25, 0.5)), 2, order)  # type: ignore[arg-type]
        many = Gaussian(mu).sample(np.random.Generator(np.random.SFC64(5)), 64, order)
        drawn = np.random.Generator(np.random.SFC64(5)).standard_normal(64)
        for normal, loss in [*zip((-1.25, 0.5), few, strict=True), *zip(drawn[:3], many[:3], strict=True)]:
            z, truth = float(normal), "mu*z + (s - 1/2)*mu**2"
            says = f"Gaussian({mu!r}).sample at order {order!r}, normal {z!r}"
            least = CLOSE * (mu * abs(z) + order * mu * mu)
            yield _CLAIMS.near(says, float(loss), truth, slack=0, least=least, mu=mu, z=z, s=order)


def _outcomes() -> Iterator[RunningNumber]:
    """Which outcome a uniform number on either side of a threshold draws, in three finite pairs."""
    e = arb(0.75)
    coin, part = e.exp() / (1 + e.exp()), 1 - arb(0.125)
    thirds = [(np.log(2), arb(0.5)), (0.0, arb(0.25)), (-np.log(2), arb(0.25))]
    pairs: tuple[tuple[DominatingPair, list[tuple[float, arb]]], ...] = (
        (RandomizedResponse(0.75), [(0.75, coin), (-0.75, 1 - coin)]),
        (KOV(0.75, 0.125), [(np.inf, arb(0.125)), (0.75, part * coin), (-0.75, part * (1 - coin))]),
        (FinitePair((0.5, 0.25, 0.25), (0.25, 0.25, 0.5)), thirds),
    )
    for (pair, outcomes), order in product(pairs, _ORDERS):
        finite = [(loss, mass) for loss, mass in outcomes if loss < np.inf]
        raised = [mass * (arb(order - 1) * arb(loss)).exp() for loss, mass in finite]
        share = sum((mass for _, mass in finite), arb(0)) / sum(raised, arb(0))
        masses = [mass for loss, mass in outcomes if loss == np.inf] + [mass * share for mass in raised]
        for (loss, _), (after, _), below in zip(outcomes, outcomes[1:], accumulate(masses), strict=False):
            for u, level in _beside(below, loss, after):
                drawn = _drawn(pair, order, (u,))
                says = f"{type(pair).__name__}.sample at order {order!r}, uniform {u!r}"
                if level == np.inf:
                    yield _CLAIMS.equal(says, int(drawn == np.inf), 1)
                else:
                    yield _CLAIMS.near(says, drawn, level, slack=CLOSE)


def _finite() -> Iterator[RunningNumber]:
    """Losses given that they are finite: KOV then draws as randomised response does."""
    for order in _ORDERS:
        keep = 1 / (1 + ((1 - 2 * arb(order)) * arb(0.75)).exp())
        for u, level in _beside(keep, 0.75, -0.75):
            drawn = float(KOV(0.75, 0.125).sample_finite(_Told((u,)), 1, order)[0])  # type: ignore[arg-type]
            yield _CLAIMS.equal(f"KOV.sample_finite at order {order!r}, uniform {u!r}", drawn, level)


def _laplace() -> Iterator[RunningNumber]:
    for b, order, u in product((0.5, 3.0), _ORDERS, (0.2, 0.45, 0.6, 0.75, 0.999)):
        drawn, truth = _drawn(Laplace(b), order, (u,)), partial(_laplace_level, b, order, u)
        says = f"Laplace({b!r}).sample at order {order!r}, uniform {u!r}"
        yield _CLAIMS.near(says, drawn, truth, slack=CLOSE, least=1e-11 / b)


def _laplace_level(b: float, order: float, u: float) -> arb:
    """Where the tilted law, in units of its largest density, leaves u of itself above: atoms at both ends."""
    e, r = 1 / arb(b), arb(order) - arb(0.5)
    lost = (-2 * r * e).exp()
    between, low = (1 - lost) / (4 * r), lost / 2
    above = arb(u) * (arb(0.5) + between + low) - arb(0.5)
    if above < 0:
        return e
    return -e if above > between else e + (1 - 4 * r * above).log() / r


def _removal() -> Iterator[RunningNumber]:
    """The Gaussian of the mixture that a uniform number picks, at whole orders, where nothing is thinned."""
    for (q, sigma), order in product(((0.2, 1.5), (0.6, 0.8)), (1, 2, 3)):
        rate, variance = arb(q), arb(sigma) ** 2
        shares = [
            comb(order, k) * rate**k * (1 - rate) ** (order - k) * (arb(k * (k - 1)) / (2 * variance)).exp()
            for k in range(order + 1)
        ]
        total = sum(shares, arb(0))
        for k, below in enumerate(accumulate(share / total for share in shares[:-1])):
            for u, centre in _beside(below, k, k + 1):
                drawn = _drawn(SubsampledGaussian(q, sigma), float(order), (u,), (0.25,))
                says = f"SubsampledGaussian({q!r}, {sigma!r}).sample at order {order}, uniform {u!r}"
                truth = partial(_output, q, sigma, centre, 0.25)
                yield _CLAIMS.near(says, drawn, truth, slack=CLOSE, least=CLOSE)


def _output(q: float, sigma: float, centre: int, z: float) -> arb:
    """The loss at the output centre + sigma z."""
    return _loss(arb(q), arb(sigma), arb(centre) + arb(sigma) * arb(z))


def _loss(q: arb, s: arb, x: arb) -> arb:
    return (1 - q + q * ((x - arb(0.5)) / s**2).exp()).log()


def _addition() -> Iterator[RunningNumber]:
    """Whether a proposal is taken, beside its chance: the density over that of a tangent, which touches at the mode."""
    for q, sigma, order in ((0.2, 1.5, 2.0), (0.6, 0.8, 3.5)):
        t, rate, s = arb(order - 1), arb(q), arb(sigma)
        loss = partial(_loss, rate, s)

        def slope(x: arb, rate: arb = rate, s: arb = s) -> arb:
            y = ((x - arb(0.5)) / s**2).exp()
            return rate * y / (1 - rate + rate * y)

        low, high = -t, arb(0)
        for _ in range(100):
            mode = ((low + high) / 2).mid()
            low, high = (low, mode) if mode + t * slope(mode) > 0 else (mode, high)
        z = 1.5
        x = -t * slope(mode) + s * arb(z)
        taken = (-t * (loss(x) - loss(mode) - slope(mode) * (x - mode) / s**2)).exp()
        pair = SubsampledGaussian(q, sigma, adjacency="addition")
        for u, centre in _beside(taken, z, 0.0):
            drawn = _drawn(pair, order, (u, 0.5), (z, 0.0))
            truth = -loss(-t * slope(mode) + s * arb(centre))
            says = f"SubsampledGaussian({q!r}, {sigma!r}), addition: sample at order {order!r}, uniform {u!r}"
            yield _CLAIMS.near(says, drawn, partial(_same, truth), slack=1e-9)


def _same(ball: arb) -> arb:
    return ball


def _weights() -> Iterator[RunningNumber]:
    """log E_P[e^{(s-1) L} | L < inf] - (s-1) L, by the divergence of order s of what is finite."""
    loss, kov, coin = 0.375, KOV(1.25, 0.125), RandomizedResponse(1.25)
    # KOV without its outcome of infinite loss is randomised response
    finite: dict[DominatingPair, DominatingPair] = {
        pair: pair for pair in (Gaussian(0.7), coin, Laplace(0.5))
    }
    for order in (1.75, 4.0):
        for pair, same in (finite | {kov: coin}).items():
            value, truth = (
                pair.log_weight(np.array([loss]), order)[0],
                partial(_log_weight, same, order, loss),
            )
            says = f"{pair!r}.log_weight({loss!r}, {order!r})"
            yield _CLAIMS.near(says, float(value), truth, slack=CLOSE, least=CLOSE)
        value = float(kov.log_weight(np.array([loss, np.inf]), order)[1])
        yield _CLAIMS.equal(f"KOV(1.25, 0.125).log_weight of an infinite loss, order {order!r}", value, 0)


def _log_weight(pair: DominatingPair, order: float, loss: float) -> arb:
    return (arb(order) - 1) * (pair.truths.renyi(order).ball() - arb(loss))
