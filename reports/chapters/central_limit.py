"""The central limit as a filter: what rounds on samples reach beyond its promise, fixed in advance and adaptively."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from filters import knowingly
from filters.catalogue import CentralLimitFilter, PotentialFilter, RenyiFilter
from filters.holders.repeats import repeats
from filters.rules.potential import COMMON_RATES
from mc import Composition
from mc.estimate.compare_filters import MOST_ROUNDS, kept_mu, planned_rounds
from mc.examine.measure import Measure, exceeds
from mc.examine.sequence import Sequence as Played
from mc.examine.witness import sequence_witness
from mc.worst_case import worst_case
from reports.finding import Claim, Finding, Table, Told
from reports.study import Study
from reports.words import record
from theory.evidence import Evidence, Outcome, Verdict
from theory.numerics.decimals import above, below
from theory.pairs import DominatingPair, SubsampledGaussian

#: The promises looked at, each for every menu; the first, with the first menu, whenever the report is made.
POINTS = ((2.0, 1e-5), (1.0, 1e-5), (4.0, 1e-5), (1.0, 1e-6), (2.0, 1e-6), (4.0, 1e-6))
MENUS: tuple[tuple[DominatingPair, ...], ...] = (COMMON_RATES, (SubsampledGaussian(0.001, 0.8),))
#: The promises and menus whose games are solved: two rates with one noise, of which one round costs four of the other,
#: so that sums meet again, and two rates with a noise each.
_ONE_NOISE, _TWO = COMMON_RATES[:2], COMMON_RATES[1:]
GAMES = ((2.0, 1e-5, _ONE_NOISE), (1.0, 1e-5, _ONE_NOISE), (1.0, 1e-5, _TWO), (1.0, 1e-6, _TWO))
#: More rounds than the filter grants of any mechanism looked at.
_MOST = 300_000
#: The relative width of a composition, and of a game.
_WIDTH = 0.02


def _filter(epsilon: float, delta: float) -> CentralLimitFilter:
    """The filter whose mu gives (epsilon, delta)-DP."""
    with knowingly():
        return CentralLimitFilter(kept_mu(epsilon, delta))


def overshoot(epsilon: float, delta: float, menu: tuple[DominatingPair, ...]) -> list[dict[str, Any]]:
    """A row for each mechanism: its rounds by each rule, and the certified ends of what the central limit's reach."""
    limit, potential = _filter(epsilon, delta), PotentialFilter(epsilon, delta, menu)
    granted = [repeats(limit, pair, most=_MOST) for pair in menu]
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
                "plan": planned_rounds(epsilon, delta, pair, MOST_ROUNDS)[0] if n < MOST_ROUNDS else None,
                "Rényi": repeats(renyi, pair, most=_MOST),
                "potential": int(potential.rounds(potential.start(1), pair)[0]),
                "central limit": n,
                "low": reached.low,
                "high": reached.high,
            }
        )
    return rows


def played(epsilon: float, delta: float, menu: tuple[DominatingPair, ...]) -> dict[str, Any]:
    """The certified ends of what the worst adaptive adversary gets of the filter, beside the best fixed mechanism."""
    filt = _filter(epsilon, delta)
    worst = worst_case(filt, menu, epsilon=epsilon, relative=_WIDTH)
    alone = [
        Composition({pair: repeats(filt, pair, most=_MOST)}).delta(epsilon, relative=_WIDTH).low
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


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    (epsilon, delta), menu = POINTS[0], MENUS[0]
    study.on_progress("the central limit's filter beyond its promise")
    filt, measure = _filter(epsilon, delta), Measure.hockey_stick(epsilon)
    plays = [Played(((pair, n),)) for pair in menu if (n := repeats(filt, pair, most=_MOST))]
    low, most = max(((play.low(measure), play) for play in plays), key=lambda one: one[0])
    ((pair, n),) = most.steps
    scope = f"the {len(menu)} mechanisms of the menu, each asked for until it is denied"
    detail = (
        f"{n} of {pair!r} are granted and reach at least {below(low / delta, 3)} times the promised delta."
    )
    outcome, shown = Outcome.UNDECIDED, None
    if exceeds(low, measure.promised(filt.promise)) and most.admitted(filt):
        outcome, shown = Outcome.REFUTED, sequence_witness(filt, most, measure, low).to_data()
    verdict = Verdict(outcome, Evidence.CERTIFIED, scope, detail, shown)
    recorded = record("accountant").get("central_limit")
    return Told((Finding(claims[0], verdict),), _tables(recorded) if recorded else ())


def _tables(recorded: dict[str, Any]) -> tuple[Table, ...]:
    """Rounds by each rule and what the central limit's reach, then games, as recorded."""
    rounds = [
        {
            "epsilon": f"{row['epsilon']:g}",
            "delta": f"{row['delta']:g}",
            "Mechanism": row["mechanism"],
            "fixed plan": "" if row["plan"] is None else str(row["plan"]),
            **{rule: str(row[rule]) for rule in ("Rényi", "potential", "central limit")},
            "reaches over delta": below(row["low"] / row["delta"], 3),
        }
        for row in recorded["rows"]
    ]
    games = [
        {
            "epsilon": f"{row['epsilon']:g}",
            "delta": f"{row['delta']:g}",
            "Mechanisms": ", ".join(row["menu"]),
            "one alone": below(row["fixed"] / row["delta"], 3),
            "at least": below(row["low"] / row["delta"], 3),
            "at most": above(row["high"] / row["delta"], 3),
        }
        for row in recorded["games"]
    ]
    when = f"as `make accountant` recorded it on {recorded['date']}"
    return (
        Table.of(
            "Rounds of each mechanism by each rule at the same (epsilon, delta), and the certified delta that those of "
            f"the central limit reach at least, over the promised one, {when}.",
            rounds,
            "rrlrrrrr",
            reproducible=False,
        ),
        Table.of(
            "The worst adaptive adversary against the central limit's filter over the promised delta, certified, "
            f"beside the worst of the mechanisms alone, {when}.",
            games,
            "rrlrrr",
            reproducible=False,
        ),
    )
