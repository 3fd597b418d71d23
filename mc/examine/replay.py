"""Replays counterexamples: the fields of each kind, how to play the game again, and whether it refutes.

A simulation gives an estimate. A plan gives its exact value. A sequence or a schedule gives a certified lower bound. A
menu gives the certified or exact value of its worst-case game.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, TypeAlias, cast

import flint

from filterproof.filters import PrivacyFilter, suppress_unsound_warning
from filterproof.filters.accountants.verifiable import is_verifiable
from filterproof.filters.adapters.labelled_filter import service_of
from filterproof.mc.engine.adversary import Adversary
from filterproof.mc.engine.encoding import Nameable, allowed_values_by_name, decode, decode_fraction, encode
from filterproof.mc.estimate.renyi_moment import simulate_renyi
from filterproof.mc.estimate.simulate import simulate
from filterproof.mc.examine.accountants import game_from_data
from filterproof.mc.examine.divergence import Bound, Divergence, certainly_exceeds
from filterproof.mc.examine.formatting import filter_name
from filterproof.mc.examine.pairs_in_attributes import allowed_values_for, evidence_about, own_pairs_in_data
from filterproof.mc.examine.schedule import Schedule
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.mc.intervals.estimate import Estimate
from filterproof.mc.losses.accountant_filter import AccountantFilter
from filterproof.mc.losses.balls import BITS, to_ball
from filterproof.mc.worst_case.plan import GAIN_MARGIN, AdaptivePlan, DeniedError
from filterproof.mc.worst_case.renyi_game import renyi_worst_case_lower_bound
from filterproof.mc.worst_case.solve import worst_case_of_checked_filter
from filterproof.mc.worst_case.strategy import TreeStrategy
from filterproof.theory.argument_checks import check_count, check_delta
from filterproof.theory.evidence import Evidence
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.numerics.stable import log_fraction
from filterproof.theory.pairs import DominatingPair

#: A ratio times this exceeds e^epsilon even if the epsilons of the filter and its requests were rounded to doubles.
ROUNDING_FACTOR = 1 + Fraction(1, 10**12)
#: The largest failure probability of an estimate that can refute: slightly above the largest default.
MAX_FAILURE = 1.001e-6
#: The tolerance for certified or simulated numbers on another processor, relative to the largest of them.
_REPLAY_TOLERANCE = 2.0**-40


Kind: TypeAlias = Literal["simulation", "plan", "sequence", "menu", "schedule", "accountant"]


#: Why a replay of another program differs.
_CHANGED = (
    "the program has changed, or is not the one of the counterexample; "
    "replay it with the recorded filter and version"
)


class ReplayError(ValueError):
    """A replay gives other numbers than the counterexample states."""


def allowed_values_in_replay(*kinds: type) -> Nameable:
    """Return what a counterexample may name: library values and these classes."""
    return allowed_values_by_name(TreeStrategy, AccountantFilter, *kinds)


def counterexample_kind(data: object) -> Kind | None:
    """Return the kind of a replayable counterexample by its fields, or None."""
    if isinstance(data, Mapping):
        fields = {"epsilon" if name == "alpha" else name for name in data}
        return next((name for name, kind in KINDS.items() if fields == kind.fields), None)
    return None


#: The arguments of `simulate` that a simulation states by their names.
_SIMULATION_FIELDS = ("epsilon", "seed", "rounds", "direction", "on_denial", "n", "method")


def simulate_recorded(
    filt: PrivacyFilter, adversary: Adversary, data: Mapping[str, Any], **how: Any
) -> Estimate:
    """Return the estimate of recorded data, of a Rényi divergence if it has the order `alpha` instead of `epsilon`."""
    names, run = [*_SIMULATION_FIELDS], cast("Callable[..., Estimate]", simulate)
    if "alpha" in data:
        names, run = ["alpha", *names[1:-1]], simulate_renyi
    real = {
        names[0]: _finite_number(names[0], data[names[0]]),
        "failure": 1 - float(check_delta("confidence", _finite_number("confidence", data["confidence"]))),
    }
    return run(filt, adversary, **{name: data[name] for name in names} | real, **how)


def _field_error(name: str, wanted: str, got: object) -> ValueError:
    return ValueError(
        f"{name} must be {wanted}, got {name}={str(got)[:40]!r}; pass the data that to_data returned"
    )


def _filter_of(data: object, filt: Any, names: Nameable) -> Any:
    """Return the filter of a counterexample: made from its data, or `filt` for a class outside the catalogue."""
    if not isinstance(data, Mapping):
        raise _field_error("filter", "a filter", data)
    if set(data) == {"outside"}:
        if filt is not None and type(filt).__name__ == data["outside"]:
            return filt
        raise (ValueError if filt is None else ReplayError)(
            f"filt must be the {data['outside']} of the counterexample, got filt={filt!r}; pass filt=..."
        )
    kind = data.get("type")
    if filt is not None and type(filt).__name__ == kind:
        if encode(filt, {**names, kind: type(filt)}) == data:
            return filt  # the filter may be constructed in its own way
    elif not isinstance(kind, str) or kind not in names:
        raise ValueError(
            f"data must name a member of the catalogue, got {repr(kind)[:40]}; pass the filter, or its class"
        )
    with suppress_unsound_warning():  # most replayed filters are unsound
        decoded = decode(dict(data), names)
    if not (isinstance(decoded, PrivacyFilter) or is_verifiable(decoded)):
        raise _field_error("filter", "a filter", type(decoded).__name__)
    return decoded


def _finite_number(name: str, value: Any) -> float:
    """Return a field as a finite float; raise ValueError for anything else."""
    try:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        number = float(value) if is_number else math.nan
    except OverflowError:  # JSON has integers of any length
        number = math.inf
    if not math.isfinite(number):
        raise _field_error(name, "a finite number", value)
    return number


@dataclass(frozen=True, slots=True)
class _RecordedGame:
    """A counterexample's data with its filter, its divergence and the guarantee's bound on it."""

    data: dict[str, Any]
    filter: Any
    names: Nameable
    measure: Divergence
    promised: float

    def number(self, name: str) -> float:
        """Return a stated number."""
        return _finite_number(name, self.data[name])

    def certified_bound(self, low: float) -> tuple[Bound]:
        """Return a lower bound after a check that the counterexample states it."""
        stated = self.data["low"]
        _check_agreement((low,), (math.inf if stated == {"float": "inf"} else self.number("low"),))
        return (Bound(low, evidence=evidence_about(own_pairs_in_data(self.data, self.names))),)


def _replay_simulation(game: _RecordedGame) -> tuple[Estimate, None, Adversary]:
    adversary = decode(game.data["adversary"], game.names)
    if not isinstance(adversary, Adversary):
        raise _field_error("adversary", "one of the catalogue", adversary)
    estimate, stated = simulate_recorded(game.filter, adversary, game.data), ("value", "low", "high")
    _check_agreement(tuple(getattr(estimate, name) for name in stated), tuple(map(game.number, stated)))
    return estimate, None, adversary


def _replay_plan(game: _RecordedGame) -> tuple[Fraction, Fraction]:
    """Return the plan's value at its ratio, and at a ratio raised against rounding."""
    data, filt, way = game.data, game.filter, game.measure.direction
    ratio = decode_fraction(data["ratio"])
    if not _is_at_least_exp_epsilon(ratio, game.number("epsilon"), filt):
        raise ReplayError(
            f"ratio must be e^epsilon or more, got ratio={data['ratio']!r} at epsilon={data['epsilon']!r}; "
            "check the file"
        )
    plan = AdaptivePlan.from_data(data["plan"], game.names)
    try:
        value, surely = (plan.value(filt, at, way) for at in (ratio, ratio * ROUNDING_FACTOR))
    except DeniedError as denied:
        raise ReplayError(f"{denied}: no longer granted; {_CHANGED}") from denied
    _check_agreement((value,), (decode_fraction(data["value"]),), exact=True)
    return value, surely


