"""`make accountant`: the accountant's rule and the central limit against adversaries, and what sound rules keep."""

import argparse
import datetime
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from filterproof.filters import suppress_unsound_warning
from filterproof.filters.accountants.repeats import count_grants
from filterproof.filters.catalogue import (
    CentralLimitFilter,
    GaussianResidueFilter,
    PotentialFilter,
    RenyiFilter,
)
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules.potential import COMMON_RATES
from filterproof.mc import AccountantFilter, Composition
from filterproof.mc.estimate.filter_ranking import MAX_ROUNDS, bounds_on_planned_rounds, largest_gaussian_mu
from filterproof.mc.examine.supremum import supremum
from filterproof.mc.worst_case import WorstCase, worst_case
from filterproof.theory.pairs import DominatingPair, Gaussian, SubsampledGaussian

DELTA = 1e-5
#: Epsilon and menu of each game of the accountant's rule.
CASES: tuple[tuple[float, tuple[DominatingPair, ...]], ...] = (
    (2.0, (SubsampledGaussian(0.05, 1.0), SubsampledGaussian(0.1, 1.0))),
    (2.0, (SubsampledGaussian(0.05, 1.0),)),
    (2.0, (SubsampledGaussian(0.05, 1.0), SubsampledGaussian(0.05, 0.6))),
    (2.0, (SubsampledGaussian(0.05, 1.0), SubsampledGaussian(0.1, 1.5))),
    (2.0, (SubsampledGaussian(0.02, 1.0), SubsampledGaussian(0.1, 1.0))),
    (4.0, (SubsampledGaussian(0.05, 1.0), SubsampledGaussian(0.1, 1.0))),
    (1.0, (SubsampledGaussian(0.01, 1.0), SubsampledGaussian(0.02, 1.0))),
    (2.0, (Gaussian(0.25), Gaussian(0.5))),
)
#: Epsilon and menu whose rounds are compared with fixed plans.
RATES: tuple[tuple[float, tuple[DominatingPair, ...]], ...] = (
    (2.0, COMMON_RATES),
    (2.0, (SubsampledGaussian(0.05, 1.5), SubsampledGaussian(0.1, 2.0))),
    (2.0, (SubsampledGaussian(0.05, 1.0), SubsampledGaussian(0.1, 1.0))),
    (4.0, (SubsampledGaussian(0.01, 0.8), SubsampledGaussian(0.05, 1.0))),
    (8.0, (SubsampledGaussian(0.02, 0.7), SubsampledGaussian(0.1, 1.0))),
)
#: The promises at which the central limit is looked at, each for every menu.
POINTS = ((2.0, 1e-5), (1.0, 1e-5), (4.0, 1e-5), (1.0, 1e-6), (2.0, 1e-6), (4.0, 1e-6))
MENUS: tuple[tuple[DominatingPair, ...], ...] = (COMMON_RATES, (SubsampledGaussian(0.001, 0.8),))
#: The promises and menus whose games are solved: two rates with one noise, of which one round costs four of the other,
#: so that sums meet again, and two rates with a noise each.
_ONE_NOISE, _TWO = COMMON_RATES[:2], COMMON_RATES[1:]
GAMES = ((2.0, 1e-5, _ONE_NOISE), (1.0, 1e-5, _ONE_NOISE), (1.0, 1e-5, _TWO), (1.0, 1e-6, _TWO))
#: More rounds than the filter grants of any mechanism looked at.
_MAX_GRANTS = 300_000
#: The relative width of a composition, and of a game.
_WIDTH = 0.02


def central_limit(epsilon: float, delta: float) -> CentralLimitFilter:
    """The filter of the central limit whose mu gives (epsilon, delta)-DP."""
    with suppress_unsound_warning():
        return CentralLimitFilter(largest_gaussian_mu(epsilon, delta))


def measured(epsilon: float, menu: tuple[DominatingPair, ...]) -> WorstCase:
    """The worst case of the accountant's rule over a menu where outputs are drawn from P (removal)."""
    with suppress_unsound_warning():
        filt = AccountantFilter(epsilon, DELTA, menu)
    return worst_case(filt, menu, epsilon=epsilon, direction="PQ")


