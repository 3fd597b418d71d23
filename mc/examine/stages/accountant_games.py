"""The examination of an accountant by its games: what it lets through, and what the largest of its plays are worth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from filterproof.filters.accountants.verifiable import VerifiableAccountant
from filterproof.filters.contract.work import OutOfWork, WorkLimit, count
from filterproof.mc.examine.accountants import GAMES
from filterproof.mc.examine.accountants.accountant_game import AccountantGame
from filterproof.mc.examine.counterexample import measured_counterexample
from filterproof.mc.examine.divergence import Divergence, exceeds
from filterproof.mc.examine.examination import StageFinding, Tightness
from filterproof.mc.examine.filter_fault import examining
from filterproof.mc.examine.formatting import count_words
from filterproof.mc.examine.minimise import minimise
from filterproof.mc.examine.search_log import SearchLog
from filterproof.theory.evidence import Evidence

#: Units of work of a play of an accountant's game beside what its filter is asked, and of its value.
_PLAYED, _SOLVED = 20, 10
#: What a tracker lets through.
_BLOCKS = (
    "everything, for it denies nothing: what keeps its promise is fp.odometers.BlockFilter(tracker, blocks)"
)
_UNSEEN = "other questions, longer plays, and the last bits of noise that is drawn in doubles"


def lets_through(accountant: Any, limit: WorkLimit) -> Iterator[object]:
    """What it promises, and what a fresh one lets through of what is asked first, which is all asked."""
    with examining(accountant):
        yield {"promise": accountant.promise, "scope": accountant.scope}
        game = next(_proposed(accountant), None)
    told = "nothing" if game is None else f"{game.menu}: {game.asked}"
    if accountant.played == "blocks":
        told = _BLOCKS
    yield StageFinding(
        "admission", "What does a fresh one let through?", told, told, "" if game else "everything else"
    )


def _proposed(accountant: VerifiableAccountant) -> Iterator[AccountantGame]:
    kind = GAMES.get(accountant.played)
    return (game for game in kind.proposed(accountant) if game.released) if kind else iter(())


def games_of(accountant: Any, limit: WorkLimit) -> Iterator[StageFinding]:
    """A finding for each refutation, the smallest game that shows it, and one on all games that were solved."""
    tried = AccountantSearch(accountant=accountant)
    try:
        with examining(accountant):
            for game in tried.largest(limit):
                for measure in game.measures():
                    if limit.exhausted:
                        raise OutOfWork
                    if (found := tried.solve(game, measure)) is not None:
                        yield found
                        return
    except OutOfWork:
        tried.cut = True
    yield tried.summary()


@dataclass(slots=True)
class AccountantSearch(SearchLog):
    """The games played and solved so far; of each kind of play and measure the row nearest to the promise."""

    stage, asked = "games", "What is the most that it lets anyone tell, played by its own code?"

    accountant: VerifiableAccountant = field(kw_only=True)

    def largest(self, limit: WorkLimit) -> list[AccountantGame]:
        """The games that no other contains; half of the work goes into playing."""
        part, best = limit.fraction(0.5), dict[tuple[str, Any], AccountantGame]()
        for game in _proposed(self.accountant):
            self.tried += 1
            count(_PLAYED)
            key = game.menu, frozenset(game.released.items())
            if key not in best or game.rounds < best[key].rounds:
                best[key] = game
            if part.exhausted:
                self.cut = True
                break
        games = list(best.values())
        return [one for one in games if not any(_inside(one, other) for other in games)]

    def solve(self, game: AccountantGame, measure: Divergence) -> StageFinding | None:
        """Solve a game for a measure; the finding if it is above the promise."""
        count(_SOLVED)
        solved, promised = game.solved(measure), game.promised(measure)
        row = Tightness(measure, game.menu, solved.low, solved.high, promised, Evidence.CERTIFIED)
        self.keep((game.menu, measure), row)
        if not exceeds(solved.low, promised):
            return None
        game = _minimal(game, measure)
        solved, promised = game.solved(measure), game.promised(measure)
        counterexample = measured_counterexample(
            self.accountant, measure, solved.low, promised, game=game.to_data()
        )
        scope = f"an analyst who asks: {game.asked}"
        return StageFinding.refuted(
            self.stage, self.asked, game.asked, scope, counterexample, worst=solved.high
        )

    def summary(self) -> StageFinding:
        """What was solved; a game is no proof, so nothing is said of the promise itself."""
        rows = tuple(self.rows.values())
        worth = "none worth more than the promise" if rows else "and none was measured"
        told = f"{count_words(self.tried, 'play')} by its own code, {worth}"
        return self.finding(told, "; ".join(dict.fromkeys(row.menu for row in rows)), _UNSEEN, rows)


def _inside(one: AccountantGame, other: AccountantGame) -> bool:
    return one is not other and one.menu == other.menu and one.released < other.released


def _minimal(game: AccountantGame, measure: Divergence) -> AccountantGame:
    """The game without the parts that it does not need to be above the promise."""

    @cache  # of equal rounds any one is left out alike
    def above(parts: tuple[Any, ...]) -> bool:
        less = game.with_parts(parts)
        return less is not None and exceeds(less.solved(measure).low, less.promised(measure))

    return game.with_parts(minimise(game.parts, above)) or game