def _replay_sequence(game: _RecordedGame) -> tuple[Bound]:
    sequence = RequestSequence.from_data(game.data["sequence"], game.names)
    if not sequence.is_granted(game.filter):
        raise ReplayError(
            f"{filter_name(game.filter)} denies a request of the sequence: no longer granted; {_CHANGED}"
        )
    return game.certified_bound(sequence.lower_bound(game.measure, game.promised))


def _replay_schedule(game: _RecordedGame) -> tuple[Bound]:
    service, epoch = service_of(game.filter), game.data["epoch"]
    if service is None:
        raise _field_error("filter", "a program that knows keys", game.filter)
    played = Schedule.from_data(game.data["schedule"], game.names).releases(service)
    if epoch is None:
        (released,) = played.values() if len(played) == 1 else ({},)
    else:
        released = played.get(check_count("epoch", epoch, least=0), {})
    if not released:
        raise ReplayError(f"{game.filter!r} releases nothing in this schedule: no longer granted; {_CHANGED}")
    return game.certified_bound(
        RequestSequence(tuple(released.items())).lower_bound(game.measure, game.promised)
    )


def _replay_menu(game: _RecordedGame) -> tuple[Bound, None, Adversary]:
    menu = decode(game.data["menu"], game.names)
    if not isinstance(menu, tuple) or not all(isinstance(pair, DominatingPair) for pair in menu):
        raise _field_error("menu", "a list of pairs", menu)
    measure, rounds = game.measure, game.data["rounds"]
    at, way = measure.at, measure.direction
    if rounds is not None or measure.kind == "renyi":
        rounds = check_count("rounds", rounds)
    if measure.kind == "renyi":
        low, strategy = renyi_worst_case_lower_bound(
            game.filter, menu, order=at, rounds=rounds, direction=way
        )
        return *game.certified_bound(low), None, strategy
    if game.data["ratio"] is not None:
        raise _field_error("ratio", "None for a game with a menu", game.data["ratio"])
    solved = worst_case_of_checked_filter(game.filter, menu, epsilon=at, rounds=rounds, direction=way)
    stated = game.number("low"), game.number("high")
    _check_agreement((solved.low, solved.high), stated, exact=solved.evidence is Evidence.EXACT)
    return Bound(solved.low, solved.high, solved.evidence), None, solved.strategy


