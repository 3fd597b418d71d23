"""The accountants of dp-accounting, which compose events and answer with an epsilon."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from mc.accountants.accountant_subject import AccountantSubject
from theory.guarantees import ApproxDP
from theory.pairs import Gaussian, Laplace, RandomizedResponse, SubsampledGaussian

from ..shared.subjects import accountant, one_by_one


def rdp() -> AccountantSubject:
    """Gaussian, Laplace and subsampled Gaussian noise, orders as by default, one added or removed."""
    from dp_accounting.rdp import RdpAccountant

    return _noises(RdpAccountant)


def pld() -> AccountantSubject:
    """The same noises by a grid of losses, ten times coarser than by default, so that an answer takes milliseconds."""
    from dp_accounting.pld import PLDAccountant

    # its docs state no error; an answer moves by cells of the grid
    return _noises(lambda: PLDAccountant(value_discretization_interval=1e-3), tolerance=1e-2)


def _noises(make: Callable[[], Any], **laws: Any) -> AccountantSubject:
    from dp_accounting import GaussianDpEvent, LaplaceDpEvent, PoissonSampledDpEvent

    def event(pair: Any) -> Any:
        if isinstance(pair, Gaussian):
            return GaussianDpEvent(1 / float(pair.mu))
        if isinstance(pair, Laplace):
            return LaplaceDpEvent(float(pair.b))
        return PoissonSampledDpEvent(float(pair.q), GaussianDpEvent(float(pair.sigma)))

    return accountant(
        make,
        event,
        ApproxDP(2.0, 1e-5),
        (Gaussian(0.25), Laplace(4.0), SubsampledGaussian(0.125, 1.0)),
        reread=lambda held: make().compose(held.ledger),
        raw=lambda held, noise: held.compose(GaussianDpEvent(noise)),
        **laws,
    )


def rdp_response() -> AccountantSubject:
    """Randomised response, one replaced."""
    from dp_accounting.rdp import RdpAccountant

    return _responses(RdpAccountant, (0.5, 1.0), ApproxDP(2.0, 1e-2))


def pld_response() -> AccountantSubject:
    """Randomised response, one replaced."""
    from dp_accounting.pld import PLDAccountant

    return _responses(PLDAccountant, (0.5, 1.0), ApproxDP(2.0, 1e-2))


def pld_natural() -> AccountantSubject:
    """Randomised response, composed one by one as a loop that stops does, on a menu that refutes the natural filter."""
    from dp_accounting.pld import PLDAccountant

    levels, target = [k * math.log(1.5) for k in (1, 2, 3)], ApproxDP(math.log(9 / 4), 0.2664)
    return _responses(
        PLDAccountant, levels, target, compose=one_by_one(lambda held, event: held.compose(event))
    )


def _responses(made: Any, levels: Sequence[float], target: ApproxDP, **used: Any) -> AccountantSubject:
    from dp_accounting import NeighboringRelation, RandomizedResponseDpEvent

    return accountant(
        lambda: made(neighboring_relation=NeighboringRelation.REPLACE_ONE),
        lambda pair: RandomizedResponseDpEvent(2 / (1 + math.exp(float(pair.epsilon))), 2),
        target,
        tuple(map(RandomizedResponse, levels)),
        **used,
    )
