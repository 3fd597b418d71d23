"""The epsilon of the papers' own parameters by three conversions: simple, CKS and exact."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reports.chapter import Chapter
from reports.chapters.common import proved
from reports.drawing import PALETTE, new_figure
from reports.finding import Claim, Picture, Table, Told
from reports.study import Study
from theory.conversions import CKS, SIMPLE, gaussian_epsilon, gaussian_mu
from theory.proofs.papers_steps import PRINTED

__all__ = ["STEPS", "steps_picture"]

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


def _tell(study: Study, claims: Sequence[Claim]) -> Told:
    proof = study.prove("papers' steps")
    table = Table(
        f"epsilon of k Gaussian steps of noise sigma at delta = {DELTA:g}.",
        ("sigma", "k", "zCDP, simple", "zCDP, CKS", "exact (GDP)"),
        tuple(
            (f"{sigma}", f"{k}", *(f"{value:.6f}" for value in epsilons(sigma, k))) for sigma, k in PARAMETERS
        ),
        align="rrrrr",
    )
    return Told(findings=(proved(claims[0], proof),), tables=(table,), pictures=(steps_picture(),))


def steps_picture() -> Picture:
    (sigma, k_cks), names = PARAMETERS[-1], ("zCDP, simple", "zCDP, CKS", "exact (GDP)")
    with new_figure() as figure:
        axes = figure.subplots()
        k = np.arange(20, 641, 5)
        curves = np.array([epsilons(sigma, float(x)) for x in k])
        for column, name in enumerate(names):
            axes.plot(k, curves[:, column], color=PALETTE[column], label=name)
        level = epsilons(sigma, k_cks)[1]
        k_gdp = int(np.floor((sigma * float(gaussian_mu(level, DELTA))) ** 2))
        axes.plot([0, k_gdp], [level, level], color="black", lw=0.8, ls=":")
        for x in (k_cks, k_gdp):
            axes.plot([x, x], [0, level], color="black", lw=0.8, ls=":")
            axes.annotate(f"{x}", (x, 0.03), xytext=(4, 0), textcoords="offset points", fontsize=9)
        axes.set(
            xlabel=f"steps at sigma = {sigma}",
            ylabel=f"epsilon at delta = {DELTA:g}",
            xlim=(0, 640),
            ylim=(0, None),
            title=f"{k_cks} steps by CKS cost as much as {k_gdp} by GDP",
        )
        axes.legend()
    return Picture(
        "steps",
        f"The same epsilon = {level:.6f} is reached after {k_cks} steps by the CKS conversion and after {k_gdp} "
        "by the exact Gaussian curve (003 Figure 5 with its axes exchanged; the simple conversion is added).",
        f"Three curves of epsilon against steps, which end after {k[-1]} at "
        f"{', '.join(f'{end:.3g} ({name})' for name, end in zip(names, curves[-1], strict=True))}.",
        figure,
    )


STEPS = Chapter.declared("steps", _tell, theorems=("papers' steps",), DELTA=DELTA)
