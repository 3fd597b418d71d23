"""The game of every filter's page: its best strategy, simulated, must give the value that the game was solved to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from filterproof.reports.chapters.common import agreed
from filterproof.reports.finding import Claim, Finding, Told
from filterproof.reports.pages.attack_table import AttackRow, Runs, attacks_of, attacks_table
from filterproof.reports.pages.page_subjects import SUBJECTS
from filterproof.reports.pages.simulated_games import GameJob, Played, play
from filterproof.reports.study import Study

GATHERS = True


def tell(study: Study, claims: Sequence[Claim]) -> Told:
    runs = Runs(*map(study.size, Runs()))
    study.count(sum(len(one.simulated) + 1 + attacks_of(one) for one in SUBJECTS))
    jobs = [
        GameJob(place, study.failure / study.comparisons, runs, study.seed) for place in range(len(SUBJECTS))
    ]
    games = study.map(play, jobs, doing="the game of every filter")
    study.games.update({one.name: game for one, game in zip(SUBJECTS, games, strict=True)})
    attacks = {name: game.attacks for name, game in study.games.items()}
    return Told(
        findings=(judge(claims[0], study.games), judge_attacks(claims[1], attacks)),
        tables=(attacks_table(attacks),),
    )


def judge(claim: Claim, games: Mapping[str, Played]) -> Finding:
    """Whether the simulation of each game's best strategy agrees with the enclosure that the game was solved to."""
    scope = f"{len(games)} games, each with the strategy that wins at one epsilon, simulated and solved"
    routes = ((name, one.at_main.estimate, one.main.low, one.main.high) for name, one in games.items())
    return agreed(claim, routes, scope=scope)


def judge_attacks(claim: Claim, attacks: Mapping[str, Sequence[AttackRow]]) -> Finding:
    """Whether what each adversary was seen to get agrees with what is certified of it."""
    every = [one for rows in attacks.values() for one in rows]
    most = max((one.estimate.n for one in every), default=0)
    scope = f"{len(every)} attacks, {sum(one.estimate.n for one in every):,} runs, at most {most:,} for one"
    routes = ((f"{one.adversary}, {one.filter}", one.estimate, one.low, one.high) for one in every)
    return agreed(claim, routes, scope=scope)
