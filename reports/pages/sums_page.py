"""The page of `ClippedSums`: whole trainings on two data sets, simulated and audited, beside what is promised."""

from __future__ import annotations

from collections.abc import Sequence

from reports.drawing import INK, PALETTE, new_figure
from reports.finding import Picture
from reports.pages.formulas import mathml
from reports.pages.held import Holders
from reports.pages.page import Badge, Page
from reports.pages.reached import Reached
from reports.pages.trained import CLIP, CLIPPED_STEPS, NOISE, PEOPLE, PROMISE, TRAINED_AT

__all__ = ["sums_page"]


def sums_page(holders: Holders) -> Page:
    """Private gradient descent with filtering, and what an audit finds where it is done wrongly."""
    verdict = holders.verdicts["trainings"]
    sound = holders.reached["trainings"]
    broken = (*holders.reached["clipping"], *holders.reached["forgetting"])
    return Page(
        key="holder-clipped-sums",
        title="ClippedSums",
        badge=Badge.of(verdict),
        line=f"promises {PROMISE.promise} for adding or removing one person, however long the training",
        formulas=(
            (
                "Person i counts with the norm",
                mathml(
                    r"c_{t,i} = \min\left(\|v_{t,i}\|_2, \; C, \; "
                    r"\sqrt{\sigma^2 \mu^2 - \sum_{s < t} c_{s,i}^2}\right)"
                ),
            ),
            (
                "Released",
                mathml(r"\sum_i \frac{c_{t,i}}{\|v_{t,i}\|_2} v_{t,i} + \mathcal{N}(0, \sigma^2 I)"),
            ),
        ),
        facts=(
            (
                "In words",
                "Private gradient descent: everyone's gradient is clipped to what is left of that person's own budget, "
                "which is charged exactly that. After the steps that a budget of full clips covers, ordinary private "
                "descent would stop; this goes on with those who have some left.",
            ),
            ("Verdict", f"{verdict.outcome.name}. {verdict.detail}"),
            (
                "Theorem",
                "Individual filters: 000 Theorem 4.5 and Algorithm 7, 003 Theorem 12. It is about the rule; nothing "
                "joins it to the code that runs.",
            ),
            (
                "Two data sets",
                f"Logistic regression on {PEOPLE} of scikit-learn's digits, with and without one person, trained whole "
                f"on both by the library's code; clip {CLIP:g}, noise {NOISE:g}, budget for {CLIPPED_STEPS} full "
                f"clips. The hockey-stick divergence of all that is released, at epsilon = {TRAINED_AT:g}. "
                f"{_told(sound[:4])} The canary is a person more, with a vector along a coordinate of its own that "
                f"never gets smaller: it uses its budget up on every path, and the divergence is exactly the promised "
                f"{sound[0].promised:.4g}. "
                "Weights are bounded by a theorem about the ledgers that ran (003 Theorem 12).",
            ),
            (
                "Audited",
                "The likelihood-ratio test for the canary, by somebody who knows everybody else's data and sees every "
                f"sum that was really released; its errors are counted. {_told(sound[4:])} Without filtering the "
                "training stops when a budget of full clips is used up. Not being above the promise proves nothing.",
            ),
            (
                "Done wrongly",
                f"The same audit of sums that clip the mean and not each vector, and of sums that forget what was "
                f"spent by whoever sits out a round. {_told(broken)}",
            ),
            (
                "Personal data",
                "By which factor a person counted tells about that person's data. It hides itself when printed.",
            ),
        ),
        pictures=(_picture(sound, broken),),
        uncovered=(
            "Other trainings, vectors and canaries; Poisson batches, for which the whole data set must be looked at "
            "all the same; the last bits of a noise that is drawn in doubles; and norms that a caller computes wrongly."
        ),
        code=(
            "import numpy as np\nimport filterproof as fp\n\n"
            "rng = np.random.default_rng(1)\n"
            "people = fp.IndividualFilter(fp.GaussianFilter(mu=1.0), people=30)\n"
            "sums = fp.ClippedSums(people, clip=1.0, sigma=4.0)\n"
            "theta = np.zeros(3)\n"
            "for _ in range(20):\n"
            "    gradients = theta - rng.standard_normal((30, 3))  # of everyone, also of those who have run out\n"
            "    theta -= sums.release(gradients, rng).value / 30\n\n"
            "training = fp.WithCanary(fp.LogisticTraining(np.eye(3), np.array([0, 1, 1]), rate=0.1), size=100.0)\n"
            "make = fp.ClippedSums.making(fp.GaussianFilter(mu=1.0), clip=1.0, sigma=4.0)\n"
            "print(fp.simulate_training(training, make, epsilon=0.5, steps=20, person=3, n=2000))\n"
            "print(fp.audit_training(training, make, epsilon=0.5, steps=20, person=3, n=500))"
        ),
    )


def _told(rows: Sequence[Reached]) -> str:
    told = "; ".join(
        f"{row.what}: {row.estimate.value:.3g} in {row.interval}, promised {row.promised:.3g}"
        f"{', ABOVE the promise' if row.refutes else ''}"
        for row in rows
    )
    return f"{told[0].upper()}{told[1:]}; at confidence 1 - {rows[0].estimate.failure:.0e} each."


def _picture(sound: Sequence[Reached], broken: Sequence[Reached]) -> Picture:
    rows = [*sound, *broken]
    with new_figure(height=4.4) as figure:
        ax = figure.subplots()
        for y, row in enumerate(reversed(rows)):
            one, colour = row.estimate, PALETTE[1 if row.refutes else 0]
            ax.plot([max(one.low, 0.0), one.high], [y, y], "-", lw=2.2, color=colour)
            ax.plot([max(one.value, 0.0)], [y], "X" if row.refutes else "o", ms=7, color=colour)
        ax.axvline(rows[0].promised, ls="--", lw=1.4, color=INK)
        ax.set(
            xlabel=f"delta at epsilon = {TRAINED_AT:g}",
            xlim=(-0.02, 1.04),
            ylim=(-0.7, len(rows) - 0.3),
            title="Whole trainings, and the promise",
        )
        ax.set_yticks(range(len(rows)), [row.what for row in reversed(rows)])
    above = ", ".join(row.what for row in rows if row.refutes) or "none"
    return Picture(
        "trainings",
        "Each line is the interval of a divergence between two whole trainings that differ in one person. Sound sums "
        "do not pass the dashed promise; an audit of broken ones does, with the whole interval.",
        f"{len(rows)} intervals beside the promised {rows[0].promised:.3g}. With the whole interval above it: {above}.",
        figure,
    )