def _replay_accountant_game(game: _RecordedGame) -> tuple[Bound]:
    if not is_verifiable(game.filter):
        raise _field_error("filter", "an accountant", game.filter)
    played = game_from_data(game.filter, game.data["game"])
    return game.certified_bound(played.solve_divergence(game.measure).low)


def _checked_promised(data: Mapping[str, Any], filt: Any, measure: Divergence) -> float:
    """Return the guarantee's bound; raise ReplayError if the counterexample states another one."""
    if "game" in data and is_verifiable(filt):
        promised = game_from_data(filt, data["game"]).promised(measure)
    else:
        promised = measure.promised(filt.promise)
    stated = data["promised"]
    if stated != promised and not _numbers_agree((promised,), (_finite_number("promised", stated),)):
        raise ReplayError(
            f"the counterexample states promised={stated!r}, but "
            f"{type(filt).__name__} promises {promised!r}; compare the filters"
        )
    return promised


def measure_of(data: Mapping[str, Any]) -> Divergence:
    """Return the divergence that a counterexample measures. Raises ValueError for data without one."""
    if "measure" in data:
        measure = data["measure"]
    else:
        kind, name = ("renyi", "alpha") if "alpha" in data else ("hockey-stick", "epsilon")
        measure = {"kind": kind, "at": data[name], "direction": data["direction"]}
    match measure:
        case {"kind": "hockey-stick" | "renyi" | "exceedance" as kind, "at": at, "direction": way}:
            number = _finite_number("at", at)
            if kind == "renyi" and not number > 1:
                raise _field_error("order", "above 1", number)
            if way not in ("PQ", "QP"):
                raise _field_error("direction", "'PQ' or 'QP'", way)
            return Divergence(kind, number, way)
    raise _field_error("measure", "what was written", measure)


def _is_at_least_exp_epsilon(ratio: Fraction, epsilon: float, filt: PrivacyFilter) -> bool:
    """Whether ratio >= e^epsilon, where epsilon may be the rounded logarithm of the filter's ratio."""
    own = getattr(filt, "ratio", None)
    if isinstance(own, Fraction) and ratio >= own > 0 and log_fraction(own) == epsilon:
        return True
    with PRECISION_LOCK, flint.ctx.workprec(2 * BITS):
        return bool(to_ball(ratio, 2 * BITS) >= to_ball(epsilon).exp())


#: The result of a replay: of a simulation, of a plan, of all other kinds.
Result: TypeAlias = Estimate | Fraction | Bound


@dataclass(frozen=True, slots=True)
class CounterexampleKind:
    """The fields of a kind of counterexample, how to play its game, and the evidence of its numbers.

    `play` returns the result, for a plan its value at a larger ratio as well, and the strategy if there is one.
    """

    fields: frozenset[str]
    play: Callable[[_RecordedGame], tuple[Any, ...]]
    evidence: Evidence = Evidence.CERTIFIED


def _measured_fields(*fields: str) -> frozenset[str]:
    """Return the fields of a counterexample that states a lower bound, with these further fields."""
    return frozenset({"filter", "measure", "promised", "low", *fields})


