"""How many draws tell a promised curve from a larger one: bets on its points beside a band on both error rates."""

import math
import statistics
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import special

from mc.estimate.decide import ProfileTest
from mc.intervals.anytime import Side, Wealth
from tests.instruments.bench.measured import Row
from theory.guarantees import GaussianDP

#: The curve that is promised, the points at which bets are laid, the chance of a false alarm, draws between two looks.
_PROMISED, _EPSILONS, _FAILURE, _LOOK = GaussianDP(1.0), (0.0, 0.5, 1.0, 1.5, 2.0, 3.0), 0.05, 100
_MOST = 400_000


def audits(streams: int) -> list[Row]:
    """The median number of draws until 1-GDP is refused where mu-GDP is released, by each way; None beyond `_MOST`.

    Each way sees the same streams of Gaussian losses, at equal failure probability.
    """
    rows = []
    for mu in (1.1, 1.2, 1.5):
        single = sorted((_median(partial(bets, mu=mu, epsilons=(e,)), streams) for e in _EPSILONS), key=_last)
        ways: Row = {"mu": mu, "curve": _median(partial(bets, mu=mu), streams)}
        ways |= {"best_epsilon": single[0], "worst_epsilon": single[-1]}
        rows.append(ways | {"band": _median(partial(band, mu=mu), streams)})
    return rows


def _last(draws: float | None) -> float:
    return math.inf if draws is None else draws


def _median(stream: Callable[[np.random.Generator], int | None], streams: int) -> float | None:
    draws = statistics.median(_last(stream(np.random.default_rng(seed))) for seed in range(streams))
    return draws if math.isfinite(draws) else None


def bets(
    rng: np.random.Generator, *, mu: float, epsilons: tuple[float, ...] = _EPSILONS, most: int = _MOST
) -> int | None:
    """Draws from P alone until the bets on these points refuse the promise; looks grow as the stream does."""
    test = ProfileTest.of(epsilons, [float(_PROMISED.delta(e)) for e in epsilons], _FAILURE)
    capital: list[Wealth] | None = None
    draws = 0
    while draws < most:
        loss = rng.normal(mu * mu / 2, mu, max(_LOOK, draws // 20))
        draws += loss.size
        new = [
            part.wealth(np.where(loss > e, -np.expm1(e - loss), 0.0))
            for part, e in zip(test.tests, epsilons, strict=True)
        ]
        capital = new if capital is None else [Wealth.merge(pair) for pair in zip(capital, new, strict=True)]
        if test.decision(capital).side is Side.ABOVE:
            return draws
    return None


def band(rng: np.random.Generator, *, mu: float, most: int = _MOST) -> int | None:
    """Draws from P and Q until a band on P(L > t) and Q(L > t) for all t leaves the promised trade-off curve.

    At the k-th look, each twice as late as the one before, Massart's band has failure/(k (k + 1)), half of it a side:
    valid at every look together. It knows no likelihood ratio, only two samples of scores.
    """
    hits, alarms = rng.normal(mu * mu / 2, mu, most // 2), rng.normal(-mu * mu / 2, mu, most // 2)
    draws, look = _LOOK, 1
    while 2 * draws <= most:
        width = math.sqrt(math.log(2 * look * (look + 1) / _FAILURE) / (2 * draws))
        scores = np.sort(np.concatenate((hits[:draws], alarms[:draws])))
        above = [
            1 - np.searchsorted(np.sort(part[:draws]), scores, "right") / draws for part in (hits, alarms)
        ]
        low, high = above[0] - width, np.minimum(above[1] + width, 1.0)
        if np.any(low > special.ndtr(special.ndtri(high) + _PROMISED.mu)):
            return 2 * draws
        draws, look = 2 * draws, look + 1
    return None
