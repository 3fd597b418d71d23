"""A witness: plain data from which anyone can replay an estimate, a decision or a plan, to the bit.

>>> import filterproof as fp
>>> kept = fp.witness(fp.GaussianFilter(mu=1.0), fp.OneShot(), epsilon=1.0, n=1000, method="plain")
>>> fp.replay(kept).value == kept.value
True
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Literal, Self, TypeAlias, Unpack

import flint

from filters import PrivacyFilter, knowingly
from filters.contract.filter_base import OnDenial
from mc.engine.adversary import Adversary
from mc.engine.encoding import Nameable, decode, decode_fraction, encode, nameable
from mc.estimate.decide import decide
from mc.estimate.simulate import Method, simulate
from mc.intervals.anytime import Decision, Side
from mc.intervals.estimate import CONFIDENCE, Estimate
from mc.runs.play import Play, PlayOptions
from mc.worst_case.balls import BITS, ball
from mc.worst_case.plan import MARGIN, DeniedError, Plan
from theory.arguments import check_count, check_real
from theory.numerics.stable import log_fraction
from theory.pairs.base import Direction

__all__ = [
    "MOST_FAILURE",
    "ReplayError",
    "Replayed",
    "Witness",
    "replay",
    "replayed",
    "witness",
    "witness_kind",
]

#: A ratio times this exceeds e^epsilon even if the epsilons of the filter and its requests were rounded to doubles.
_ROUNDED = 1 + Fraction(1, 10**12)


#: The largest failure probability of an estimate or a decision that can refute: that of every default, and a bit.
MOST_FAILURE = 1.001e-6


@dataclass(frozen=True, slots=True)
class Witness:
    """An estimate of H_{e^epsilon} of a transcript, and everything needed to compute it again.

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

    @property
    def refutes(self) -> bool:
        """Whether the whole interval lies above the promise."""
        return self.low > self.promised

    def to_data(self) -> dict[str, Any]:
        """The witness as JSON-able data."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """The witness from the data that `to_data` returned, through JSON or not; ValueError for other fields."""
        names = {f.name for f in fields(cls)}
        if not isinstance(data, Mapping) or set(data) != names:
            missing = sorted(names.symmetric_difference(data)) if isinstance(data, Mapping) else data
            raise ValueError(
                f"data must hold exactly the fields of a witness, got a difference in {missing}; "
                "pass what Witness.to_data returned"
            )
        return cls(**data)


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
    known = nameable(*kinds)
    foe = encode(adversary.against(filt), known)
    told = encode(filt, known) if type(filt) in known.values() else {"outside": type(filt).__name__}
    play = Play(n=check_count("n", n, least=2), **how)
    estimate = simulate(
        filt, adversary, epsilon=epsilon, n=play.n, confidence=confidence, method=method, **how
    )
    return Witness(
        filter=told,
        adversary=foe,
        epsilon=float(check_real("epsilon", epsilon)),
        n=play.n,
        seed=play.seed,
        rounds=play.rounds,
        confidence=confidence,
        method=method,
        direction=play.direction,
        on_denial=play.on_denial,
        promised=float(filt.promise.delta(epsilon)),
        closed_form=closed_form,
        value=estimate.value,
        low=estimate.low,
        high=estimate.high,
    )


def replay(
    data: Witness | Mapping[str, Any] | str, *kinds: type, filt: PrivacyFilter | None = None
) -> Estimate | Decision | Fraction:
    """Play a witness of any kind (or its data, or its JSON) again: the same bits, or ValueError with what differs.

    A witness of `witness` gives an `Estimate`, one of a `challenge` a `Decision`, one of an `attack` the exact worth
    of its plan. `filt` is the filter to play where the witness names one from outside the catalogue.
    """
    return replayed(data, *kinds, filt=filt).result


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of playing a witness again, and the delta that the filter itself promises at epsilon.

    surely is the worth of a plan at a ratio that was raised by more than the rounding of epsilons.
    """

    filter: PrivacyFilter
    epsilon: float
    promised: float
    result: Estimate | Decision | Fraction
    surely: Fraction | None = None

    @property
    def refutes(self) -> bool:
        """Whether the result exceeds the filter's own promise, beyond chance.

        Whoever wrote a witness chose its seed, so a result that is wrong with a probability above `MOST_FAILURE`
        refutes nothing: a lucky seed would soon be found.
        """
        match self.result:
            case Estimate(failure=failure) | Decision(failure=failure) if failure > MOST_FAILURE:
                return False
            case Estimate(low=low):
                return low > self.promised
            case Decision(side=side, threshold=threshold):
                return side is Side.ABOVE and threshold >= self.promised
            case Fraction():
                return self.surely is not None and self.surely > Fraction(self.promised) * (1 + MARGIN)


class ReplayError(ValueError):
    """A witness states other numbers than playing it gives."""


