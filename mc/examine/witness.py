"""A witness: a game that a filter plays, and what it gives, from which anyone can replay it: exact numbers to the bit.

>>> import filterproof as fp
>>> kept = fp.witness(fp.GaussianFilter(mu=1.0), fp.OneShot(), epsilon=1.0, n=1000, method="plain")
>>> fp.replay(kept).value == kept.data["value"]
True
>>> played = Played(((fp.Gaussian(1.0), 2),))
>>> print(sequence_witness(fp.ZCDPFilter(0.5), played, Divergence.renyi(2.0), 2.0))
2 x Gaussian(mu=1): D of order 2, PQ is at least 2 where 1 is promised, 2 times the promise
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Unpack

from filterproof.filters import PrivacyFilter
from filterproof.mc.engine.adversary import Adversary
from filterproof.mc.engine.encoding import decode, encode, nameable
from filterproof.mc.estimate.estimator import Method
from filterproof.mc.estimate.simulate import simulate
from filterproof.mc.examine.accountants import game_of
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.formatting import (
    count_words,
    pairs_words,
    steps_words,
    times_words,
    told_apart,
    worth_words,
)
from filterproof.mc.examine.replay import (
    KINDS,
    Kind,
    Replayed,
    Result,
    known,
    measure_of,
    replayed,
    witness_kind,
)
from filterproof.mc.examine.sequence import Sequence as Played
from filterproof.mc.intervals.estimate import CONFIDENCE
from filterproof.mc.runs.play import Play, PlayOptions
from filterproof.mc.worst_case.plan import Plan
from filterproof.theory.argument_checks import check_count, check_real
from filterproof.theory.display import one_line
from filterproof.theory.evidence import Evidence
from filterproof.theory.numerics.decimals import chance
from filterproof.theory.pairs import DominatingPair

#: How much of its promise a witness reaches that tells something.
TELLING = 1.5
#: The kinds of pairs that everybody knows, and those that many do; every other is an odd one.
_KNOWN = {"Gaussian": 0, "RandomizedResponse": 0}
_KNOWN |= dict.fromkeys(("Laplace", "Erasure", "SubsampledGaussian", "KOV"), 1)
#: A delta below this is seen by nobody, be it many times what is promised; nor is what is so many times the promise.
_SEEN, _HAIR = 1e-4, 1.01
#: The most kinds of requests, and the most rounds, that a person reads through.
_KINDS, _ROUNDS = 3, 10


@dataclass(frozen=True, slots=True)
class Witness:
    """A game as plain data, with the filter that plays it and the numbers that it gave.

    data is JSON-able and of one of the kinds of `filterproof.mc.examine.replay`: a simulation, a plan, a
    sequence, a menu or a schedule. It names filters, adversaries and pairs of the catalogue, never code; a filter from
    outside is kept beside the data.
    """

    filter: PrivacyFilter
    data: Mapping[str, Any]

    __repr__ = one_line

    @property
    def kind(self) -> Kind:
        """What kind of game it is."""
        kind = witness_kind(self.data)
        assert kind is not None
        return kind

    @property
    def measure(self) -> Divergence:
        """What it measures of the transcript."""
        return measure_of(self.data)

    @property
    def evidence(self) -> Evidence:
        """How sure its numbers are."""
        return KINDS[self.kind].evidence

    @property
    def played(self) -> Played:
        """The requests of a witness that is a sequence."""
        return Played.from_data(self.data["sequence"], nameable())

    @property
    def plan(self) -> Plan:
        """The plan of a witness that is one."""
        return Plan.from_data(self.data["plan"], nameable())

    @property
    def rounds(self) -> int:
        """The longest play, so far as the data says it; a simulation without a limit counts as 1000."""
        match self.data:
            case {"sequence": list() | tuple() as steps}:
                return sum(int(step["times"]) for step in steps)
            case {"schedule": {"moves": moves}}:
                return sum(what == "ask" for what, _ in moves)
            case {"plan": _}:
                return self.plan.rounds
            case {"game": Mapping()}:
                return game_of(self.filter, self.data["game"]).rounds  # type: ignore[arg-type]
        return int(self.data.get("rounds") or 1000)

    @property
    def value(self) -> float:
        """What its game certainly reaches of the measure."""
        data = self.data
        if self.kind == "plan":
            return float(Fraction(data["value"]))
        return _float(data["low"])

    @property
    def factor(self) -> float:
        """value / promised; inf where nothing is promised."""
        return self.value / self.promised if self.promised > 0 else float("inf")

    @property
    def promised(self) -> float:
        """What the promise allows there, as the witness says it."""
        return _float(self.data["promised"])

    @property
    def adaptive(self) -> bool:
        """Whether a later request may depend on an answer."""
        return self.kind not in ("sequence", "schedule") and self.rounds > 1

    @property
    def order(self) -> tuple[int, ...]:
        """Witnesses in the order in which people understand them: `sorted` puts the most telling one first.

        Certain before likely; at least `TELLING` times the promise before by more than a hair, and before a hair or far
        out on a curve, where next to nothing is promised; fixed before adaptive; known kinds of pairs, few of
        them and few rounds before odd kinds, many and long; then rounds, kinds and digits.
        """
        fields_asked = {
            json.dumps(one, sort_keys=True): _KNOWN.get(one.get("type", ""), 2) for one in _asked(self.data)
        }
        rounds, ranks, digits = self.rounds, fields_asked.values(), sum(map(len, fields_asked))
        return (
            int(self.evidence is Evidence.STATISTICAL),
            2 if 0 < self.promised < self.value < _SEEN else (self.factor < TELLING) + (self.factor < _HAIR),
            int(self.adaptive),
            int(max(ranks, default=2) > 1) + int(len(fields_asked) > _KINDS) + int(rounds > _ROUNDS),
            rounds,
            len(fields_asked),
            sum(ranks),
            digits or len(str(self.data)),
        )

    @property
    def asked(self) -> str:
        """What is asked, in words: the requests of a sequence, or what an adversary chooses from."""
        rounds = count_words(self.rounds, "round")
        most = f" of at most {rounds}" if self.data.get("rounds") else ""
        match self.kind:
            case "sequence":
                return steps_words(self.played.steps)
            case "plan":
                return f"an adaptive plan of {rounds} over {pairs_words(self.plan.requests())}"
            case "menu":
                menu = decode(self.data["menu"], nameable())
                return f"the best adversary{most} over {pairs_words(menu)}"
            case "schedule":
                return f"a schedule of {count_words(len(self.data['schedule']['moves']), 'move')}"
            case "holder":
                return game_of(self.filter, self.data["game"]).asked  # type: ignore[arg-type]
            case "simulation":
                played, seed = self.data["n"], self.data["seed"]
                return f"a strategy{most}, played {count_words(played, 'time')} with seed {seed}"

    def __str__(self) -> str:
        """In one sentence: who asks what, what is measured which way round, and both numbers."""
        value, promised = told_apart(self.value, self.promised)
        gives = f"is at least {value}"
        if self.kind == "plan":
            gives = worth_words(Fraction(self.data["value"]))
        elif self.kind == "simulation":
            gives += f", but for a chance of {chance(1 - self.data['confidence'])},"
        times = times_words(self.value, self.promised)
        beyond = f", {times}" if times else ""
        return f"{self.asked}: {self.measure} {gives} where {promised} is promised{beyond}"

    def replay(self, filt: PrivacyFilter | None = None, *kinds: type) -> Replayed:
        """The game played again, by `filt` or else by its own filter; ReplayError where its numbers differ."""
        return replayed(self.data, *kinds, filt=self.filter if filt is None else filt)

    def to_data(self) -> dict[str, Any]:
        """The witness as JSON-able data."""
        return dict(self.data)


def _float(told: Any) -> float:
    return float(told["float"] if isinstance(told, Mapping) else told)


def _asked(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The pairs that a sequence, a plan or a menu asks for, as data, each as often as it is written."""
    if (plan := data.get("plan")) is not None:
        return [plan["request"], *(pair for one in plan["then"] if one for pair in _asked({"plan": one}))]
    if (schedule := data.get("schedule")) is not None:
        menu = schedule["menu"]
        return [menu[at % len(menu)] for what, at in schedule["moves"] if what == "ask"]
    return [step["request"] for step in data.get("sequence", ())] or list(data.get("menu", ()))


