"""A witness in one sentence: who asks what, what is measured which way round, and both numbers.

>>> import filterproof as fp
>>> from mc.examine.measure import Measure
>>> from mc.examine.witness import sequence_witness
>>> played = Sequence(((fp.Gaussian(1.0), 2),))
>>> headline(sequence_witness(fp.ZCDPFilter(0.5), played, Measure.renyi(2.0), 2.0))
'2 x Gaussian(mu=1): D of order 2, PQ is at least 2 where 1 is promised, 2 times the promise'
>>> simulated = fp.witness(fp.GaussianFilter(1.0), fp.OneShot(), epsilon=1.0, n=1000, method="plain")
>>> ", but for a chance of 1e-06, where" in headline(simulated)
True
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, cast

from mc.engine.encoding import decode, nameable
from mc.examine.holders.games import game_of
from mc.examine.witness import Witness
from mc.examine.words import number_words, pair_words, steps_words, times_words, worth_words
from theory.pairs import DominatingPair

__all__ = ["headline", "strategy_words"]


def strategy_words(witness: Witness) -> str:
    """What is asked, in words: the requests of a sequence, or what an adversary chooses from."""
    rounds = "1 round" if witness.rounds == 1 else f"{witness.rounds:,} rounds"
    match witness.kind:
        case "sequence":
            return steps_words(witness.played.steps)
        case "plan":
            requests = tuple(dict.fromkeys(witness.plan.requests()))
            return f"an adaptive plan of {rounds} over {_some(requests)}"
        case "menu":
            return f"the best adversary of at most {rounds} over {_some(decode(witness.data['menu'], nameable()))}"
        case "schedule":
            return f"a schedule of {len(witness.data['schedule']['moves'])} moves"
        case "holder":
            return game_of(cast(Any, witness.filter), witness.data["game"]).asked
        case "simulation" | "decision":
            played, seed = witness.data["n"], witness.data["seed"]
            return f"a strategy of at most {rounds}, played {played:,} times with seed {seed}"


def headline(witness: Witness) -> str:
    """Strategy, measure, direction and both numbers, in one sentence."""
    value, promised = witness.value, witness.promised
    if witness.kind == "decision":
        return (
            f"{strategy_words(witness)}: {witness.measure} is above {number_words(promised)}, which is promised, by a "
            f"sequential test that errs with probability at most {number_words(float(witness.data['failure']))}"
        )
    gives = f"is at least {number_words(value)}"
    if witness.kind == "plan":
        gives = worth_words(Fraction(witness.data["value"]))
    elif witness.kind == "simulation":
        gives += f", but for a chance of {1 - witness.data['confidence']:.0e},"
    told = times_words(value, promised)
    return (
        f"{strategy_words(witness)}: {witness.measure} {gives} where "
        f"{number_words(promised)} is promised{', ' if told else ''}{told}"
    )


def _some(pairs: tuple[DominatingPair, ...]) -> str:
    more = f" and {len(pairs) - 3} more" if len(pairs) > 3 else ""
    return ", ".join(map(pair_words, pairs[:3])) + more
