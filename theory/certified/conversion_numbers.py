"""What conversions, guarantees and pairs compute in doubles, held against their formulas in balls.

>>> from theory.certified.certified_numbers import CertifiedNumbers
>>> CertifiedNumbers.of("conversions", conversion_numbers(1.0, 1e-5)).holds
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

from flint import arb, ctx

from theory.certified.pair_truths import PairTruth, cdf, hockey_stick, quantile, renyi
from theory.certified.running_number import RunningNumber, Truth, at_most, infinite, near
from theory.conversions import CKS, SIMPLE, gaussian_epsilon, gaussian_mu, renyi_epsilon
from theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    FinitePair,
    Gaussian,
    RandomizedResponse,
    SubsampledGaussian,
)
from theory.pairs.finite import Finite
from theory.proofs.formula import rational
from theory.proofs.threshold import THRESHOLDS
from theory.realisation import kappa

__all__ = ["conversion_numbers", "pair_numbers", "promise_numbers", "renyi_delta", "zcdp_delta"]

#: "A relative error below 1e-12."
_NEAR = 1e-12
#: Beyond this delta is one to many digits, and the root that gives it far out.
_FAR = 20.0
_LEVELS = (-2.0, -0.125, 0.01, 0.6, 2.9)
_LOSSES = (-0.9, 0.013, 0.7)
_TAILS = (1e-7, 0.02, 0.37, 0.77)
_STAR = "(epsilon/(sqrt(log(1/delta) + epsilon) + sqrt(log(1/delta))))**2"


def _ball(x: float | Fraction) -> arb:
    return arb(rational(Fraction(x)))


def _rising_root(function: Callable[[arb], arb]) -> arb:
    """A ball around the root of an increasing function on (0, inf)."""
    low, high = arb(1), arb(1)
    for _ in range(4 * ctx.prec):
        low = low if function(low) < 0 else low / 4
        high = high if function(high) > 0 else high * 4
    if not (function(low) < 0 and function(high) > 0):
        return arb.nan()  # too far out for these bits
    for _ in range(ctx.prec):
        middle = ((low + high) / 2).mid()
        value = function(middle)
        if value < 0:
            low = middle
        elif value > 0:
            high = middle
        else:
            break
    return low.union(high)


def zcdp_delta(rho: float, epsilon: float) -> arb:
    """The delta of rho-zCDP at epsilon by CKS: at the order t + 1 where (2t+1) rho - epsilon = log(1 + 1/t)."""
    r, e = _ball(rho), _ball(epsilon)
    t = _rising_root(lambda t: (2 * t + 1) * r - e - (1 / t).log1p())
    return (-(r * t * t + t.log1p())).exp()


def _cks_epsilon(rho: float, delta: float) -> arb:
    r, log = _ball(rho), -_ball(delta).log()
    t = _rising_root(lambda t: r * t * t + t.log1p() - log)
    return (2 * t + 1) * r - (1 / t).log1p()


def _threshold(name: str, epsilon: float, delta: float) -> arb:
    return THRESHOLDS[name](rational(Fraction(epsilon)), rational(Fraction(delta)))


def conversion_numbers(epsilon: float, delta: float) -> Iterator[RunningNumber]:
    """Every conversion and guarantee at one epsilon and delta."""
    at = {"epsilon": Fraction(epsilon), "delta": Fraction(delta)}
    where = f"at epsilon {epsilon!r}, delta {delta!r}"
    star, best = float(SIMPLE.budget(epsilon, delta)), float(CKS.budget(epsilon, delta))
    yield at_most("B*", f"SIMPLE.budget {where}", star, _STAR, **at)
    largest = partial(_threshold, "CKS", epsilon, delta)
    yield at_most("CKS", f"CKS.budget {where}", best, largest, slack=2.0**-38)
    mu = float(gaussian_mu(epsilon, delta))
    yield at_most(
        "Gaussian hockey-stick",
        f"gaussian_mu {where}",
        mu,
        partial(_threshold, "GDP", epsilon, delta),
        slack=2.0**-38,
    )
    rho = best / 3
    more = at | {"rho": Fraction(rho)}
    for_rho = f"{where}, rho {rho!r}"
    yield near(
        "B*",
        f"SIMPLE.delta {for_rho}",
        float(SIMPLE.delta(rho, epsilon)),
        "exp(-(epsilon - rho)**2/(4*rho))",
        slack=_NEAR,
        **more,
    )
    yield near(
        "B*",
        f"SIMPLE.epsilon {for_rho}",
        float(SIMPLE.epsilon(rho, delta)),
        "rho + 2*sqrt(rho*log(1/delta))",
        slack=_NEAR,
        **more,
    )
    yield near(
        "B*",
        f"SIMPLE.order {for_rho}",
        float(SIMPLE.order(rho, epsilon)),
        "1 + (epsilon - rho)/(2*rho)",
        slack=_NEAR,
        **more,
    )
    yield near(
        "CKS",
        f"CKS.delta {for_rho}",
        float(CKS.delta(rho, epsilon)),
        partial(zcdp_delta, rho, epsilon),
        slack=_NEAR,
    )
    yield near(
        "CKS",
        f"CKS.epsilon {for_rho}",
        float(CKS.epsilon(rho, delta)),
        partial(_cks_epsilon, rho, delta),
        slack=_NEAR,
    )
    order = Fraction(float(CKS.order(rho, epsilon)))
    stationary = "epsilon + log(1 + 1/(x - 1)) - (2*x - 1)*rho"
    yield RunningNumber("CKS", f"CKS.order {for_rho}", order, "=", stationary, more, Fraction(_NEAR))
    for alpha in (1.25, 8.0):
        t = Fraction(alpha) - 1
        found = float(renyi_epsilon(alpha, 0.5, delta))
        truth = "rho + (t*log(t) - (1 + t)*log(1 + t) - log(delta))/t"
        yield near(
            "CKS",
            f"renyi_epsilon of order {alpha} {where}",
            found,
            truth,
            slack=_NEAR,
            least=_NEAR,
            rho=0.5,
            delta=delta,
            t=t,
        )
        promised = float(RenyiDP(alpha, rho).delta(epsilon))
        formula = "exp(t*(rho - epsilon) - (1 + t)*log(1 + t) + t*log(t))"
        yield near(
            "CKS",
            f"RenyiDP({alpha}, {rho!r}).delta {where}",
            promised,
            formula,
            slack=_NEAR,
            t=t,
            rho=rho,
            epsilon=epsilon,
        )
    yield near(
        "Gaussian hockey-stick",
        f"gaussian_epsilon of mu {mu!r} {where}",
        float(gaussian_epsilon(mu, delta)),
        partial(_gaussian_epsilon, mu, delta),
        slack=1e-10,
    )
    yield from _guarantees(epsilon, delta, rho)
    sigma, dhat, theta = 2.0, delta / 2, delta / 100
    limit = float(kappa(10.0, sigma, dhat, theta))
    formula = "10 - 1/sigma**2 - (quantile(dhat) + quantile(theta))/sigma"
    yield near("kappa", f"kappa {where}", limit, formula, slack=_NEAR, sigma=sigma, dhat=dhat, theta=theta)


def _gaussian_epsilon(mu: float, delta: float) -> arb:
    size, goal = _ball(mu), _ball(delta)
    root = arb(2).sqrt()

    def missing(e: arb) -> arb:
        near, far = (e / size - size / 2) / root, (e / size + size / 2) / root
        return goal - (near.erfc() - e.exp() * far.erfc()) / 2

    return _rising_root(missing)


def _guarantees(epsilon: float, delta: float, rho: float) -> Iterator[RunningNumber]:
    for promise, pair in (
        (PureDP(1.5 * epsilon), RandomizedResponse(1.5 * epsilon)),
        (ApproxDP(1.5 * epsilon, delta), KOV(1.5 * epsilon, delta)),
        (GaussianDP(epsilon), Gaussian(epsilon)),
    ):
        truth = hockey_stick(pair, epsilon)
        yield _near(
            "Gaussian hockey-stick" if isinstance(pair, Gaussian) else "basic composition",
            f"{promise!r}.delta({epsilon!r})",
            float(promise.delta(epsilon)),
            truth,
        )
    yield near(
        "CKS",
        f"ZCDP({rho!r}).delta({epsilon!r})",
        float(ZCDP(rho).delta(epsilon)),
        partial(zcdp_delta, rho, epsilon),
        slack=_NEAR,
    )


def _entropy_delta(rho: float, epsilon: float) -> arb:
    """(rho + h(a))/s where s (1 - e^-a) a' - h(a) = rho, a = log((e^s-1)/s) - epsilon, h(a) = e^-a - 1 + a."""
    r, e = _ball(rho), _ball(epsilon)

    def parts(s: arb) -> tuple[arb, arb]:
        return (s.expm1() / s).log() - e, 1 / (1 - (-s).exp()) - 1 / s

    def excess(s: arb) -> arb:
        a, slope = parts(s)
        return -r if a <= 0 else s * (1 - (-a).exp()) * slope - ((-a).exp() - 1 + a) - r

    s = _rising_root(excess)
    a, _ = parts(s)
    return (r + (-a).exp() - 1 + a) / s


