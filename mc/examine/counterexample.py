"""Counterexamples as plain data that anyone can replay.

>>> import filterproof as fp
>>> shown = fp.record_simulation(fp.GaussianFilter(mu=1.0), fp.OneShot(), epsilon=1.0, n=1000, method="plain")
>>> fp.replay(shown).value == shown.data["value"]
True
>>> played = RequestSequence(((fp.Gaussian(1.0), 2),))
>>> print(sequence_counterexample(fp.ZCDPFilter(0.5), played, Divergence.renyi(2.0), 2.0))
2 x Gaussian(mu=1): Rényi divergence of order 2 (P||Q) is at least 2; promised 1, 2 times the promise
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any, Unpack

from filterproof.filters import PrivacyFilter
from filterproof.mc.engine.adversary import Adversary
from filterproof.mc.engine.encoding import allowed_values_by_name, decode, encode
from filterproof.mc.estimate.estimator import Method
from filterproof.mc.examine.accountants import game_from_data
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.formatting import (
    count_words,
    distinct_pairs_words,
    exact_value_words,
    format_distinct,
    naming,
    sequence_words,
    times_guarantee_words,
)
from filterproof.mc.examine.pairs_in_attributes import (
    allowed_values_for,
    evidence_about,
    own_pairs_in_data,
    pair_names,
)
from filterproof.mc.examine.replay import (
    KINDS,
    Kind,
    Replayed,
    Result,
    allowed_values_in_replay,
    counterexample_kind,
    measure_of,
    replay_data,
    simulate_recorded,
)
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.mc.intervals.estimate import FAILURE
from filterproof.mc.runs.play import PlayOptions, SimulationSettings
from filterproof.mc.worst_case.plan import AdaptivePlan
from filterproof.theory.argument_checks import check_count, check_real
from filterproof.theory.display import one_line_repr
from filterproof.theory.evidence import Evidence
from filterproof.theory.numerics.decimals import format_failure
from filterproof.theory.pairs import DominatingPair

#: The multiple of the guarantee from which a counterexample is clear.
CLEAR_FACTOR = 1.5
#: Well-known kinds of pairs, and fairly well-known ones. Every other kind is unusual.
_COMMON_KINDS = {"Gaussian": 0, "RandomizedResponse": 0}
_COMMON_KINDS |= dict.fromkeys(("Laplace", "Erasure", "SubsampledGaussian", "KOV"), 1)
#: A smaller delta is negligible, whatever multiple of the guarantee it is. So is a larger multiple than this.
_NOTICEABLE_DELTA, _NOTICEABLE_FACTOR = 1e-4, 1.01
#: The options of a simulation that change no number.
_PLACES = {"workers", "executor", "store"}
#: The most kinds of requests, and the most rounds, that a person reads.
_MAX_KINDS, _MAX_ROUNDS = 3, 10


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A recorded game with its filter and numbers, for replay; it refutes the guarantee only if its number is above it.

    Parameters
    ----------
    filter : PrivacyFilter
        The filter that played the game.
    data : mapping
        JSON-compatible data. The kinds are a simulation, a plan, a sequence, a menu, a schedule and the game of a
        stateful mechanism. The data names filters, adversaries and pairs of the catalogue and contains no code. A
        filter outside the catalogue is named by its class.
    """

    filter: PrivacyFilter
    data: Mapping[str, Any]

    __repr__ = one_line_repr

    @property
    def kind(self) -> Kind:
        """The kind of game."""
        kind = counterexample_kind(self.data)
        assert kind is not None
        return kind

    @property
    def measure(self) -> Divergence:
        """The divergence of the transcript that the game measures."""
        return measure_of(self.data)

    @property
    def evidence(self) -> Evidence:
        """The strength of evidence of its numbers."""
        return evidence_about(self.own_pairs, KINDS[self.kind].evidence)

    @property
    def own_pairs(self) -> tuple[DominatingPair, ...]:
        """The pairs of classes outside the library, whose charges no theorem covers."""
        return tuple(own_pairs_in_data(self.data, allowed_values_for(self.filter)))

    @property
    def played(self) -> RequestSequence:
        """The requests, for a counterexample of kind "sequence"."""
        return RequestSequence.from_data(self.data["sequence"], allowed_values_for(self.filter))

    @property
    def plan(self) -> AdaptivePlan:
        """The plan, for a counterexample of kind "plan"."""
        return AdaptivePlan.from_data(self.data["plan"], allowed_values_for(self.filter))

    @property
    def rounds(self) -> int:
        """The number of rounds of the longest play; 1000 for a simulation without a limit."""
        match self.data:
            case {"sequence": list() | tuple() as steps}:
                return sum(int(step["times"]) for step in steps)
            case {"schedule": {"moves": moves}}:
                return sum(what == "ask" for what, _ in moves)
            case {"plan": _}:
                return self.plan.rounds
            case {"game": Mapping()}:
                return game_from_data(self.filter, self.data["game"]).rounds  # type: ignore[arg-type]
        return int(self.data.get("rounds") or 1000)

    @property
    def value(self) -> float:
        """The lower bound on the measured divergence."""
        data = self.data
        return float(Fraction(data["value"])) if self.kind == "plan" else _stated_float(data["low"])

    @property
    def factor(self) -> float:
        """The ratio value / promised; inf if the guarantee allows 0."""
        return self.value / self.promised if self.promised > 0 else float("inf")

    @property
    def promised(self) -> float:
        """The divergence that the guarantee allows, as recorded in the data."""
        return _stated_float(self.data["promised"])

    @property
    def adaptive(self) -> bool:
        """Whether a later request may depend on an earlier output."""
        return self.kind not in ("sequence", "schedule") and self.rounds > 1

    @property
    def order(self) -> tuple[int, ...]:
        """Return a sort key: `sorted(counterexamples, key=lambda w: w.order)` puts the clearest counterexample first.

        The key prefers, in this order: certain over statistical evidence; a value of at least 1.5 times the guarantee;
        fixed over adaptive requests; few and common kinds of pairs and few rounds; few digits.
        """
        kinds = {
            json.dumps(recorded_pair, sort_keys=True): _COMMON_KINDS.get(recorded_pair.get("type", ""), 2)
            for recorded_pair in _recorded_pairs(self.data)
        }
        rounds, ranks, digits = self.rounds, kinds.values(), sum(map(len, kinds)) or len(str(self.data))
        unclear = (self.factor < CLEAR_FACTOR) + (self.factor < _NOTICEABLE_FACTOR)
        if 0 < self.promised < self.value < _NOTICEABLE_DELTA:
            unclear = 2
        unusual = (max(ranks, default=2) > 1) + (len(kinds) > _MAX_KINDS) + (rounds > _MAX_ROUNDS)
        statistical = int(self.evidence is Evidence.STATISTICAL)
        return statistical, unclear, int(self.adaptive), unusual, rounds, len(kinds), sum(ranks), digits

    @property
    def description(self) -> str:
        """Return the requests in words, by their names, or the set that the adversary chooses from."""
        with naming(pair_names(self.filter)):
            return self._description

    @property
    def _description(self) -> str:
        rounds = count_words(self.rounds, "round")
        most = f" of at most {rounds}" if self.data.get("rounds") else ""
        match self.kind:
            case "sequence":
                return sequence_words(self.played.steps)
            case "plan":
                adaptive = f"an adaptive plan of {rounds} over " if self.rounds > 1 else ""
                return f"{adaptive}{distinct_pairs_words(self.plan.requests())}"
            case "menu":
                menu = decode(self.data["menu"], allowed_values_for(self.filter))
                return f"the best adversary{most} over {distinct_pairs_words(menu)}"
            case "schedule":
                return f"a schedule of {count_words(len(self.data['schedule']['moves']), 'move')}"
            case "accountant":
                return game_from_data(self.filter, self.data["game"]).description  # type: ignore[arg-type]
            case "simulation":
                played, seed, adversary = self.data["n"], self.data["seed"], self.data["adversary"]
                requests_text = f"a strategy{most}"
                if isinstance(adversary, Mapping) and adversary.get("type") == "Scripted":
                    fixed = decode(adversary, allowed_values_for(self.filter))
                    requests_text = sequence_words(tuple(zip(fixed.pairs, fixed.times, strict=True)))
                return f"{requests_text}, played {count_words(played, 'time')} with seed {seed}"

    def __str__(self) -> str:
        """Return one sentence with the requests, the divergence, its value and the guarantee."""
        value, promised = format_distinct(self.value, self.promised)
        gives = f"is at least {value}"
        if self.kind == "plan":
            gives = exact_value_words(Fraction(self.data["value"]))
        elif self.kind == "simulation":
            gives += f", except with probability {format_failure(1 - self.data['confidence'])}"
        times = times_guarantee_words(self.value, self.promised)
        factor_text = f", {times}" if times else ""
        return f"{self.description}: {self.measure} {gives}; promised {promised}{factor_text}"

    def replay(self, filt: PrivacyFilter | None = None, *kinds: type) -> Replayed:
        """Play the game again with `filt`, or with its own filter.

        Raises
        ------
        ReplayError
            If the numbers differ.
        """
        return replay_data(self.data, *kinds, filt=self.filter if filt is None else filt)

    def to_data(self) -> dict[str, Any]:
        """Return the counterexample as JSON-compatible data."""
        return dict(self.data)


