"""The report as a reader meets it, in headless Chromium: on a desk, on a telephone, by day and by night.

`make browser` runs these; they are left out of `make test`, which needs no browser.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import filterproof as fp
from filterproof.mc import LocalPool
from filterproof.reports.pages.filter_page import filter_page
from filterproof.reports.report import make_report
from filterproof.reports.study import Study
from filterproof.theory.evidence import Outcome, Verdict
from tests.reports.browser import inspected
from tests.reports.examinations import EVERY, Mine

pytestmark = pytest.mark.browser
#: The pages of the report that are looked at: the front page, a held, a refuted and an undecided filter, and others.
PAGES = (
    "index",
    "filter-approximatedpfilter",
    "filter-nonadaptivecompositionfilter",
    "filter-zcdpfilter",
    "accountant-odometers",
    "simulation",
    "claims",
)
LOOKS = [(1280, False), (1280, True), (390, False), (390, True)]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a quick run, but that nothing is known of the zCDP filter."""
    out = tmp_path_factory.mktemp("report")
    with LocalPool(2, preload=("filterproof.reports.report",)) as pool:
        made_report = make_report(Study(quick=True), executor=pool)
    chapters = list(made_report.filters)
    (place,) = (k for k, item in enumerate(chapters) if item.subject.name == "ZCDPFilter")
    known = chapters[place].verdict
    undecided = Verdict(Outcome.UNDECIDED, known.evidence, known.scope, "no violation found")
    open_ = tuple(replace(item, high=None) for item in chapters[place].curve)
    chapters[place] = replace(chapters[place], verdict=undecided, curve=open_, main=open_[0])
    pages = tuple(map(filter_page, chapters))
    replace(made_report, filters=tuple(chapters), pages=pages).write(out, seconds=1.0)
    return out


@pytest.fixture(scope="module", params=LOOKS, ids=["desk", "desk-dark", "telephone", "telephone-dark"])
def look(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> partial[dict[str, Any]]:
    width, dark = request.param
    return partial(inspected, folder=tmp_path_factory.mktemp("browser"), width=width, dark=dark)


def check_readable(seen: dict[str, Any]) -> None:
    """Raise AssertionError for what goes wrong, is missing, too thin, too faint, too small or too wide."""
    assert (seen["wrong"], seen["broken"]) == ([], [])
    assert seen["wordless"] == 0, "a picture without words for those who cannot see it"
    assert seen["wide"] == []
    assert seen["sideways"] <= 0
    assert seen["columns"] > 0
    assert seen["thin"] == []
    assert seen["faint"] == []
    assert seen["smallest"] >= 11


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_the_report_can_be_read(report: Path, look: partial[dict[str, Any]], name: str) -> None:
    seen = look(report / f"{name}.html")
    check_readable(seen)
    assert (seen["scheme"] == "rgb(255, 255, 255)") is not look.keywords["dark"]
    assert seen["pictures"] == (2 if name.startswith("filter-") else name not in ("simulation", "claims"))
    if name == "index":
        assert 0 <= seen["pictureTop"] < seen["screens"]


@pytest.mark.parametrize("name", ["holds", "undecided", "refuted"])
def test_the_page_of_an_examination_can_be_read(
    look: partial[dict[str, Any]], name: str, tmp_path: Path
) -> None:
    check_readable(look(EVERY[name]().save(tmp_path)))


def test_the_page_of_a_real_examination_can_be_read(look: partial[dict[str, Any]], tmp_path: Path) -> None:
    for filt in (Mine(), fp.ZCDPFilter(0.5)):
        out = tmp_path / type(filt).__name__
        check_readable(look(fp.verify(filt, effort=0.02).save(out)))
