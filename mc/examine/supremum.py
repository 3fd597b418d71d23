"""The largest delta over all mechanisms that a filter covers: a theorem bounds it, and granted requests reach it.

>>> import filterproof as fp
>>> largest = supremum(fp.ApproximateDPFilter(1.0, 1e-5), 1.0)
>>> round(largest.low / 1e-5, 5), round(largest.high / 1e-5, 5), largest.promised
(0.99989, 0.99989, 1e-05)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from filterproof.filters.accountants.repeats import count_grants
from filterproof.filters.contract.contract_checks import checked_filter
from filterproof.filters.contract.determinism import check_determinism_on_requests
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules.orders import RenyiCurve
from filterproof.mc.engine.adversaries import Scripted
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.sequence import RequestSequence, most_kept, reached_delta
from filterproof.mc.examine.stages.certificate import verdict_by_theorems
from filterproof.theory.argument_checks import check_at_least_zero
from filterproof.theory.evidence import Outcome, Verdict
from filterproof.theory.extremal import Steps
from filterproof.theory.guarantees import ZCDP, Guarantee, RenyiDP
from filterproof.theory.numerics.decimals import format_down, format_up
from filterproof.theory.pairs import DominatingPair, Gaussian
from filterproof.theory.rounding import next_below

#: Orders at which the divergences of a zCDP guarantee are compared.
ORDERS = (2.0, 4.0, 8.0, 16.0)
#: The most repetitions of one request.
_MAX_REQUESTS = 10_000


@dataclass(frozen=True, slots=True)
class Supremum:
    """Bounds on the largest delta over all mechanisms that a filter covers and all adaptive adversaries.

        low <= sup over mechanisms and adversaries of H_{e^epsilon}(transcript) <= high

    Attributes
    ----------
    epsilon : float
        In nats, >= 0.
    low : float
        Certified lower bound: the filter's own code granted every request of `steps`. It is 0 if the filter denied one.
    high : float
        Upper bound by a theorem that covers the filter's code, and 1 without such a theorem.
    promised : float
        Delta of the filter's guarantee at epsilon.
    steps : tuple of (DominatingPair, int)
        Requests whose delta is at least `low`, each with its number of repetitions.
    rests_on : str
        The theorem, or the reason why none covers the filter.

    Raises
    ------
    ValueError
        If low > high.
    """

    epsilon: float
    low: float
    high: float
    promised: float
    steps: Steps = ()
    rests_on: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(
                f"low must be at most high, got low={self.low!r} high={self.high!r} at epsilon={self.epsilon!r}; "
                f"high rests on: {self.rests_on or 'no theorem'}; report this error"
            )

    @property
    def adversary(self) -> Scripted | None:
        """Return the adversary that makes the requests of `steps`, or None without requests."""
        return Scripted(*zip(*self.steps, strict=True)) if self.steps else None

    def __str__(self) -> str:
        bounds = f"[{format_down(self.low)}, {format_up(self.high)}] at epsilon = {self.epsilon:g}"
        open_end = f"; no theorem bounds it from above: {self.rests_on}" if self.rests_on else ""
        return f"{bounds}, promised {self.promised:.6g}{open_end if self.high == 1 else ''}"


def supremum(filt: PrivacyFilter, epsilon: float, *, verdict: Verdict | None = None) -> Supremum:
    """Bound the largest delta over every adversary and every mechanism that a filter covers.

        sup over mechanisms and adaptive adversaries of H_{e^epsilon}(transcript)

    Parameters
    ----------
    filt : PrivacyFilter
        The filter.
    epsilon : float
        In nats, >= 0.
    verdict : Verdict, optional
        The verdict of an examination of this filter, so that no theorem is looked for again.

    Returns
    -------
    Supremum
        Lower and upper bounds, with the requests that reach the lower one.

    Raises
    ------
    ValueError
        If epsilon is negative or infinite.
    TypeError
        If `filt` is not a filter, `epsilon` is not a single number, or a decision of the filter depends on something
        outside its state.

    Notes
    -----
    `filt.extremal(epsilon)` proposes requests, and the filter's own code decides on them. Ball arithmetic bounds their
    divergence. The upper bound uses the guarantee only if a theorem covers the filter's code and its rounding. The
    proof of this theorem runs in the call. The first proof takes seconds.
    """
    checked_filter(filt)
    checked = check_at_least_zero("epsilon", epsilon)
    if not isinstance(checked, float):
        raise TypeError(f"epsilon must be one number, got {checked!r}; call supremum for each")
    covered = verdict_by_theorems(filt) if verdict is None else verdict
    sound = covered is not None and covered.outcome is Outcome.HOLDS
    extremal, promised = filt.extremal(checked), float(filt.promise.delta(checked))
    check_determinism_on_requests(filt, [pair for pair, _ in extremal.steps])
    low, steps = reached_delta(filt, extremal, checked, believed=sound)
    if covered is None:
        detail = f"{type(filt).__name__} is not made of library parts, so no theorem covers it"
    else:
        detail = covered.detail
    return Supremum(checked, low, most_kept(extremal, promised) if sound else 1.0, promised, steps, detail)


def promised_renyi_by_order(promise: Guarantee) -> dict[float, float]:
    """Return the Rényi divergence that a guarantee states at each of a few orders; {} for none."""
    match promise:
        case ZCDP(rho):
            return {order: order * rho for order in ORDERS}
        case RenyiDP(alpha, rho):
            return {alpha: rho}
        case RenyiCurve(alphas, rhos):
            return dict(zip(alphas, rhos, strict=True))
    return {}


def largest_renyi_lower_bound(
    filt: PrivacyFilter, menu: Sequence[DominatingPair], order: float
) -> tuple[float, Steps]:
    """Bound from below the largest Rényi divergence of an order, over every mechanism that a filter covers.

    Returns the bound, which is certified, and the requests that reach it: one pair of the menu, or the largest
    Gaussian that the stated divergences leave room for, until the filter's own code denies it.
    """
    rate = min((rho / at for at, rho in promised_renyi_by_order(filt.promise).items()), default=0.0)
    mu = next_below(math.sqrt(2 * rate))
    candidates: list[tuple[float, Steps]] = [(0.0, ())]
    for pair in (Gaussian(mu), *menu) if mu > 0 else menu:
        times = count_grants(filt, pair, most=_MAX_REQUESTS)
        if times and (played := RequestSequence(((pair, times),))).is_granted(filt):
            candidates.append((played.lower_bound(Divergence.renyi(order)), played.steps))
    return max(candidates, key=lambda one: one[0])
