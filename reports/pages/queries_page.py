"""The page of `LinearQueries`: errors of answers beside their bound, people left, and one person in or out."""

from __future__ import annotations

import numpy as np

from reports.drawing import INK, PALETTE, new_figure
from reports.finding import Picture
from reports.pages.formulas import mathml
from reports.pages.held import DELTA, EPSILON, KAPPA, PEOPLE, Holders
from reports.pages.page import Badge, Page

__all__ = ["queries_page"]


def queries_page(holders: Holders) -> Page:
    """Noisy sums over those whose budget of squared norms lasts."""
    verdict = holders.verdicts["queries"]
    missed, removed = holders.reached["queries"]
    return Page(
        key="holder-linear-queries",
        title="LinearQueries",
        badge=Badge.of(verdict),
        line=f"promises {KAPPA:g}-zCDP, and answers whose error has a bound",
        formulas=(
            (
                "Answer",
                mathml(
                    r"a_t = \sum_{i \in S_t} q_t(x_i) + \mathcal{N}\left(0, \frac{B}{2 \kappa} I_d\right)"
                ),
            ),
            (
                "Person i is in S_t if",
                mathml(r"\sum_{s < t, \; i \in S_s} \|q_s(x_i)\|_2^2 + \|q_t(x_i)\|_2^2 \le B"),
            ),
            (
                "Error",
                mathml(
                    r"P\left(\left\|a_t - \sum_{i \in S_t} q_t(x_i)\right\|_\infty > "
                    r"\sqrt{B \log(d / \delta) / \kappa}\right) \le \delta"
                ),
            ),
            ("Privacy", mathml(r"D_\alpha(P \| Q) \le \kappa \alpha \quad (\alpha > 1)")),
        ),
        facts=(
            (
                "In words",
                "Any number of adaptive sums. Each person counts until the squares of their own values are used up, "
                "and the "
                "noise stays the same.",
            ),
            ("Verdict", f"{verdict.outcome.name}. {verdict.detail}"),
            (
                "Theorem",
                "Linear queries: 000 Corollary 4.7 and Theorem 4.5. It is about the rule; nothing joins it to the code "
                "that runs.",
            ),
            (
                "Error, simulated",
                f"An answer missed its bound with probability {missed.estimate.value:.3g} in {missed.interval} at "
                "confidence "
                f"1 - {missed.estimate.failure:.0e}, from {missed.estimate.n:,} answers, promised at most "
                f"{missed.promised:g}"
                f"{'; the whole interval is ABOVE that' if missed.refutes else ''}. The sum over S_t is counted "
                "apart from "
                "the code. The bound is a union over the coordinates and a bound on a tail, so that it is missed "
                "less often.",
            ),
            (
                "Privacy, simulated",
                "Two data sets, with and without one person, each with queries that know its own people only; the "
                f"hockey-stick divergence at epsilon = {EPSILON:g}: {removed.estimate.value:.4g} in "
                f"{removed.interval} at "
                f"confidence 1 - {removed.estimate.failure:.0e}, {100 * removed.share:.2g} % of the "
                f"{removed.promised:.4g} that "
                f"zCDP allows{'; the whole interval is ABOVE that' if removed.refutes else ''}. The noise is "
                "Gaussian, of "
                "which zCDP is a loose account.",
            ),
            (
                "Personal data",
                "Who is in S_t depends on people's data, and so does how many are left: the lower panel is about "
                "made-up "
                "people, and would not be released about real ones.",
            ),
        ),
        pictures=(_picture(holders),),
        uncovered=(
            "How far the sum over S_t is from the sum over everybody, once people have run out; queries that are not "
            "0/1, "
            "other adversaries, and the last bits of a noise that is drawn in doubles."
        ),
        code=(
            "import numpy as np\nimport filterproof as fp\n\n"
            "queries = fp.LinearQueries(people=100, norm_budget=5.0, kappa=0.5)\n"
            "answer = queries.answer(np.ones(100), np.random.default_rng(1))\n"
            "print(answer.value, answer.error(delta=0.05))\n"
            "print(fp.answer_misses(100, norm_budget=20.0, kappa=0.5, dimension=4, delta=0.05, answers=1000))"
        ),
    )


def _picture(holders: Holders) -> Picture:
    answers = holders.answers
    t = np.arange(1, len(answers.error) + 1)
    over = answers.error > answers.bound
    with new_figure(height=5.0) as figure:
        above, below = figure.subplots(2, sharex=True)
        above.plot(t, answers.bound, color=INK, lw=1.6, label=f"bound at delta = {DELTA:g}")
        above.plot(t[~over], answers.error[~over], "o", ms=4, color=PALETTE[0], label="error of an answer")
        if over.any():
            above.plot(t[over], answers.error[over], "X", ms=7, color=PALETTE[1], label="beyond the bound")
        above.set(
            ylabel="error, largest coordinate", ylim=(0, 1.35 * max(answers.bound.max(), answers.error.max()))
        )
        above.legend(fontsize=9, ncols=2)
        below.step(t, answers.left, where="mid", color=PALETTE[2], lw=1.8)
        below.set(xlabel="queries", ylabel="people left", ylim=(-3, 1.06 * PEOPLE))
    return Picture(
        "linear-queries",
        "Above: how far each answer is from the sum over those who took part; about one in twenty may lie beyond the "
        "line. "
        "The line is level: the noise does not grow with the number of queries. Below: how many may count once more. "
        "When "
        "nobody is left, the answers are noise about zero.",
        f"{np.count_nonzero(over)} of {len(t)} errors lie beyond the bound {answers.bound[0]:.3g}; of {PEOPLE} "
        "people "
        f"{answers.left[len(t) // 2 - 1]} are left after {len(t) // 2} queries, and {answers.left[-1]} at the end.",
        figure,
    )
