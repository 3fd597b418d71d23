"""What conversions, guarantees and pairs compute in doubles, held against their formulas in balls.

>>> from filters.certified.certified_numbers import CertifiedNumbers
>>> CertifiedNumbers.of("conversions", conversion_numbers(1.0, 1e-5)).holds
True
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from filters.certified import cks
from filters.certified.conversion_truths import (
    above_goal,
    below_goal,
    mu_left,
    promised_delta,
    renyi_delta,
    stick_left,
    zcdp_delta,
)
from filters.certified.running_number import RunningNumber, at_most, by_margin, near
from theory.conversions import CKS, SIMPLE, gaussian_epsilon, gaussian_mu, renyi_epsilon
from theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from theory.pairs import DominatingPair
from theory.realisation import kappa

__all__ = ["conversion_numbers", "pair_numbers", "promise_numbers"]

#: "A relative error below 1e-12."
_NEAR = 1e-12
_LEVELS = (-2.0, -0.125, 0.01, 0.6, 2.9)
_LOSSES = (-0.9, 0.013, 0.7)
_TAILS = (1e-7, 0.02, 0.37, 0.77)
_ORDERS = (1.0, 1.5, 3.0, 100.0)
_STAR = "(epsilon/(sqrt(log(1/delta) + epsilon) + sqrt(log(1/delta))))**2"


def conversion_numbers(epsilon: float, delta: float) -> Iterator[RunningNumber]:
    """Every conversion and guarantee at one epsilon and delta."""
    at = {"epsilon": Fraction(epsilon), "delta": Fraction(delta)}
    where = f"at epsilon {epsilon!r}, delta {delta!r}"
    star, best = float(SIMPLE.budget(epsilon, delta)), float(CKS.budget(epsilon, delta))
    yield at_most("B*", f"SIMPLE.budget {where}", star, _STAR, **at)
    left = partial(below_goal, cks.log_delta, epsilon, delta)
    yield by_margin("CKS", f"CKS.budget {where}", best, "<=", left, slack=2.0**-38)
    mu = float(gaussian_mu(epsilon, delta))
    left = partial(mu_left, epsilon, delta)
    yield by_margin("Gaussian hockey-stick", f"gaussian_mu {where}", mu, "<=", left, slack=2.0**-38)
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
    value, margin = float(CKS.epsilon(rho, delta)), partial(above_goal, cks.log_delta, rho, delta)
    yield by_margin("CKS", f"CKS.epsilon {for_rho}", value, "=", margin, slack=_NEAR)
    order, stationary = float(CKS.order(rho, epsilon)), "epsilon + log(1 + 1/(x - 1)) - (2*x - 1)*rho"
    yield by_margin("CKS", f"CKS.order {for_rho}", order, "=", stationary, slack=_NEAR, **more)
    for alpha in (1.25, 8.0):
        t = Fraction(alpha) - 1
        converted = float(renyi_epsilon(alpha, 0.5, delta))
        truth = "rho + (t*log(t) - (1 + t)*log(1 + t) - log(delta))/t"
        yield near(
            "CKS",
            f"renyi_epsilon of order {alpha} {where}",
            converted,
            truth,
            slack=_NEAR,
            least=_NEAR,
            rho=0.5,
            delta=delta,
            t=t,
        )
        promised, says = RenyiDP(alpha, rho), f"RenyiDP({alpha}, {rho!r}).delta {where}"
        yield near(
            "CKS",
            says,
            float(promised.delta(epsilon)),
            partial(renyi_delta, alpha, rho, epsilon),
            slack=_NEAR,
        )
    says, value = f"gaussian_epsilon of mu {mu!r} {where}", float(gaussian_epsilon(mu, delta))
    yield by_margin("Gaussian hockey-stick", says, value, "=", partial(stick_left, mu, delta), slack=1e-10)
    yield from _guarantees(epsilon, delta, rho)
    sigma, dhat, theta = 2.0, delta / 2, delta / 100
    limit = float(kappa(10.0, sigma, dhat, theta))
    formula = "10 - 1/sigma**2 - (quantile(dhat) + quantile(theta))/sigma"
    yield near("kappa", f"kappa {where}", limit, formula, slack=_NEAR, sigma=sigma, dhat=dhat, theta=theta)


def _guarantees(epsilon: float, delta: float, rho: float) -> Iterator[RunningNumber]:
    for theorem, promise in (
        ("basic composition", PureDP(1.5 * epsilon)),
        ("basic composition", ApproxDP(1.5 * epsilon, delta)),
        ("Gaussian hockey-stick", GaussianDP(epsilon)),
    ):
        yield from _promised(promise, epsilon, theorem, f"{promise!r}.delta({epsilon!r})")
    says, value = f"ZCDP({rho!r}).delta({epsilon!r})", float(ZCDP(rho).delta(epsilon))
    yield near("CKS", says, value, partial(zcdp_delta, rho, epsilon), slack=_NEAR)


def promise_numbers(promise: Guarantee, name: str, theorem: str) -> Iterator[RunningNumber]:
    """delta(epsilon) of a promise at several epsilons, where its class is one that is known here."""
    for epsilon in (0.2578125, 1.03125, 3.5):
        yield from _promised(promise, epsilon, theorem, f"{name}: delta at {epsilon}")


def _promised(promise: Guarantee, epsilon: float, theorem: str, says: str) -> Iterator[RunningNumber]:
    truth = promised_delta(promise, epsilon)
    if truth is not None:
        yield near(theorem, says, float(promise.delta(epsilon)), truth, slack=_NEAR, least=2.0**-900)


def pair_numbers(pair: DominatingPair) -> Iterator[RunningNumber]:
    """The hockey-stick, the loss's distribution and quantiles, and the divergences of a single pair of the library."""
    truths = pair.truths
    yield from _exact_masses(pair)
    for theorem, says, method, points in (
        ("Gaussian hockey-stick", "hockey-stick at {}", "hockey_stick", _LEVELS),
        ("realisation filter", "P(L <= {})", "loss_cdf", _LOSSES),
        ("realisation filter", "{}-quantile", "loss_quantile", _TAILS),
        (
            "Rényi divergences",
            "divergence of order {}",
            "renyi",
            (1.0, 3.0) if truths.integrated else _ORDERS,
        ),
    ):
        for at in points:
            value, truth = float(getattr(pair, method)(at)), getattr(truths, method)(at)
            yield near(theorem, f"{pair!r}: {says.format(at)}", value, truth, slack=_NEAR, least=2.0**-900)


def _exact_masses(pair: DominatingPair) -> Iterator[RunningNumber]:
    """The rationals of a pair that was made from rationals, against its definition in them."""
    rows = pair.truths.rational_masses
    if rows is None:
        return
    found = pair.exact_masses
    assert found is not None
    for place, (row, both) in enumerate(zip(rows, zip(found.p, found.q, strict=True), strict=True)):
        for word, value, truth in zip("PQ", both, row, strict=True):
            yield near("basic composition", f"{pair!r}: mass {place} of {word}", value, truth, slack=0)
