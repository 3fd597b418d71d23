"""riskcal's accountant as a subject of the laws; `riskcal` is imported when it is made."""

from typing import Any

from mc.accountants.accountant_subject import AccountantSubject
from theory.guarantees import ApproxDP
from theory.pairs import Gaussian, SubsampledGaussian

from ..shared.subjects import accountant, dpsgd_step, one_by_one


def ctd() -> AccountantSubject:
    """CTDAccountant on a grid ten times coarser than by default, so that an answer takes milliseconds."""
    from riskcal.accountants import CTDAccountant

    def reread(held: Any) -> Any:
        (fresh := CTDAccountant()).load_state_dict(held.state_dict())
        return fresh

    return accountant(
        CTDAccountant,
        dpsgd_step,
        ApproxDP(2.0, 1e-5),
        (Gaussian(0.25), SubsampledGaussian(0.125, 1.0)),
        compose=one_by_one(lambda held, step: held.step(**step)),
        spent=lambda held: held.get_epsilon(delta=1e-5, grid_step=1e-3),
        tolerance=1e-2,  # its docs state no error; an answer moves by cells of the grid
        reread=reread,
        raw=lambda held, noise: held.step(noise_multiplier=noise, sample_rate=1.0),
    )