def replayed(
    data: Witness | Mapping[str, Any] | str, *kinds: type, filt: PrivacyFilter | None = None
) -> Replayed:
    """`replay`, with the filter's own promise; ReplayError where the bits differ, ValueError for other data."""
    if isinstance(data, Witness):
        data = data.to_data()
    told = json.loads(data) if isinstance(data, str) else data
    play = _PLAYERS.get(witness_kind(told) or "")
    if play is None:
        named = ", ".join(sorted(map(str, told))) if isinstance(told, Mapping) else repr(told)[:40]
        raise ValueError(
            "data must hold exactly the fields of a witness: of a simulation, a decision or a plan, got "
            f"{named or 'none'}; pass what was written"
        )
    known = nameable(*kinds)
    if filt is not None:
        known = {type(filt).__name__: type(filt)} | known
    filt = _filter_of(told["filter"], filt, known)
    epsilon = _number("epsilon", told["epsilon"])
    promised = float(filt.promise.delta(epsilon))
    if "promised" in told and told["promised"] != promised:
        raise ReplayError(
            f"the witness must state what the filter promises, got promised={told['promised']!r} where "
            f"{type(filt).__name__} promises {promised!r}; compare the filters"
        )
    return Replayed(filt, epsilon, promised, *play(dict(told), filt, known))


def witness_kind(data: object) -> Literal["simulation", "decision", "plan"] | None:
    """What kind of replayable witness the data is, by its fields; None if it is none."""
    if isinstance(data, Mapping):
        for kind, names in _FIELDS.items():
            if set(data) == names:
                return kind
    return None


_Kind: TypeAlias = Literal["simulation", "decision", "plan"]
#: The arguments of `decide` that its result depends on; where paths are played is not among them.
_DECIDE = frozenset(
    {"epsilon", "delta", "failure", "most", "seed", "rounds", "direction", "on_denial"},
)
_FIELDS: dict[_Kind, frozenset[str]] = {
    "simulation": frozenset(f.name for f in fields(Witness)),
    "decision": _DECIDE | {"filter", "adversary", "n", "log_e_above"},
    "plan": frozenset({"filter", "epsilon", "ratio", "promised", "value", "direction", "plan"}),
}


def _filter_of(told: object, filt: PrivacyFilter | None, known: Nameable) -> PrivacyFilter:
    """The filter of a witness: built from its data, or `filt` where the data names one outside the catalogue."""
    name = told.split("(")[0] if isinstance(told, str) else None
    if isinstance(told, Mapping):
        if set(told) != {"outside"}:
            outside = filt is not None and type(filt).__name__ == told.get("type")
            kind = told.get("type")
            if not outside and (not isinstance(kind, str) or kind not in known):
                raise ValueError(
                    f"data must name a member of the catalogue, got {repr(kind)[:40]}; pass the filter, or its class"
                )
            if outside and encode(filt, {**known, type(filt).__name__: type(filt)}) == told:
                assert filt is not None
                return filt  # it has the witness's data, and may be made in a way of its own
            with knowingly():  # most filters worth replaying are unsound ones
                made = decode(dict(told), known)
            if not isinstance(made, PrivacyFilter):
                raise ValueError(f"filter must be a filter, got {type(made).__name__}; pass what was written")
            return made
        name = str(told["outside"])
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


def _simulated(told: dict[str, Any], filt: PrivacyFilter, known: Nameable) -> tuple[Estimate]:
    kept = Witness.from_data(told)
    estimate = simulate(
        filt,
        _adversary_of(kept.adversary, known),
        epsilon=_number("epsilon", kept.epsilon),
        n=kept.n,
        seed=kept.seed,
        rounds=kept.rounds,
        confidence=_number("confidence", kept.confidence),
        method=kept.method,
        direction=kept.direction,
        on_denial=kept.on_denial,
    )
    _compare((estimate.value, estimate.low, estimate.high), (kept.value, kept.low, kept.high))
    return (estimate,)


def _decided(told: dict[str, Any], filt: PrivacyFilter, known: Nameable) -> tuple[Decision]:
    setting = {name: told[name] for name in _DECIDE}
    for name in ("delta", "failure"):
        setting[name] = _number(name, setting[name])
    decision = decide(filt, _adversary_of(told["adversary"], known), **setting)
    _compare((decision.n, decision.log_e_above), (told["n"], told["log_e_above"]))
    return (decision,)


def _worth(told: dict[str, Any], filt: PrivacyFilter, known: Nameable) -> tuple[Fraction, Fraction]:
    ratio, direction = decode_fraction(told["ratio"]), told["direction"]
    if direction not in ("PQ", "QP"):
        raise ValueError(
            f"direction must be 'PQ' or 'QP', got direction={direction!r}; pass what was written"
        )
    if not _reaches(ratio, _number("epsilon", told["epsilon"]), filt):
        raise ReplayError(
            f"ratio must be e^epsilon or more, got a logarithm of {_log(ratio)!r} at epsilon={told['epsilon']!r}; "
            "compare them"
        )
    plan = Plan.from_data(told["plan"], known)
    try:
        value = plan.worth(filt, ratio, direction)
        surely = plan.worth(filt, ratio * _ROUNDED, direction)
    except DeniedError as denied:
        raise ReplayError(str(denied)) from denied
    _compare((value,), (decode_fraction(told["value"]),))
    return value, surely


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
_Played: TypeAlias = tuple[Estimate] | tuple[Decision] | tuple[Fraction, Fraction]
_PLAYERS: dict[str, Callable[[dict[str, Any], PrivacyFilter, Nameable], _Played]] = {
    "simulation": _simulated,
    "decision": _decided,
    "plan": _worth,
}


def _compare(got: tuple[object, ...], told: tuple[object, ...]) -> None:
    if got != told:
        raise ReplayError(
            f"the witness must replay to the bit, got {', '.join(map(str, got))} where it says "
            f"{', '.join(map(str, told))}; compare the versions of numpy and of this package"
        )
