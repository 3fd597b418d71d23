"""The game of every filter's page: its best strategy, simulated, must give the value that the game was solved to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reports.chapters.common import interval
from reports.finding import Chapter, Claim, Finding, Table, Told
from reports.pages.played import Played, play_all
from reports.shown.numbers import above, percent
from reports.study import Study
from theory.evidence import Evidence, Outcome, Verdict

__all__ = ["GAMES", "judge"]


def _tell(study: Study, claims: Sequence[Claim]) -> Told:
    study.games.update(play_all(study))
    return Told(findings=(judge(claims[0], study.games, study),), tables=(_table(study.games),))


def judge(claim: Claim, games: Mapping[str, Played], study: Study) -> Finding:
    """REFUTED where an interval excludes the enclosure of the game whose best strategy it simulates, else UNDECIDED."""
    scope = f"{len(games)} games, each with the strategy that wins at one epsilon"
    for name, played in games.items():
        game, one = played.main, played.at_main.estimate
        if one.low > game.high or one.high < game.low:
            detail = f"{name}: {one} excludes [{game.low:.6g}, {game.high:.6g}]."
            witness = {"filter": name, "epsilon": game.epsilon, "low": game.low, "high": game.high}
            return Finding(claim, Verdict(Outcome.REFUTED, Evidence.STATISTICAL, scope, detail, witness))
    name, off = max(((name, played.off) for name, played in games.items()), key=lambda pair: pair[1])
    within = percent(off, above)
    detail = (
        f"Every interval meets the enclosure of its game; the loosest is that of {name}, within {within}."
    )
    said = f"all {len(games)} agree with the solved games, the loosest within {within}"
    return Finding(claim, study.undecided(scope, detail), said=said)


def _table(games: Mapping[str, Played]) -> Table:
    return Table(
        "The worst case over each page's menu at its epsilon, and the simulation of the strategy that attains it.",
        ("filter", "epsilon", "worst case, at least", "at most", "promise", "simulated", "interval", "runs"),
        tuple(
            (
                name,
                f"{played.main.epsilon:.6g}",
                f"{played.main.low:.6g}",
                f"{played.main.high:.6g}",
                f"{played.main.promised:.6g}",
                f"{played.at_main.estimate.value:.4g}",
                interval(played.at_main.estimate),
                f"{played.at_main.estimate.n:,}",
            )
            for name, played in games.items()
        ),
        align="lrrrrrlr",
    )


GAMES = Chapter(
    key="games",
    title="Every filter's game, solved and simulated",
    promise="none: this compares two ways to the same number.",
    story="The page of each filter solves the worst adversary over a menu and simulates the strategy that it found. "
    "Solving carries laws through the filter's code and draws nothing; the simulation draws and solves nothing.",
    claims=(
        Claim(
            "games-agree",
            "The best strategy of every game, simulated, reaches the value that the game was solved to.",
            "Bellman's recursion, and intervals",
            Outcome.UNDECIDED,
        ),
    ),
    tell=_tell,
    gathers=True,
)
