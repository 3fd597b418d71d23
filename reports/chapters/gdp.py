"""The GDP filter is sound, and strategies that spend the whole budget reach exactly what it promises."""

from __future__ import annotations

from collections.abc import Sequence

from filterproof import mc
from filterproof.filters import GaussianFilter
from filterproof.reports.chapters.common import compared, promise_picture, proved, simulations
from filterproof.reports.finding import Claim, Finding, Told
from filterproof.reports.study import Simulated, Study

EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)


def exhausting_adversaries() -> tuple[mc.Adversary, ...]:
    """Strategies that spend a GDP budget to the last bit on Gaussian mechanisms."""
    return (mc.OneShot(), mc.ManySmall(40), mc.LossChasing(), mc.LossAvoiding(), mc.RandomSpender())


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    filt = GaussianFilter(mu=1.0)
    rows = [
        # deeper tails need more runs for the same relative precision
        study.simulate(
            filt,
            adversary,
            epsilon=epsilon,
            n=250_000 if epsilon <= 2 else 600_000,
            method="tilted",  # the martingale estimator assumes the equality that is tested here
        )
        for adversary in exhausting_adversaries()
        for epsilon in EPSILONS
    ]
    proof = study.prove("GDP filter")
    return Told(
        findings=(proved(claims[0], proof), _tight(claims[1], rows)),
        tables=(simulations("Each strategy exhausts the budget of 1-GDP on Gaussian mechanisms.", rows),),
        pictures=(
            promise_picture(
                "gdp_tight",
                "Every strategy that exhausts the budget leaks exactly the promise.",
                rows,
                [f"{type(row.adversary).__name__}, epsilon {row.epsilon:g}" for row in rows],
            ),
        ),
    )


def _tight(claim: Claim, rows: Sequence[Simulated]) -> Finding:
    scope = f"{len(rows)} simulated games of budget-exhausting Gaussian strategies at epsilon in {EPSILONS}"
    return compared(
        claim,
        [(row, row.promised, row.promised) for row in rows],
        scope=f"{scope}, and the closed form delta_mu(epsilon)",
    )
