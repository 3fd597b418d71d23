"""The truth beside what an accountant answers: closed forms and certified compositions, and small exact games."""

from __future__ import annotations

import math
from collections import Counter
from unittest import SkipTest

from filterproof.filters.adapters.foreign import CountedFilter
from filterproof.mc.accountant_invariants.audited_accountant import History
from filterproof.mc.losses.composition import Composition
from filterproof.mc.worst_case.solve import worst_case
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from filterproof.theory.numerics.decimals import above, below
from filterproof.theory.pairs import DominatingPair

#: Rounds of the games, and members of a menu that they are played over.
_ROUNDS, _LEVELS = (2, 3), 4
#: Orders at which a rho, and epsilons at which a mu, is held against the truth.
_ORDERS, _EPSILONS = (1.001, 1.5, 2.0, 4.0, 8.0, 32.0), (0.0, 0.25, 1.0, 3.0)


def promised_too_little(granted: History, answered: float, promise: Guarantee, tolerance: float) -> str:
    """What is wrong with the answer about mechanisms fixed in advance, "" if it is at least the truth.

    An epsilon at the promised delta is held against bounds on the composition's hockey-stick divergence there, whatever
    route the library took; an epsilon without a delta, and a rho or mu of Gaussians, against the sum that the
    definition gives; any other rho against Renyi divergences, any other mu against the profile.
    """
    if math.isnan(answered):
        return "it answers nan"
    if isinstance(promise, ApproxDP):
        if answered < 0:
            return f"it answers epsilon={answered:.9g}, below zero"
        if math.isinf(answered):  # it promises nothing
            return ""
        allowed = promise.delta_at_epsilon
        bounds = Composition(Counter(granted)).delta(answered * (1 + tolerance), relative=1e-4)
        passed = bounds.low > allowed * (1 + tolerance)
        return (
            f"it answers epsilon={answered:.9g}, where delta is {_passed(bounds.low, allowed)}"
            if passed
            else ""
        )
    if isinstance(promise, PureDP):
        due = max(sum(_largest(pair, sign) for pair in granted) for sign in (1, -1))
    elif isinstance(promise, ZCDP):
        due = _zcdp_rho(granted)
    elif isinstance(promise, GaussianDP):
        if not all(pair.normal_mu is not None for pair in granted):
            return _too_small_a_mu(granted, answered, tolerance)
        due = sum(float(pair.gdp_mu) ** 2 for pair in granted) ** 0.5
    elif isinstance(promise, RenyiDP):
        due = sum(float(pair.renyi(promise.alpha)) for pair in granted)
    else:
        raise SkipTest(f"no truth is known for {promise}")
    return f"it answers {answered:.9g}, where {due:.9g} is due" if answered < due * (1 - tolerance) else ""


def _largest(pair: DominatingPair, sign: int) -> float:
    """The largest privacy loss (sign 1), or the largest of the exchanged pair (-1)."""
    if pair.outputs is not None and math.isfinite(pair.pure_epsilon):
        return max(sign * float(loss) for loss, mass in pair.outputs if mass > 0)
    return float(pair.pure_epsilon)


def _zcdp_rho(granted: History) -> float:
    """The largest D_alpha / alpha of the composition at a few orders: at most its rho, and a Gaussian's own."""
    # the pairs' own rho may be larger than the least: epsilon^2 / 2 of randomised response
    if all(pair.normal_mu is not None for pair in granted):
        return sum(float(pair.zcdp_rho) for pair in granted)
    return max(sum(float(pair.renyi(alpha)) for pair in granted) / alpha for alpha in _ORDERS)


def _too_small_a_mu(granted: History, answered: float, tolerance: float) -> str:
    """What is wrong with a mu whose profile is somewhere below the composition's, "" if nothing is found."""
    if answered < 0:
        return f"it answers mu={answered:.9g}, below zero"
    if math.isinf(answered):
        return ""
    composition = Composition(Counter(granted))
    for epsilon in _EPSILONS:
        allowed = float(GaussianDP(answered * (1 + tolerance)).delta(epsilon)) if answered else 0.0
        low = composition.delta(epsilon, relative=1e-4).low
        if low > allowed * (1 + tolerance):
            return f"it answers mu={answered:.9g}, where delta at epsilon={epsilon:.6g} is {_passed(low, allowed)}"
    return ""


def _passed(low: float, allowed: float) -> str:
    """A lower bound beside what it passes, each rounded so that both claims are true."""
    return f"at least {below(low)}, above {below(allowed)}"


def worth_more(filt: CountedFilter) -> tuple[str, str]:
    """The value of the largest small game in words, and what passes the promise, "" if nothing does."""
    epsilon = float(getattr(filt.promise, "epsilon", 1.0))
    promised = float(filt.promise.delta(epsilon))
    if not any(filt.admits(filt.start(1), pair)[0] for pair in filt.menu[:_LEVELS]):
        raise SkipTest("it grants nothing of its menu")
    words = ""
    for rounds in _ROUNDS:
        value = worst_case(filt, filt.menu[:_LEVELS], epsilon=epsilon, rounds=rounds)
        words = f"{rounds} rounds: H at epsilon={epsilon:.6g} is at most {above(value.high)}, promised {promised:.6g}"
        if value.low > promised * (1 + 1e-9):
            return words, (
                f"an adversary of {rounds} rounds reaches H of at least {below(value.low)} at epsilon={epsilon:.6g}, "
                f"promised {promised:.6g}"
            )
    return words, ""
