"""The examination of an accountant by games: which requests it grants, and whether a play exceeds its guarantee."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from filterproof.filters.accountants.verifiable import VerifiableAccountant
from filterproof.filters.contract.work import WorkLimit, count_work
from filterproof.mc.examine.accountants import GAME_BY_QUERY_KIND
from filterproof.mc.examine.accountants.accountant_game import AccountantGame
from filterproof.mc.examine.counterexample import measured_counterexample
from filterproof.mc.examine.divergence import Divergence, certainly_exceeds
from filterproof.mc.examine.filter_fault import filter_faults_raised
from filterproof.mc.examine.formatting import count_words
from filterproof.mc.examine.minimise import minimise
from filterproof.mc.examine.search import Measurement, Search
from filterproof.mc.examine.stage_finding import StageFinding, Tightness
from filterproof.theory.evidence import Evidence

#: Units of work of a play of an accountant's game, besides the filter's calls, and of its value.
_UNITS = 20
#: Which requests a tracker grants.
_GRANTS = "everything: a tracker denies nothing; fp.odometers.TrackerLimitFilter(tracker, blocks) enforces a guarantee"
_NOT_TRIED = "other questions, longer plays, and the last bits of noise that is drawn in doubles"


def accountant_admission_stage(accountant: Any, limit: WorkLimit) -> Iterator[object]:
    """Yield the accountant's guarantee and the finding on the requests that it grants."""
    with filter_faults_raised(accountant):
        yield {"promise": accountant.promise, "scope": accountant.scope}
        game = next(_proposed_games(accountant), None)
    granted = "nothing" if game is None else f"{game.menu}: {game.description}"
    if accountant.query_kind == "blocks":
        granted = _GRANTS
    question, unseen = "Which requests does a fresh one grant?", "" if game else "everything else"
    yield StageFinding("admission", question, granted, granted, unseen)


def _proposed_games(accountant: VerifiableAccountant) -> Iterator[AccountantGame]:
    """Yield the games of the accountant's kind of query that release something."""
    kind = GAME_BY_QUERY_KIND.get(accountant.query_kind)
    return (game for game in kind.propose_games(accountant) if game.released_counts) if kind else iter(())


@dataclass(slots=True)
class AccountantSearch(Search):
    """The games of an accountant, played by its own code; the first refutation ends the search."""

    stage, question = "games", "What is the largest divergence in games played by its own code?"

    def candidates(self, limit: WorkLimit) -> Iterator[Measurement]:
        """Yield the games that no other game contains. Half of the work goes into playing."""
        part, best = limit.fraction(0.5), dict[tuple[str, Any], AccountantGame]()
        for game in _proposed_games(self.subject):
            self.tried += 1
            count_work(_UNITS)
            key = game.menu, frozenset(game.released_counts.items())
            if key not in best or game.rounds < best[key].rounds:
                best[key] = game
            if part.exhausted:
                self.cut = True
                break
        # a counter is below another if it has fewer releases of some pair, and more of none
        menus = [(game.menu, game.released_counts) for game in best.values()]
        for game in best.values():
            if not any(menu == game.menu and game.released_counts < counts for menu, counts in menus):
                for measure in game.measures():
                    if self.refutations:
                        return
                    yield self.solve(game, measure)

    def solve(self, game: AccountantGame, measure: Divergence) -> Measurement:
        """Solve a game for a divergence, and minimise it if it exceeds the guarantee."""
        count_work(_UNITS)
        solved, promised = game.solve_divergence(measure), game.promised(measure)
        if not certainly_exceeds(solved.low, promised):
            row = Tightness(measure, game.menu, solved.low, solved.high, promised, Evidence.CERTIFIED)
            yield self.finding(row)
            return
        game = _minimised_game(game, measure)
        solved, promised, data = game.solve_divergence(measure), game.promised(measure), game.to_data()
        shown = measured_counterexample(self.subject, measure, solved.low, promised, game=data)
        scope = f"an analyst who asks: {game.description}"
        yield self.refutation(game.description, scope, shown, worst=solved.high)

    def words(self) -> tuple[str, str, str, None]:
        """Return the words on the solved games. A game is not a proof, so there is no verdict."""
        worth = "none exceeds the guarantee" if self.within else "and none was measured"
        result = f"{count_words(self.tried, 'play')} by its own code, {worth}"
        return result, "; ".join(dict.fromkeys(each.menu for each in self.within.values())), _NOT_TRIED, None


def _minimised_game(game: AccountantGame, measure: Divergence) -> AccountantGame:
    """Remove the parts that the game does not need to exceed the guarantee."""

    @cache  # equal rounds are interchangeable
    def exceeds_guarantee(parts: tuple[Any, ...]) -> bool:
        """Whether the game with only these parts certainly exceeds its guarantee."""
        if (less := game.with_parts(parts)) is None:
            return False
        return certainly_exceeds(less.solve_divergence(measure).low, less.promised(measure))

    return game.with_parts(minimise(game.minimisable_parts, exceeds_guarantee)) or game
