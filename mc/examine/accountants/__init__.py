"""Games of accountants with state: two data sets that differ in one person, and the bound of an odometer.

The accountant's own code plays each game. Anyone with that code can replay the game from its data.
"""

from __future__ import annotations

from collections.abc import Mapping

from filterproof.filters.accountants.verifiable import QueryKind, VerifiableAccountant
from filterproof.mc.examine.accountants.accountant_game import AccountantGame
from filterproof.mc.examine.accountants.loss_bound_game import LossBoundGame
from filterproof.mc.examine.accountants.people_game import PeopleGame

__all__ = ["GAME_BY_QUERY_KIND", "game_from_data"]

#: The game for each kind of query. A tracker is played as a `TrackerLimitFilter`.
GAME_BY_QUERY_KIND: dict[QueryKind, type[AccountantGame]] = {
    "selects": PeopleGame,
    "sums": PeopleGame,
    "losses": LossBoundGame,
}


def game_from_data(accountant: VerifiableAccountant, data: object) -> AccountantGame:
    """Return the recorded game for this accountant; raise ValueError for data of another kind of game."""
    kind = GAME_BY_QUERY_KIND.get(accountant.query_kind)
    if kind is not None and isinstance(data, Mapping) and set(data) == kind.fields:
        return kind.from_data(accountant, data)
    raise ValueError(
        f"game must be a game of {type(accountant).__name__}, got {repr(data)[:40]}; pass the data that to_data "
        f"returned"
    )