def _stated_float(stated: Any) -> float:
    """Return a recorded number as a float: itself, or the text of a mapping {"float": ...}."""
    return float(stated["float"] if isinstance(stated, Mapping) else stated)


def _recorded_pairs(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the pairs of a sequence, a plan or a menu as data, each as often as it occurs."""
    if (plan := data.get("plan")) is not None:
        later = (_recorded_pairs({"plan": continuation}) for continuation in plan["then"] if continuation)
        return [plan["request"], *chain.from_iterable(later)]
    if (schedule := data.get("schedule")) is not None:
        menu = schedule["menu"]
        return [menu[at % len(menu)] for what, at in schedule["moves"] if what == "ask"]
    return [step["request"] for step in data.get("sequence", ())] or list(data.get("menu", ()))


def measured_counterexample(
    filt: Any, measure: Divergence, low: float, promised: float, **game: Any
) -> Counterexample:
    """Return the counterexample of a game with a divergence of at least `low`.

    `game` has the other fields of its kind.
    """
    data = {"filter": encode_or_class_name(filt), "measure": measure.to_data(), "promised": promised, **game}
    return Counterexample(filt, data | {"low": encode(low, allowed_values_by_name())})


def menu_counterexample(
    filt: PrivacyFilter,
    menu: Sequence[DominatingPair],
    measure: Divergence,
    *,
    rounds: int | None,
    low: float,
    high: float | None,
) -> Counterexample:
    """Return the counterexample of a game over a menu with a value in [low, high]; high is None if unknown."""
    names, promised = allowed_values_for(filt), measure.promised(filt.promise)
    game = {"menu": encode(tuple(menu), names), "rounds": rounds, "high": encode(high, names), "ratio": None}
    return measured_counterexample(filt, measure, low, promised, **game)


def sequence_counterexample(
    filt: PrivacyFilter, played: RequestSequence, measure: Divergence, low: float
) -> Counterexample:
    """Return the counterexample of a sequence that the filter admits, with a divergence of at least `low`."""
    promised, steps = measure.promised(filt.promise), played.to_data(allowed_values_for(filt))
    return measured_counterexample(filt, measure, low, promised, sequence=steps)


def encode_or_class_name(value: PrivacyFilter | Adversary, *kinds: type) -> Any:
    """Return a filter or adversary as data; outside the catalogue, its class name alone."""
    with suppress(TypeError):
        return encode(value, allowed_values_in_replay(*kinds))
    return {"outside": type(value).__name__}


def record_simulation(
    filt: PrivacyFilter,
    adversary: Adversary,
    *,
    epsilon: float | None = None,
    alpha: float | None = None,
    n: int = 1_000_000,
    confidence: float = 1 - FAILURE,
    method: Method = "auto",
    closed_form: float | None = None,
    kinds: tuple[type, ...] = (),
    **how: Unpack[PlayOptions],
) -> Counterexample:
    """Simulate a game, and return it with its estimate as a Counterexample.

    Parameters
    ----------
    filt, adversary
        As in `simulate`.
    epsilon, alpha : float
        Either epsilon as in `simulate`, or the order as in `simulate_renyi`.
    n, confidence, method
        As in `simulate`.
    closed_form : float, optional
        The exact divergence if it is known. It is stored beside the estimate.
    kinds : tuple of type, optional
        Classes of your own that the data may name. `replay` then needs them too.
    **how
        Fields of `fp.runs.SimulationSettings`: seed, rounds, direction, on_denial, workers, executor, store.

    Returns
    -------
    Counterexample
        A filter outside the catalogue is stored by its class name alone. `replay` then needs the filter itself.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """
    play = SimulationSettings(n=check_count("n", n, least=2), **how)
    if (epsilon is None) == (alpha is None):
        raise ValueError(f"pass either epsilon or alpha, got epsilon={epsilon!r}, alpha={alpha!r}")
    name, number = ("epsilon", epsilon) if alpha is None else ("alpha", alpha)
    data = {
        "filter": encode_or_class_name(filt, *kinds),
        "adversary": encode(
            adversary.against(filt), {**allowed_values_in_replay(*kinds), **allowed_values_for(filt)}
        ),
        name: float(check_real(name, number)),
        **{name: getattr(play, name) for name in ("n", "seed", "rounds", "direction", "on_denial")},
        "confidence": confidence,
        "method": method,
        "closed_form": closed_form,
    }
    estimate = simulate_recorded(filt, adversary, data, **{k: how[k] for k in _PLACES & how.keys()})  # type: ignore[literal-required]
    data |= {name: getattr(estimate, name) for name in ("value", "low", "high")}
    data["promised"] = measure_of(data).promised(filt.promise)
    return Counterexample(filt, data)


def replay(
    data: Counterexample | Mapping[str, Any] | str, *kinds: type, filt: PrivacyFilter | None = None
) -> Result:
    """Play a recorded game again and compare the numbers.

    Parameters
    ----------
    data : Counterexample, mapping or str
        The counterexample, its data or its JSON text.
    *kinds : type
        Classes of your own that the data names.
    filt : PrivacyFilter, optional
        The filter to play, where the data names one outside the catalogue.

    Returns
    -------
    Estimate, Fraction or Bound
        An `Estimate` for a simulation, the exact value for a plan, a `Bound` for a sequence or a menu.

    Raises
    ------
    ValueError
        If the data is invalid or a number differs.

    Notes
    -----
    An exact number must agree to the bit. A certified bound or an estimate may differ by 2^-40 of the largest number
    in the record, because its last bits depend on the processor.
    """
    if isinstance(data, Counterexample):
        return data.replay(filt, *kinds).result
    return replay_data(data, *kinds, filt=filt).result
