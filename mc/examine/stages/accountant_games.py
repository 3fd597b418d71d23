"""The examination of an accountant by games: which requests it grants, and whether a play exceeds its guarantee."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from filterproof.filters.accountants.verifiable import VerifiableAccountant
from filterproof.filters.contract.work import OutOfWork, WorkLimit, count_work
from filterproof.mc.examine.accountants import GAME_BY_QUERY_KIND
from filterproof.mc.examine.accountants.accountant_game import AccountantGame
from filterproof.mc.examine.counterexample import measured_counterexample
from filterproof.mc.examine.divergence import Divergence, certainly_exceeds
from filterproof.mc.examine.filter_fault import filter_faults_raised
from filterproof.mc.examine.formatting import count_words
from filterproof.mc.examine.minimise import minimise
from filterproof.mc.examine.stage_finding import SearchLog, StageFinding, Tightness
from filterproof.theory.evidence import Evidence

#: Units of work of a play of an accountant's game, besides the filter's calls, and of its value.
_PLAYED, _SOLVED = 20, 10
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


def accountant_games_stage(accountant: Any, limit: WorkLimit) -> Iterator[StageFinding]:
    """Yield the first refuting game, minimised, or else one finding on all solved games."""
    tried = AccountantSearch(accountant=accountant)
    try:
        with filter_faults_raised(accountant):
            for game in tried.largest(limit):
                for measure in game.measures():
                    if limit.exhausted:
                        raise OutOfWork
                    if (refutation := tried.solve(game, measure)) is not None:
                        yield refutation
                        return
    except OutOfWork:
        tried.cut = True
    yield tried.summary()


@dataclass(slots=True)
class AccountantSearch(SearchLog):
    """The games played and solved so far, with the nearest row for each kind of play and divergence."""

    stage, question = "games", "What is the largest divergence in games played by its own code?"

    accountant: VerifiableAccountant = field(kw_only=True)

    def largest(self, limit: WorkLimit) -> list[AccountantGame]:
        """Return the games that no other game contains. Half of the work goes into playing."""
        part, best = limit.fraction(0.5), dict[tuple[str, Any], AccountantGame]()
        for game in _proposed_games(self.accountant):
            self.tried += 1
            count_work(_PLAYED)
            key = game.menu, frozenset(game.released_counts.items())
            if key not in best or game.rounds < best[key].rounds:
                best[key] = game
            if part.exhausted:
                self.cut = True
                break
        # a counter is below another if it has fewer releases of some pair, and more of none
        menus = [(game.menu, game.released_counts) for game in best.values()]
        return [
            game
            for game in best.values()
            if not any(menu == game.menu and game.released_counts < counts for menu, counts in menus)
        ]

    def solve(self, game: AccountantGame, measure: Divergence) -> StageFinding | None:
        """Solve a game for a divergence; return the finding if it exceeds the guarantee."""
        count_work(_SOLVED)
        solved, promised = game.solve_divergence(measure), game.promised(measure)
        row = Tightness(measure, game.menu, solved.low, solved.high, promised, Evidence.CERTIFIED)
        self.keep((game.menu, measure), row)
        if not certainly_exceeds(solved.low, promised):
            return None
        game = _minimised_game(game, measure)
        solved, promised = game.solve_divergence(measure), game.promised(measure)
        low, high, data = solved.low, solved.high, game.to_data()
        counterexample = measured_counterexample(self.accountant, measure, low, promised, game=data)
        scope = f"an analyst who asks: {game.description}"
        return self.refutation(game.description, scope, counterexample, worst=high)

    def summary(self) -> StageFinding:
        """Return the summary of the solved games. A game is not a proof, so there is no verdict."""
        worth = "none exceeds the guarantee" if self.rows else "and none was measured"
        result = f"{count_words(self.tried, 'play')} by its own code, {worth}"
        menus = "; ".join(dict.fromkeys(row.menu for row in self.rows.values()))
        return self.finding(result, menus, _NOT_TRIED)


def _minimised_game(game: AccountantGame, measure: Divergence) -> AccountantGame:
    """Remove the parts that the game does not need to exceed the guarantee."""

    @cache  # equal rounds are interchangeable
    def exceeds_guarantee(parts: tuple[Any, ...]) -> bool:
        """Whether the game with only these parts certainly exceeds its guarantee."""
        if (less := game.with_parts(parts)) is None:
            return False
        return certainly_exceeds(less.solve_divergence(measure).low, less.promised(measure))

    return game.with_parts(minimise(game.minimisable_parts, exceeds_guarantee)) or game
