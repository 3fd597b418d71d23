"""The report as a reader meets it, in headless Chromium: on a desk, on a telephone, by day and by night.

`make browser` runs these; they are left out of `make test`, which needs no browser.
"""

from pathlib import Path
from typing import Any

import pytest

import filterproof as fp
from tests.interpreter import python
from tests.reports.browser import inspected
from tests.reports.examinations import Mine

pytestmark = pytest.mark.browser
FRAGMENT = "filter-zcdpfilter"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report")
    made = python("-m", "filterproof", "verify", "--quick", "--out", str(out), cwd=out)
    assert made.returncode == 0, made.stderr
    return out / "report.html"


@pytest.fixture(
    scope="module",
    params=[(1400, False), (1400, True), (420, False), (420, True)],
    ids=["desk", "desk-dark", "telephone", "telephone-dark"],
)
def seen(
    request: pytest.FixtureRequest, report: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    width, dark = request.param
    folder = tmp_path_factory.mktemp("browser")
    found = inspected(report, folder, width=width, dark=dark, fragment=FRAGMENT)
    return {**found, "width": width, "dark": dark}


def test_nothing_goes_wrong_and_every_picture_loads(seen: dict[str, Any]) -> None:
    assert seen["wrong"] == []
    assert seen["broken"] == []
    assert seen["pictures"] > 25
    assert seen["wordless"] == 0, "a picture without words for those who cannot see it"


def test_the_picture_of_all_filters_stands_on_the_first_screen(seen: dict[str, Any]) -> None:
    assert seen["overviewTop"] >= 0
    assert seen["overviewBottom"] <= seen["screens"]


def test_nothing_scrolls_sideways(seen: dict[str, Any]) -> None:
    assert seen["wide"] == []
    assert seen["sideways"] <= 0


def test_every_word_stands_out_from_what_is_behind_it(seen: dict[str, Any]) -> None:
    assert seen["faint"] == []
    assert seen["smallest"] >= 11


def test_the_page_is_dark_where_the_reader_asks_for_it(seen: dict[str, Any]) -> None:
    assert (seen["scheme"] == "rgb(255, 255, 255)") is not seen["dark"]


def test_a_link_unfolds_what_it_leads_to_and_every_link_leads_somewhere(seen: dict[str, Any]) -> None:
    assert seen["unfolded"]["open"]
    assert seen["unfolded"]["contentsInSight"]
    assert seen["lost"] == []
    assert seen["formulas"] > 50  # rules and chapters; derivations are on pages of the docs


def test_the_details_begin_within_four_screens_of_a_desk(seen: dict[str, Any]) -> None:
    if seen["width"] == 1400:
        assert seen["detailsAt"] <= 4 * seen["screens"]
        assert seen["folded"] <= 8 * seen["screens"]


@pytest.mark.parametrize("width", [1400, 420])
def test_an_examination_with_its_play_scrolls_nowhere_and_can_be_read(width: int, tmp_path: Path) -> None:
    exam = fp.verify(Mine(), effort=0.2)
    assert exam.trace is not None
    page = inspected(exam.save(tmp_path), tmp_path, width=width)
    assert (page["wrong"], page["broken"], page["faint"], page["wide"]) == ([], [], [], [])
    assert page["pictures"] > 0
    assert page["sideways"] <= 0
