"""The game of an odometer: randomised responses of a few sizes until the realised loss exceeds the odometer's bound.

>>> import filterproof as fp
>>> from fractions import Fraction
>>> game = LossBoundGame(fp.odometers.LineOdometer(0.05, target=1.0), (Fraction(5, 4),), 12)
>>> bounds = game.solve_divergence(Divergence.exceedance())
>>> 0 < bounds.low <= bounds.high < 0.05
True
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from typing import Any, ClassVar, Self

import flint
import numpy as np
from flint import fmpq

from filterproof.filters.contract.state import run_keys
from filterproof.filters.contract.work import count_work
from filterproof.mc.engine.encoding import decode_fraction
from filterproof.mc.examine.accountants.accountant_game import AccountantGame
from filterproof.mc.examine.divergence import Bound, Divergence
from filterproof.mc.examine.filter_fault import FilterFault
from filterproof.mc.examine.formatting import count_words
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.mc.losses.balls import BITS, to_ball
from filterproof.theory.argument_checks import check_count
from filterproof.theory.numerics.exact import to_fmpq
from filterproof.theory.numerics.precision_lock import PRECISION_LOCK
from filterproof.theory.pairs import RandomizedResponse
from filterproof.theory.rounding import next_above, round_down

#: The longest play of one size, the sizes, and the numbers of rounds of the plays of several sizes.
_MAX_ROUNDS, _SIZES, _ROUNDS = 40, tuple(2.0 ** (k / 2) for k in range(5, -13, -1)), (6, 10)
_MAX_RATIOS = 3


class LossBoundGame(AccountantGame):
    """The game of an analyst who wants the realised loss to exceed the odometer's bound at some time.

    The value is computed backwards in fractions over the odometer's states and e^loss. Ball arithmetic decides whether
    the loss exceeds the bound. Both directions have the same value, because a randomised response is its own reverse.
    """

    fields: ClassVar[frozenset[str]] = frozenset({"ratios", "rounds"})

    def __init__(self, accountant: Any, ratios: tuple[Fraction, ...], rounds: int) -> None:
        self.accountant, self.ratios, self.rounds = accountant, ratios, rounds
        self._pairs = {ratio: RandomizedResponse.from_ratio(ratio) for ratio in ratios}
        self._value_cache: dict[tuple[Hashable, Any, Any, int], fmpq] = {}
        self._spent: dict[tuple[Hashable, int], tuple[Any, Hashable, float]] = {}
        self.sequence = RequestSequence(tuple((pair, rounds) for pair in self._pairs.values()))
        self.menu = f"{count_words(len(ratios), 'size')}, {count_words(rounds, 'round')}"
        levels = ", ".join(map(str, ratios))
        self.description = (
            f"randomised responses with e^epsilon among {levels}, for at most {count_words(rounds, 'round')}"
        )

    def measures(self) -> tuple[Divergence, ...]:
        return (Divergence.exceedance(),)

    def solve_divergence(self, measure: Divergence) -> Bound:
        state = self.accountant.start(1)
        probability = self._largest_exceedance_probability(state, run_keys(state)[0], fmpq(1), self.rounds)
        value = Fraction(int(probability.p), int(probability.q))
        low = round_down(value)
        return Bound(low, low if Fraction(low) == value else next_above(low))

    def _largest_exceedance_probability(
        self, state: Any, losses: Hashable, odds: fmpq, rounds_left: int
    ) -> fmpq:
        """Return the largest probability that the loss log(odds) exceeds the bound in the rounds left."""
        if rounds_left == 0:
            return fmpq(0)
        at = losses, odds.p, odds.q, rounds_left  # flint hashes a fraction through Python's integers
        if at not in self._value_cache:
            places = range(len(self.ratios))
            self._value_cache[at] = max(
                self._exceedance_after_request(state, losses, odds, rounds_left, place) for place in places
            )
        return self._value_cache[at]

    def _exceedance_after_request(
        self, state: Any, losses: Hashable, odds: fmpq, rounds_left: int, place: int
    ) -> fmpq:
        """Return the largest probability of exceedance if ratio number `place` is requested now."""
        count_work(1)
        at, ratio = (losses, place), to_fmpq(self.ratios[place])
        if at not in self._spent:
            after = self.accountant.spend(state, self._pairs[self.ratios[place]])
            self._spent[at] = after, run_keys(after)[0], self.odometer_bound(after)
        (after, after_key, bound), keeps = self._spent[at], ratio / (1 + ratio)
        value = fmpq(0)
        for share, there in ((keeps, odds * ratio), (1 - keeps, odds / ratio)):
            later = fmpq(1)
            if not _log_certainly_above(there, bound):
                later = self._largest_exceedance_probability(after, after_key, there, rounds_left - 1)
            value += share * later
        return value

    def odometer_bound(self, state: Any) -> float:
        """Return the odometer's bound for one run. Raises FilterFault if it is no number."""
        bound = np.asarray(self.accountant.epsilon(state))
        if bound.shape != (1,) or bound.dtype.kind not in "fiu" or np.isnan(bound[0]):
            raise FilterFault(
                f"{type(self.accountant).__name__}.epsilon must return one number for one run, got {bound!r}; "
                "return inf for no bound"
            )
        return float(bound[0])

    @property
    def minimisable_parts(self) -> tuple[Fraction | None, ...]:
        """Return None for each round, and the ratios."""
        return (*[None] * self.rounds, *self.ratios)

    def with_parts(self, parts: tuple[Any, ...]) -> Self | None:
        ratios, rounds = tuple(part for part in parts if part is not None), parts.count(None)
        return type(self)(self.accountant, ratios, rounds) if ratios and rounds else None

    def to_data(self) -> dict[str, Any]:
        return {"ratios": [str(ratio) for ratio in self.ratios], "rounds": self.rounds}

    @classmethod
    def from_data(cls, accountant: Any, data: Mapping[str, Any]) -> Self:
        ratios = tuple(map(decode_fraction, data["ratios"]))
        if not 1 <= len(ratios) <= _MAX_RATIOS or min(ratios) <= 1:
            raise ValueError(
                f"ratios must be at most {_MAX_RATIOS} numbers above 1, got {data['ratios']}; pass the data that "
                "to_data returned"
            )
        most = _MAX_ROUNDS if len(ratios) == 1 else max(_ROUNDS)
        return cls(accountant, ratios, check_count("rounds", data["rounds"], most=most))

    @classmethod
    def propose_games(cls, accountant: Any) -> Iterator[Self]:
        """Yield games of the sizes with the largest probability to exceed the bound by equal outcomes."""
        lines = {ratio: cls(accountant, (ratio,), _MAX_ROUNDS) for ratio in map(_rational_ratio, _SIZES)}
        straight = {ratio: line.all_positive_probability() for ratio, line in lines.items()}
        best = sorted((ratio for ratio, chance in straight.items() if chance), key=lambda r: -straight[r])
        ratios = tuple(best[:_MAX_RATIOS]) or (_rational_ratio(_SIZES[len(_SIZES) // 2]),)
        yield cls(accountant, ratios[:1], _MAX_ROUNDS)
        for rounds in _ROUNDS:
            yield cls(accountant, ratios, rounds)

    def all_positive_probability(self) -> float:
        """Return the probability of the fewest positive outcomes in a row that exceed the bound, or 0."""
        (ratio,) = self.ratios
        state = self.accountant.start(1)
        for t in range(1, self.rounds + 1):
            count_work(1)
            state = self.accountant.spend(state, self._pairs[ratio])
            if t * math.log(ratio) > self.odometer_bound(state):
                return float((ratio / (1 + ratio)) ** t)
        return 0.0


def _rational_ratio(size: float) -> Fraction:
    """Return the multiple of 1/64 above 1 that is nearest to e^size."""
    return Fraction(max(round(math.exp(size) * 64), 65), 64)


def _log_certainly_above(odds: fmpq, bound: float) -> bool:
    """Whether log(odds) is certainly above the bound."""
    loss = math.log(int(odds.p)) - math.log(int(odds.q))
    if abs(loss - bound) > 1e-6 * (1 + abs(bound)):
        return loss > bound
    with PRECISION_LOCK, flint.ctx.workprec(2 * BITS):
        return bool(flint.arb(odds).log() > to_ball(bound))
