"""Plays of the real filter: what its code decides at states that requests lead to.

They choose which invariants are worth trying, and a proof is reported only where the trace predicts each decision and
each new state to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np

import filterproof.theory.pairs as pairs
from filterproof.filters.contract.state import choose_runs, parts
from filterproof.filters.contract.work import count_work
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.prove.ledger_rules import charge_by_rule_name
from filterproof.mc.prove.requests import DECLARED, HUGE
from filterproof.mc.prove.states import exact_state_numbers, structure
from filterproof.theory.pairs import DominatingPair

PLAYS, ROUNDS, OTHERS, LONG = 16, 28, 8, 144
#: Sizes of requests of which powers and products overflow, or vanish.
EXTREMES = (1e-300, 1e-160, 1e-80, 1e30, 1e100, 1e120, 1e160, 1e300)


@dataclass(frozen=True)
class PlayedDecision:
    """One request to the real filter: the state's numbers before, the answer, and those after."""

    before: tuple[float, ...]
    family: str
    parameters: dict[str, Any]
    vectorised: bool
    granted: bool
    after: tuple[float, ...]
    loss: float
    runs: int
    raised: bool
    #: The step that predicts it, with its numbers.
    traced: list[Any] = field(default_factory=list, repr=False)
    _known: dict[str, float] = field(default_factory=dict, repr=False)

    @property
    def pair(self) -> DominatingPair:
        """The request of one run."""
        return pair_class(self.family)(**self.parameters)

    def declared_number(self, name: str) -> float:
        """Return a number that the played request's pair declares, by its name."""
        if name not in self._known:
            with np.errstate(all="ignore"):
                self._known[name] = self._compute_declared_number(name)
        return self._known[name]

    def declared_size_class(self, name: str) -> str:
        """Return "finite", "huge", "infinite" or "undefined" for a declared number."""
        value = self.declared_number(name)
        if math.isnan(value):
            return "undefined"
        if math.isinf(value):
            return "infinite"
        bounded = DECLARED.get(name) is not None or any(
            w in name for w in ("hockey_stick", "renyi", "charge")
        )
        return "finite" if bounded or value <= HUGE else "huge"

    def _compute_declared_number(self, name: str) -> Any:
        words = name.split()
        parameters = {
            k: np.array([v]) if self.vectorised and isinstance(v, float) else v
            for k, v in self.parameters.items()
        }
        pair = pair_class(self.family)(**parameters)
        if words[0] == "charge":
            return charge_by_rule_name(words[1], pair)
        if words[0] == "swapped":
            pair = pair.swapped
        if words[0] in ("swapped", "both"):
            words = words[1:]
        value = getattr(pair, words[0])
        return float(np.ravel(value if words[0] in DECLARED else value(float(Fraction(words[1]))))[0])


@dataclass
class Plays:
    """Plays of the real filter: one list of decisions for each play."""

    plays: list[list[PlayedDecision]]

    def leaves(self) -> Iterator[tuple[float, ...]]:
        """Yield the numbers of every state that a play reached."""
        for play in self.plays:
            for decision in play:
                yield decision.before
                if decision.granted:
                    yield decision.after

    def grants_by_run(self) -> Iterator[list[PlayedDecision]]:
        """Yield the granted decisions of each run of each play."""
        for play in self.plays:
            for run in range(play[0].runs):
                yield [decision for decision in play[run :: play[0].runs] if decision.granted]

    def exact(self, tree: Any) -> Plays:
        """The plays with the sums of budgets as exact numbers, where states are built like `tree`."""

        def read(decision: PlayedDecision) -> PlayedDecision:
            return replace(
                decision,
                before=exact_state_numbers(tree, decision.before),
                after=decision.after and exact_state_numbers(tree, decision.after),
            )

        return Plays([[read(decision) for decision in play] for play in self.plays])

    def floors(self, positive: bool = False) -> list[Fraction | None]:
        """Return for each place 0, or with `positive` half the least number above 0, that no play took it below."""
        least = [min(column) for column in zip(*self.leaves(), strict=False)]
        return [
            Fraction(low) / 2 if positive and 0 < low < math.inf else Fraction(0) if low >= 0 else None
            for low in least
        ]

    def takes_few_integers(self) -> list[bool]:
        """Return for each place of the state whether it took two to five values, all integers."""
        columns = [set(column) for column in zip(*self.leaves(), strict=False)]
        return [1 < len(c) <= 5 and all(math.isfinite(x) and x == int(x) for x in c) for c in columns]


def play_with_random_requests(filt: PrivacyFilter) -> Plays:
    """Run the real filter on random requests, and return its decisions; every second play has three runs."""
    return Plays([_one_play(filt, number, 1 if number % 2 == 0 else 3) for number in range(PLAYS)])


def play_for_comparison(filt: PrivacyFilter, tree: Any) -> Plays:
    """Return plays with other families, sizes and runs, used only to compare with the trace.

    `tree` is the traced state at the start. A budget of the library raises the smallest charges, by how much is left
    open in the trace.
    """
    sizes = EXTREMES[2:] if "sum " in structure(tree) else EXTREMES
    others = [_one_play(filt, number, 1, _drawn_of_others) for number in range(0, OTHERS, 2)]
    others += [_one_play(filt, number, 1, _drawn_of_subclasses) for number in (1, 3)]
    extreme = [_one_play(filt, OTHERS + n, n, partial(_drawn_of_extremes, sizes=sizes)) for n in (1, 2)]
    return Plays([*others, *extreme, _one_play(filt, LONG, 1, share=1e-4, rounds=LONG)])


