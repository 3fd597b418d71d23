"""Games of accountants with state: two data sets that differ in one person, and the bound of an odometer.

Each is played by the accountant's own code, and replayed from its data by anyone who has that code.
"""

from __future__ import annotations

from collections.abc import Mapping

from filterproof.filters.accountants.verifiable import QueryKind, VerifiableAccountant
from filterproof.mc.examine.accountants.accountant_game import AccountantGame
from filterproof.mc.examine.accountants.losses import OvertakingGame
from filterproof.mc.examine.accountants.people import PeopleGame

__all__ = ["GAMES", "game_of"]

#: The game of each way in which an accountant is asked; a tracker is played as a `BlockFilter`.
GAMES: dict[QueryKind, type[AccountantGame]] = {
    "selects": PeopleGame,
    "sums": PeopleGame,
    "losses": OvertakingGame,
}


def game_of(accountant: VerifiableAccountant, data: object) -> AccountantGame:
    """The game of a counterexample, played by this accountant; ValueError for data of another kind of game."""
    kind = GAMES.get(accountant.played)
    if kind is not None and isinstance(data, Mapping) and set(data) == kind.fields:
        return kind.from_data(accountant, data)
    raise ValueError(
        f"game must be one of {type(accountant).__name__}, got {repr(data)[:40]}; pass what was written"
    )
