"""The kinds of witness: the fields of each, and how its game is played again.

A simulation gives an estimate, a decision the result of a sequential test, a plan its exact worth, a sequence a
certified lower bound, a menu the certified or exact value of its worst-case game, and a schedule a certified lower
bound on what a program releases.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Literal, Self, TypeAlias

import flint

from filters import PrivacyFilter, knowingly
from filters.adapters.labelled import service_of
from filters.contract.filter_base import OnDenial
from filters.holders.held_to import is_held_to
from filters.privacy_filter import is_filter
from mc.engine.adversary import Adversary
from mc.engine.encoding import Nameable, decode, decode_fraction, encode
from mc.estimate.decide import decide
from mc.estimate.simulate import Method, simulate
from mc.examine.holders.games import game_of
from mc.examine.measure import Measure
from mc.examine.schedules.schedule import Schedule
from mc.examine.sequence import Sequence
from mc.intervals.anytime import Decision
from mc.intervals.estimate import Estimate
from mc.losses import LogRatio
from mc.losses.balls import BITS, ball
from mc.worst_case import WorstCase, worst_case
from mc.worst_case.plan import DeniedError, Plan
from mc.worst_case.renyi_game import renyi_game
from theory.arguments import check_count
from theory.evidence import Evidence
from theory.numerics.stable import log_fraction
from theory.pairs import DominatingPair
from theory.pairs.base import Direction

__all__ = [
    "FIELDS",
    "PLAYERS",
    "Bound",
    "Kind",
    "Played",
    "ReplayError",
    "Simulation",
    "filter_of",
    "measure_of",
    "promised_of",
    "witness_kind",
]

#: A ratio times this exceeds e^epsilon even if the epsilons of the filter and its requests were rounded to doubles.
_ROUNDED = 1 + Fraction(1, 10**12)
#: What a certified or a simulated number may differ by on another processor, relative to the largest beside it.
_CLOSE = 2.0**-40


Kind: TypeAlias = Literal["simulation", "decision", "plan", "sequence", "menu", "schedule", "holder"]


class ReplayError(ValueError):
    """A witness states other numbers than playing it gives."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A value that is certainly at least `low`, and at most `high` where that is known."""

    low: float
    high: float | None
    evidence: Evidence

    def __str__(self) -> str:
        most = "" if self.high is None else f", at most {self.high:.9g}"
        return f"at least {self.low:.9g}{most} ({self.evidence.name})"


