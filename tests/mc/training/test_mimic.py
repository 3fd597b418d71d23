"""The benchmark's files, made up here: their statistics by hand, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from filterproof.mc.training.data_set import area_under_curve
from filterproof.mc.training.mimic import read_mimic

HEADER = "Hours,Heart Rate,Glascow coma scale eye opening\n"
#: Hours, a number and a word; empty where nothing was measured.
STAY = ((0.0, "60", "None"), (1.0, "", "2 To pain"), (5.0, "90", ""), (10.0, "75", "Spontaneously"))


#: As `create_phenotyping.py` of the benchmark writes the list, with two of its 25 labels.
PHENOTYPES = "stay,period_length,Acute myocardial infarction,Shock"


def write(
    folder: Path, part: str, stays: list[tuple[str, str, object]], columns: str = "stay,y_true"
) -> None:
    place = folder / part
    place.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{name},{labels}\n" for name, _, labels in stays)
    place.joinpath("listfile.csv").write_text(f"{columns}\n{lines}", "utf-8")
    for name, text, _ in stays:
        place.joinpath(name).write_text(text, "utf-8")


def series(events: tuple[tuple[float, str, str], ...]) -> str:
    return HEADER + "".join(f"{hour},{rate},{word}\n" for hour, rate, word in events)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    first, other = series(STAY), series(((0.0, "100", ""), (4.0, "120", "")))
    write(tmp_path, "train", [("a.csv", first, 0), ("b.csv", other, 1)])
    write(tmp_path, "test", [("c.csv", first, 1)])
    return tmp_path


def test_features_are_the_statistics_of_the_parts_standardised_by_the_training_rows(folder: Path) -> None:
    data = read_mimic(folder)
    assert (data.people, data.feature_count, data.class_count, data.public) == (2, 2 * 7 * 6, 2, False)
    assert data.labels.tolist() == [[1, 0], [0, 1]]
    assert data.test_labels.tolist() == [[0, 1]]

    def due(values: list[float]) -> list[float]:
        return [min(values), max(values), np.mean(values), np.std(values), stats.skew(values), len(values)]

    rates = [[60, 90, 75], [60], [60], [60, 90], [75], [75], [90, 75]]
    other = [[100, 120], [100], [100], [100], [120], [120], [120]]
    raw = np.array([[number for part in rows for number in due(part)] for rows in (rates, other)])
    raw = np.nan_to_num(raw)  # SciPy has no skewness of equal numbers
    spread = np.where(raw.std(axis=0) > 0, raw.std(axis=0), 1.0)
    heart = (raw - raw.mean(axis=0)) / spread
    assert data.features[:, :42] == pytest.approx(heart)
    # nobody measured the second person's eyes: the mean of the others, which is zero here
    assert data.features[1, 42:].tolist() == [0.0] * 42
    assert data.test_features[0] == pytest.approx(data.features[0])


def test_words_of_each_coma_scale_are_its_scores(folder: Path) -> None:
    header = "Hours," + ",".join(f"Glascow coma scale {part} response" for part in ("motor", "verbal")) + "\n"
    words = (
        "0,No response,1.0 ET/Trach\n1,3 Abnorm flexion,Inappropriate Words\n2,6 Obeys Commands,5 Oriented\n"
    )
    same = (words, "0,1,1\n1,3,3\n2,6,5\n")  # as the numbers
    write(folder, "train", [(f"{k}.csv", header + text, k % 2) for k, text in enumerate((*same, "0,3,4\n"))])
    write(folder, "test", [("c.csv", header + words, 1)])
    data = read_mimic(folder)
    assert np.array_equal(data.features[0], data.features[1])
    assert np.array_equal(data.features[0], data.test_features[0])
    assert not np.array_equal(data.features[0], data.features[2])


@pytest.mark.parametrize(
    ("stay", "message", "line"),
    [
        (HEADER + "0,60,\n1.0,fast,\n", "'fast', which is no number and no word", 3),
        (HEADER + "0.0,inf,\n", "'inf', which is not finite", 2),
        (HEADER + "0.0,1e308,\n", "'1e308', which is not finite or above", 2),
        (HEADER + "noon,60,\n", "'noon', which is no number", 2),
        (HEADER + "nan,60,\n", "'nan', which is not finite", 2),
        (HEADER + "1,60,\n\n0.5,60,\n", "must hold hours in increasing order, got 0.5", 4),
        (HEADER + "0.0,Spontaneously,\n", "'Spontaneously', which is no number and no word", 2),
        (HEADER + "0.0,60,Oriented\n", "'Oriented', which is no number and no word of the column's", 2),
        (HEADER + "0.0,60,3 To pain\n", "'3 To pain', which is no number and no word", 2),
        (HEADER + "0.0,60,\n1.0\n", "must have 3 cells in every line, got 1", 3),
        (HEADER + "0.0,60,,5\n", "must have 3 cells in every line, got 4", 2),
        (HEADER + "0.0,60,\n1,\udce9,\n", "must be UTF-8, got another byte", 3),
        ("Time,Heart Rate\n0,60\n", "must have the columns Hours", None),
        ("Hours,Height,Height\n0,60,3\n", "must have the columns Hours", None),
        ("", "must have a header", None),
    ],
)
def test_a_damaged_stay_is_named_with_its_line(
    folder: Path, stay: str, message: str, line: int | None
) -> None:
    (folder / "train" / "b.csv").write_bytes(stay.encode("utf-8", "surrogateescape"))
    (folder / "train" / "listfile.csv").write_text("stay,y_true\nb.csv,0\n", "utf-8")
    with pytest.raises(ValueError, match=message) as raised:
        read_mimic(folder)
    assert "b.csv" in str(raised.value)
    assert line is None or f"in line {line};" in str(raised.value)


def test_other_lists_and_missing_files_are_refused(folder: Path) -> None:
    for wrong, message in (
        ("stay,period,y\na.csv,48,1", "0 or 1 for each label, .* in line 2;"),
        ("stay,y_true\na.csv,0\nb.csv,2", "0 or 1 for each label, .* in line 3;"),
        ("stay,period_length,Shock\na.csv,abc,1", "a number of hours as period_length, .* in line 2;"),
        ("stay,y_true\na.csv,1,0", "must have 2 cells in every line, got 3 in line 2;"),
        ("stay,period_length\na.csv,4", "must have the columns of phenotyping or"),
        # decompensation: a line for each hour of a stay
        ("stay,period_length,y_true\na.csv,5.0,0\na.csv,6.0,0", "must have the columns of phenotyping or"),
        ("id,y\na.csv,1", "must have the columns of phenotyping or"),
        ("stay,y_true\na.csv,1\nb.csv,0\na.csv,1", "must name each stay once, .*'a.csv' in line 4;"),
        ("stay,y_true\n../test/c.csv,1", "as a file in its folder, .* in line 2;"),
        ("stay,y_true\n,1", "as a file in its folder, got '' in line 2;"),
        ("stay,y_true", "must name a stay"),
    ):
        (folder / "train" / "listfile.csv").write_text(f"{wrong}\n", "utf-8")
        with pytest.raises(ValueError, match=message):
            read_mimic(folder)
    (folder / "train" / "listfile.csv").write_text("stay,y_true\ngone.csv,1\n", "utf-8")
    with pytest.raises(FileNotFoundError, match=r"gone\.csv"):
        read_mimic(folder)


def test_the_area_under_the_curve_is_the_share_of_ordered_pairs() -> None:
    rng = np.random.default_rng(0)
    scores, labels = rng.integers(0, 5, (60, 2)).astype(float), rng.random((60, 2)) < 0.3
    areas = []
    for score, label in zip(scores.T, labels.T, strict=True):
        areas.append(np.mean([(a > b) + 0.5 * (a == b) for a in score[label] for b in score[~label]]))
        assert area_under_curve(score, label) == pytest.approx(areas[-1])
    assert area_under_curve(scores, labels) == pytest.approx(np.mean(areas))
    with pytest.raises(ValueError, match="both classes"):
        area_under_curve(scores, np.ones(60))


def test_phenotypes_are_the_columns_of_their_list(folder: Path) -> None:
    first, other = series(STAY), series(((0.0, "100", ""), (4.0, "120", "")))
    mortality = read_mimic(folder)
    write(folder, "train", [("a.csv", first, "10.0,1,1"), ("b.csv", other, "4.0,0,0")], PHENOTYPES)
    with pytest.raises(ValueError, match="must have the variables and labels of train"):
        read_mimic(folder)
    write(folder, "test", [("c.csv", first, "10.0,0,1")], PHENOTYPES)
    data = read_mimic(folder)
    assert data.label_names == ("Acute myocardial infarction", "Shock")
    assert (data.labels.tolist(), data.test_labels.tolist()) == ([[1, 1], [0, 0]], [[0, 1]])
    assert np.array_equal(data.features, mortality.features)
    # several labels are judged by the area under the curve, and one by the share of rows that are right
    scores, labels = np.array([[0.0, 0.9], [0.2, 0.1], [0.6, 0.3]]), np.array([[0, 1], [0, 1], [1, 0]])
    assert data.quality(scores, labels) == pytest.approx(0.75)
    assert mortality.quality(scores, labels) == pytest.approx(2 / 3)
