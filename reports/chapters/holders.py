"""What is no filter: odometers, trackers, individual filters and linear queries, each simulated by its own code."""

from __future__ import annotations

from collections.abc import Sequence

from reports.finding import Chapter, Claim, Table, Told
from reports.pages.held import hold_all
from reports.study import Study
from theory.evidence import Outcome

__all__ = ["HOLDERS"]


def _tell(study: Study, claims: Sequence[Claim]) -> Told:
    findings = hold_all(study, claims)
    assert study.holders is not None
    rows = [row for page in study.holders.reached.values() for row in page]
    return Told(
        findings=findings,
        tables=(
            Table(
                "What is promised at most, and what was simulated.",
                ("Simulated", "estimate", "interval", "promised", "runs"),
                tuple(
                    (
                        row.what,
                        f"{row.estimate.value:.4g}",
                        row.interval,
                        f"{row.promised:.4g}",
                        f"{row.estimate.n:,}",
                    )
                    for row in rows
                ),
                align="lrlrr",
            ),
        ),
    )


HOLDERS = Chapter(
    key="held",
    title="Odometers, trackers, and who holds a filter",
    promise="What each states of everything that was released, against an adaptive adversary.",
    story="An odometer bounds the loss so far at all times, a tracker counts the filters that were used up, an "
    "individual filter lets each person take part as long as their own budget lasts, and linear queries do that for "
    "noisy sums, clipped ones in a whole training. Their theorems are cited or about the rule alone, and nothing joins "
    "them to the code, so they are simulated, and trainings audited, two broken ones among them.",
    claims=(
        Claim(
            "holders-odometers",
            "No odometer is overtaken by the loss more often than its delta.",
            "Whitehouse et al.; Rogers et al. Theorem 6.1; Lécuyer",
            Outcome.UNDECIDED,
        ),
        Claim(
            "holders-trackers",
            "Releases within a fixed number of blocks of a tracker cost at most these blocks.",
            "000 Proposition 4.10; 003 Appendix C.5",
            Outcome.UNDECIDED,
        ),
        Claim(
            "holders-people",
            "The sums over those whose own budget lasts keep the filter's promise for every person.",
            "000 Theorem 4.5",
            Outcome.UNDECIDED,
        ),
        Claim(
            "holders-queries",
            "Linear queries are kappa-zCDP, and an answer misses its bound with probability at most delta.",
            "000 Corollary 4.7",
            Outcome.UNDECIDED,
        ),
        Claim(
            "holders-trainings",
            "All sums of a whole training keep the filter's promise for every person, with filtering and without.",
            "000 Algorithm 7, Proposition 5.2",
            Outcome.UNDECIDED,
        ),
        Claim(
            "holders-clipping-after-adding",
            "Clipping the mean of the vectors, and not each, keeps the promise.",
            "a common mistake",
            Outcome.REFUTED,
        ),
        Claim(
            "holders-forgetting",
            "Forgetting the spend of whoever sits out a round keeps the promise.",
            "a misreading of 000 Algorithm 3",
            Outcome.REFUTED,
        ),
    ),
    tell=_tell,
    gathers=True,
)
