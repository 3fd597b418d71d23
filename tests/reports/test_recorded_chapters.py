"""Chapters with a record: each claim is decided on the code that runs, and the tables say what the record says."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import filterproof as fp
from filters.holders.repeats import repeats
from filters.rules.potential import COMMON_RATES
from mc.examine.replay import replayed
from reports.chapter import Chapter
from reports.chapters import accountant, central_limit, chapter, rates
from reports.chapters.bench import recorded_bench
from reports.chapters.central_limit import GAMES, MENUS, POINTS
from reports.chapters.power import recorded_faults, recorded_power
from reports.chapters.rates import CASES, DELTA
from reports.pages.played import SolvedPoint
from reports.study import Study
from reports.words import record
from theory.evidence import Evidence, Outcome, Verdict
from theory.pairs import Gaussian, SubsampledGaussian

ACCOUNTANT, BENCH, CENTRAL_LIMIT, RATES = map(chapter, ("accountant", "bench", "central-limit", "rates"))


def verdict_of(chapter: Chapter, study: Study | None = None) -> Verdict:
    return chapter.tell(study or Study(), chapter.claims).findings[0].verdict


def contains(cells: tuple[str, ...], row: dict[str, Any], unit: float) -> bool:
    """Whether the last two cells, in units, contain the ends of the row."""
    low, high = (float(cell) * unit for cell in cells[-2:])
    return low * (1 - 1e-15) <= row["low"] <= row["high"] <= high * (1 + 1e-15)


# -- the accountant's rule -------------------------------------------------------------------------------------

SOLVED = SolvedPoint(2.0, 3.00016e-5, 3.99974e-5, 1e-5, Evidence.CERTIFIED, 20, "a scope")


def a_study() -> Study:
    study = Study()
    study.games["AccountantFilter"] = SimpleNamespace(main=SOLVED)
    return study


def test_the_page_has_solved_the_game_already(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accountant, "measured", None)
    verdict = verdict_of(ACCOUNTANT, a_study())
    assert verdict.outcome is Outcome.REFUTED
    assert "between 3.0001 and 3.9998 times" in verdict.detail


@pytest.mark.parametrize("change", [{"epsilon": 2.5}, {"direction": "QP"}, {"rounds": 9}], ids=str)
def test_another_game_of_the_page_is_not_taken(
    change: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accountant, "SUBJECTS", [replace(one, **change) for one in accountant.SUBJECTS])
    monkeypatch.setattr(accountant, "measured", lambda *_: replace(SOLVED, low=0.0, high=1e-5))
    assert verdict_of(ACCOUNTANT, a_study()).outcome is Outcome.UNDECIDED


def test_the_recorded_ends_contain_what_was_solved() -> None:
    recorded = record("accountant")
    table = accountant._table(recorded)
    assert all(contains(cells, row, 1e-5) for cells, row in zip(table.rows, recorded["rows"], strict=True))


# -- the central limit -----------------------------------------------------------------------------------------


def test_the_central_limit_is_refuted_and_its_witness_plays_again() -> None:
    told = CENTRAL_LIMIT.tell(Study(), CENTRAL_LIMIT.claims)
    verdict = told.findings[0].verdict
    assert (verdict.outcome, verdict.evidence) == (Outcome.REFUTED, Evidence.CERTIFIED)
    assert "365 of SubsampledGaussian(q=0.02" in verdict.detail
    assert "at least 8.6" in verdict.detail  # 8.65 by inversion, 8.55 by cells
    assert replayed(verdict.witness).refutes
    assert [len(table.rows) for table in told.tables] == [len(POINTS) * 4, len(GAMES)]


def test_a_filter_that_keeps_the_promise_is_not_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(central_limit, "_filter", lambda *point: fp.PotentialFilter(*point, MENUS[0]))
    verdict = verdict_of(CENTRAL_LIMIT)
    assert (verdict.outcome, verdict.witness) == (Outcome.UNDECIDED, None)


def test_the_record_has_each_rule_s_rounds_and_what_they_reach() -> None:
    recorded = record("accountant")["central_limit"]["rows"]
    wanted = [(*point, pair) for point in POINTS for menu in MENUS for pair in menu]
    for (epsilon, delta, pair), row in zip(wanted, recorded, strict=True):
        assert (row["epsilon"], row["delta"], row["mechanism"]) == (epsilon, delta, repr(pair))
        assert 1.3 * row["delta"] < row["low"] <= row["high"]
        assert row["Rényi"] <= row["potential"] < row["central limit"]
        assert row["plan"] is None or row["potential"] <= row["plan"] < row["central limit"]
        if pair in MENUS[0] and epsilon < 4.0:
            filt = central_limit._filter(epsilon, delta)
            assert repeats(filt, pair, most=5_000) == row["central limit"]


def test_the_record_of_games_is_above_what_is_fixed_in_advance() -> None:
    recorded = record("accountant")["central_limit"]
    table = central_limit._tables(recorded)[1]
    for game, row, cells in zip(GAMES, recorded["games"], table.rows, strict=True):
        assert (row["epsilon"], row["delta"], row["menu"]) == (*game[:2], [repr(pair) for pair in game[2]])
        assert row["delta"] < row["fixed"] < row["low"] <= row["high"] <= 1.03 * row["low"]
        assert float(cells[-3]) * row["delta"] * (1 - 1e-15) <= row["fixed"]
        assert contains(cells, row, row["delta"])


def test_a_menu_of_few_rounds_is_measured_and_gaussians_without_sampling_keep_the_promise() -> None:
    pair, epsilon, delta = SubsampledGaussian(0.1, 1.0), 2.0, 1e-3
    (row,) = central_limit.overshoot(epsilon, delta, (pair,))
    assert row["Rényi"] <= row["potential"] <= row["plan"] < row["central limit"]
    assert delta < row["low"] <= row["high"] <= 1.03 * row["low"]
    game = central_limit.played(epsilon, delta, (pair, SubsampledGaussian(0.19, 1.0)))
    assert game["fixed"] <= game["low"] <= game["high"]
    (row,) = central_limit.overshoot(2.0, 1e-5, (Gaussian(0.1),))
    assert row["central limit"] == row["plan"]
    assert row["high"] <= row["delta"]


# -- rates that change -----------------------------------------------------------------------------------------


def test_nine_tenths_of_the_plans_are_claimed_as_they_are_found() -> None:
    told = RATES.tell(Study(), RATES.claims)
    verdict = told.findings[0].verdict
    assert verdict.outcome is Outcome.HOLDS
    assert "1089 of" in verdict.detail
    assert len(told.tables) == 2


def test_a_filter_that_grants_less_or_too_much_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = COMMON_RATES[2]  # a fixed plan has 144 rounds of it
    monkeypatch.setattr(rates, "CASES", ((2.0, (pair,), 0),))
    for granted, says in ((100, "Not nine tenths"), (150, "More than delta")):
        monkeypatch.setattr(rates, "_rounds", lambda filt, menu, granted=granted: [granted])
        verdict = verdict_of(RATES)
        assert verdict.outcome is Outcome.UNDECIDED
        assert verdict.detail.startswith(says)


def test_the_record_is_within_the_promise_and_its_rounds_are_those_that_are_granted() -> None:
    recorded = record("accountant")["rates"]
    rounds, worst = rates.tables_of(recorded)
    lines = iter(worst.rows)
    for (epsilon, menu, _), row in zip(CASES, recorded["rows"], strict=True):
        assert (row["epsilon"], row["menu"]) == (epsilon, [repr(pair) for pair in menu])
        by_rule = {one["rule"]: one for one in row["rules"]}
        for one in by_rule.values():
            assert one["low"] <= one["high"] <= DELTA
            assert all(n <= plan for n, plan in zip(one["rounds"], row["plans"], strict=True))
            cells = next(lines)
            assert contains(cells, by_rule[cells[2]], DELTA)
        if epsilon == 2.0:
            filt = fp.PotentialFilter(epsilon, DELTA, menu)
            granted = [int(filt.rounds(filt.start(1), pair)[0]) for pair in menu]
            assert by_rule["potential"]["rounds"] == granted
    assert next(lines, None) is None
    assert len(rounds.rows) == sum(len(menu) for _, menu, _ in CASES)


def test_a_small_menu_is_measured_by_all_rules() -> None:
    menu = (fp.Gaussian(0.5), fp.Gaussian(0.8))
    found = rates.kept_of_plans(4.0, menu, 40)
    assert found["plans"] == [fp.compare_filters(4.0, DELTA, pair).fewest for pair in menu]
    for one in found["rules"]:
        assert 0 < one["low"] <= one["high"] <= DELTA
        assert all(0 < n <= plan for n, plan in zip(one["rounds"], found["plans"], strict=True))


# -- what measures the house -----------------------------------------------------------------------------------

HEAD = {"date": "2026-11-21", "python": "3.12.1", "numpy": "2.4.0", "cores": 1}
EMPTY: dict[str, Any] = dict.fromkeys(("value", "error", "encloses", "seconds", "times"))
PEER = EMPTY | {
    **{"work": "randomised response, e=0.1", "rounds": 48, "epsilon": 2.0, "route": "binomial sum"},
    **{"by": "somebody 1.0", "reference": 0.0008, "absent": ""},
}
NUMBERS = {"value": 0.00082, "error": 0.025, "encloses": False, "seconds": 0.012, "times": 3.0}


def test_a_peer_s_row_says_its_error_its_time_and_whether_its_bounds_hold() -> None:
    (table,) = recorded_bench(HEAD | {"peers": [PEER | NUMBERS, PEER | {"absent": "not installed"}]})
    here, absent = table.rows
    assert here[:4] == ("48 x randomised response, e=0.1 (binomial sum)", "somebody 1.0", "2", "0.0008")
    assert here[4:] == ("0.00082", "+2.5e-02", "no", "12", "3")
    assert absent[1] == "somebody 1.0: not installed"
    assert set(absent[4:]) == {""}
    assert "on one machine of 1 core on 2026-11-21, with Python 3.12.1 and NumPy 2.4.0" in table.caption
    assert "ratio is the median of pairs" in table.caption
    assert not table.reproducible


def test_the_other_tables_show_ratios() -> None:
    rate = {"ratio": 1.25, "ns": 9.0, "rounds": 99.6}
    parts = {
        "rates": [{"game": "a", "numpy": rate, "compiled": rate | {"ratio": 0.5}}],
        "starts": [{"game": "b", "n": 1000, "ratio": 50.0, "ms": 12.0}],
        "estimators": [{"game": "c", "delta": 1e-6, "gains": {"tilted": 1234.5}}],
    }
    assert [table.rows for table in recorded_bench(HEAD | parts)] == [
        (("a", "100", "1.25", "0.50"),),
        (("b", "1,000", "50.0", "12.0"),),
        (("c", "1e-06", "1.23e+03", ""),),
    ]


def test_the_recorded_benchmarks_are_shown_and_nothing_where_none_were(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = BENCH.tell(Study(quick=True), BENCH.claims)
    assert told.findings == ()
    ours = [row for row in told.tables[0].rows if row[1].startswith("Filterproof")]
    assert ours
    assert {row[6] for row in ours} <= {"yes", ""}, "every bound of ours holds"
    assert recorded_bench({}) == ()
    monkeypatch.setattr("reports.chapters.bench.record", lambda name: {})
    told = BENCH.tell(Study(quick=True), BENCH.claims)
    assert (told.notes, told.tables) == (("No benchmarks were recorded.",), ())


def test_the_rooms_of_planted_faults_add_up_to_the_score() -> None:
    recorded = record("planted")
    score, *missed = recorded_faults()
    red, of = (sum(int(row[-1].split(" of ")[place]) for row in score.rows) for place in (0, 1))
    assert (red, of) == (recorded["red"], recorded["faults"])
    assert sum(int(row[1]) for row in score.rows) <= recorded["files"]
    assert sum(len(table.rows) for table in missed) == recorded["faults"] - recorded["red"]
    assert f"{recorded['red']} of {recorded['faults']} in {recorded['files']} files refused" in score.caption


def test_the_corpus_is_counted_by_part_and_what_was_missed_is_named() -> None:
    cases = record("power")["cases"]
    ends = {"broken": ("REFUTED", "FAULTY"), "sound": ("HOLDS", "UNDECIDED")}
    wrong = [[case["half"], case["name"]] for case in cases if case["outcome"] not in ends[case["kind"]]]
    score, *missed = recorded_power()  # no second table where nothing was missed
    assert [list(row[:2]) for table in missed for row in table.rows] == wrong
    assert sum(int(row[2]) for row in score.rows) == len(cases)
    assert sum(int(row[-2].split(" of ")[0]) for row in score.rows) == len(cases) - len(wrong)
