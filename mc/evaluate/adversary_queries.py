"""Vectorised calls of an adversary and a filter at many positions of one round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, NoReturn, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from filterproof.filters.contract.contract_checks import (
    checked_admits,
    checked_observe,
    checked_spend,
    checked_start,
)
from filterproof.filters.contract.state import (
    State,
    concatenate_runs,
    read_only,
    replace_selected,
    select_runs,
    state_leaves,
)
from filterproof.mc.engine.adversary import AdversaryView, checked_request
from filterproof.mc.engine.game import Game
from filterproof.mc.losses.too_large import TooLargeError
from filterproof.theory.pairs import DominatingPair

#: The number of a denied request; pairs are numbered from 0.
DENIED = -1
#: The most different pairs in a game.
_MAX_PAIRS = 4096
_REMEDY = "use fp.simulate, which plays any adversary"
_Answer = TypeVar("_Answer")


class NotAFunctionError(ValueError):
    """An adversary's request is no function of round, filter state and loss."""


class ReadsLastError(Exception):
    """The adversary read `view.last` although positions do not store it."""


class Positions(NamedTuple):
    """n positions before a round: the loss so far and that of the last round, filter state, adversary's memory."""

    loss: NDArray[np.float64]
    last: NDArray[np.float64]
    state: State
    memory: Any

    @property
    def n(self) -> int:
        return len(self.loss)

    def take(self, rows: NDArray[Any]) -> Positions:
        """Return the positions of these rows, in new arrays."""
        return Positions(*select_runs(tuple(self), rows))

    @staticmethod
    def joined(parts: list[Positions]) -> Positions:
        """Return all positions of all parts."""
        return Positions(*concatenate_runs([tuple(part) for part in parts]))


class _NoGenerator:
    """A placeholder for the adversary's generator."""

    def __getattr__(self, name: str) -> NoReturn:
        raise NotAFunctionError(
            f"adversary must be a function of round, filter state and loss, got one that calls rng.{name}; {_REMEDY}"
        )


class _RestrictedView(AdversaryView):
    """A view that allows `last` only if positions store it."""

    __slots__ = ("_last", "_may_read")

    def __init__(self, round_: int, at: Positions, asking: AdversaryQueries, may_read: bool) -> None:
        self.round, self.memory = round_, at.memory
        self.loss, self.state, self._last = read_only((at.loss, at.state, at.last))
        self.filter, self.rng = asking.game.filter, asking.rng
        self._may_read = may_read

    @property
    def last(self) -> NDArray[np.float64]:  # type: ignore[override]
        if not self._may_read:
            raise ReadsLastError
        return self._last


