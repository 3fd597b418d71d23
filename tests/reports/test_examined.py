"""What a person sees of an examination: words, files and a notebook say the same and no more."""

import json
import math
import os
import re
import textwrap
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import filterproof as fp
from filterproof.mc.examine.replay_snippets import target_of
from filterproof.mc.examine.stage_finding import StageFinding
from filterproof.mc.examine.verification import failure
from filterproof.reports.drawing import svg_text
from filterproof.reports.pages.examination_page import delta_by_epsilon_figure
from filterproof.reports.pages.tightness_figure import tightness_figure
from filterproof.theory.evidence import Evidence, Outcome, Verdict
from filterproof.theory.numerics.decimals import format_down
from tests.reports.examinations import ADMISSION, EVERY, Mine, exam_of, refuted, undecided
from tests.reports.reading import check_nothing_is_fetched, parsed, words

HEADLINES = {name: name.upper() for name in ("refuted", "undecided", "holds", "faulty", "disagreement")}
HEADLINES |= {"denies": "NOT EXAMINED", "hangs": "OUT OF TIME", "unanswered": "OUT OF TIME"}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of an examination, which is written once."""

    @cache
    def folder(name: str) -> Path:
        out = tmp_path_factory.mktemp(name) / "out"
        assert EVERY[name]().save(out) == out / "report.html"
        return out

    return folder


@pytest.mark.parametrize("name", EVERY)
def test_every_way_to_end_is_told_alike_everywhere_and_fails_unless_nothing_is_wrong(
    name: str, saved: Callable[[str], Path]
) -> None:
    exam, message = EVERY[name](), failure(EVERY[name]())
    assert exam.headline == HEADLINES[name]
    page = words((saved(name) / "report.html").read_text("utf-8"))
    assert set(os.listdir(saved(name))) == {"report.html", "verdict.json"}
    for text in (str(exam), page, words(exam._repr_html_())):
        assert HEADLINES[name] in text
        assert "Mine" in text
        others = set(HEADLINES.values()) - {HEADLINES[name]}
        # the page explains every word at its end, and a disagreement shows both of what disagrees
        if text is not page and name != "disagreement":
            assert not any(other in text for other in others), text
    assert json.loads((saved(name) / "verdict.json").read_text("utf-8")) == exam.to_data()
    assert (message == "") == (name in ("holds", "undecided"))
    assert message.startswith(f"Mine, promised 1-GDP: {exam.headline}" if message else "")
    assert all(fault in message for fault in exam.faults)


def test_the_words_are_a_line_a_stage_and_the_counterexample_with_its_play() -> None:
    exam = refuted()
    lines = str(exam).splitlines()
    stages = [line.split()[0] for line in lines if re.match(r"  (admission|sequences) {2,}\w", line)]
    assert stages == ["admission", "sequences"]
    assert not re.search(r"\d s\b", str(exam))  # a duration says nothing about the filter
    place = lines.index(f"Counterexample: {exam.counterexample}")
    turns = lines[place + 1 : place + 4]
    assert [line.endswith(" of 0.126937 <- above") for line in turns] == [False, True, True]
    assert "revealed so far 0.126936" in turns[0]
    assert "it is not charged" in str(exam)
    assert lines[-1].endswith("examinations.py::Mine")
    assert exam.trace is not None
    together = replace(exam.trace, rows=(replace(exam.trace.rows[0], rounds="1-2"),))
    assert together.lines[0].startswith("rounds 1-2: ask ")


def test_the_sentence_of_the_counterexample_and_its_play_are_told_alike_and_once(
    saved: Callable[[str], Path],
) -> None:
    exam = refuted()
    page, trace = (saved("refuted") / "report.html").read_text("utf-8"), exam.trace
    assert trace is not None
    for text in (str(exam), words(page), words(exam._repr_html_())):
        assert text.count(str(exam.counterexample)) == 1
        assert "The promise is passed in round 2." in text
        assert all(format_down(row.reached) in text for row in trace.rows)
    data = exam.to_data()  # but there it is the answer of a stage, and what follows from it
    assert [data["detail"], data["findings"][1]["result"]] == [str(exam.counterexample)] * 2
    assert [row["reached"] for row in data["trace"]["rows"]] == [row.reached for row in trace.rows]
    assert data["trace"]["passed"] == trace.passed == 2
    alts = [image.get("alt", "") for image in parsed(page).iter("img")]
    assert any("as promised and as the play reveals it" in alt for alt in alts)
    exam, page = undecided(), words((saved("undecided") / "report.html").read_text("utf-8"))
    assert str(exam).count(exam.verdict.detail) == page.count(exam.verdict.detail) == 1
    assert exam.to_data()["trace"] is None


def test_the_curve_of_a_play_is_drawn_on_the_axis_on_which_it_is_seen() -> None:
    for least, scale in ((0.02, "linear"), (0.0, "linear"), (0.01, "log")):
        trace = replace(refuted().trace, curve=((0.0, 0.11, 0.05), (1.0, 0.05, least)))
        (ax,) = delta_by_epsilon_figure("Mine", trace).axes
        assert ax.get_yscale() == scale, least
    assert delta_by_epsilon_figure("Mine", replace(refuted().trace, curve=())) is None


def test_the_message_is_python_that_replays_the_counterexample(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError) as caught:
        fp.assert_holds(Mine(), effort=0.05, mechanisms=["gaussian"])
    message = str(caught.value)
    snippet = textwrap.dedent("\n".join(re.findall(r"^    .*$|^$", message, re.MULTILINE)))
    assert "filt=Mine()" in snippet
    exec(snippet, {})  # noqa: S102 - it is what we print
    assert capsys.readouterr().out


def test_the_data_is_json_without_infinities() -> None:
    exam = undecided()
    again = json.loads(exam.json(), parse_constant=pytest.fail)
    assert again["schema"] == 2
    assert {"verdict", "status", "scope", "evidence", "seed", "mechanisms", "counterexample"} <= set(again)
    assert [row["attack"] for row in again["tightness"]] == [row.attack for row in exam.tightness]
    assert "inf" in {row["promised"] for row in again["tightness"]}


def test_the_page_needs_no_other_file_and_escapes_what_a_filter_says(saved: Callable[[str], Path]) -> None:
    text = (saved("refuted") / "report.html").read_text("utf-8")
    check_nothing_is_fetched(parsed(text), saved("refuted"))
    assert "<b>families</b> & more" in words(text)
    assert "a note <worth> knowing" in words(text)
    assert any("44rem" in element.attrib["media"] for element in parsed(text).iter("source"))
    assert "prefers-color-scheme:dark" in text


def test_a_name_with_control_codes_is_printable_and_is_drawn() -> None:
    """A class that is made by `type` may be called anything."""
    exam = replace(refuted(), filter=type("x\n\\input{y}\x1b[31m[z](https://z)", (Mine,), {})())
    assert exam.name.isprintable()
    formula = r"$\frac$"
    assert svg_text(tightness_figure(formula, [replace(row, menu=formula) for row in exam.tightness]))
    assert svg_text(delta_by_epsilon_figure(formula, exam.trace))


def test_the_picture_is_in_units_of_the_guarantee_and_its_axis_follows_what_says_something() -> None:
    rows = refuted().tightness
    figure = tightness_figure("Mine", rows)
    (ax,) = figure.axes
    assert {*ax.get_legend_handles_labels()[1]} == {
        *("attack above the guarantee", "attack", "certified worst case", "guarantee")
    }
    dots = [float(line.get_xdata()[0]) for line in ax.lines if line.get_marker() == "o"]
    finite = [row for row in rows if row.promised < math.inf]
    assert dots == pytest.approx([row.attack / row.promised for row in finite])
    tiny = replace(finite[-1], attack=1e-270)
    (ax,) = tightness_figure("Mine", [tiny]).axes
    assert 0.005 < ax.get_xlim()[0] < 1 < ax.get_xlim()[1] < 2
    assert [line.get_marker() for line in ax.lines][-1] == "<"
    assert "less than 1 %" in tiny.reached
    assert svg_text(figure) == svg_text(tightness_figure("Mine", refuted().tightness))
    assert tightness_figure("Mine", ()) is None


def test_what_holds_on_a_menu_alone_is_never_shown_as_more(tmp_path: Path) -> None:
    verdict = Verdict(Outcome.HOLDS, Evidence.CERTIFIED, "one menu", "certified")
    exam = exam_of(ADMISSION, StageFinding("games", "Lost?", "no", "rr", "longer", verdict))
    assert exam.headline == "UNDECIDED"
    exam.save(tmp_path)
    for text in ((tmp_path / "report.html").read_text("utf-8"), exam._repr_html_()):
        assert "on its menu alone" in text
    assert "on its menu alone" not in EVERY["holds"]()._repr_html_()


def test_a_filter_of_the_catalogue_needs_no_target_one_of_a_file_has_it_and_a_class_is_refused() -> None:
    assert target_of(fp.GaussianFilter(1.0)) is None
    assert target_of(Mine()).endswith("tests/reports/examinations.py::Mine")
    with pytest.raises(TypeError, match=r"call it: Mine\(\)"):
        fp.verify(Mine)
