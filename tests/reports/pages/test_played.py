"""The games of the pages have the values that closed forms give them, and simulations meet them."""

import math

import pytest

from filterproof.filters.catalogue import CATALOGUE
from filterproof.reports.chapters import chapter
from filterproof.reports.chapters.games import judge_attacks
from filterproof.reports.pages.attack_table import Runs, attacks_table
from filterproof.reports.pages.attacker_figure import AttackerShown
from filterproof.reports.pages.filter_page import filter_page
from filterproof.reports.pages.overview import Row
from filterproof.reports.pages.page_subjects import SUBJECTS
from filterproof.reports.pages.simulated_games import GameJob, Played, SolvedPoint, play
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.numerics.decimals import interval

GAMES = chapter("games")

PLACES = {one.name: place for place, one in enumerate(SUBJECTS)}
QUICK = ("BasicFilter", "NaturalFilter")
FAILURE = 3e-7


@pytest.fixture(scope="module")
def played() -> dict[str, Played]:
    runs = Runs(best=20_000, other=8192)
    return {name: play(GameJob(PLACES[name], FAILURE, runs, 7)) for name in QUICK}


def within(game: SolvedPoint, value: float) -> bool:
    return game.low * (1 - 1e-9) <= value <= game.high * (1 + 1e-9)


def test_erasures_reach_what_independent_failures_add_up_to(played: dict[str, Played]) -> None:
    # four failures of a quarter of delta are all that the basic filter promises
    assert within(played["BasicFilter"].main, 1 - (1 - 2.5e-4) ** 4)


def test_the_natural_filters_game_is_at_least_its_three_rounds_and_told_at_each_epsilon_once(
    played: dict[str, Played],
) -> None:
    game = played["NaturalFilter"].main
    assert game.evidence is Evidence.EXACT
    assert game.low > 1899 / 5915 > game.promised
    assert math.isclose(game.promised, 45 / 169)
    epsilons = [one.epsilon for one in played["NaturalFilter"].curve]
    assert len(epsilons) == len(SUBJECTS[PLACES["NaturalFilter"]].epsilons)
    assert min(abs(one - math.log(9 / 4)) for one in epsilons) < 1e-12


def test_every_simulation_meets_its_game_and_counts_its_distance(played: dict[str, Played]) -> None:
    for one in played.values():
        estimate = one.at_main.estimate
        assert estimate.low <= one.main.high
        assert estimate.high >= one.main.low
        far = max(estimate.high - one.main.low, one.main.high - estimate.low)
        assert one.off == pytest.approx(far / one.main.low)


def test_each_adversary_gets_what_is_certified_of_it_with_two_sets_of_parameters(
    played: dict[str, Played],
) -> None:
    for name, one in played.items():
        example, larger = repr(SUBJECTS[PLACES[name]].make()), repr(CATALOGUE[name].larger())
        assert [row.filter for row in one.attacks] == 3 * [example] + 3 * [larger]
        named = [row.adversary for row in one.attacks]
        assert named == 2 * ["the solver's best", "MenuChasing", "MenuRandom"]
        solved, chasing, by_coins = one.attacks[:3]
        assert (solved.low, solved.high) == (one.main.low, one.main.high)
        assert 0 < chasing.low <= chasing.high <= one.main.high * (1 + 1e-9)
        assert 0 < by_coins.low <= by_coins.high <= one.main.high
        assert all(row.meets and row.estimate.failure == pytest.approx(FAILURE) for row in one.attacks)


def test_runs_are_counted(played: dict[str, Played]) -> None:
    assert [row.estimate.n for row in played["BasicFilter"].attacks] == [20_000] + 5 * [8192]
    runs = {name: game.attacks for name, game in played.items()}
    found = judge_attacks(GAMES.claims[1], runs)
    assert found.as_expected
    assert found.result.failure == pytest.approx(12 * FAILURE)
    assert found.result.scope.startswith("12 attacks")


def test_the_attacks_are_in_a_table_and_the_page_says_what_an_attacker_gets(
    played: dict[str, Played],
) -> None:
    subject, one = SUBJECTS[PLACES["BasicFilter"]], played["BasicFilter"]
    open_ = Verdict(Outcome.UNDECIDED, Evidence.STATISTICAL, "all", "nothing found")
    row = Row(subject, "a promise", open_, one, None, None)
    page, shown = filter_page(row), AttackerShown(row)
    table = attacks_table({subject.name: one.attacks})
    assert len(table.rows) == 6
    cells = dict(zip(table.columns, table.rows[0], strict=True))
    assert (cells["adversary"], cells["runs"], cells["meets"]) == ("the solver's best", "20,000", "yes")
    assert {row[table.columns.index("runs")] for row in table.rows[1:]} == {"8,192"}
    assert cells["simulated"] == interval(one.attacks[0].estimate.low, one.attacks[0].estimate.high, 4)
    assert "Promised, an advantage of at most 47 %" in dict(page.facts)["An attacker gets"]
    most = shown.curves["promised"].hits(1e-3)
    assert most == pytest.approx(1e-3 + math.e * 1e-3)
    low, high = (1 - float(end(1e-3)) for end in (one.band.high, one.band.low))
    assert 1e-3 <= low <= high
    menu = shown.curves["certified on this menu"]
    assert low <= menu.hits(1e-3) <= most * (1 + 1e-9)
    drawn = one.band.backward[0.0]
    assert drawn.low <= menu.advantage
    in_percent = [interval(100 * a, 100 * b, 3) for a, b in ((drawn.low, drawn.high), (low, high))]
    assert f"% in {in_percent[0]} %, and hits in {in_percent[1]} %," in shown.words.replace("%, in", "% in")
    assert "Simulated, the game's best strategy, 8,192 runs" in dict(page.facts)["An attacker gets"]
    assert [picture.name for picture in page.pictures][:2] == [subject.key, f"{subject.key}-attacker"]


def test_what_is_simulated_of_an_attacker_meets_what_is_certified_of_him(played: dict[str, Played]) -> None:
    for one in played.values():
        assert one.band is not None
        assert one.band.failure == FAILURE
        gains = dict(one.band.backward)
        for solved in one.curve:
            gain = next((found for at, found in gains.items() if abs(at - solved.epsilon) < 1e-9), None)
            assert gain is None or gain.low <= solved.high
        main = gains[min(gains, key=lambda at: abs(at - one.main.epsilon))]
        assert main.low <= one.main.high
        assert one.main.low <= main.high


@pytest.mark.parametrize("name", ["BasicFilter", "NaturalFilter"])
def test_the_code_of_a_page_gives_the_numbers_of_the_page_again(
    name: str, played: dict[str, Played], capsys: pytest.CaptureFixture[str]
) -> None:
    subject = SUBJECTS[PLACES[name]]
    refuted = Verdict(Outcome.REFUTED, Evidence.EXACT, "a plan", "worth more", {"kind": "numbers"})
    page = filter_page(Row(subject, "a promise", refuted, played[name], None, None))
    exec(page.code, {})  # noqa: S102, it is ours
    said = capsys.readouterr().out
    assert interval(played[name].main.low, played[name].main.high, 9) in said
    assert str(played[name].at_main.estimate) in said
