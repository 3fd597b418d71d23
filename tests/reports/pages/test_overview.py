"""The front page says of each filter what is known, and draws it on the right side of the guarantee."""

import re
from dataclasses import replace

import pytest

from filterproof.reports.chapters.filter_page_subjects import SUBJECTS
from filterproof.reports.pages.overview import (
    OverviewRow,
    counts_sentence,
    covered_mechanisms_text,
    overview_picture,
    range_text,
)
from filterproof.theory.evidence import Verdict
from tests.reports.made_up import BROKEN, HOLDS, OPEN, chapter


def row(verdict: Verdict, share: float) -> OverviewRow:
    return OverviewRow.of(chapter(verdict, share))


def test_a_row_has_both_certified_ends_where_a_theorem_holds_and_elsewhere_the_lower_one() -> None:
    proved, left = row(HOLDS, 0.5), row(OPEN, 0.5)
    assert (proved.lower, proved.upper, range_text(proved)) == ("49.5 %", "50.3 %", "49.5 % to 50.3 %")
    assert (left.lower, left.upper, range_text(left)) == ("49.5 %", "", "49.5 %")
    assert (proved.evidence, left.evidence) == ("EXACT", "")
    assert proved.interval == "43.7 % to 56.3 %"
    little = row(HOLDS, 1e-5)
    assert (little.lower, little.upper, little.interval) == ("< 1 %", "< 1 %", "< 1 % to < 1 %")


def test_a_dot_lies_left_of_the_guarantee_if_it_is_kept_and_right_of_it_if_it_is_broken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[object] = []
    monkeypatch.setattr(
        "filterproof.reports.pages.overview.svg_text", lambda figure: drawn.append(figure) or ""
    )
    overview_picture([row(OPEN, 0.3), row(HOLDS, 0.5), row(BROKEN, 1.4)], wide=True)
    (axes,) = drawn[0].axes  # type: ignore[attr-defined]
    marks = {mark: [] for mark in ("o", "X", "D")}
    for line in axes.get_lines():
        if line.get_marker() in marks and len(line.get_xdata()):
            marks[line.get_marker()].append(float(line.get_xdata()[0]))
    assert marks["o"] == pytest.approx([0.297, 0.495])
    assert marks["X"] == pytest.approx([1.386])
    assert marks["D"] == pytest.approx([0.5025])


def test_the_picture_in_words_names_every_filter() -> None:
    rows = [replace(row(OPEN, 0.3), subject=subject) for subject in SUBJECTS]
    for wide in (True, False):
        alt = overview_picture(rows, wide=wide).alt
        assert all(subject.name in alt for subject in SUBJECTS)


def test_the_answer_counts_each_outcome() -> None:
    words = counts_sentence([row(HOLDS, 0.5), row(OPEN, 0.5), row(BROKEN, 2.0), row(BROKEN, 2.0)])
    assert re.findall(r"\d", words) == ["1", "4", "2", "1"]
    assert "not a proof" in words
    assert "undecided" not in counts_sentence([row(HOLDS, 0.5)])


def test_the_assumptions_name_a_theorem_for_outcomes_of_any_kind_where_there_is_one() -> None:
    assert covered_mechanisms_text(SUBJECTS[0], HOLDS) == "finite outcomes †"
    assert (
        covered_mechanisms_text(SUBJECTS[0], replace(HOLDS, detail="by theorem 'hockey-stick filter'"))
        == "finite outcomes"
    )
