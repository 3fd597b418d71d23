"""The page of the trackers: the staircase over the true sum, and what a rule of so many blocks lets through."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reports.drawing import INK, PALETTE, new_figure
from reports.finding import Picture
from reports.pages.formulas import mathml
from reports.pages.held import BLOCKS, EPSILON, TRACKERS, Curves, Holders
from reports.pages.page import Badge, Page
from reports.pages.reached import Reached

__all__ = ["tracker_page"]


def tracker_page(holders: Holders) -> Page:
    """Both trackers: one by Rényi divergences of an order, one by squares of mu."""
    verdict = holders.verdicts["trackers"]
    renyi, gaussian = holders.reached["trackers"]
    size = TRACKERS["Rényi"].size
    return Page(
        key="holder-trackers",
        title="Trackers",
        badge=Badge.of(verdict),
        line=f"promise: {BLOCKS} blocks cost at most what {BLOCKS} filters of their size cost",
        formulas=(
            (
                "Block",
                mathml(
                    r"\sum_{t \text{ in a block}} c_t \le D, \quad c_t = D_\alpha(P_t \| Q_t) \text{ or } c_t = \mu_t^2"
                ),
            ),
            ("Rényi: m blocks cost", mathml(r"D_\alpha(P \| Q) \le m D")),
            ("Gaussian: m blocks cost", mathml(r"\sqrt{m}\,\sqrt{D}\text{-GDP}")),
        ),
        facts=(
            (
                "In words",
                "A filter of one size, started again whenever it would halt. The tracker counts how many were "
                "opened, "
                "and limits nothing itself.",
            ),
            ("Verdict", f"{verdict.outcome.name}. {verdict.detail}"),
            (
                "Theorem",
                "000 Proposition 4.10 (where O_0 must read O_1) and 003 Appendix C.5, for a number m of blocks that "
                "is "
                "fixed in advance. Cited; nothing here joins it to the code that runs.",
            ),
            (
                "Simulated",
                f"A rule that goes on while at most {BLOCKS} blocks are open, against an adversary who asks for more "
                f"after a positive loss. Its Rényi divergence of order 8: {_told(renyi)}. Its hockey-stick "
                "divergence at "
                f"epsilon = {EPSILON:g} with the Gaussian tracker: {_told(gaussian)}.",
            ),
            ("Waste", _waste(holders.stairs)),
        ),
        pictures=(_stairs(holders.stairs, size),),
        uncovered=(
            "Other adversaries, sizes and orders; a rule that decides by the value when to stop counting, which no "
            "theorem covers; mechanisms that cost more than a block are counted as several and were not simulated."
        ),
        code=(
            "import filterproof as fp\n\n"
            "tracker = fp.GaussianTracker(size=0.5)\n"
            "state = tracker.start(1)\n"
            "for mu in (0.3, 0.3, 0.3, 0.3):\n"
            "    state = tracker.spend(state, fp.Gaussian(mu))\n"
            "print(tracker.value(state))\n"
            "filt = fp.BlockFilter(tracker, blocks=4)\n"
            "print(filt.promise, fp.simulate(filt, fp.LossChasing(pace=8), epsilon=1.0, n=10_000, workers=1))"
        ),
    )


def _told(row: Reached) -> str:
    where = "ABOVE the promise" if row.refutes else f"{100 * row.share:.3g} % of the promise"
    return (
        f"{row.estimate.value:.4g} in {row.interval} at confidence 1 - {row.estimate.failure:.0e}, promised "
        f"{row.promised:.4g}, {where}; rests on {row.estimate.rests_on}"
    )


def _waste(curves: Curves) -> str:
    told = [
        f"{name}: value {value[-1]:.3g} for a true cost of {curves.truth[name][-1]:.3g}, "
        f"so that {100 * (1 - curves.truth[name][-1] / value[-1]):.2g} % of it is "
        f"waste{_below(value, curves.truth[name])}"
        for name, value in curves.lines.items()
    ]
    return (
        f"After {curves.rounds[-1]} rounds of the picture, {'; '.join(told)}. Each block leaves over what the next "
        "request "
        "did not fit into, and the last is paid for when it is opened."
    )


def _below(value: NDArray[np.float64], truth: NDArray[np.float64]) -> str:
    rounds = int(np.count_nonzero(value < truth * (1 - 1e-12)))
    return f", and it lies BELOW the true cost in {rounds} rounds" if rounds else ""


def _stairs(curves: Curves, size: float) -> Picture:
    with new_figure(height=5.0) as figure:
        panels = figure.subplots(2, sharex=True)
        words = {"Rényi": "Rényi divergence of order 8", "Gaussian": "mu"}
        for ax, (name, value) in zip(panels, curves.lines.items(), strict=True):
            ax.step(curves.rounds, value, where="mid", color=PALETTE[0], lw=1.8, label="the tracker's value")
            ax.plot(curves.rounds, curves.truth[name], "--", color=PALETTE[1], lw=1.8, label="true cost")
            ax.set(ylabel=words[name], ylim=(0, None))
            ax.tick_params(labelcolor=INK)
        panels[0].legend(fontsize=9)
        panels[1].set_xlabel("rounds")
    told = "; ".join(
        f"{name} {value[-1]:.3g} over a true {curves.truth[name][-1]:.3g}"
        for name, value in curves.lines.items()
    )
    return Picture(
        "tracker-stairs",
        f"Random requests whose level follows the sign of the loss. Every step opens a block of size {size:g}. The "
        "staircase must never lie below the dashed line; the gap is what counting in blocks wastes. Squares of mu "
        "add, so "
        "that the lower steps shrink.",
        f"Two staircases beside the lines of the true cost, over {curves.rounds[-1]} rounds, at the end: {told}.",
        figure,
    )
