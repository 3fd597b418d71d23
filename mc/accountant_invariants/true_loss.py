"""Reference values for accountants: closed forms and certified compositions."""

from __future__ import annotations

import math
from collections import Counter
from unittest import SkipTest

from filterproof.mc.accountant_invariants.audited_accountant import History
from filterproof.mc.losses.composition import Composition
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from filterproof.theory.numerics.decimals import format_down
from filterproof.theory.pairs import DominatingPair

#: The orders at which a rho, and the epsilons at which a mu, is compared with the true value.
_ORDERS, _EPSILONS = (1.001, 1.5, 2.0, 4.0, 8.0, 32.0), (0.0, 0.25, 1.0, 3.0)


def explain_too_small_answer(granted: History, answered: float, promise: Guarantee, tolerance: float) -> str:
    """Return why the reported spending is below the true privacy loss of the releases, or "".

    An epsilon at the guarantee's delta is compared with bounds on the composition's hockey-stick divergence there,
    whatever method the library used. An epsilon without a delta, and a rho or mu of Gaussians, is compared with the sum
    by definition; any other rho with Rényi divergences, any other mu with the profile.
    """
    if math.isnan(answered):
        return "it reports nan"
    gaussians = all(pair.normal_mu is not None for pair in granted)
    if isinstance(promise, ApproxDP) or (isinstance(promise, GaussianDP) and not gaussians):
        return _explain_too_small_profile(granted, answered, promise, tolerance)
    if isinstance(promise, PureDP):
        due = max(sum(_largest_loss_in_direction(pair, sign) for pair in granted) for sign in (1, -1))
    elif isinstance(promise, ZCDP):
        due = _zcdp_rho_lower_bound(granted)
    elif isinstance(promise, GaussianDP):
        due = sum(float(pair.gdp_mu) ** 2 for pair in granted) ** 0.5
    elif isinstance(promise, RenyiDP):
        due = sum(float(pair.renyi(promise.alpha)) for pair in granted)
    else:
        raise SkipTest(f"no true value is known for {promise}")
    too_small = answered < due * (1 - tolerance)
    return f"it reports {answered:.9g}; correct is at least {due:.9g}" if too_small else ""


def _largest_loss_in_direction(pair: DominatingPair, sign: int) -> float:
    """Return one pair's largest privacy loss (sign 1), or that of the swapped pair (sign -1)."""
    if pair.outputs is not None and math.isfinite(pair.pure_epsilon):
        return max(sign * float(loss) for loss, mass in pair.outputs if mass > 0)
    return float(pair.pure_epsilon)


def _zcdp_rho_lower_bound(granted: History) -> float:
    """Return the maximum of D_alpha / alpha over a few orders, a lower bound on the zCDP rho."""
    # a pair's own rho may be larger than the smallest: epsilon^2 / 2 of randomised response
    if all(pair.normal_mu is not None for pair in granted):
        return sum(float(pair.zcdp_rho) for pair in granted)
    return max(sum(float(pair.renyi(alpha)) for pair in granted) / alpha for alpha in _ORDERS)


def _explain_too_small_profile(
    granted: History, answered: float, promise: ApproxDP | GaussianDP, tolerance: float
) -> str:
    """Return why the delta of a reported epsilon or mu is below the true one, or ""."""
    reports = f"it reports {'mu' if isinstance(promise, GaussianDP) else 'epsilon'}={answered:.9g}"
    if answered < 0:
        return f"{reports}, below zero"
    if math.isinf(answered):  # it guarantees nothing
        return ""
    largest = answered * (1 + tolerance)
    if isinstance(promise, ApproxDP):
        allowed = {largest: promise.delta_at_epsilon}
    else:
        allowed = {at: float(GaussianDP(largest).delta(at)) if answered else 0.0 for at in _EPSILONS}
    composition = Composition(Counter(granted))
    for epsilon, delta in allowed.items():
        low = composition.delta(epsilon, relative=1e-4).low
        if low > delta * (1 + tolerance):
            # each rounded so that both statements are true
            above = f"at least {format_down(low)}, above {format_down(delta)}"
            return f"{reports}, but delta at epsilon={epsilon:.6g} is {above}"
    return ""
