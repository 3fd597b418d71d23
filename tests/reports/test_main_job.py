"""The main job by the command line: a whole report, and the status that its verdicts call for."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import filterproof.reports.chapters as reports_chapters
from filterproof.mc import LocalPool
from filterproof.reports import report
from filterproof.reports.chapters import chapter
from filterproof.reports.commands import verify
from filterproof.reports.finding import Claim, Finding, Told
from filterproof.reports.pages import overview
from filterproof.reports.pages.page_subjects import SUBJECTS
from filterproof.reports.study import Study
from filterproof.theory.evidence import Evidence, Outcome
from tests.reports.pages.test_overview import BROKEN, HOLDS, OPEN, game
from tests.reports.typed import Ended, filterproof

EXAMINED, GAMES = chapter("examined"), chapter("games")
#: Chapters that are told at once.
QUICK = tuple(map(chapter, ("steps", "gdp", "approximate-dp", "naive")))

LINK = re.compile(r'(?:href|src)="([^"]*)"')
#: A filter that keeps its promise and one that does not.
SHOWN = tuple(one for one in SUBJECTS if one.name in ("GaussianFilter", "NaiveRealisationFilter"))
MADE_UP = {
    Outcome.HOLDS: replace(HOLDS, evidence=Evidence.DERIVED, citations=()),
    Outcome.REFUTED: BROKEN,
    Outcome.UNDECIDED: replace(OPEN, detail="Nothing was found. Not tried: the rest."),
}


def _examined(study: Study, claims: Sequence[Claim]) -> Told:
    return Told(tuple(Finding(claim, MADE_UP[claim.expected]) for claim in claims))


def _played(study: Study, claims: Sequence[Claim]) -> Told:
    study.games.update({one.name: game(0.3) for one in SHOWN})
    return Told(())


#: Chapters that take long, with findings and games that are made up.
STAND_INS = (
    replace(EXAMINED, tell=_examined),
    replace(GAMES, tell=_played, claims=()),
)


def few(*chapters: Any) -> Callable[[], None]:
    """What leaves the main job these chapters, two filters and no accountants."""

    def patch() -> None:
        reports_chapters.CHAPTERS = chapters
        overview.SUBJECTS = SHOWN
        report.accountant_pages = lambda *_: ()
        verify.LocalPool = partial(LocalPool, 1)

    return patch


def check_report(out: Path, result: Ended, pictures: Sequence[str]) -> str:
    """The page, after what is true of every report of the main job."""
    assert result.returncode == 0, result.stdout + result.stderr
    verdicts = {v["key"]: v for v in json.loads((out / "verdicts.json").read_text())["verdicts"]}
    assert verdicts["steps-495"]["outcome"] == "HOLDS"
    assert verdicts["naive-refuted"]["outcome"] == "REFUTED"
    assert verdicts["naive-refuted"]["counterexample"]["closed_form"] == pytest.approx(
        1 - 0.99**200, rel=1e-12
    )
    assert verdicts["bstar-simulated"]["outcome"] == "UNDECIDED"
    assert all(v["as_expected"] for v in verdicts.values())
    open_ended = [
        v
        for v in verdicts.values()
        if v["outcome"] == "UNDECIDED" and re.search("nothing|no violation", v["detail"].lower())
    ]
    assert open_ended
    assert all("Not tried: " in v["detail"] for v in open_ended)
    assert not any(re.search(r"\{\w+\}", v["detail"]) for v in verdicts.values())
    page = (out / "report.html").read_text()
    for name in pictures:
        assert "<svg" in (out / f"{name}.svg").read_text()
    # self-contained: nothing is fetched, from anywhere
    assert "<script" not in page
    assert all(link.startswith(("#", "data:")) or "/" not in link for link in LINK.findall(page))
    again = filterproof("replay", "out/verdicts.json", "naive-refuted", cwd=out.parent)
    assert again.returncode == 0, again.stderr
    return page


PICTURES = ("explained-003-5", "gdp_tight", "bstar_slack")


def test_a_job_of_few_chapters_leaves_a_whole_report_and_status_zero(tmp_path: Path) -> None:
    result = filterproof("verify", "--quick", "--out", "out", cwd=tmp_path, before=few(*STAND_INS, *QUICK))
    page = check_report(tmp_path / "out", result, PICTURES)
    for digits in ("0.815623", "1.004405"):
        assert digits in page


def test_a_claim_that_comes_out_otherwise_ends_with_status_one_and_is_named(tmp_path: Path) -> None:
    examined, games = STAND_INS
    wrong = replace(examined.claims[0], expected=Outcome.UNDECIDED)
    found = Finding(wrong, MADE_UP[Outcome.HOLDS])
    holds = lambda study, claims: Told((found, *_examined(study, claims[1:]).findings))  # noqa: E731
    told = (replace(examined, claims=(wrong, *examined.claims[1:]), tell=holds), games)
    result = filterproof("verify", "--quick", "--out", "out", cwd=tmp_path, before=few(*told))
    assert result.returncode == 1, result.stderr
    assert f"Not as expected, UNDECIDED: {wrong.sentence}" in result.stdout
    assert "Otherwise: the best known attack" in " ".join(result.stdout.split())
    verdicts = json.loads((tmp_path / "out" / "verdicts.json").read_text())["verdicts"]
    assert [one["key"] for one in verdicts if not one["as_expected"]] == [wrong.key]


@pytest.mark.slow
def test_the_whole_main_job_leaves_a_whole_report_and_status_zero(tmp_path: Path) -> None:
    result = filterproof("verify", "--quick", "--out", "out", cwd=tmp_path)
    page = check_report(tmp_path / "out", result, (*PICTURES, "survival"))
    for digits in ("0.815623", "1.004405", "0.224940", "0.352572"):
        assert digits in page


@pytest.mark.slow
@pytest.mark.timeout(3600)  # three whole main jobs, one of which may take 600 s on a busy machine
def test_the_same_seed_gives_the_same_verdicts_to_the_byte(tmp_path: Path) -> None:
    first, second = (filterproof("verify", "--quick", "--json", cwd=tmp_path) for _ in range(2))
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    other = filterproof("verify", "--quick", "--json", "--seed", "7", cwd=tmp_path)
    assert other.stdout != first.stdout
