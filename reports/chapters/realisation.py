"""The realisation filter: its promise, and how many rounds it allows compared with mechanism-level filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from filterproof import mc
from filterproof.filters import RealisationFilter
from filterproof.mc.estimate.survival import survival
from filterproof.reports.chapters.common import agreed, judge_promise, proved, simulations
from filterproof.reports.drawing import PALETTE, new_figure
from filterproof.reports.figures.survival import mechanism_level, stopping_rounds
from filterproof.reports.finding import Claim, Finding, Picture, Told
from filterproof.reports.study import Simulated, Study
from filterproof.theory.pairs import Gaussian
from filterproof.theory.realisation import kappa, kappa_survival, optimal_split, stopped_hockey_stick

EPSILON, DELTA, SIGMA, ROUNDS = 10.0, 1e-5, 2.0, 48
#: If no path exceeds epsilon, the interval of tilted paths ends near 5/n, with this n at half of delta.
PATHS, _QUICK = 1_000_000, 500_000


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    pair = Gaussian(mu=1 / SIGMA)
    adversary = mc.Constant(pair)
    filt = RealisationFilter(epsilon=EPSILON, delta=DELTA, rounds=ROUNDS, menu=(pair,))
    study.on_progress("RealisationFilter, survival")
    # N rounds are N comparisons
    simulated = survival(
        filt,
        adversary,
        n=study.size(250_000),
        seed=study.seed,
        rounds=ROUNDS,
        confidence=study.count(ROUNDS),
        executor=study.executor,
        # a chapter told in a worker starts no workers of its own
        workers=1 if study.executor is None else None,
    )
    split = optimal_split(ROUNDS, DELTA)
    limit = float(kappa(EPSILON, SIGMA, split.dhat, split.theta))
    integrated = tuple(float(p) for p in kappa_survival(limit, sigma=SIGMA, rounds=ROUNDS))
    rows = [study.simulate(filt, adversary, epsilon=EPSILON, n=PATHS, quick=_QUICK, rounds=ROUNDS)]
    divergence = stopped_hockey_stick(limit, mu=1 / SIGMA, rounds=ROUNDS, epsilon=EPSILON)
    others = mechanism_level(EPSILON, DELTA, sigma=SIGMA, rounds=ROUNDS)
    ends = stopping_rounds(others, sigma=SIGMA, most=2 * ROUNDS)
    return Told(
        findings=(
            proved(claims[0], study.prove("realisation filter")),
            _beside(judge_promise(study, claims[1], rows), rows[0], divergence),
            _survival(claims[2], study, simulated, integrated),
        ),
        tables=(
            simulations(
                "The same game, judged by the divergence of what was released.",
                rows,
                lead=("integrated", [f"{divergence:.4g}"]),
            ),
        ),
        pictures=(_picture(simulated, integrated, ends),),
    )


def _beside(finding: Finding, row: Simulated, integrated: float) -> Finding:
    """The finding, with the integrated divergence added to its detail."""
    inside = "inside" if integrated in row.estimate else "outside"
    detail = (
        f"{finding.verdict.detail} By numerical integration it is {integrated:.4g}, {inside} the interval."
    )
    return replace(finding, result=replace(finding.verdict, detail=detail))


def _survival(
    claim: Claim, study: Study, simulated: mc.SurvivalCurve, integrated: Sequence[float]
) -> Finding:
    scope = f"a fixed strategy, Gaussian mechanisms at sigma = {SIGMA:g}, t = 1 to {ROUNDS}, simulated and integrated"
    both = list(zip(simulated.at, integrated, strict=True))

    def counterexample(place: int) -> dict[str, object]:
        one, told = both[place]
        return {"t": place + 1, "low": one.low, "high": one.high, "integrated": told, "seed": study.seed}

    routes = ((f"P(T >= {t})", one, told, told) for t, (one, told) in enumerate(both, start=1))
    return agreed(claim, routes, scope=scope, counterexample=counterexample)


def _picture(simulated: mc.SurvivalCurve, integrated: Sequence[float], ends: dict[str, int]) -> Picture:
    with new_figure() as figure:
        axes = figure.subplots()
        simulated.plot(axes)
        t = np.arange(1, ROUNDS + 1)
        axes.step(t, integrated, where="mid", color="black", lw=1.2, label="integrated")
        for k, (name, end) in enumerate(ends.items(), start=1):
            axes.step([0.5, end + 0.5, end + 0.5], [1, 1, 0], color=PALETTE[k], label=f"{name}: {end} rounds")
        axes.legend(fontsize=8.5)
    return Picture(
        "survival",
        f"Probability that the realisation filter still runs in round t, sigma = {SIGMA:g}, "
        f"({EPSILON:g}, {DELTA:g})-DP, beside the rounds at which mechanism-level filters stop (004 Figure 2).",
        f"A curve that falls from {integrated[0]:.3g} to {integrated[-1]:.3g} at t = {ROUNDS}, with estimates on it; "
        f"other filters drop to zero after {', '.join(f'{end} rounds ({name})' for name, end in ends.items())}.",
        figure,
    )
