"""The accountants of Opacus, which take steps and answer with an epsilon."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from filters.adapters.accountant import from_accountant
from mc.accountants.accountant_subject import AccountantSubject
from mc.accountants.law_answers import subject_of
from theory.guarantees import ApproxDP
from theory.pairs import SubsampledGaussian

__all__ = ["gdp", "prv", "rdp"]

_STEPS = (SubsampledGaussian(0.125, 1.0), SubsampledGaussian(0.125, 2.0))


def _subject(
    make: Callable[[], Any], menu: tuple[SubsampledGaussian, ...], tolerance: float
) -> AccountantSubject:
    def compose(held: Any, step: dict[str, float], count: int) -> None:
        for _ in range(count):
            held.step(**step)

    def reread(held: Any) -> Any:
        fresh = make()
        fresh.load_state_dict(held.state_dict())
        return fresh

    filt = from_accountant(
        make,
        lambda pair: {"noise_multiplier": float(pair.sigma), "sample_rate": float(pair.q)},
        ApproxDP(2.0, 1e-5),
        menu=menu,
        compose=compose,
    )
    return subject_of(
        filt,
        tolerance=tolerance,
        reread=reread,
    )


def rdp() -> AccountantSubject:
    """Subsampled Gaussian noise of two sizes, one added or removed; it never comes back from NaN."""
    from opacus.accountants import RDPAccountant

    return _subject(RDPAccountant, _STEPS, 1e-6)


def gdp() -> AccountantSubject:
    """Subsampled Gaussian noise of one size: it takes no other step after the first."""
    from opacus.accountants import GaussianAccountant

    return replace(
        _subject(GaussianAccountant, _STEPS[:1], 1e-6),
        raw=lambda held, value: held.step(noise_multiplier=value, sample_rate=0.125),
    )


def prv() -> AccountantSubject:
    """Subsampled Gaussian noise of two sizes, at its error of .01 in epsilon; no bare parameters, as for `rdp`."""
    from opacus.accountants import PRVAccountant

    return _subject(PRVAccountant, _STEPS, 2e-2)