def promise_numbers(promise: Guarantee, name: str, theorem: str) -> Iterator[RunningNumber]:
    """delta(epsilon) of a promise at several epsilons, where its class is one that is known here."""
    for epsilon in (0.2578125, 1.03125, 3.5):
        truth: Truth | None = None
        match promise:
            case PureDP(own):
                truth = hockey_stick(RandomizedResponse(own), epsilon).formula
            case ApproxDP(own, delta):
                truth = hockey_stick(KOV(own, delta), epsilon).formula
            case GaussianDP(mu):
                truth = partial(PairTruth.ball, hockey_stick(Gaussian(mu), epsilon))
            case ZCDP(rho) if rho < epsilon + _FAR:
                truth = partial(zcdp_delta, rho, epsilon)
            case RenyiDP(alpha, rho) if alpha > 1 or rho < _FAR:
                truth = partial(renyi_delta, alpha, rho, epsilon)
        if truth is not None:
            value = float(promise.delta(epsilon))
            yield near(theorem, f"{name}: delta at {epsilon}", value, truth, slack=_NEAR, least=2.0**-900)


def renyi_delta(alpha: float, rho: float, epsilon: float) -> arb:
    """The delta of (alpha, rho)-RDP at epsilon, at most 1; the least one at alpha = 1."""
    if alpha == 1:
        return _entropy_delta(rho, epsilon)
    t = _ball(Fraction(alpha) - 1)
    exponent = t * (_ball(rho) - _ball(epsilon)) + t * t.log() - (1 + t) * (1 + t).log()
    return exponent.exp().min(arb(1))


