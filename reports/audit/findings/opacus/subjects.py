"""The accountants of Opacus, which take steps and answer with an epsilon."""

from importlib import import_module
from typing import Any

from mc.accountants.accountant_subject import AccountantSubject
from theory.guarantees import ApproxDP
from theory.pairs import SubsampledGaussian

from ..shared.subjects import accountant, dpsgd_step, one_by_one


def rdp() -> AccountantSubject:
    """Subsampled Gaussian noise of two sizes, one added or removed; it never comes back from NaN."""
    return _subject("RDPAccountant", (1.0, 2.0))


def gdp() -> AccountantSubject:
    """Subsampled Gaussian noise of one size: it takes no other step after the first."""
    return _subject(
        "GaussianAccountant",
        (1.0,),
        raw=lambda held, noise: held.step(noise_multiplier=noise, sample_rate=0.125),
    )


def prv() -> AccountantSubject:
    """Subsampled Gaussian noise of two sizes, at its error of .01 in epsilon; no bare parameters, as for `rdp`."""
    return _subject("PRVAccountant", (1.0, 2.0), tolerance=2e-2)


def _subject(name: str, noises: tuple[float, ...], **laws: Any) -> AccountantSubject:
    make = getattr(import_module("opacus.accountants"), name)

    def reread(held: Any) -> Any:
        (fresh := make()).load_state_dict(held.state_dict())
        return fresh

    return accountant(
        make,
        dpsgd_step,
        ApproxDP(2.0, 1e-5),
        tuple(SubsampledGaussian(0.125, noise) for noise in noises),
        compose=one_by_one(lambda held, step: held.step(**step)),
        reread=reread,
        **laws,
    )
