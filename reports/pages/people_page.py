"""The page of `IndividualFilter`: who still takes part, what each has spent, and one person in or out of the data."""

from __future__ import annotations

import numpy as np

from reports.drawing import PALETTE, new_figure
from reports.finding import Picture
from reports.pages.formulas import mathml
from reports.pages.held import BUDGET, EPSILON, NORMS, SIGMA, Holders, Participation
from reports.pages.page import Badge, Page, explaining

__all__ = ["people_page"]


def people_page(holders: Holders) -> Page:
    """One filter per person, beside one filter for all."""
    verdict, reached, people = holders.verdicts["people"], holders.reached["people"], holders.people
    last = len(people.active)
    told = ". ".join(
        f"{str(row)[0].upper()}{str(row)[1:]}{', which it is ABOVE' if row.refutes else ''}"
        for row in reached
    )
    return Page(
        key="holder-individual-filter",
        title="IndividualFilter",
        badge=Badge.of(verdict),
        line=f"promises {BUDGET:g}-GDP for adding or removing one person, with a Gaussian filter for each",
        formulas=(
            (
                "Person i takes part in round t if",
                mathml(r"\sum_{s \le t, \; i \in S_s} \frac{\|f_s(x_i)\|_2^2}{\sigma^2} \le \mu^2"),
            ),
            ("Released", mathml(r"\sum_{i \in S_t} f_t(x_i) + \mathcal{N}(0, \sigma^2 I)")),
        ),
        facts=(
            (
                "In words",
                "Each person has a filter, charged with what that person's own data can change. Whoever would exceed "
                "the "
                "budget sits out the round; the others go on.",
            ),
            (
                "Personal data",
                "The mask of who takes part and the remaining budgets depend on people's data. They must not be "
                "released, "
                "published or summed over people; a person may see their own. The people below are made up.",
            ),
            ("Verdict", f"{verdict.outcome.name}. {verdict.detail}"),
            (
                "Theorem",
                "Individual filters: 000 Theorem 4.5, 003 Theorem 12. It is about the rule; nothing joins it to the "
                "code that runs.",
            ),
            (
                "Simulated",
                "Two data sets, with and without one person, each with a filter that knows its own people only; the "
                f"analyst asks by the sums released. The hockey-stick divergence at epsilon = {EPSILON:g}. {told}.",
            ),
            (
                "Gained",
                f"{len(NORMS):,} people with norms from {NORMS.min():g} to {NORMS.max():g}, sigma = {SIGMA:g}. A "
                "shared filter, "
                f"which charges everyone the largest norm, stops everyone after {people.shared} rounds. In the next "
                f"round {people.active[people.shared]:,} people still take part, and {people.active[-1]:,} in round "
                f"{last:,}.",
            ),
        ),
        pictures=(_picture(people), explaining("per-instance")),
        uncovered=(
            "Other filters per person, other adversaries, replacing a person instead of removing one, vectors of "
            "more "
            "than one coordinate, and the last bits of a noise that is drawn in doubles. The pairs that a caller "
            "declares "
            "must dominate on every data set, which no simulation can see."
        ),
        code=(
            "import numpy as np\nimport filterproof as fp\n\n"
            "norms, rng = np.geomspace(0.05, 1.0, 2000), np.random.default_rng(1)\n"
            "people = fp.IndividualFilter(fp.GaussianFilter(mu=1.0), people=2000)\n"
            "for _ in range(30):\n"
            "    active = people.select(fp.gaussian_request(norms, sigma=4.0))  # personal data: never release it\n"
            "    release = norms[active].sum() + 4.0 * rng.standard_normal()\n"
            "print(fp.simulate_person(people.filter, [1.0, 2.0], sigma=4.0, epsilon=1.0, rounds=64, n=2000))"
        ),
    )


def _picture(people: Participation) -> Picture:
    rounds = np.arange(1, len(people.active) + 1)
    with new_figure(height=5.2) as figure:
        above, below = figure.subplots(2, sharex=True)
        above.step(rounds, people.active, where="mid", color=PALETTE[0], lw=1.8, label="a filter each")
        stop = people.shared + 0.5
        above.plot(
            [1, stop, stop, len(rounds)],
            [len(NORMS), len(NORMS), 0, 0],
            "--",
            color=PALETTE[1],
            lw=1.8,
            label="one filter, largest norm",
        )
        above.set(ylabel="people who take part", ylim=(-40, 1.08 * len(NORMS)))
        above.legend(fontsize=9, loc="center left")
        looks = (("10 % spent less", ":", "v"), ("half spent less", "-", "o"), ("10 % spent more", "--", "^"))
        for column, (name, dashes, marker) in enumerate(looks):
            below.plot(
                people.at,
                people.spent[:, column],
                ls=dashes,
                marker=marker,
                ms=5,
                color=PALETTE[2],
                label=name,
            )
        below.set(xscale="log", xlabel="rounds", ylabel="share of the budget", ylim=(-0.02, 1.05))
        below.legend(fontsize=9, loc="upper left")
    return Picture(
        "individual-people",
        "Above: with a filter each, people drop out one by one, those with the largest norms first, where one filter "
        "for all stops at once. Below: what people have spent by then; most people have most of it left when the "
        "shared filter stops.",
        f"Of {len(NORMS):,} people {people.active[people.shared]:,} take part in the round in which a shared filter "
        "has "
        f"stopped everyone, and {people.active[-1]:,} after {len(rounds):,} rounds; half of them have then spent at "
        "most "
        f"{people.spent[-1, 1]:.2g} of their budget.",
        figure,
    )
