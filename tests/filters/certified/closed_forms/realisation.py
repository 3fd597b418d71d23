"""kappa, the split of delta, and the chances that a walk stays inside, at doubles: paper 004, Section V."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial

from flint import acb, arb

from filters.certified.realised import best_split
from filters.certified.running_number import CLOSE, Claims, RunningNumber, Truth
from tests.filters.certified.closed_form import closed_form, grid, in_balls
from theory.pairs.normal_law import cdf, hockey_stick, quantile
from theory.realisation import kappa, kappa_survival, optimal_split, stopped_hockey_stick

_CLAIMS = Claims("kappa")
_SPLITS = ((48, 1e-5), (1, 1e-5), (2, 0.4), (1000, 1e-9), (10**6, 1e-2), (48, 1e-290))
#: (kappa, mu): limits and steps of the walk of the losses.
_WALKS = ((1.3, 1.0), (4.9461276, 0.5), (0.2, 0.5), (2.0, 0.25))


def numbers() -> Iterator[RunningNumber]:
    """kappa, optimal_split, kappa_survival and stopped_hockey_stick."""
    yield from kappas(
        grid((10.0, 0.3, -2.0), (0.05, 0.5, 2.0, 300.0), (5.388961e-6, 1e-300, 0.3), (9.606383e-8, 0.2))
    )
    for rounds, delta in _SPLITS:
        yield from _split(rounds, delta)
    for limit, mu in _WALKS:
        yield from _walk(limit, mu)
    for mu in (0.3, 1.0, 2.5):
        for rounds, epsilon in ((1, 0.5), (2, 1.0)):
            says = f"stopped_hockey_stick(1.0, mu={mu!r}, rounds={rounds}, epsilon={epsilon!r})"
            value = stopped_hockey_stick(1.0, mu=mu, rounds=rounds, epsilon=epsilon)
            yield _CLAIMS.near(says, value, partial(_composed, mu, rounds, epsilon), slack=CLOSE)


def kappas(points: Sequence[tuple[float, ...]]) -> Iterator[RunningNumber]:
    """kappa at (epsilon, sigma, dhat, theta)."""

    def room(epsilon: float, sigma: float, *_: float) -> float:
        return 1e-14 * (abs(epsilon) + 1 / sigma**2 + 80 / sigma)

    return closed_form("kappa", "kappa{at!r}", kappa, in_balls(_kappa), points, slack=0, least=room)


def _split(rounds: int, delta: float) -> Iterator[RunningNumber]:
    """What the split spends is at most delta, exactly; and dhat is next to where the z-sum is least."""
    split = optimal_split(rounds, delta)
    dhat, theta = Fraction(split.dhat), Fraction(split.theta)
    of = _CLAIMS.of(f"optimal_split({rounds}, {delta!r})")
    # theta is rounded down so far that the sum is within delta: by some units in the last place
    spent = dhat + theta * (1 - dhat) * rounds
    yield of.at_most("dhat + theta (1 - dhat) N", spent, "d", slack=2.0**-49, d=delta)
    yield best_split(of, rounds, delta, split.dhat)


def _walk(limit: float, mu: float) -> Iterator[RunningNumber]:
    """Chances after no step, one and two; and the divergence when three requests are made."""
    survives = kappa_survival(limit, sigma=1 / mu, rounds=4)
    says = f"limit {limit!r}, mu {mu!r}"
    truths: tuple[Truth, ...] = (1, 1, partial(_one_step, limit, mu), partial(_two_steps, limit, mu))
    for t, truth in enumerate(truths, 1):
        yield _CLAIMS.near(f"kappa_survival, {says}: P(T >= {t})", float(survives[t - 1]), truth, slack=CLOSE)
    for epsilon in (0.5, 2.0):
        value = stopped_hockey_stick(limit, mu=mu, rounds=3, epsilon=epsilon)
        says_too = f"stopped_hockey_stick, {says}: 3 rounds at {epsilon!r}"
        yield _CLAIMS.near(says_too, value, partial(_stopped, limit, mu, epsilon), slack=1e-9)


def _kappa(epsilon: float, sigma: float, dhat: float, theta: float) -> arb:
    s = arb(sigma)
    return arb(epsilon) - 1 / s**2 - (quantile(arb(dhat)) + quantile(arb(theta))) / s


def _composed(mu: float, rounds: int, epsilon: float) -> arb:
    return hockey_stick(arb(rounds).sqrt() * arb(mu), arb(epsilon))


def _one_step(limit: float, mu: float) -> arb:
    m, most = arb(mu), arb(limit)
    return cdf((most - m * m / 2) / m) - cdf((-most - m * m / 2) / m)


def _two_steps(limit: float, mu: float) -> arb:
    m, most = arb(mu), arb(limit)

    def integrand(x: acb, _: bool) -> acb:
        upper, lower = (most - x - m * m / 2) / m, (-most - x - m * m / 2) / m
        return _density(x, m) * (_cdf(upper) - _cdf(lower))

    return _integral(integrand, -most, most)


def _stopped(limit: float, mu: float, epsilon: float) -> arb:
    """Two more rounds from an S_1 inside, one more from outside: the integral of the hockey-sticks that are left."""
    m, most, eps = arb(mu), arb(limit), arb(epsilon)
    far = 40 * m + m * m

    def after(k: int) -> Callable[[acb, bool], acb]:
        size = arb(k).sqrt() * m

        def integrand(s: acb, _: bool) -> acb:
            left = eps - s
            stick = _cdf(size / 2 - left / size) - left.exp() * _cdf(-size / 2 - left / size)
            return _density(s, m) * stick

        return integrand

    inside = _integral(after(2), -most, most)
    return inside + _integral(after(1), most, most + far) + _integral(after(1), -most - far, -most)


def _density(s: acb, m: arb) -> acb:
    z = (s - m * m / 2) / m
    return (-z * z / 2).exp() / (m * (2 * arb.pi()).sqrt())


def _cdf(z: acb) -> acb:
    return (-z / arb(2).sqrt()).erfc() / 2


def _integral(function: Callable[[acb, bool], acb], low: arb, high: arb) -> arb:
    return acb.integral(function, acb(low), acb(high), rel_tol=arb(2) ** -70, abs_tol=arb(2) ** -100).real