@dataclass(frozen=True, slots=True)
class Simulation:
    """The data of a simulated estimate of H_{e^epsilon} of a transcript, and of everything needed to compute it again.

    filter and adversary are catalogue data (`mc.engine.encoding`), never code. promised is the delta(epsilon) of
    the filter's promise, closed_form the true value where a formula is known. The estimate refutes
    the promise when low > promised.
    """

    filter: Mapping[str, Any]
    adversary: Mapping[str, Any]
    epsilon: float
    n: int
    seed: int
    rounds: int | None
    confidence: float
    method: Method
    direction: Direction
    on_denial: OnDenial
    promised: float
    closed_form: float | None
    value: float
    low: float
    high: float

    def to_data(self) -> dict[str, Any]:
        """The simulation as JSON-able data."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """The simulation from the data that `to_data` returned, through JSON or not; ValueError for other fields."""
        names = {f.name for f in fields(cls)}
        if not isinstance(data, Mapping) or set(data) != names:
            missing = sorted(names.symmetric_difference(data)) if isinstance(data, Mapping) else data
            raise ValueError(
                f"data must hold exactly the fields of a witness, got a difference in {missing}; "
                "pass what was written"
            )
        return cls(**data)


def witness_kind(data: object) -> Kind | None:
    """What kind of replayable witness the data is, by its fields; None if it is none."""
    if isinstance(data, Mapping):
        for kind, names in FIELDS.items():
            if set(data) == names:
                return kind
    return None


#: The arguments of `decide` that its result depends on; where paths are played is not among them.
_DECIDE = frozenset(
    {"epsilon", "delta", "failure", "most", "seed", "rounds", "direction", "on_denial"},
)
FIELDS: dict[Kind, frozenset[str]] = {
    "simulation": frozenset(f.name for f in fields(Simulation)),
    "decision": _DECIDE | {"filter", "adversary", "n", "log_e_above"},
    "plan": frozenset({"filter", "epsilon", "ratio", "promised", "value", "direction", "plan"}),
    "sequence": frozenset({"filter", "measure", "promised", "sequence", "low"}),
    "menu": frozenset({"filter", "measure", "ratio", "promised", "menu", "rounds", "low", "high"}),
    "schedule": frozenset({"filter", "measure", "promised", "schedule", "epoch", "low"}),
    "holder": frozenset({"filter", "measure", "promised", "game", "low"}),
}


def filter_of(data: object, filt: Any, names: Nameable) -> Any:
    """The filter of a witness: built from its data, or `filt` where the data names one outside the catalogue."""
    name = data.split("(")[0] if isinstance(data, str) else None
    if isinstance(data, Mapping):
        if set(data) != {"outside"}:
            outside = filt is not None and type(filt).__name__ == data.get("type")
            kind = data.get("type")
            if not outside and (not isinstance(kind, str) or kind not in names):
                raise ValueError(
                    f"data must name a member of the catalogue, got {repr(kind)[:40]}; pass the filter, or its class"
                )
            if outside and encode(filt, {**names, type(filt).__name__: type(filt)}) == data:
                assert filt is not None
                return filt  # it has the witness's data, and may be made in a way of its own
            with knowingly():  # most filters worth replaying are unsound ones
                made = decode(dict(data), names)
            if not (is_filter(made) or is_held_to(made)):
                raise ValueError(f"filter must be a filter, got {type(made).__name__}; pass what was written")
            return made
        name = str(data["outside"])
    if name is None or type(filt).__name__ != name:
        wrong = ValueError if filt is None or name is None else ReplayError
        raise wrong(f"filt must be the {name} that the witness was made with, got filt={filt!r}; pass it")
    assert filt is not None
    return filt


def _adversary_of(told: object, known: Nameable) -> Adversary:
    foe = decode(told, known)
    if not isinstance(foe, Adversary):
        raise ValueError(f"adversary must be one of the catalogue, got {foe!r}; pass what was written")
    return foe


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{name} must be a number, got {name}={str(value)[:40]!r}; pass what was written")
    try:
        number = float(value)
    except OverflowError:  # JSON holds integers of any length
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, got {name}={number}; pass what was written")
    return number


def _simulated(data: dict[str, Any], filt: PrivacyFilter, names: Nameable) -> tuple[Estimate]:
    setting = Simulation.from_data(data)
    estimate = simulate(
        filt,
        _adversary_of(setting.adversary, names),
        epsilon=_number("epsilon", setting.epsilon),
        n=setting.n,
        seed=setting.seed,
        rounds=setting.rounds,
        confidence=_number("confidence", setting.confidence),
        method=setting.method,
        direction=setting.direction,
        on_denial=setting.on_denial,
    )
    stated = _number("value", setting.value), _number("low", setting.low), _number("high", setting.high)
    _compare((estimate.value, estimate.low, estimate.high), stated)
    return (estimate,)


def _decided(data: dict[str, Any], filt: PrivacyFilter, names: Nameable) -> tuple[Decision]:
    setting = {name: data[name] for name in _DECIDE}
    for name in ("delta", "failure"):
        setting[name] = _number(name, setting[name])
    decision = decide(filt, _adversary_of(data["adversary"], names), **setting)
    _compare((decision.n,), (data["n"],), exact=True)
    _compare((decision.log_e_above,), (_number("log_e_above", data["log_e_above"]),))
    return (decision,)


def _worth(data: dict[str, Any], filt: PrivacyFilter, names: Nameable) -> tuple[Fraction, Fraction]:
    ratio, direction = decode_fraction(data["ratio"]), data["direction"]
    if direction not in ("PQ", "QP"):
        raise ValueError(
            f"direction must be 'PQ' or 'QP', got direction={direction!r}; pass what was written"
        )
    if not _reaches(ratio, _number("epsilon", data["epsilon"]), filt):
        raise ReplayError(
            f"ratio must be e^epsilon or more, got a logarithm of {_log(ratio)!r} at epsilon={data['epsilon']!r}; "
            "compare them"
        )
    plan = Plan.from_data(data["plan"], names)
    try:
        value = plan.worth(filt, ratio, direction)
        surely = plan.worth(filt, ratio * _ROUNDED, direction)
    except DeniedError as denied:
        raise ReplayError(str(denied)) from denied
    _compare((value,), (decode_fraction(data["value"]),), exact=True)
    return value, surely


def _sequence(data: dict[str, Any], filt: PrivacyFilter, names: Nameable) -> tuple[Bound]:
    sequence = Sequence.from_data(data["sequence"], names)
    if not sequence.admitted(filt):
        raise ReplayError(
            f"the sequence must be admitted, got a denial by {type(filt).__name__}; check the filter"
        )
    low = sequence.low(measure_of(data))
    _compare((low,), (_bound("low", data["low"]),))
    return (Bound(low, None, Evidence.CERTIFIED),)


def _scheduled(data: dict[str, Any], filt: PrivacyFilter, names: Nameable) -> tuple[Bound]:
    service, epoch = service_of(filt), data["epoch"]
    if service is None:
        raise ValueError(f"filter must be a program that knows keys, got {filt!r}; pass what was written")
    played = Schedule.from_data(data["schedule"], names).play(service)
    if epoch is None:
        (released,) = played.by_epoch.values() if len(played.by_epoch) == 1 else ({},)
    else:
        released = played.by_epoch.get(check_count("epoch", epoch, least=0), {})
    if not released:
        raise ReplayError(f"the schedule must release something, got nothing by {filt!r}; check the program")
    low = Sequence(tuple(released.items())).low(measure_of(data))
    _compare((low,), (_bound("low", data["low"]),))
    return (Bound(low, None, Evidence.CERTIFIED),)


def _menu(data: dict[str, Any], filt: PrivacyFilter, names: Nameable) -> tuple[Bound]:
    menu = decode(data["menu"], names)
    if not isinstance(menu, tuple) or not all(isinstance(pair, DominatingPair) for pair in menu):
        raise ValueError(f"menu must hold pairs, got {repr(menu)[:40]}; pass what was written")
    measure, rounds, ratio = measure_of(data), data["rounds"], data["ratio"]
    if rounds is not None:
        rounds = check_count("rounds", rounds)
    if measure.kind == "renyi":
        limit = check_count("rounds", rounds)
        low = renyi_game(filt, menu, order=measure.at, rounds=limit, direction=measure.direction)
        _compare((low,), (_bound("low", data["low"]),))
        return (Bound(low, None, Evidence.CERTIFIED),)
    exact = None if ratio is None else decode_fraction(ratio)
    if exact is not None and not _reaches(exact, measure.at, filt):
        raise ReplayError(
            f"ratio must be e^epsilon or more, got {ratio} at epsilon={measure.at!r}; compare them"
        )
    solved = solved_again(filt, menu, measure, rounds, exact)
    stated = _number("low", data["low"]), _number("high", data["high"])
    _compare((solved.low, solved.high), stated, exact=solved.evidence is Evidence.EXACT)
    return (Bound(solved.low, solved.high, solved.evidence),)


def _of_a_holder(told: dict[str, Any], filt: Any, known: Nameable) -> tuple[Bound]:
    if not is_held_to(filt):
        raise ValueError(f"filter must be a holder, got {filt!r}; pass what was written")
    solved = game_of(filt, told["game"]).solved(measure_of(told))
    _compare((solved.low,), (_bound("low", told["low"]),))
    return (Bound(solved.low, solved.high, Evidence.CERTIFIED),)


def promised_of(data: Mapping[str, Any], filt: Any, measure: Measure) -> float:
    """What the filter's promise allows the measure; of a holder, its promise of the very game.

    ReplayError where the witness states another number.
    """
    if "game" in data and is_held_to(filt):
        promised = game_of(filt, data["game"]).promised(measure)
    else:
        promised = measure.promised(filt.promise)
    stated = data.get("promised", promised)
    if stated != promised and not _agree((promised,), (_number("promised", stated),)):
        raise ReplayError(
            f"the witness must state what the filter promises, got promised={stated!r} where "
            f"{type(filt).__name__} promises {promised!r}; compare the filters"
        )
    return promised


def solved_again(
    filt: PrivacyFilter,
    menu: tuple[DominatingPair, ...],
    measure: Measure,
    rounds: int | None,
    ratio: Fraction | None,
) -> WorstCase:
    """The worst-case game of a witness that holds a menu."""
    epsilon = measure.at if ratio is None else LogRatio(ratio)
    return worst_case(filt, menu, epsilon=epsilon, rounds=rounds, direction=measure.direction)


def measure_of(data: Mapping[str, Any]) -> Measure:
    """What a witness measures; ValueError for data that names no measure."""
    if "measure" not in data:
        return Measure.hockey_stick(_number("epsilon", data["epsilon"]), _way(data["direction"]))
    match data["measure"]:
        case {"kind": "hockey-stick" | "renyi" | "overtaken" as kind, "at": at, "direction": way}:
            number = _number("at", at)
            if kind == "renyi" and not number > 1:
                raise ValueError(f"order must be above 1, got order={number}; pass what was written")
            return Measure(kind, number, _way(way))
    raise ValueError(f"measure must be what was written, got {repr(data['measure'])[:40]}; pass it unchanged")


def _way(direction: object) -> Direction:
    if direction not in ("PQ", "QP"):
        raise ValueError(
            f"direction must be 'PQ' or 'QP', got direction={direction!r}; pass what was written"
        )
    return direction


def _bound(name: str, value: object) -> float:
    return math.inf if value == {"float": "inf"} else _number(name, value)


def _reaches(ratio: Fraction, epsilon: float, filt: PrivacyFilter) -> bool:
    """Whether the ratio is certainly >= e^epsilon, or >= the filter's own ratio, whose rounded logarithm is epsilon."""
    if ratio <= 0:
        return False
    own = getattr(filt, "ratio", None)
    if isinstance(own, Fraction) and ratio >= own > 0 and log_fraction(own) == epsilon:
        return True
    with flint.ctx.workprec(2 * BITS):
        return bool(ball(ratio, 2 * BITS) >= ball(epsilon).exp())