def measured_witness(filt: Any, measure: Divergence, low: float, promised: float, **game: Any) -> Witness:
    """The witness of a game whose measure is at least `low`; game holds the other fields of its kind."""
    data = {"filter": named(filt), "measure": measure.to_data(), "promised": promised, **game}
    return Witness(filt, data | {"low": encode(low, nameable())})


def menu_witness(
    filt: PrivacyFilter,
    menu: Sequence[DominatingPair],
    measure: Divergence,
    *,
    rounds: int | None,
    low: float,
    high: float | None,
) -> Witness:
    """The witness of a game over a menu, whose value lies in [low, high]; high is None where only low is known."""
    names, promised = nameable(), measure.promised(filt.promise)
    game = {"menu": encode(tuple(menu), names), "rounds": rounds, "high": encode(high, names), "ratio": None}
    return measured_witness(filt, measure, low, promised, **game)


def sequence_witness(filt: PrivacyFilter, played: Played, measure: Divergence, low: float) -> Witness:
    """The witness of a sequence that the filter admits, whose measure is at least `low`."""
    promised = measure.promised(filt.promise)
    return measured_witness(filt, measure, low, promised, sequence=played.to_data(nameable()))


def named(value: PrivacyFilter | Adversary, *kinds: type) -> Any:
    """The filter or adversary as data: by the catalogue, or by the name of its class alone."""
    with suppress(TypeError):
        return encode(value, known(*kinds))
    return {"outside": type(value).__name__}


