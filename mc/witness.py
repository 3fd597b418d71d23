"""A witness: plain data from which anyone can replay an estimate, to the bit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from filters import PrivacyFilter, knowingly
from mc.adversary import Adversary
from mc.catalogue import catalogue, decode, encode
from mc.engine import Direction, OnDenial
from mc.estimate import Estimate
from mc.simulate import Method, simulate
from theory.arguments import check_count, check_real

__all__ = ["Witness", "replay", "witness"]


@dataclass(frozen=True, slots=True)
class Witness:
    """An estimate of H_{e^epsilon} of a transcript, and all it takes to get it again.

    filter and adversary are catalogue data (`mc.catalogue`), never code. promised is the delta(epsilon) of
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
        """The witness that `to_data` made data of, after a passage through JSON or not."""
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
    seed: int = 0,
    rounds: int | None = None,
    confidence: float = 1 - 1e-6,
    method: Method = "auto",
    direction: Direction = "PQ",
    on_denial: OnDenial = "halt",
    closed_form: float | None = None,
    kinds: tuple[type, ...] = (),
) -> Witness:
    """Simulate and keep the estimate with everything needed to replay it; arguments are those of `simulate`.

    `kinds` adds classes of your own to the catalogue; whoever replays must pass them too. A filter that is no
    member of the catalogue is kept by its name alone, and whoever replays must pass the filter itself.
    """
    known = catalogue(*kinds)
    foe = encode(adversary.against(filt), known)
    told = encode(filt, known) if type(filt) in known.values() else {"outside": type(filt).__name__}
    estimate = simulate(
        filt,
        adversary,
        epsilon=epsilon,
        n=n,
        seed=seed,
        rounds=rounds,
        confidence=confidence,
        method=method,
        direction=direction,
        on_denial=on_denial,
    )
    return Witness(
        told,
        foe,
        float(check_real("epsilon", epsilon)),
        check_count("n", n),
        seed,
        rounds,
        confidence,
        method,
        direction,
        on_denial,
        float(filt.promise.delta(epsilon)),
        closed_form,
        estimate.value,
        estimate.low,
        estimate.high,
    )


def replay(
    data: Witness | Mapping[str, Any] | str, *kinds: type, filt: PrivacyFilter | None = None
) -> Estimate:
    """Play a witness (or its data, or its JSON) again: the same bits, or ValueError naming what differs.

    `filt` is the filter to play where the witness names one from outside the catalogue.
    """
    if isinstance(data, Witness):
        told = data
    else:
        told = Witness.from_data(json.loads(data) if isinstance(data, str) else data)
    known = catalogue(*kinds)
    if "outside" not in told.filter:
        with knowingly():  # the filters worth replaying are the unsound ones
            filt = decode(dict(told.filter), known)
    elif type(filt).__name__ != told.filter["outside"]:
        raise ValueError(
            f"filt must be the {told.filter['outside']} that the witness was made with, got filt={filt!r}; pass it"
        )
    assert filt is not None
    estimate = simulate(
        filt,
        decode(dict(told.adversary), known),
        epsilon=told.epsilon,
        n=told.n,
        seed=told.seed,
        rounds=told.rounds,
        confidence=told.confidence,
        method=told.method,
        direction=told.direction,
        on_denial=told.on_denial,
    )
    got = (estimate.value, estimate.low, estimate.high)
    if got != (told.value, told.low, told.high):
        raise ValueError(
            f"the witness must replay to the bit, got {got} where it says "
            f"{(told.value, told.low, told.high)}; compare the versions of numpy and of this package"
        )
    return estimate