def _log(ratio: Fraction) -> float:
    return log_fraction(ratio) if ratio > 0 else -math.inf


#: The result of playing a witness, and for a plan its worth at a raised ratio.
Played: TypeAlias = tuple[Estimate] | tuple[Decision] | tuple[Fraction, Fraction] | tuple[Bound]
PLAYERS: dict[str, Callable[[dict[str, Any], PrivacyFilter, Nameable], Played]] = {
    "simulation": _simulated,
    "decision": _decided,
    "plan": _worth,
    "sequence": _sequence,
    "menu": _menu,
    "schedule": _scheduled,
    "holder": _of_a_holder,
}


def _agree(got: tuple[float, ...], told: tuple[float, ...]) -> bool:
    """Whether numbers agree within 2^-40 of the largest finite one told: as one program computes them elsewhere."""
    room = _CLOSE * max((abs(one) for one in told if math.isfinite(one)), default=0.0)
    return all(a == b or abs(a - b) <= room for a, b in zip(got, told, strict=True))


def _compare(numbers: tuple[Any, ...], stated: tuple[Any, ...], *, exact: bool = False) -> None:
    """ReplayError unless the numbers are the same: an EXACT one to the bit, another within 2^-40."""
    if not (numbers == stated if exact else _agree(numbers, stated)):
        raise ReplayError(
            f"the witness must replay {'to the bit' if exact else 'within 2^-40'}, got "
            f"{', '.join(map(str, numbers))} where it says {', '.join(map(str, stated))}; compare the versions of "
            "numpy and of this package"
        )