def witness(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    epsilon: float,
    n: int = 1_000_000,
    confidence: float = CONFIDENCE,
    method: Method = "auto",
    closed_form: float | None = None,
    kinds: tuple[type, ...] = (),
    **how: Unpack[PlayOptions],
) -> Witness:
    """Simulate and keep the estimate with everything needed to replay it; arguments are those of `simulate`.

    `kinds` adds classes of your own to the catalogue; `replay` then needs them too. A filter outside the catalogue
    is kept by its name alone, and `replay` then needs the filter itself.
    """
    play = Play(n=check_count("n", n, least=2), **how)
    estimate = simulate(
        filt, adversary, epsilon=epsilon, n=play.n, confidence=confidence, method=method, **how
    )
    data = {
        "filter": named(filt, *kinds),
        "adversary": encode(adversary.against(filt), known(*kinds)),
        "epsilon": float(check_real("epsilon", epsilon)),
        **{name: getattr(play, name) for name in ("n", "seed", "rounds", "direction", "on_denial")},
        "confidence": confidence,
        "method": method,
        "promised": float(filt.promise.delta(epsilon)),
        "closed_form": closed_form,
        **{name: getattr(estimate, name) for name in ("value", "low", "high")},
    }
    return Witness(filt, data)


def replay(
    data: Witness | Mapping[str, Any] | str, *kinds: type, filt: PrivacyFilter | None = None
) -> Result:
    """Play a witness of any kind (or its data, or its JSON) again: the same numbers, or ValueError with what differs.

    An exact number is the same to the bit. A certified bound or an estimate is within 2^-40 of the largest beside it,
    for its last bits are the processor's; what then refutes is the number played here.

    A simulation gives an `Estimate`, a plan its exact worth, a sequence
    or a menu a `Bound`. `filt` is the filter to play where the witness names one from outside the catalogue.
    """
    if isinstance(data, Witness):
        return data.replay(filt, *kinds).result
    return replayed(data, *kinds, filt=filt).result