@dataclass(frozen=True, slots=True)
class AdversaryQueries:
    """The requests of a game, and a list of all pairs so far.

    `keeps_last` says whether positions store the loss of the last round; if not, reading it raises ReadsLastError. An
    adversary that draws from its generator raises NotAFunctionError.
    """

    game: Game
    keeps_last: bool
    pairs: list[DominatingPair] = field(default_factory=list)
    _numbers: dict[DominatingPair, int] = field(default_factory=dict)

    @property
    def rng(self) -> np.random.Generator:
        """A placeholder for the adversary's generator: its use raises NotAFunctionError."""
        return cast(np.random.Generator, _NoGenerator())

    def start(self) -> Positions:
        """Return the position before the first round."""
        memory = self.game.adversary.start(self.game.filter, 1, self.rng)
        for leaf in state_leaves(memory):
            _check_memory(leaf)
        return Positions(np.zeros(1), np.zeros(1), checked_start(self.game.filter, 1), memory)

    def ask(self, t: int, at: Positions) -> tuple[NDArray[np.intp], Positions]:
        """Return the pair that is released next at each position (DENIED: none), and the positions after the charge.

        After a denial the state is unchanged. The arrays of `at` may be changed.
        """
        game = self.game
        alone = [at.take(np.array([i])) for i in sorted({0, at.n // 2, at.n - 1})] if at.n else []
        request = self._checked_request("request", t, at)
        self._check_alone(t, request, at.n, alone)
        admitted = checked_admits(game.filter, at.state, request, at.n)
        number = self._pair_numbers_or_denied(request, admitted)
        state = at.state
        if admitted.all():
            state = checked_spend(game.filter, state, request, at.n)
        elif admitted.any():
            go = np.flatnonzero(admitted)
            part = checked_spend(game.filter, select_runs(state, go), request.take(go), len(go))
            state = replace_selected(state, go, part)
        return number, Positions(at.loss, np.zeros(at.n), state, at.memory)

    def _check_alone(self, t: int, request: DominatingPair, n: int, alone: list[Positions]) -> None:
        """Raise NotAFunctionError if a single run, or a repeated call, gets another request."""
        for i, single in zip(sorted({0, n // 2, n - 1}), alone, strict=False):
            again = self._checked_request("request", t, single)
            if request.of_run(i) != again.of_run(0):
                raise NotAFunctionError(
                    "adversary must be a function of round, filter state and loss, got another request when "
                    f"one run is repeated alone; {_REMEDY}"
                )

    def final(self, at: Positions) -> NDArray[np.intp]:
        """Return the pair that each position releases last after its denial (DENIED: none)."""
        game = self.game
        if not game.adversary.asks_finally:
            return np.full(at.n, DENIED)
        request = self._checked_request("final", game.rounds, at)
        admitted = checked_admits(game.filter, at.state, request, at.n)
        return self._pair_numbers_or_denied(request, admitted)

    def after_loss(self, at: Positions, loss: NDArray[np.float64], last: NDArray[np.float64]) -> Positions:
        """Return the positions after a release of privacy loss `last`, with total `loss`."""
        state = at.state
        if self.game.filter.looks_at_losses:
            state = checked_observe(self.game.filter, state, last, at.n)
        return Positions(loss, last, state, at.memory)

    def _checked_request(self, method: Literal["request", "final"], t: int, at: Positions) -> DominatingPair:
        """Return the adversary's checked request from a view of the positions."""
        return checked_request(self.game.adversary, method, _RestrictedView(t, at, self, self.keeps_last))

    def _pair_numbers_or_denied(
        self, request: DominatingPair, admitted: NDArray[np.bool_]
    ) -> NDArray[np.intp]:
        """Return the number of each admitted run's pair, DENIED for the others."""
        number = np.full(len(admitted), DENIED)
        go = np.flatnonzero(admitted)
        if len(go):
            number[go] = self._pair_numbers(request.take(go), len(go))
        return number

    def _pair_numbers(self, request: DominatingPair, n: int) -> NDArray[np.intp]:
        """Return the number of the pair that each of n runs requests."""
        if request.shape == ():
            return np.full(n, self._pair_number(request))
        if (index := request.member_index) is not None:
            out = np.empty(n, dtype=np.intp)
            for place in np.unique(index).tolist():
                rows = np.flatnonzero(index == place)
                out[rows] = self._pair_numbers(request.members[place].take(rows), len(rows))
            return out
        arrays = {k: v for k, v in request.parameters().items() if isinstance(v, np.ndarray) and v.ndim}
        _, first, number = np.unique(
            np.stack(list(arrays.values()), axis=1), axis=0, return_index=True, return_inverse=True
        )
        members = [
            self._pair_number(
                request.with_parameters({name: float(value[i]) for name, value in arrays.items()})
            )
            for i in first.tolist()
        ]
        return np.array(members, dtype=np.intp)[number.reshape(-1)]

    def _pair_number(self, pair: DominatingPair) -> int:
        """Return the number of a pair; number it if it is new."""
        if pair not in self._numbers:
            if len(self.pairs) >= _MAX_PAIRS:
                raise TooLargeError(
                    f"adversary must request at most {_MAX_PAIRS} different pairs, got more; round its levels, or "
                    f"{_REMEDY}"
                )
            self._numbers[pair] = len(self.pairs)
            self.pairs.append(pair)
        return self._numbers[pair]


def retry_with_last_loss(game: Game, attempt: Callable[[AdversaryQueries], _Answer]) -> _Answer:
    """Return `attempt` without the last loss in positions; if the adversary reads it, with it."""
    try:
        return attempt(AdversaryQueries(game, keeps_last=False))
    except ReadsLastError:
        return attempt(AdversaryQueries(game, keeps_last=True))


def _check_memory(leaf: Any) -> None:
    """Raise an error for adversary memory that is not allowed in an evaluation."""
    if leaf is None or isinstance(leaf, (bool, int, float, str)):
        return
    if not isinstance(leaf, np.ndarray) or leaf.ndim == 0 or len(leaf) != 1 or leaf.dtype.kind not in "iubf":
        raise NotAFunctionError(
            f"start must return None or arrays of numbers with the run on the first axis, got {leaf!r}; {_REMEDY}"
        )
