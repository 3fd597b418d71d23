"""The theorems that turn a bound on a sum of charges into a guarantee, strongest first for each promise."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from filterproof.mc.prove.paths import NotTraced
from filterproof.theory.conversions import CKS, gaussian_mu
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP


@dataclass(frozen=True)
class Theorem:
    """If on every path the charges sum to at most `budget`, the transcript keeps the promise.

    Parameters
    ----------
    measure
        "pure", "zcdp", "gdp" (mu^2), "renyi" (at `alpha`) or "loss" (the realised loss, its size).
    budget
        The largest sum, exact.
    kernel
        The statement in the kernel's record about filters that keep such a sum.
    charge
        The summand, in words.
    """

    measure: str
    budget: Fraction
    kernel: str
    charge: str
    alpha: Fraction | None = None

    @property
    def sum(self) -> str:
        """The sum that is bounded, in words."""
        return "size of the realised loss" if self.measure == "loss" else f"sum of {self.charge}"

    @property
    def ghosts(self) -> tuple[int, ...]:
        """The signs of the sum that is bounded: a loss is bounded from both sides."""
        return (1, -1) if self.measure == "loss" else (1,)


def theorems(promise: Guarantee, orders: Iterable[Fraction]) -> list[tuple[Theorem, ...]]:
    """The theorems for a promise, where the code reads divergences at `orders`; of several sums, all are needed.

    Raises NotTraced for a promise that has none.
    """
    single = _single(promise, orders)
    found: list[tuple[Theorem, ...]] = [(theorem,) for theorem in single]
    if isinstance(promise, ApproxDP):
        sums = (("epsilon", promise.epsilon), ("delta", promise.delta_at_epsilon))
        found.append(tuple(Theorem(name, Fraction(most), "basic_filter_any", name) for name, most in sums))
    return found


def _single(promise: Guarantee, orders: Iterable[Fraction]) -> list[Theorem]:
    """The theorems about one sum."""
    if isinstance(promise, PureDP):
        return [_pure(promise.epsilon), _loss(promise.epsilon)]
    if isinstance(promise, ZCDP):
        return [
            Theorem("zcdp", Fraction(promise.rho), "zcdp_filter_any", "rho"),
            Theorem("gdp", 2 * Fraction(promise.rho), "gaussian_filter", "mu^2"),
        ]
    if isinstance(promise, GaussianDP):
        return [Theorem("gdp", Fraction(promise.mu) ** 2, "gaussian_filter", "mu^2")]
    if isinstance(promise, RenyiDP) and promise.alpha > 1:
        alpha, rho = Fraction(promise.alpha), Fraction(promise.rho)
        return [
            _renyi(alpha, rho),
            Theorem("zcdp", rho / alpha, "zcdp_filter_any", "rho"),
            _pure(promise.rho),
        ]
    if isinstance(promise, ApproxDP):
        return _approximate(promise, orders)
    raise NotTraced(f"no theorem of the prover speaks of {promise}")


def _pure(epsilon: float) -> Theorem:
    return Theorem("pure", Fraction(epsilon), "basic_filter_any", "epsilon")


def _loss(epsilon: float) -> Theorem:
    return Theorem("loss", Fraction(epsilon), "ex_post_pure_filter", "the realised loss")


def _renyi(alpha: Fraction, rho: Fraction) -> Theorem:
    return Theorem("renyi", rho, "renyi_filter_any", f"D_{float(alpha):g}", alpha)


def _approximate(promise: ApproxDP, orders: Iterable[Fraction]) -> list[Theorem]:
    epsilon, delta = promise.epsilon, promise.delta_at_epsilon
    found = [_pure(epsilon)]
    if not 0 < delta < 1 or epsilon == 0:
        return found
    found.append(
        Theorem("zcdp", Fraction(float(CKS.budget(epsilon, delta))), "approximate_dp_filter_any", "rho")
    )
    mu = Fraction(float(gaussian_mu(epsilon, delta))) * (1 - Fraction(1, 10**12))
    found.append(Theorem("gdp", mu**2, "gaussian_promise", "mu^2"))
    for alpha in sorted(orders):
        if alpha > 1:
            t = float(alpha) - 1
            room = epsilon + (math.log(delta) - (t + 1) * math.log1p(-1 / (t + 1)) + math.log(t)) / t
            if room > 0:
                # rounded towards less
                found.append(_renyi(alpha, Fraction(room * (1 - 1e-12))))
    return found
