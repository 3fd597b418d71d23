"""The MIMIC-III phenotyping layout, in folders made up here: what is read, and the sentence for each fault."""

from __future__ import annotations

import csv
import statistics
import tracemalloc
from collections.abc import Callable
from math import log
from pathlib import Path

import numpy as np
import pytest

from mc.training import mimic
from mc.training.mimic import STATISTICS, read_phenotyping
from mc.training.mimic_variables import VARIABLES, Variable

NAMES = [one.name for one in VARIABLES]
TASKS = ["Acute myocardial infarction", "Pneumonia (any but two)", *(f"task; {i}" for i in range(23))]
#: hour -> variable -> cell, the rows of the first stay; the others are blank.
FIRST = {
    "0.5": {"Heart Rate": "103", "Glascow coma scale eye opening": "3 To speech", "pH": " 7.32 "},
    "2.25": {"Heart Rate": "85", "Glascow coma scale total": "15"},
    "1.0": {"Heart Rate": "1e6", "Glascow coma scale eye opening": "None", "Weight": "80.0"},
}


def write(path: Path, rows: list[list[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def series(cells: dict[str, dict[str, str]], order: list[str] = NAMES) -> list[list[str]]:
    header = ["Hours", *order]
    return [header, *([hour, *(row.get(name, "") for name in order)] for hour, row in cells.items())]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three stays to train on and one to test with."""
    for part, number in (("train", 3), ("test", 1)):
        rows = [["stay", "period_length", *TASKS]]
        for stay in range(number):
            name = f"{stay}_episode1_timeseries.csv"
            marks = ["1" if (stay + task) % 3 == 0 else "0" for task in range(25)]
            rows.append([name, "27.500000", *marks])
            write(
                tmp_path / part / name,
                series(FIRST if stay == 0 else {"0": {"Glucose": f"{130 + 50 * stay}"}}),
            )
        write(tmp_path / part / "listfile.csv", rows)
    return tmp_path


def told(features: np.ndarray, name: str) -> dict[str, float]:
    """The statistics of one variable."""
    at = NAMES.index(name) * len(STATISTICS)
    return dict(zip(STATISTICS, features[at : at + len(STATISTICS)], strict=True))


def test_stays_become_rows_of_seven_numbers_for_each_of_17_variables(folder: Path) -> None:
    task = read_phenotyping(folder)
    data = task.data
    assert (data.people, data.inputs, data.outputs, len(data.test_features)) == (3, 119, 25, 1)
    assert task.tasks == tuple(TASKS)
    assert not data.public
    assert not data.one_hot
    assert [[int(one) for one in row[:4]] for row in data.labels] == [
        [1, 0, 0, 1],
        [0, 0, 1, 0],
        [0, 1, 0, 0],
    ]
    assert [int(one) for one in data.test_labels[0][:4]] == [1, 0, 0, 1]


def test_statistics_are_those_of_the_standardised_values_in_the_order_of_hours(folder: Path) -> None:
    features = read_phenotyping(folder).data.features
    heart = [1.0, 5.0, 0.0]  # 103 is one scale of 18 above 85, and a million is taken to the largest
    assert told(features[0], "Heart Rate") == pytest.approx(
        {
            "count": log(4) / 4,
            "mean": 2.0,
            "least": 0.0,
            "most": 5.0,
            "first": 1.0,
            "last": 0.0,
            "deviation": statistics.pstdev(heart),
        }
    )
    eye = told(features[0], "Glascow coma scale eye opening")
    assert (eye["first"], eye["last"], eye["count"]) == (0.0, -2.0, pytest.approx(log(3) / 4))
    assert told(features[0], "pH")["mean"] == pytest.approx(-1.0), "blanks around a number do not count"
    assert told(features[2], "Glucose")["last"] == 2.0
    assert set(told(features[0], "Temperature").values()) == {0.0}, "it was not measured"


def test_a_stay_is_its_own_rows_in_any_order_of_columns(folder: Path) -> None:
    before, stay = read_phenotyping(folder).data.features, folder / "train" / "0_episode1_timeseries.csv"
    write(stay, [row[::-1] for row in series(FIRST)])
    np.testing.assert_array_equal(read_phenotyping(folder).data.features, before)
    rows = series({"1": {"Heart Rate": "103"}})
    write(
        stay, [*rows, ["1.0", *rows[1][1:]], ["1", *("67" if name == "Heart Rate" else "" for name in NAMES)]]
    )
    after = read_phenotyping(folder).data.features
    heart = told(after[0], "Heart Rate")
    assert (heart["first"], heart["last"]) == (1.0, -1.0), "values of one hour count in the order of the rows"
    np.testing.assert_array_equal(after[1:], before[1:])
    for nothing in ({}, {"1": {"Heart Rate": "  "}}):
        write(stay, series(nothing))
        assert not read_phenotyping(folder).data.features[0].any(), "no row, or a cell of blanks"
    for path in (folder / LIST, folder / STAY):
        path.write_text("\n" + path.read_text().replace("\n", "\n\n"))
    np.testing.assert_array_equal(read_phenotyping(folder).data.features[1:], before[1:])


STAY, LIST = "train/1_episode1_timeseries.csv", "train/listfile.csv"


def replaced(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        (STAY, replaced("180", "high"), r"row 2: Glucose must be a finite number, or blank, got 'high'; mend the row"),
        (STAY, replaced("180", "nan"), r"row 2: Glucose must be a finite number, or blank, got 'nan'; mend"),
        (STAY, replaced("0,,", "0,,,"), r"row 2: a row must have 18 cells as the header, got 19; mend the row"),
        (STAY, replaced("\n0,", "\nsoon,"), r"row 2: Hours must be a finite number, got 'soon'; mend the row"),
        (STAY, replaced("\n0,", "\ninf,"), r"row 2: Hours must be a finite number, got 'inf'; mend the row"),
        (STAY, replaced("Glucose", "Sugar"), r"the columns Hours and the 17 .*, got 18 columns, of which 1 are"),
        (STAY, replaced("Glucose", "pH"), r"the columns Hours and the 17 .*, got 18 columns, of which 0 are"),
        (STAY, lambda text: "", r"must have from 1 to 16777216 bytes, got 0; pass the benchmark's own file"),
        (STAY, replaced("180", '"180'), r"must be a CSV file in UTF-8, got one that is not \(unexpected end"),
        (LIST, replaced("stay,period_length", "stay,hours"), r"the columns stay, period_length and 25 labels, got 27"),
        (LIST, replaced("task; 3", "task; 4"), r"the columns stay, period_length and 25 labels, got 27 columns"),
        (LIST, lambda text: text.splitlines()[0] + "\n", r"must name at least one stay, got none; pass the whole"),
        (LIST, replaced("1_episode1", "0_episode1"), r"row 3: stay must be .*, each once, got '0_episode1_.*'; mend"),
        *(
            (LIST, replaced("1_episode1_timeseries.csv", name), r"row 3: stay must be the name of .*; mend the row")
            for name in ("../test/0_episode1", "listfile.csv", "x" * 300, "a\0b", "..", "")
        ),
        (LIST, lambda text: "\n" * 5, r"must have a header, got blank lines alone; pass"),
        (LIST, replaced("27.500000,1", "27.500000,2"), r"row 2: labels must be 0 or 1, got '2'; mend the row"),
        (LIST, replaced("27.500000,1", "27.500000"), r"row 2: a row must have 27 cells as the header, got 26; mend"),
        ("test/listfile.csv", replaced("task; 3", "task; 30"), r"must have the labels of .*train.* in the same order"),
    ],
    ids=["text", "nan", "longer row", "hour", "endless hour", "unknown column", "column twice", "empty", "quote",
         "columns", "label twice", "no stay", "stay twice", "stay elsewhere", "list as stay", "long name",
         "no name of a file", "folder above", "no name", "blank lines", "label", "shorter row", "other labels"],
)  # fmt: skip
def test_a_fault_is_told_with_its_file_and_row(
    folder: Path, name: str, change: Callable[[str], str], sentence: str
) -> None:
    path = folder / name
    text = path.read_text()
    assert change(text) != text
    path.write_text(change(text))
    with pytest.raises(ValueError, match=sentence) as caught:
        read_phenotyping(folder)
    assert str(path) in str(caught.value)


def test_a_file_that_is_not_there_or_no_text_is_named(folder: Path, tmp_path: Path) -> None:
    (folder / STAY).write_bytes(b"Hours\xff\n")
    with pytest.raises(ValueError, match=r"must be a CSV file in UTF-8, got one that is not .*0xff"):
        read_phenotyping(folder)
    (folder / STAY).unlink()
    with pytest.raises(
        FileNotFoundError, match=r"train.1_episode1_timeseries\.csv must be there, got no such file"
    ):
        read_phenotyping(folder)
    with pytest.raises(FileNotFoundError, match=r"train.listfile\.csv must be there, got no such file; pass"):
        read_phenotyping(tmp_path / "nowhere")


def test_a_file_of_more_lines_or_bytes_than_any_stay_is_not_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, most, less, sentence in (
        ("_MOST_LINES", 4, 3, "must have at most 3 lines, got more; pass"),
        ("_LONGEST", (folder / LIST).stat().st_size, 99, r"must have from 1 to 99 bytes, got \d+; pass"),
    ):
        monkeypatch.setattr(mimic, name, most)
        read_phenotyping(folder)
        monkeypatch.setattr(mimic, name, less)
        with pytest.raises(ValueError, match=sentence):
            read_phenotyping(folder)
        monkeypatch.undo()


@pytest.mark.parametrize("name", [STAY, LIST], ids=["stay", "list"])
@pytest.mark.parametrize("line", ["\n", "a\n"], ids=["blank", "short"])
def test_a_file_of_very_many_lines_takes_no_memory(folder: Path, name: str, line: str) -> None:
    (folder / name).write_text(line * 200_000)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"must have (at most 131072 lines, got more|the columns)"):
            read_phenotyping(folder)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 2_000_000


# -- the variables -----------------------------------------------------------------------------------------------


def variable(name: str) -> Variable:
    return VARIABLES[NAMES.index(f"Glascow coma scale {name}")]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("eye opening", [["None", "1 No Response"], ["2 To pain", "To Pain"], ["3 To speech", "To Speech"],
                         ["4 Spontaneously", "Spontaneously"]]),
        ("motor response", [["1 No Response", "No response"], ["2 Abnorm extensn", "Abnormal extension"],
                            ["3 Abnorm flexion", "Abnormal Flexion"], ["4 Flex-withdraws", "Flex-withdraws"],
                            ["5 Localizes Pain", "Localizes Pain"], ["6 Obeys Commands", "Obeys Commands"]]),
        ("verbal response", [["1 No Response", "No Response", "No Response-ETT", "1.0 ET/Trach"],
                             ["2 Incomp sounds", "Incomprehensible sounds"],
                             ["3 Inapprop words", "Inappropriate Words"], ["4 Confused", "Confused"],
                             ["5 Oriented", "Oriented"]]),
    ],
    ids=["eye", "motor", "verbal"],
)  # fmt: skip
def test_the_words_of_a_coma_scale_are_its_scores(name: str, cells: list[list[str]]) -> None:
    for score, words in enumerate(cells, start=1):
        assert [variable(name).number(word) for word in words] == [score] * len(words)


@pytest.mark.parametrize("cell", ["0", "16", "Oriented", "2 To pain", "-3", "1e1", "nan", ""])
def test_a_score_out_of_its_scale_is_refused(cell: str) -> None:
    assert [variable("total").number(one) for one in ("3", "15", "15.0")] == [3, 15, 15]
    with pytest.raises(ValueError, match="a score from 3 to 15 or its words"):
        variable("total").number(cell)


def test_the_variables_are_17_and_a_value_far_off_is_taken_to_the_largest() -> None:
    assert len(set(NAMES)) == 17
    assert sorted(NAMES) == NAMES
    assert all(variable.scale > 0 for variable in VARIABLES)
    heart = VARIABLES[NAMES.index("Heart Rate")]
    assert [heart.standard(cell) for cell in ("85", "94", "-1e300", "1e300")] == [0.0, 0.5, -5.0, 5.0]
