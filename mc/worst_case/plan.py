"""A plan: an adaptive strategy as a tree of requests, with one branch for each output."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from filterproof.filters.contract.contract_checks import checked_admits, checked_observe, checked_spend
from filterproof.filters.contract.state import State
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.adversary import Adversary, AdversaryView
from filterproof.mc.engine.encoding import Nameable, decode, encode
from filterproof.theory.numerics.stable import log_fraction
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.pairs.base import Direction

#: The relative margin by which a plan's value must exceed the guarantee, because guarantees are rounded doubles.
GAIN_MARGIN = Fraction(1, 10**10)
#: The requests of a play in turn, each with its realised loss log dP/dQ.
History: TypeAlias = tuple[tuple[DominatingPair, float], ...]
#: The masses before the first release.
_UNIT_MASSES = Fraction(1), Fraction(1)


class DeniedError(ValueError):
    """A plan requests something that the filter denies."""


@dataclass(frozen=True, slots=True)
class AdaptivePlan:
    """A strategy as a tree: make `request`; after its y-th output continue with then[y] (None: stop)."""

    request: DominatingPair
    then: tuple[AdaptivePlan | None, ...]

    @property
    def rounds(self) -> int:
        """The length of the longest play."""
        return 1 + max((plan.rounds for plan in self.then if plan is not None), default=0)

    @property
    def size(self) -> int:
        """The number of requests in the plan."""
        return sum(1 for _ in self.requests())

    def value(self, filt: PrivacyFilter, ratio: Fraction, direction: Direction = "PQ") -> Fraction:
        """Return H_ratio of the transcript of this plan, exactly: every history is played through `filt`, with one run.

        A transcript ends where the plan stops. Raises DeniedError if the filter denies a request.
        """
        self._check_granted(filt, filt.start(1), direction)
        return sum((worth for _, worth in self.iter_terminal_values(ratio, direction)), Fraction(0))

    def _check_granted(self, filt: PrivacyFilter, state: State, direction: Direction) -> None:
        """Play every history of the plan through the filter; raise DeniedError for a denied request."""
        if not checked_admits(filt, state, self.request, 1)[0]:
            raise DeniedError(f"plan must be granted, got a denial of {self.request!r}")
        spent = checked_spend(filt, state, self.request, 1)
        for (p, q), plan in zip(masses_of(self.request), self.then, strict=True):
            if (p if direction == "PQ" else q) > 0:
                after = checked_observe(filt, spent, np.array([_loss_of_masses(p, q)]), 1)
                if plan is not None:
                    plan._check_granted(filt, after, direction)

    def truncated_to_rounds(self, rounds: int) -> AdaptivePlan:
        """Return the plan cut off after this many rounds."""
        return AdaptivePlan(
            self.request,
            tuple(
                plan.truncated_to_rounds(rounds - 1) if plan is not None and rounds > 1 else None
                for plan in self.then
            ),
        )

    def requests(self) -> Iterator[DominatingPair]:
        """Yield every request, each as often as it occurs."""
        yield self.request
        for plan in self.then:
            if plan is not None:
                yield from plan.requests()

    def histories(self) -> Iterator[History]:
        """Yield each play to its end."""
        return (history for history, _ in self.iter_terminal_values(Fraction(1)))

    def iter_terminal_values(
        self,
        ratio: Fraction,
        direction: Direction = "PQ",
        before: tuple[Fraction, Fraction] = _UNIT_MASSES,
    ) -> Iterator[tuple[History, Fraction]]:
        """Yield each complete history with its hockey-stick payoff; `before` are earlier releases' masses."""
        for (p, q), plan in zip(masses_of(self.request), self.then, strict=True):
            masses, shown = (before[0] * p, before[1] * q), (self.request, _loss_of_masses(p, q))
            if plan is None:
                yield (shown,), _terminal_value(ratio, direction, *masses)
            else:
                yield from (
                    ((shown, *later), worth)
                    for later, worth in plan.iter_terminal_values(ratio, direction, masses)
                )

    def prune_useless_requests(
        self, ratio: Fraction, direction: Direction = "PQ", before: tuple[Fraction, Fraction] = _UNIT_MASSES
    ) -> AdaptivePlan | None:
        """Return the plan without requests that gain nothing over stopping, or None if nothing is left."""
        then = [
            plan and plan.prune_useless_requests(ratio, direction, (before[0] * p, before[1] * q))
            for (p, q), plan in zip(masses_of(self.request), self.then, strict=True)
        ]
        pruned = AdaptivePlan(self.request, tuple(then))
        value = sum(value for _, value in pruned.iter_terminal_values(ratio, direction, before))
        return pruned if value > _terminal_value(ratio, direction, *before) else None

    def to_data(self, known: Nameable) -> dict[str, Any]:
        """Return the plan as JSON-compatible data."""
        then = [None if plan is None else plan.to_data(known) for plan in self.then]
        return {"request": encode(self.request, known), "then": then}

    @classmethod
    def from_data(cls, data: object, names: Nameable) -> AdaptivePlan:
        """Return the plan that `to_data` wrote. Raises ValueError for other data."""
        if not isinstance(data, Mapping) or set(data) != {"request", "then"}:
            raise _plan_data_error("a request and what follows it", data)
        request = decode(data["request"], names)
        if not isinstance(request, DominatingPair) or getattr(request, "exact_masses", None) is None:
            raise _plan_data_error("requests with rational masses", data["request"])
        followed = data["then"]
        if not isinstance(followed, list | tuple) or len(followed) != len(masses_of(request)):
            raise _plan_data_error("what follows each output of a request", followed)
        return cls(request, tuple(None if part is None else cls.from_data(part, names) for part in followed))


