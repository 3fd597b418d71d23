"""The terms of a game: a filter, an adversary and the rules of play. Nothing is played here.

>>> import filterproof as fp
>>> fp.runs.Game.between(fp.ZCDPFilter(rho=0.5), fp.OneShot()).rounds
1
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from filterproof.filters.contract.contract_checks import checked_filter
from filterproof.filters.contract.filter_base import OnDenial
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.adversary import Adversary, checked_adversary
from filterproof.mc.engine.budget_monitor import BudgetMonitor
from filterproof.theory.argument_checks import check_count, check_real
from filterproof.theory.pairs.base import Direction

#: Whether infinite losses are drawn, or never drawn and accounted for by `FinishedRuns.log_finite`.
Erasures: TypeAlias = Literal["drawn", "weighed"]

#: The most rounds: counts of them are exact in doubles.
MAX_ROUNDS = 2**53
#: Rounds of a game without a horizon of the adversary and without `rounds`.
DEFAULT_ROUNDS = 1000


@dataclass(frozen=True, slots=True)
class Game:
    """A filter, an adversary and the rules of play, which together determine the distribution of a run.

    In each round the adversary makes a request, the filter decides from its state, the run is charged, the output is
    drawn, and the filter observes the privacy loss.

    Parameters
    ----------
    filter : PrivacyFilter
        The filter.
    adversary : Adversary
        The adversary. `Game.between` derives its open parameters from the filter.
    rounds : int
        Largest number of rounds, at most 2^53.
    order : float, default 1.0
        Order of the tilted distribution that outputs are drawn from. With 1 there is no tilt.
    direction : {"PQ", "QP"}
        Outputs are drawn from P ("PQ") or from Q ("QP").
    on_denial : {"halt", "retry"}
        A denied run ends, or may ask again in the next round. An adversary with a final request makes it and ends.
    erasures : {"drawn", "weighed"}
        Infinite losses are drawn. Or they are excluded, and each run carries the probability of having none.
    monitor : BudgetMonitor, optional
        The engine's own bound on each run.

    Raises
    ------
    TypeError
        If `filter` is not a filter or `adversary` is not an adversary.
    ValueError
        If another argument is out of range.
    """

    filter: PrivacyFilter
    adversary: Adversary
    rounds: int
    order: float = 1.0
    direction: Direction = "PQ"
    on_denial: OnDenial = "halt"
    erasures: Erasures = "drawn"
    monitor: BudgetMonitor | None = None

    def __post_init__(self) -> None:
        checked_filter(self.filter)
        checked_adversary(self.adversary)
        if check_count("rounds", self.rounds) > MAX_ROUNDS:
            raise ValueError(
                f"rounds must be at most 2^53, got more than {MAX_ROUNDS:,}; leave it out for the horizon"
            )
        check_real("order", self.order)
        for name, value, allowed in (
            ("direction", self.direction, ("PQ", "QP")),
            ("on_denial", self.on_denial, ("halt", "retry")),
            ("erasures", self.erasures, ("drawn", "weighed")),
        ):
            if value not in allowed:
                raise ValueError(f"{name} must be one of {allowed}, got {name}={value!r}; pass one of them")

    @classmethod
    def between(
        cls,
        filt: PrivacyFilter,
        adversary: Adversary,
        *,
        rounds: int | None = None,
        direction: Direction = "PQ",
        on_denial: OnDenial = "halt",
    ) -> Game:
        """Return the game of `adversary.against(filt)`.

        The game lasts for `rounds` rounds, or for the adversary's horizon if this is shorter. Without `rounds` and
        without a horizon it lasts for 1000 rounds.
        """
        game = cls(filt, adversary, DEFAULT_ROUNDS if rounds is None else rounds, 1.0, direction, on_denial)
        adversary = adversary.against(filt)
        horizon = adversary.horizon
        if horizon is not None and (rounds is None or horizon < rounds):
            game = replace(game, rounds=horizon)
        return replace(game, adversary=adversary)

    @property
    def waits(self) -> bool:
        """Whether a denied run stays in the game and asks again in the next round."""
        return self.on_denial == "retry" and not self.adversary.asks_finally

    def at(self, order: float, monitor: BudgetMonitor | None = None) -> Game:
        """Return the same game with outputs drawn from the distribution tilted to `order`, under a budget monitor."""
        return replace(self, order=order, monitor=monitor)
