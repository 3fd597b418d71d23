"""What a filter's promise holds every path to, whatever the adversary does: the bounds that weights rest on."""

from __future__ import annotations

from collections.abc import Iterator

from filters import (
    ApproximateDPFilter,
    ApproximateZCDPFilter,
    BasicFilter,
    PrivacyFilter,
    RogersFilter,
    WhitehouseFilter,
)
from mc.erasures import Caps
from theory.conversions import CKS, SIMPLE
from theory.guarantees import ZCDP, GaussianDP, RenyiDP

__all__ = ["promised_caps", "promised_rho", "promised_tilts"]


def promised_tilts(filt: PrivacyFilter, epsilons: tuple[float, ...]) -> Iterator[tuple[float, float]]:
    """(order, bound on the summed divergences at that order): the best order for each epsilon, if any."""
    if isinstance(filt.promise, RenyiDP):
        yield filt.promise.alpha, filt.promise.rho
        return
    rho = promised_rho(filt)
    if rho is not None:
        for epsilon in epsilons:
            order = float(CKS.order(rho, max(epsilon, 0.0)))
            if order > 1.0:  # else the promise is so weak that plain paths are as good
                yield order, order * rho


def promised_rho(filt: PrivacyFilter) -> float | None:
    """A rho with D_a <= a rho for the whole transcript, from the promise; None where it has none.

    An approximate DP filter promises through its zCDP threshold, which is what bounds the weights.
    """
    if isinstance(filt, ApproximateDPFilter):
        return filt.threshold
    if isinstance(filt.promise, ZCDP):
        return filt.promise.rho
    if isinstance(filt.promise, GaussianDP):
        return filt.promise.mu**2 / 2
    return None


def promised_caps(filt: PrivacyFilter) -> Caps | None:
    """What the rule of a filter that admits infinite losses holds them and the rest to; None for other rules.

    None also where a filter declares mechanisms by their hockey-stick at one epsilon `at`, which bounds no
    Rényi divergence. Pure mechanisms have D_s <= s e^2/2 (theorem "RR zCDP").
    """
    if isinstance(filt, ApproximateZCDPFilter):
        return Caps(filt.xi, filt.rho)
    if isinstance(filt, (BasicFilter, WhitehouseFilter, RogersFilter)) and filt.at is None:
        if isinstance(filt, BasicFilter):
            return Caps(filt.delta, filt.epsilon**2 / 2, filt.epsilon)
        if isinstance(filt, RogersFilter):
            return Caps(filt.delta / 2, filt.squares / 2)
        assert filt.tail is not None  # it was filled in
        return Caps((filt.delta - filt.tail) / filt.weight, float(SIMPLE.budget(filt.epsilon, filt.tail)))
    return None