def overshoot(epsilon: float, delta: float, menu: tuple[DominatingPair, ...]) -> list[dict[str, Any]]:
    """A row for each mechanism: its rounds by each rule, and the certified ends of what the central limit's reach."""
    limit, potential = central_limit(epsilon, delta), PotentialFilter(epsilon, delta, menu)
    granted = [count_grants(limit, pair, most=_MAX_GRANTS) for pair in menu]
    shares = {pair: 1 / n for pair, n in zip(menu, granted, strict=True)}
    renyi = RenyiFilter.planned(epsilon, delta, shares)
    rows = []
    for pair, n in zip(menu, granted, strict=True):
        reached = Composition({pair: n}).delta(epsilon, relative=_WIDTH)
        rows.append(
            {
                "epsilon": epsilon,
                "delta": delta,
                "mechanism": repr(pair),
                "plan": bounds_on_planned_rounds(epsilon, delta, pair, MAX_ROUNDS)[0]
                if n < MAX_ROUNDS
                else None,
                "Rényi": count_grants(renyi, pair, most=_MAX_GRANTS),
                "potential": int(potential.rounds(potential.start(1), pair)[0]),
                "central limit": n,
                "low": reached.low,
                "high": reached.high,
            }
        )
    return rows


def played(epsilon: float, delta: float, menu: tuple[DominatingPair, ...]) -> dict[str, Any]:
    """The certified ends of what the worst adaptive adversary gets of the filter, beside the best fixed mechanism."""
    filt = central_limit(epsilon, delta)
    worst = worst_case(filt, menu, epsilon=epsilon, relative=_WIDTH)
    alone = [
        Composition({pair: count_grants(filt, pair, most=_MAX_GRANTS)}).delta(epsilon, relative=_WIDTH).low
        for pair in menu
    ]
    return {
        "epsilon": epsilon,
        "delta": delta,
        "menu": [repr(pair) for pair in menu],
        "fixed": max(alone),
        "low": worst.low,
        "high": worst.high,
    }


def kept_of_plans(epsilon: float, menu: tuple[DominatingPair, ...]) -> dict[str, Any]:
    """The rounds of each member by each rule, and the certified ends of what an adversary on the menu gets."""
    plans = [bounds_on_planned_rounds(epsilon, DELTA, pair, MAX_ROUNDS)[0] for pair in menu]
    renyi = RenyiFilter.planned(epsilon, DELTA, {pair: 1 / n for pair, n in zip(menu, plans, strict=True)})
    residue, potential = (
        GaussianResidueFilter(largest_gaussian_mu(epsilon, DELTA)),
        PotentialFilter(epsilon, DELTA, menu),
    )
    named: dict[str, PrivacyFilter] = {"Rényi": renyi, "GDP residue": residue, "potential": potential}
    rules = [_bounded(name, filt, epsilon, menu) for name, filt in named.items()]
    return {"epsilon": epsilon, "menu": [repr(pair) for pair in menu], "plans": plans, "rules": rules}


def _rounds(filt: PrivacyFilter, menu: Sequence[DominatingPair]) -> list[int]:
    return [count_grants(filt, pair, most=MAX_ROUNDS) for pair in menu]


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


def main() -> None:
    """Solve the game of each case and write what it gave."""
    parser = argparse.ArgumentParser(prog="python -m tests.instruments.bench.accountant", description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    out: Path = parser.parse_args().out
    rows = []
    for epsilon, menu in CASES:
        worst = measured(epsilon, menu)
        rows.append(
            {
                "epsilon": epsilon,
                "menu": [repr(pair) for pair in menu],
                "rounds": worst.rounds,
                "low": worst.low,
                "high": worst.high,
            }
        )
        print(epsilon, [repr(pair) for pair in menu], worst, flush=True)
    kept = []
    for case in RATES:
        kept.append(kept_of_plans(*case))
        print(kept[-1], flush=True)
    beyond = [row for point in POINTS for menu in MENUS for row in overshoot(*point, menu)]
    games = [played(*game) for game in GAMES]
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    recorded = {
        "date": today,
        "rows": rows,
        "rates": {"date": today, "rows": kept},
        "central_limit": {"date": today, "rows": beyond, "games": games},
    }
    out.write_text(json.dumps(recorded, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