def _one_play(
    filt: PrivacyFilter,
    number: int,
    n: int,
    draw: Callable[..., tuple[str, dict[str, Any]]] | None = None,
    share: float = 1.0,
    rounds: int = ROUNDS,
) -> list[PlayedDecision]:
    """Return the decisions of one play of n runs side by side."""
    rng = np.random.default_rng(number)
    scale, state, decisions = share * 10 ** rng.uniform(-2.5, 0.0), filt.start(n), []
    for _ in range(rounds):
        vectorised = bool(rng.integers(2))
        family, parameters = (draw or _drawn_request)(
            rng, scale * 2 ** rng.uniform(-2, 1), n if vectorised else 0
        )
        request = pair_class(family)(**parameters)
        loss = _sample_losses(rng, request, n)
        if draw is not None:  # the code may look at a loss that this pair does not have
            loss = np.where(rng.random(n) < 0.1, math.copysign(math.inf, rng.random() - 0.5), loss)
        granted, after = _grant_and_next_state(filt, state, request, loss, n)
        for run in range(n):
            own = {k: float(v[run]) if isinstance(v, np.ndarray) else v for k, v in parameters.items()}
            decisions.append(
                PlayedDecision(
                    before=tuple(_leaves(state, run, n)),
                    family=family,
                    parameters=own,
                    vectorised=vectorised,
                    granted=bool(granted[run]),
                    after=tuple(_leaves(after, run, n)) if granted[run] else (),
                    loss=float(loss[run]),
                    runs=n,
                    raised=after is _RAISED,
                )
            )
        if granted.any():
            state = choose_runs(granted, after, state)
    return decisions


#: In place of a state, where a method raised.
_RAISED = object()


def _grant_and_next_state(
    filt: PrivacyFilter, state: Any, request: DominatingPair, loss: Any, n: int
) -> tuple[Any, Any]:
    """Return the filter's decision and its next state; a method that raises denies."""
    count_work(3 * n)
    try:
        with np.errstate(all="ignore"):
            granted = np.broadcast_to(np.asarray(filt.admits(state, request)).astype(bool), (n,))
            if not granted.any():
                return granted, None
            return granted, filt.observe(filt.spend(state, request), loss)
    except Exception:  # noqa: BLE001 - whatever the user's code raises, nothing is released
        return np.zeros(n, dtype=bool), _RAISED


def _drawn_request(rng: np.random.Generator, size: float, n: int) -> tuple[str, dict[str, Any]]:
    """Return a random family and parameters with a charge of about `size`."""

    def number(value: float) -> Any:
        return np.asarray(value * 2 ** rng.uniform(-1, 1, n)) if n else float(value * 2 ** rng.uniform(-1, 1))

    kind = int(rng.integers(9))
    if kind <= 2:
        return "Gaussian", {"mu": number(size)}
    if kind <= 4:
        return "RandomizedResponse", {"epsilon": number(size)}
    if kind == 5:
        return "Laplace", {"b": number(1 / size)}
    if kind == 6:
        return "Erasure", {"p": number(min(size, 1.0) * 1e-6)}
    if kind == 7:
        return "KOV", {"epsilon": number(size), "delta": number(1e-7)}
    return "BoundedRange", {"epsilon": number(size)}


def _drawn_of_others(rng: np.random.Generator, size: float, n: int) -> tuple[str, dict[str, Any]]:
    """As `_drawn_request`, of the other families in half of the cases, and of large requests in some."""
    kind = int(rng.integers(8))
    if kind == 0:
        return "DiscreteLaplace", {"scale": 1 / size}
    if kind == 1:
        return "DiscreteGaussian", {"sigma": 1 / size}
    if kind == 2:
        p = 1 / (1 + math.exp(-size))
        return "FinitePair", {"p": (p, 1 - p), "q": (1 - p, p)}
    if kind == 3:
        return "SubsampledGaussian", {"q": 0.01, "sigma": max(1 / size, 0.5)}
    return _drawn_request(rng, size * 100 if kind == 4 else size, n)


def _drawn_of_extremes(
    rng: np.random.Generator, size: float, n: int, sizes: Sequence[float]
) -> tuple[str, dict[str, Any]]:
    """As `_drawn_request`, of the usual size in a third of the cases."""
    return _drawn_request(rng, float(rng.choice(sizes)) if rng.integers(3) else size, n)


def _drawn_of_subclasses(rng: np.random.Generator, size: float, n: int) -> tuple[str, dict[str, Any]]:
    """As `_drawn_request`, of a user's subclass of the family."""
    family, parameters = _drawn_request(rng, size, n)
    return f"sub:{family}", parameters


@cache
def pair_class(family: str) -> Callable[..., DominatingPair]:
    """Return the class of a family of the library, or a subclass of it for "sub:" before the name."""
    name = family.removeprefix("sub:")
    kind = getattr(pairs, name)
    return kind if family == name else type(f"Sub{name}", (kind,), {"__slots__": ()})


def _sample_losses(rng: np.random.Generator, request: DominatingPair, n: int) -> Any:
    """Return a realised loss for each run, with the sign swapped for half of them."""
    with np.errstate(all="ignore"):
        return request.sample(rng, n) * np.where(rng.random(n) < 0.5, 1.0, -1.0)


def _leaves(state: Any, run: int, n: int) -> Iterator[float]:
    """Yield the numbers of one run's state, in the order of the trace."""
    if (inner := parts(state)) is not None:
        for part in inner:
            yield from _leaves(part, run, n)
    elif isinstance(state, np.ndarray):
        own = state[run] if state.ndim and state.shape[0] == n else state
        yield from (_python_number(x) for x in np.ravel(own))
    elif isinstance(state, bool | int | float | np.generic):
        yield _python_number(state)


def _python_number(value: Any) -> Any:
    """Return a NumPy number as a Python number; integers stay integers."""
    number = value.item() if isinstance(value, np.generic) else value
    return float(number) if isinstance(number, bool) else number
