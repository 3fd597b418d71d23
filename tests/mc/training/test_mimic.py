"""The benchmark's files, made up here: their statistics by hand, what is refused, and a filtered training on them."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import filterproof as fp
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
    one, other = series(STAY), series(((0.0, "100", ""), (4.0, "120", "")))
    write(tmp_path, "train", [("a.csv", one, 0), ("b.csv", other, 1)])
    write(tmp_path, "test", [("c.csv", one, 1)])
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


def test_words_of_the_coma_scale_are_their_scores(folder: Path) -> None:
    words = ((0.0, "1", "1.0 ET/Trach"), (1.0, "2", "To Speech"), (2.0, "3", "6 Obeys Commands"))
    write(folder, "train", [("a.csv", series(words), 0), ("b.csv", series(((0.0, "1", "3"),)), 1)])
    data = read_mimic(folder)
    smallest, largest, mean = data.features[:, 42:45].T
    # 1, 3 and 6 against a single 3: standardised over two rows they are -1 and 1
    assert (smallest.tolist(), largest.tolist()) == ([-1.0, 1.0], [1.0, -1.0])
    assert mean.tolist() == pytest.approx([1.0, -1.0])


@pytest.mark.parametrize(
    ("stay", "message"),
    [
        (HEADER + "0.0,fast,\n", "'fast', which is no number and no word"),
        (HEADER + "0.0,inf,\n", "'inf', which is not finite"),
        (HEADER + "noon,60,\n", "must hold hours and numbers in every line"),
        (HEADER + "0.0\n", "must hold hours and numbers in every line"),
        ("Time,Heart Rate\n0,60\n", "must have the columns Hours"),
        ("", "must have a header"),
    ],
)
def test_a_damaged_stay_is_named(folder: Path, stay: str, message: str) -> None:
    (folder / "train" / "b.csv").write_text(stay, "utf-8")
    with pytest.raises(ValueError, match=message) as told:
        read_mimic(folder)
    assert "b.csv" in str(told.value)


def test_other_lists_and_missing_files_are_refused(folder: Path) -> None:
    for wrong in (
        "stay,period,y\na.csv,48,1",
        "stay,y_true\na.csv,1,0",
        "stay,period_length\na.csv,4",
        "id,y\na.csv,1",
    ):
        (folder / "train" / "listfile.csv").write_text(f"{wrong}\n", "utf-8")
        with pytest.raises(ValueError, match="must have lines with a stay and 0 or 1"):
            read_mimic(folder)
    (folder / "train" / "listfile.csv").write_text("stay,y_true\n", "utf-8")
    with pytest.raises(ValueError, match="must name a stay"):
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
    one, other = series(STAY), series(((0.0, "100", ""), (4.0, "120", "")))
    mortality = read_mimic(folder)
    write(folder, "train", [("a.csv", one, "10.0,1,1"), ("b.csv", other, "4.0,0,0")], PHENOTYPES)
    with pytest.raises(ValueError, match="must have the variables and labels of train"):
        read_mimic(folder)
    write(folder, "test", [("c.csv", one, "10.0,0,1")], PHENOTYPES)
    data = read_mimic(folder)
    assert data.label_names == ("Acute myocardial infarction", "Shock")
    assert (data.labels.tolist(), data.test_labels.tolist()) == ([[1, 1], [0, 0]], [[0, 1]])
    assert np.array_equal(data.features, mortality.features)


@pytest.mark.parametrize("adam", [False, True])
def test_a_filtered_descent_learns_either_task_from_such_files(tmp_path: Path, adam: bool) -> None:
    rng = np.random.default_rng(1)
    for part, number in (("train", 120), ("test", 60)):
        stays = []
        for k in range(number):
            first, second = (int(rng.random() < 0.4) for _ in range(2))
            rates = [
                (hour, f"{rng.normal(80 + 40 * first, 10):.1f}", str(1 + 3 * second))
                for hour in (0.0, 3.0, 9.0)
            ]
            stays.append((f"{k}.csv", series(tuple(rates)), f"9.0,{first},{second}" if adam else first))
        write(tmp_path, part, stays, PHENOTYPES if adam else "stay,y_true")
    data = read_mimic(tmp_path)
    network = fp.training.DenseNetwork(sizes=(84, 2), output="logistic" if adam else "softmax")
    people = fp.IndividualFilter(fp.GaussianFilter(mu=2.0), people=data.people)
    descent = fp.training.PrivateGradientDescent(
        data, network, people, clip=1.0, sigma=5.0, rate=0.02 if adam else 0.5, seed=0, adam=adam
    )
    descent.steps(60)
    scores = network.scores(descent.theta, data.test_features)
    assert area_under_curve(scores, data.test_labels) > 0.9
    assert data.quality(scores, data.test_labels) > 0.85
