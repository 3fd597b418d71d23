"""The accountants of dp-accounting, which compose events and answer with an epsilon."""

from __future__ import annotations

import math
from typing import Any

from filters.adapters.accountant import from_accountant
from mc.accountants.accountant_subject import AccountantSubject
from mc.accountants.law_answers import subject_of
from theory.guarantees import ApproxDP
from theory.pairs import Gaussian, Laplace, RandomizedResponse, SubsampledGaussian

__all__ = ["pld", "pld_natural", "pld_response", "rdp", "rdp_response"]

_NOISES = (Gaussian(0.25), Laplace(4.0), SubsampledGaussian(0.125, 1.0))
_RESPONSES = (RandomizedResponse(0.5), RandomizedResponse(1.0))


def _event(pair: Any) -> Any:
    from dp_accounting import dp_event

    if isinstance(pair, Gaussian):
        return dp_event.GaussianDpEvent(1 / float(pair.mu))
    if isinstance(pair, Laplace):
        return dp_event.LaplaceDpEvent(float(pair.b))
    return dp_event.PoissonSampledDpEvent(float(pair.q), dp_event.GaussianDpEvent(float(pair.sigma)))


def _response(pair: Any) -> Any:
    from dp_accounting import dp_event

    return dp_event.RandomizedResponseDpEvent(2 / (1 + math.exp(float(pair.epsilon))), 2)


def _noise(held: Any, value: float) -> None:
    from dp_accounting import dp_event

    held.compose(dp_event.GaussianDpEvent(value))


def rdp() -> AccountantSubject:
    """Gaussian, Laplace and subsampled Gaussian noise, orders as by default, one added or removed."""
    from dp_accounting import rdp

    filt = from_accountant(rdp.RdpAccountant, _event, ApproxDP(2.0, 1e-5), menu=_NOISES)

    def reread(held: Any) -> Any:
        fresh = rdp.RdpAccountant()
        fresh.compose(held.ledger)
        return fresh

    return subject_of(filt, reread=reread, raw=_noise)


def rdp_response() -> AccountantSubject:
    """Randomised response, one replaced."""
    from dp_accounting import NeighboringRelation, rdp

    filt = from_accountant(
        lambda: rdp.RdpAccountant(neighboring_relation=NeighboringRelation.REPLACE_ONE),
        _response,
        ApproxDP(2.0, 1e-2),
        menu=_RESPONSES,
    )
    return subject_of(filt)


def pld() -> AccountantSubject:
    """The same noises by a grid of losses, ten times coarser than by default, so that an answer takes milliseconds."""
    from dp_accounting.pld import PLDAccountant

    def make() -> Any:
        return PLDAccountant(value_discretization_interval=1e-3)

    def reread(held: Any) -> Any:
        fresh = make()
        fresh.compose(held.ledger)
        return fresh

    filt = from_accountant(make, _event, ApproxDP(2.0, 1e-5), menu=_NOISES)
    # its docs state no error; an answer moves by cells of the grid
    return subject_of(filt, tolerance=1e-2, reread=reread, raw=_noise)


def pld_response() -> AccountantSubject:
    """Randomised response, one replaced."""
    from dp_accounting import NeighboringRelation
    from dp_accounting.pld import PLDAccountant

    filt = from_accountant(
        lambda: PLDAccountant(NeighboringRelation.REPLACE_ONE),
        _response,
        ApproxDP(2.0, 1e-2),
        menu=_RESPONSES,
    )
    return subject_of(filt)


def pld_natural() -> AccountantSubject:
    """Randomised response, composed one by one as a loop that stops does, on a menu that refutes the natural filter."""
    from dp_accounting import NeighboringRelation
    from dp_accounting.pld import PLDAccountant

    def compose(held: Any, event: Any, count: int) -> None:
        for _ in range(count):
            held.compose(event)

    step = math.log(1.5)
    filt = from_accountant(
        lambda: PLDAccountant(NeighboringRelation.REPLACE_ONE),
        _response,
        ApproxDP(math.log(9 / 4), 0.2664),
        menu=tuple(RandomizedResponse(k * step) for k in (1, 2, 3)),
        compose=compose,
    )
    return subject_of(filt)
