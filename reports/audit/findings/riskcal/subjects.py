"""riskcal's accountant as a subject of the laws; `riskcal` is imported when it is made."""

from __future__ import annotations

from typing import Any

from filters.adapters.accountant import from_accountant
from mc.accountants.accountant_subject import AccountantSubject
from mc.accountants.law_answers import subject_of
from theory.guarantees import ApproxDP
from theory.pairs import Gaussian, SubsampledGaussian

__all__ = ["ctd"]


def ctd() -> AccountantSubject:
    """CTDAccountant on a grid ten times coarser than by default, so that an answer takes milliseconds."""
    from riskcal.accountants import CTDAccountant

    def step(pair: Any) -> dict[str, float]:
        if isinstance(pair, Gaussian):
            return {"noise_multiplier": 1 / float(pair.mu), "sample_rate": 1.0}
        return {"noise_multiplier": float(pair.sigma), "sample_rate": float(pair.q)}

    def compose(held: Any, taken: dict[str, float], count: int) -> None:
        for _ in range(count):
            held.step(**taken)

    def reread(held: Any) -> Any:
        fresh = CTDAccountant()
        fresh.load_state_dict(held.state_dict())
        return fresh

    filt = from_accountant(
        CTDAccountant,
        step,
        ApproxDP(2.0, 1e-5),
        menu=(Gaussian(0.25), SubsampledGaussian(0.125, 1.0)),
        compose=compose,
        spent=lambda held: held.get_epsilon(delta=1e-5, grid_step=1e-3),
    )
    # its docs state no error; an answer moves by cells of the grid
    return subject_of(
        filt,
        tolerance=1e-2,
        reread=reread,
        raw=lambda held, noise: held.step(noise_multiplier=noise, sample_rate=1.0),
    )