_PLAN_FIELDS = frozenset({"filter", "epsilon", "ratio", "promised", "value", "direction", "plan"})
_ESTIMATE_FIELDS = frozenset(
    {"filter", "adversary", "confidence", "promised", "closed_form", "value", "low", "high"}
)
_MENU_FIELDS = _measured_fields("ratio", "menu", "rounds", "high")
KINDS: dict[Kind, CounterexampleKind] = {
    "simulation": CounterexampleKind(
        _ESTIMATE_FIELDS.union(_SIMULATION_FIELDS), _replay_simulation, Evidence.STATISTICAL
    ),
    "plan": CounterexampleKind(_PLAN_FIELDS, _replay_plan, Evidence.EXACT),
    "sequence": CounterexampleKind(_measured_fields("sequence"), _replay_sequence),
    "menu": CounterexampleKind(_MENU_FIELDS, _replay_menu),
    "schedule": CounterexampleKind(_measured_fields("schedule", "epoch"), _replay_schedule),
    "accountant": CounterexampleKind(_measured_fields("game"), _replay_accountant_game),
}


def _numbers_agree(got: tuple[float, ...], stated: tuple[float, ...]) -> bool:
    """Whether numbers agree within 2^-40 of the largest finite stated number, as on another processor."""
    room = _REPLAY_TOLERANCE * max((abs(number) for number in stated if math.isfinite(number)), default=0.0)
    return all(a == b or abs(a - b) <= room for a, b in zip(got, stated, strict=True))


def _check_agreement(numbers: tuple[Any, ...], stated: tuple[Any, ...], *, exact: bool = False) -> None:
    """Raise ReplayError unless the numbers agree: an EXACT one to the bit, others within 2^-40."""
    if not (numbers == stated if exact else _numbers_agree(numbers, stated)):
        raise ReplayError(
            f"the counterexample must replay {'to the bit' if exact else 'within 2^-40'}, got "
            f"{', '.join(map(str, numbers))}; it states {', '.join(map(str, stated))}; compare the versions of "
            "numpy and of this package"
        )


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of a replay, and the bound of the filter's own guarantee.

    `certain_excess` is the value of a plan at a ratio raised by more than the rounding of epsilons. `strategy` is the
    adversary of a menu's game or a simulation.
    """

    filter: PrivacyFilter
    measure: Divergence
    promised: float
    result: Result
    certain_excess: Fraction | None = None
    strategy: Adversary | None = field(default=None, compare=False, repr=False)

    @property
    def refutes(self) -> bool:
        """Whether the result exceeds the filter's own guarantee, beyond chance.

        The author of a counterexample chooses its seed. An estimate with a failure probability above `MAX_FAILURE`
        therefore refutes nothing: a lucky seed would be easy to find.
        """
        match self.result:
            case Estimate(failure=failure) if failure > MAX_FAILURE:
                return False
            case Estimate(low=low):
                return low > self.promised
            case Bound(low=low):
                return certainly_exceeds(low, self.promised)
            case Fraction():
                most = Fraction(self.promised) * (1 + GAIN_MARGIN)
                return self.certain_excess is not None and self.certain_excess > most


def replay_data(data: Mapping[str, Any] | str, *kinds: type, filt: PrivacyFilter | None = None) -> Replayed:
    """Replay data and compare with the filter's own guarantee.

    Raises ReplayError for other numbers, ValueError for other data.
    """
    try:
        data_read = json.loads(data) if isinstance(data, str) else data
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"data must be a counterexample or its JSON text, got {str(data)[:40]!r}; pass the text of the file"
        ) from error
    kind = counterexample_kind(data_read)
    if kind is None:
        fields = sorted(map(str, data_read)) if isinstance(data_read, Mapping) else [repr(data_read)[:40]]
        got = ", ".join(fields)
        raise ValueError(
            "data must have exactly the fields of a counterexample: of a simulation, a plan, a sequence, a menu, "
            f"a schedule or a game of an accountant, got {got or 'none'}; pass the data that to_data returned"
        )
    own = {} if filt is None else {type(filt).__name__: type(filt)}
    filt = _filter_of(data_read["filter"], filt, {**own, **allowed_values_in_replay(*kinds)})
    names = {**own, **allowed_values_in_replay(*kinds), **allowed_values_for(filt)}
    measure = measure_of(data_read)
    game = _RecordedGame(dict(data_read), filt, names, measure, _checked_promised(data_read, filt, measure))
    return Replayed(filt, measure, game.promised, *KINDS[kind].play(game))