def _near(theorem: str, says: str, value: float, truth: PairTruth) -> RunningNumber:
    if truth.formula is None:
        return infinite(theorem, says, value)
    return near(theorem, says, value, truth.formula, slack=_NEAR, least=2.0**-900, **truth.at)


def pair_numbers(pair: DominatingPair) -> Iterator[RunningNumber]:
    """The hockey-stick, the loss's distribution and quantiles, and the divergences of a single pair of the library."""
    sampled = isinstance(pair, SubsampledGaussian)
    yield from _exact_masses(pair)
    for level in _LEVELS:
        value = float(pair.hockey_stick(level))
        yield _near(
            "Gaussian hockey-stick", f"{pair!r}: hockey-stick at {level}", value, hockey_stick(pair, level)
        )
    for loss in _LOSSES:
        yield _near(
            "realisation filter", f"{pair!r}: P(L <= {loss})", float(pair.loss_cdf(loss)), cdf(pair, loss)
        )
    for tail in _TAILS:
        says = f"{pair!r}: {tail}-quantile"
        yield _near("realisation filter", says, float(pair.loss_quantile(tail)), quantile(pair, tail))
    for order in (1.0, 3.0) if sampled else (1.0, 1.5, 3.0, 100.0):
        says = f"{pair!r}: divergence of order {order}"
        yield _near("Rényi divergences", says, float(pair.renyi(order)), renyi(pair, order))


def _exact_masses(pair: DominatingPair) -> Iterator[RunningNumber]:
    """The rationals of a pair that was made from rationals, against its definition in them."""
    found = pair.exact_masses if isinstance(pair, Finite) else None
    if found is None:
        return
    match pair:
        case RandomizedResponse(ratio=Fraction() as ratio):
            own = [ratio / (1 + ratio), 1 / (1 + ratio)]
            rows = list(zip(own, own[::-1], strict=True))
        case KOV(ratio=Fraction() as ratio, exact_delta=Fraction() as delta):
            rest = (1 - delta) / (1 + ratio)
            rows = [(delta, Fraction(0)), (rest * ratio, rest), (rest, rest * ratio), (Fraction(0), delta)]
        case Erasure(exact=Fraction() as p):
            rows = [(p, Fraction(0)), (1 - p, 1 - p), (Fraction(0), p)]
        case FinitePair():
            rows = [(Fraction(p), Fraction(q)) for p, q in zip(pair.p, pair.q, strict=True)]
        case _:
            return
    for place, (row, both) in enumerate(zip(rows, zip(found.p, found.q, strict=True), strict=True)):
        for word, value, truth in zip("PQ", both, row, strict=True):
            yield near("basic composition", f"{pair!r}: mass {place} of {word}", value, truth, slack=0)
