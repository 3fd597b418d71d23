"""A witness of each kind that is small enough to be played again often."""

from itertools import islice
from typing import Any

import filterproof as fp
from filters.catalogue import CATALOGUE
from mc.engine.adversaries import EraserForever
from mc.examine.attack import attack
from mc.examine.challenge import challenge
from mc.examine.holders import GAMES
from mc.examine.measure import Measure
from mc.examine.sequence import Sequence
from mc.examine.witness import Witness, measured_witness, menu_witness, sequence_witness, witness
from tests.mc.examine.toys import Forgets


def naive() -> fp.NaiveRealisationFilter:
    with fp.knowingly():
        return fp.NaiveRealisationFilter(epsilon=1.0, delta=0.01)


def natural() -> fp.NaturalFilter:
    with fp.knowingly():
        return CATALOGUE["NaturalFilter"].example()  # type: ignore[return-value]


def simulation() -> Witness:
    return witness(naive(), EraserForever(), epsilon=1.0, n=300, seed=5, rounds=6)


def decision() -> Witness:
    found = challenge(naive(), [EraserForever()], epsilons=[1.0], rounds=6, most=20_000, workers=1).verdict()
    return Witness(naive(), found.witness)  # type: ignore[arg-type]


def plan() -> Witness:
    return Witness(naive(), attack(naive()).witness)


def menu() -> Witness:
    filt = natural()
    at = Measure.hockey_stick(float(filt.epsilon))
    worst = fp.worst_case(filt, filt.menu, epsilon=at.at, rounds=3, direction="PQ")
    return menu_witness(filt, filt.menu, at, rounds=3, low=worst.low, high=worst.high)


def sequence(
    filt: fp.PrivacyFilter[Any] | None = None,
    pair: fp.DominatingPair | None = None,
    measure: Measure | None = None,
    times: int = 40,
) -> Witness:
    """So many times one pair, forty of 0.2 to a filter that forgets where nothing else is said."""
    filt, measure = filt or Forgets(), measure or Measure.hockey_stick(1.0)
    played = Sequence(((pair or fp.Gaussian(0.2), times),))
    return sequence_witness(filt, played, measure, played.low(measure))


def held(holder: Any, place: int = 0) -> Witness:
    """The game of a holder that it proposes first, or in that place, of a question or two."""
    game: Any = next(islice(GAMES[holder.played].proposed(holder), place, None))
    if holder.played in ("selects", "sums"):
        game = type(game)(holder, game.questions[:2])
    measure = game.measures()[0]
    low, promised = game.solved(measure).low, game.promised(measure)
    return measured_witness(holder, measure, low, promised, game=game.to_data())


def people() -> fp.IndividualFilter:
    return fp.IndividualFilter(fp.GaussianFilter(1.0), 3)


#: A witness of each kind of game that holders play.
HELD = {
    "people": lambda: held(people()),
    "sums": lambda: held(fp.ClippedSums(people(), clip=1.0, sigma=2.0), 2),
    "losses": lambda: held(fp.LineOdometer(0.05, target=1.0)),
}
#: How each is made, and the number by which it is its own.
WITNESSES = {
    "simulation": (simulation, "value"),
    "decision": (decision, "log_e_above"),
    "plan": (plan, "value"),
    "menu": (menu, "low"),
    "sequence": (sequence, "low"),
}
