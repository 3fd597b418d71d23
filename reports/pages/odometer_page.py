"""The page of the odometers: their bounds over time, and how often the loss overtakes each."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reports.drawing import INK, PALETTE, new_figure
from reports.finding import Picture
from reports.pages.formulas import mathml
from reports.pages.held import ADVERSARY, DELTA, MU, ODOMETERS, WATCHED, Curves, Holders
from reports.pages.page import Badge, Page
from reports.pages.reached import Reached

__all__ = ["odometer_page"]

_LOOKS: Mapping[str, tuple[str, str, str]] = {
    "Line": (PALETTE[0], "-", "o"),
    "Mixture": (PALETTE[1], "--", "s"),
    "Stitched": (PALETTE[2], "-.", "^"),
    "Doubling": (PALETTE[3], ":", "D"),
    "Rogers": (PALETTE[4], (0, (6, 2, 1, 2, 1, 2)), "v"),  # type: ignore[dict-item]
}
_FORMULAS = {
    "Line": r"\varepsilon_t = \frac{(k + 1) S_t}{2} + \frac{1}{k} \log \frac{1}{\delta}",
    "Mixture": r"\varepsilon_t = \frac{S_t}{2} + \sqrt{2 (S_t + h) \left(\log \tfrac{1}{\delta} + \tfrac{1}{2} \log "
    r"\left(\tfrac{S_t}{h} + 1\right)\right)}",
    "Stitched": r"\varepsilon_t = \min_j \left( \frac{(k_j + 1) S_t}{2} + \frac{1}{k_j} \log \frac{1}{\delta_j} "
    r"\right), \quad \sum_j \delta_j = \delta",
    "Doubling": r"\varepsilon_t = \rho_j + 2 \sqrt{\rho_j \log \tfrac{1}{\delta_j}}, \quad \rho_j = 2^j \rho_0 \ge "
    r"\tfrac{S_t}{2}",
    "Rogers": r"\varepsilon_t = \sum_s \frac{\varepsilon_s (e^{\varepsilon_s} - 1)}{2} + "
    r"\sqrt{2 S_t \left(\log(110 e) + 2 \log \frac{\log n}{\delta}\right)} \quad "
    r"\left(\tfrac{1}{n^2} \le S_t \le 1\right)",
}


def odometer_page(holders: Holders) -> Page:
    """All five on one page: the same promise, and one axis shows which is tighter where."""
    verdict, reached = holders.verdicts["odometers"], holders.reached["odometers"]
    rows = dict(zip(ODOMETERS, reached, strict=True))
    return Page(
        key="holder-odometers",
        title="Odometers",
        badge=Badge.of(verdict),
        line=f"promise: the loss overtakes the bound, at any time, with probability at most delta = {DELTA:g}",
        formulas=(
            (
                "All promise",
                mathml(
                    r"P\left(\exists t: L_t > \varepsilon_t\right) \le \delta, \quad S_t = 2 \sum_{s \le t} \rho_s"
                ),
            ),
            *((name, mathml(formula)) for name, formula in _FORMULAS.items()),
        ),
        facts=(
            (
                "In words",
                "An odometer limits nothing. At every time it states a bound on the privacy loss so far, and all its "
                "bounds hold together, so that an analyst may look at any time and stop when they like.",
            ),
            ("Verdict", f"{verdict.outcome.name}. {verdict.detail}"),
            (
                "Theorem",
                "Ville's inequality for e^{k L - k (k + 1) S/2}, a supermartingale for every k >= 0: Whitehouse, "
                "Ramdas, "
                "Rogers and Wu (Line, Mixture, Stitched), Lécuyer (Doubling), Rogers et al. Theorem 6.1. Cited; "
                "nothing "
                "here joins it to the code that runs. A line is crossed with probability exactly delta by a loss "
                "that "
                "moves in steps without size and goes on for ever, so that no lower line keeps the promise.",
            ),
            (
                "Simulated",
                f"Against an adversary who asks for {ADVERSARY.share:g} of the distance between bound and loss, "
                "within "
                f"{WATCHED} rounds. " + "; ".join(_crossed(name, row) for name, row in rows.items()) + ".",
            ),
            (
                "Bound",
                "; ".join(_above(name, holders.bounds) for name in ODOMETERS)
                + ". The quantile is that of Gaussians, for Rogers et al. too.",
            ),
        ),
        pictures=(_bounds(holders.bounds), _crossings(rows)),
        uncovered=(
            f"Other adversaries, mechanisms other than Gaussians (randomised responses for Rogers et al.), more than "
            f"{WATCHED} rounds, mechanisms with a delta of their own, and the rounding of the bounds beyond what the "
            "tests compare with mpmath."
        ),
        code=(
            "import filterproof as fp\n\n"
            "odometer = fp.LineOdometer(delta=0.05, target=1.0)\n"
            "state = odometer.spend(odometer.start(1), fp.Gaussian(mu=0.5))\n"
            "print(odometer.epsilon(state))\n"
            "print(fp.crossing(odometer, fp.Approaching(share=0.3, low=0.02, high=10.0), rounds=100, n=10_000, "
            "seed=1, workers=1))"
        ),
    )


def _crossed(name: str, row: Reached) -> str:
    if row.refutes:
        told = "ABOVE the promise"
    elif row.estimate.value > 0:
        told = f"{100 * row.share:.3g} % of delta"
    else:
        told = f"never seen, at most {100 * row.estimate.high / row.promised:.2g} % of delta"
    return (
        f"{name}: overtaken with probability {row.estimate.value:.4g} in {row.interval} at confidence "
        f"1 - {row.estimate.failure:.0e} ({row.estimate.n:,} runs), {told}"
    )


def _above(name: str, curves: Curves) -> str:
    ratio = curves.lines[name] / curves.truth["quantile"]
    best = int(np.argmin(ratio))
    return f"{name} comes down to {ratio[best]:.3g} times the quantile, after {curves.rounds[best]} rounds"


def _bounds(curves: Curves) -> Picture:
    with new_figure(height=4.4) as figure:
        ax = figure.subplots()
        for name, line in curves.lines.items():
            colour, dashes, marker = _LOOKS[name]
            places = list(range(3 + list(_LOOKS).index(name), len(line), 12))
            ax.plot(
                curves.rounds,
                line,
                ls=dashes,
                color=colour,
                lw=1.7,
                marker=marker,
                ms=5,
                markevery=places,
                label=name,
            )
        ax.plot(curves.rounds, curves.truth["quantile"], color=INK, lw=2.2, label="what one time needs")
        ax.set(xscale="log", yscale="log", xlabel="rounds", ylabel="epsilon (nats)")
        ax.legend(fontsize=9, ncols=2)
    last = "; ".join(
        f"{name} {line[-1]:.3g}"
        for name, line in (*curves.lines.items(), ("quantile", curves.truth["quantile"]))
    )
    least = min(float(np.min(line / curves.truth["quantile"])) for line in curves.lines.values())
    return Picture(
        "odometer-bounds",
        f"Rounds of Gaussian({MU:g}). The thick line is the (1 - delta)-quantile of the loss at one time that is "
        "fixed in "
        "advance; a bound for all times must lie above it. Each odometer comes nearest where it was tuned to. That "
        "of "
        f"Rogers et al. takes no Gaussians: its line is for randomised responses of epsilon = {MU:g}, whose rho is "
        "the "
        "same, and it jumps where S passes 1, from one formula to another.",
        f"Bounds of five odometers after {curves.rounds[-1]} rounds, in nats: {last}. The least of them all over the "
        f"quantile, in any round, is {least:.3g}.",
        figure,
    )


def _crossings(rows: Mapping[str, Reached]) -> Picture:
    with new_figure(height=3.0) as figure:
        ax = figure.subplots()
        ax.axvline(DELTA, color=INK, lw=1.6)
        top = len(rows) - 0.35
        ax.annotate(
            "promised", (DELTA, top), xytext=(4, 0), textcoords="offset points", fontsize=9, color=INK
        )
        for y, (name, row) in zip(reversed(range(len(rows))), rows.items(), strict=True):
            colour, _, marker = _LOOKS[name]
            ax.plot([row.estimate.low, row.estimate.high], [y, y], "|-", color=colour, ms=11, mew=1.6, lw=2.2)
            ax.plot(row.estimate.value, y, marker, color=colour, ms=6)
        ax.set_yticks(range(len(rows)), list(rows)[::-1])
        ax.set(
            ylim=(-0.6, len(rows)),
            xlim=(-0.002, max(1.25 * DELTA, *(1.05 * row.estimate.high for row in rows.values()))),
            xlabel="probability that the loss ever overtakes the bound",
        )
        ax.grid(axis="y", visible=False)
    told = "; ".join(f"{name} {row.estimate.value:.3g} in {row.interval}" for name, row in rows.items())
    return Picture(
        "odometer-crossings",
        "Simulated crossings with their intervals, against an adversary who steps more carefully the nearer it "
        "comes. An "
        "interval wholly right of the line would refute an odometer; the nearer to the line, the tighter it is.",
        f"Probability that the loss overtakes the bound, beside the promised {DELTA:g}: {told}.",
        figure,
    )