def _plan_data_error(what: str, data: object) -> ValueError:
    """Return the ValueError for data that are not a plan."""
    return ValueError(f"plan must have {what}, got {repr(data)[:40]}; pass the data that to_data returned")


def masses_of(pair: DominatingPair) -> tuple[tuple[Fraction, Fraction], ...]:
    """Return (P-mass, Q-mass) of each loss of a rational pair, equal losses merged, the largest loss first."""
    masses = getattr(pair, "exact_masses", None)
    if masses is None:
        raise TypeError(f"request must have rational masses, got {pair!r}; use RandomizedResponse.from_ratio")
    merged: dict[Fraction, tuple[Fraction, Fraction]] = {}
    for p, q in zip(masses.p, masses.q, strict=True):
        if p + q > 0:
            share = p / (p + q)
            before = merged.get(share, (Fraction(0), Fraction(0)))
            merged[share] = (before[0] + p, before[1] + q)
    return tuple(merged[share] for share in sorted(merged, reverse=True))


def plan_of_strategy(
    strategy: Adversary, filt: PrivacyFilter, *, rounds: int, direction: Direction = "PQ"
) -> AdaptivePlan | None:
    """Play every history of a deterministic strategy and return its plan; None without a release."""
    strategy = strategy.against(filt)
    rng = np.random.default_rng(0)

    def plan_from_state(state: State, memory: State, loss: float, last: float, t: int) -> AdaptivePlan | None:
        """Return the plan that the strategy follows from this state and loss on; None if it stops."""
        if t == rounds:
            return None
        memory = copy.deepcopy(memory)
        view = AdversaryView(t, np.array([loss]), np.array([last]), state, memory, filt, rng)
        requests = strategy.request(view)
        request = requests.of_run(0)
        if not checked_admits(filt, state, request, 1)[0]:
            return None
        spent = checked_spend(filt, state, request, 1)
        continuations: list[AdaptivePlan | None] = []
        for p, q in masses_of(request):
            seen = _loss_of_masses(p, q)
            possible = (p if direction == "PQ" else q) > 0 and np.isfinite(seen)
            after = checked_observe(filt, spent, np.array([seen]), 1) if possible else spent
            continuations.append(
                plan_from_state(after, memory, loss + seen, seen, t + 1) if possible else None
            )
        return AdaptivePlan(request, tuple(continuations))

    return plan_from_state(filt.start(1), strategy.start(filt, 1, rng), 0.0, 0.0, 0)


def _loss_of_masses(p: Fraction, q: Fraction) -> float:
    """Return log(p / q), infinite if one of the masses is zero."""
    return log_fraction(p / q) if p * q else (np.inf if p else -np.inf)


def _terminal_value(ratio: Fraction, direction: Direction, p: Fraction, q: Fraction) -> Fraction:
    """Return the hockey-stick payoff (p - ratio q)_+, or (q - ratio p)_+ for "QP"."""
    return max(p - ratio * q if direction == "PQ" else q - ratio * p, Fraction(0))
