"""What each rule keeps of a fixed plan when rates and noise change: Rényi, Gaussian residue, clock, potential."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from filters.catalogue import GaussianResidueFilter, PotentialFilter, RenyiFilter
from filters.holders.repeats import repeats
from filters.privacy_filter import PrivacyFilter
from filters.rules.potential import COMMON_RATES
from mc import Composition
from mc.estimate.compare_filters import MOST_ROUNDS, kept_mu, planned_rounds
from mc.examine.supremum import supremum
from mc.worst_case.calibrated_clock import calibrated_clock
from reports.finding import Claim, Finding, Table, Told
from reports.study import Study
from reports.words import record
from theory.evidence import Evidence, Outcome, Verdict
from theory.numerics.decimals import above, below
from theory.pairs import DominatingPair, SubsampledGaussian

DELTA = 1e-5
#: The share of a plan of 100 rounds or more that the claim names.
SHARE = 0.9

#: Epsilon, menu, and the levels of the clock's game, 0 for none; the first is looked at whenever the report is made.
CASES: tuple[tuple[float, tuple[DominatingPair, ...], int], ...] = (
    (2.0, COMMON_RATES, 400),
    (2.0, (SubsampledGaussian(0.05, 1.5), SubsampledGaussian(0.1, 2.0)), 200),
    (2.0, (SubsampledGaussian(0.05, 1.0), SubsampledGaussian(0.1, 1.0)), 200),
    (4.0, (SubsampledGaussian(0.01, 0.8), SubsampledGaussian(0.05, 1.0)), 0),
    (8.0, (SubsampledGaussian(0.02, 0.7), SubsampledGaussian(0.1, 1.0)), 0),
)


def kept_of_plans(epsilon: float, menu: tuple[DominatingPair, ...], levels: int) -> dict[str, Any]:
    """The rounds of each member by each rule, and the certified ends of what an adversary on the menu gets."""
    plans = [planned_rounds(epsilon, DELTA, pair, MOST_ROUNDS)[0] for pair in menu]
    renyi = RenyiFilter.planned(epsilon, DELTA, {pair: 1 / n for pair, n in zip(menu, plans, strict=True)})
    residue, potential = GaussianResidueFilter(kept_mu(epsilon, DELTA)), PotentialFilter(epsilon, DELTA, menu)
    named: dict[str, PrivacyFilter] = {"Rényi": renyi, "GDP residue": residue, "potential": potential}
    rules = [_bounded(name, filt, epsilon, menu) for name, filt in named.items()]
    if levels:
        clock = calibrated_clock(epsilon, DELTA, menu, levels=levels)
        ends = {"low": float(clock.certificate.low), "high": float(clock.certificate.high)}
        rules.append({"rule": "clock", "rounds": _rounds(clock, menu), **ends})
    return {"epsilon": epsilon, "menu": [repr(pair) for pair in menu], "plans": plans, "rules": rules}


def _rounds(filt: PrivacyFilter, menu: Sequence[DominatingPair]) -> list[int]:
    return [repeats(filt, pair, most=MOST_ROUNDS) for pair in menu]


def _bounded(
    name: str, filt: PrivacyFilter, epsilon: float, menu: Sequence[DominatingPair]
) -> dict[str, Any]:
    """From below by each member played alone until it is denied, from above by what the filter keeps."""
    rounds = _rounds(filt, menu)
    alone = [
        float(Composition({pair: n}).delta(epsilon).low) for pair, n in zip(menu, rounds, strict=True) if n
    ]
    low = max(alone, default=0.0)
    return {"rule": name, "rounds": rounds, "low": low, "high": supremum(filt, epsilon).high}


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    epsilon, menu, _ = CASES[0]
    study.on_progress("the potential filter's rounds beside fixed plans")
    filt = PotentialFilter(epsilon, DELTA, menu)
    rounds = _rounds(filt, menu)
    counts, short, broken = [], [], []
    for pair, n in zip(menu, rounds, strict=True):
        counts.append(f"{n} of {pair!r}")
        longer = math.ceil(n / SHARE)
        if not Composition({pair: longer}).delta(epsilon).low > DELTA:
            short.append(f"{counts[-1]}, of which {longer} are not known to break the promise")
        if n and not Composition({pair: n}).delta(epsilon).high <= DELTA:
            broken.append(counts[-1])
    scope = f"the {len(menu)} mechanisms of the menu, each asked for until it is denied"
    outcome = Outcome.UNDECIDED if broken or short else Outcome.HOLDS
    detail = f"Granted: {', '.join(counts)}. A plan of a ninth more of any of them breaks the promise."
    if broken or short:
        what, which = ("More than delta", broken) if broken else ("Not nine tenths", short)
        detail = f"{what}: {'; '.join(which)}."
    verdict = Verdict(outcome, Evidence.CERTIFIED, scope, detail)
    recorded = record("accountant").get("rates")
    return Told((Finding(claims[0], verdict),), tables_of(recorded) if recorded else ())


def tables_of(recorded: dict[str, Any]) -> tuple[Table, ...]:
    """Rounds beside plans, and worst cases over the promised delta, as recorded."""
    rules = ("Rényi", "GDP residue", "clock", "potential")
    rounds, worst = [], []
    for row in recorded["rows"]:
        by_rule = {one["rule"]: one for one in row["rules"]}
        for place, (pair, plan) in enumerate(zip(row["menu"], row["plans"], strict=True)):
            granted = {rule: one["rounds"][place] for rule, one in by_rule.items()}
            cells = {
                rule: f"{granted[rule]} ({granted[rule] / plan:.0%})" if rule in granted else ""
                for rule in rules
            }
            named = {"epsilon": f"{row['epsilon']:g}", "Mechanism": pair, "fixed plan": str(plan)}
            rounds.append(named | cells)
        worst += [
            {
                "epsilon": f"{row['epsilon']:g}",
                "Mechanisms": ", ".join(row["menu"]),
                "rule": rule,
                "at least": below(by_rule[rule]["low"] / DELTA, 5),
                "at most": above(by_rule[rule]["high"] / DELTA, 5),
            }
            for rule in rules
            if rule in by_rule
        ]
    when = f"as `make accountant` recorded it on {recorded['date']}"
    return (
        Table.of(
            f"Rounds of each mechanism alone, at delta = {DELTA:g}, under rules that let it change at any round, "
            f"{when}.",
            rounds,
            "rlrrrrr",
            reproducible=False,
        ),
        Table.of(
            f"The worst adaptive adversary on each menu over the promised delta = {DELTA:g}, certified, {when}: the "
            "clock's game is solved; of the others one mechanism until it is denied, and what the filter keeps.",
            worst,
            "rllrr",
            reproducible=False,
        ),
    )
