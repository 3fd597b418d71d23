"""A counterexample of each kind that is small enough to be played again often."""

from fractions import Fraction
from itertools import islice
from typing import Any

import filterproof as fp
from filterproof.filters.catalogue import CATALOGUE
from filterproof.mc.engine.adversaries import EraserForever
from filterproof.mc.engine.encoding import allowed_values_by_name
from filterproof.mc.examine.accountants import GAME_BY_QUERY_KIND
from filterproof.mc.examine.counterexample import (
    Counterexample,
    encode_or_class_name,
    measured_counterexample,
    menu_counterexample,
    record_simulation,
    sequence_counterexample,
)
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.mc.examine.stages.rational_plans import best_plan_counterexample, rational_exp_epsilon_above
from filterproof.mc.worst_case.plan import AdaptivePlan
from tests.mc.examine.example_filters import Forgets


def naive() -> fp.NaiveRealisationFilter:
    with fp.suppress_unsound_warning():
        return fp.NaiveRealisationFilter(epsilon=1.0, delta=0.01)


def natural() -> fp.NonadaptiveCompositionFilter:
    with fp.suppress_unsound_warning():
        return CATALOGUE["NonadaptiveCompositionFilter"].example()  # type: ignore[return-value]


def simulation() -> Counterexample:
    return record_simulation(naive(), EraserForever(), epsilon=1.0, n=300, seed=5, rounds=6)


def plan() -> Counterexample:
    """Two erasures of a hundredth: 1 - .99^2 where a hundredth is promised."""
    erasure = fp.Erasure(0.01, exact=Fraction(1, 100))
    counterexample = best_plan_counterexample(
        naive(), [erasure], 2, 1.0, rational_exp_epsilon_above(naive(), 1.0)
    )
    assert counterexample is not None
    return counterexample


def written(
    filt: fp.PrivacyFilter[Any], epsilon: float, ratio: Fraction, plan: AdaptivePlan
) -> Counterexample:
    """The counterexample of a plan as it is, with its worth in the states of that filter."""
    data = {
        "filter": encode_or_class_name(filt),
        "epsilon": epsilon,
        "ratio": str(ratio),
        "promised": 0.0,
        "direction": "PQ",
    }
    return Counterexample(
        filt, data | {"value": str(plan.value(filt, ratio)), "plan": plan.to_data(allowed_values_by_name())}
    )


def natural_plan() -> Counterexample:
    filt = natural()
    counterexample = best_plan_counterexample(filt, [*filt.menu], 3, float(filt.epsilon), filt.ratio)
    assert counterexample is not None
    return counterexample


def menu() -> Counterexample:
    filt = natural()
    at = Divergence.hockey_stick(float(filt.epsilon))
    worst = fp.worst_case(filt, filt.menu, epsilon=at.at, rounds=3, direction="PQ")
    return menu_counterexample(filt, filt.menu, at, rounds=3, low=worst.low, high=worst.high)


def sequence(
    filt: fp.PrivacyFilter[Any] | None = None,
    pair: fp.DominatingPair | None = None,
    measure: Divergence | None = None,
    times: int = 40,
) -> Counterexample:
    """So many times one pair, forty of 0.2 to a filter that forgets where nothing else is said."""
    filt, measure = filt or Forgets(), measure or Divergence.hockey_stick(1.0)
    played = RequestSequence(((pair or fp.Gaussian(0.2), times),))
    return sequence_counterexample(filt, played, measure, played.lower_bound(measure))


def accountant_counterexample(accountant: Any, place: int = 0) -> Counterexample:
    """The game of an accountant that it proposes first, or in that place, of a question or two."""
    game: Any = next(islice(GAME_BY_QUERY_KIND[accountant.query_kind].propose_games(accountant), place, None))
    if accountant.query_kind in ("selects", "sums"):
        game = type(game)(accountant, game.questions[:2])
    measure = game.measures()[0]
    low, promised = game.solve_divergence(measure).low, game.promised(measure)
    return measured_counterexample(accountant, measure, low, promised, game=game.to_data())


def people() -> fp.IndividualFilter:
    return fp.IndividualFilter(fp.GaussianFilter(1.0), 3)


#: A counterexample of each kind of game that accountants play.
HELD = {
    "people": lambda: accountant_counterexample(people()),
    "sums": lambda: accountant_counterexample(fp.training.ClippedSums(people(), clip=1.0, sigma=2.0), 2),
    "losses": lambda: accountant_counterexample(fp.odometers.LineOdometer(0.05, target=1.0)),
}
#: How each is made, and the number by which it is its own.
COUNTEREXAMPLES = {
    "simulation": (simulation, "value"),
    "plan": (plan, "value"),
    "menu": (menu, "low"),
    "sequence": (sequence, "low"),
}
