"""The epsilon of the papers' own parameters by three conversions: simple, CKS and exact."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from filterproof.reports.chapters.common import proved
from filterproof.reports.finding import Claim, Table, Told
from filterproof.reports.pages.page import explaining
from filterproof.reports.study import Study
from filterproof.theory.conversions import CKS, SIMPLE, gaussian_epsilon
from filterproof.theory.proofs.papers_steps import PRINTED

DELTA = 1e-5
#: (sigma, k) of paper 000's experiments.
PARAMETERS = tuple(PRINTED)


def epsilons(sigma: float, k: float) -> dict[str, float]:
    """The epsilon of k Gaussian steps at DELTA: by SIMPLE, by CKS, and exactly."""
    rho = k / (2 * sigma * sigma)
    by = {"zCDP, simple": SIMPLE.epsilon(rho, DELTA), "zCDP, CKS": CKS.epsilon(rho, DELTA)}
    by["exact (GDP)"] = gaussian_epsilon(float(np.sqrt(2 * rho)), DELTA)
    return {name: float(epsilon) for name, epsilon in by.items()}


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    proof = study.prove("papers' steps")
    rows = (
        {"sigma": f"{sigma}", "k": f"{k}"} | {by: f"{one:.6f}" for by, one in epsilons(sigma, k).items()}
        for sigma, k in PARAMETERS
    )
    caption = f"epsilon of k Gaussian steps of noise sigma at delta = {DELTA:g}."
    table = Table.of(caption, rows, align="rrrrr")
    return Told(findings=(proved(claims[0], proof),), tables=(table,), pictures=(explaining("003-5"),))
