"""The epsilon of the papers' own parameters by three conversions: simple, CKS and exact."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reports.chapters.common import proved
from reports.finding import Claim, Table, Told
from reports.pages.page import explaining
from reports.study import Study
from theory.conversions import CKS, SIMPLE, gaussian_epsilon
from theory.proofs.papers_steps import PRINTED

__all__ = ["tell"]

PROVES = ("papers' steps",)
DELTA = 1e-5
#: (sigma, k) of paper 000's experiments.
PARAMETERS = tuple(PRINTED)


def epsilons(sigma: float, k: float) -> tuple[float, float, float]:
    """The epsilon of k Gaussian steps at DELTA: by SIMPLE, by CKS, and exactly."""
    rho = k / (2 * sigma * sigma)
    return (
        float(SIMPLE.epsilon(rho, DELTA)),
        float(CKS.epsilon(rho, DELTA)),
        float(gaussian_epsilon(float(np.sqrt(2 * rho)), DELTA)),
    )


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    proof = study.prove("papers' steps")
    heads = ("zCDP, simple", "zCDP, CKS", "exact (GDP)")
    table = Table.of(
        f"epsilon of k Gaussian steps of noise sigma at delta = {DELTA:g}.",
        (
            {
                "sigma": f"{sigma}",
                "k": f"{k}",
                **{head: f"{value:.6f}" for head, value in zip(heads, epsilons(sigma, k), strict=True)},
            }
            for sigma, k in PARAMETERS
        ),
        align="rrrrr",
    )
    return Told(findings=(proved(claims[0], proof),), tables=(table,), pictures=(explaining("003-5"),))
