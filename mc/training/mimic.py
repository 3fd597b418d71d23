"""The phenotyping or in-hospital-mortality files of the MIMIC-III benchmark as a data set for training.

    data = read_mimic(Path("phenotyping"))

The folder has `train` and `test`, each with `listfile.csv` and a time series for each stay. The columns of the list say
the task: stay, period_length and a label for each phenotype, or stay and y_true. Nothing is downloaded: PhysioNet gives
the data to certified persons.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.training.data_set import DataSet

#: The words of each coma scale in small letters; the place of a word is its score.
_SCALES = {
    f"Glascow coma scale {part}": {
        word: score for score, same in enumerate(words) for word in same.split(", ") if word
    }
    for part, words in {
        "eye opening": ("none", "no response", "to pain", "to speech", "spontaneously"),
        "motor response": (
            "",
            "no response",
            "abnorm extensn, abnormal extension",
            "abnorm flexion, abnormal flexion",
            "flex-withdraws",
            "localizes pain",
            "obeys commands",
        ),
        "verbal response": (
            "",
            "no response, no response-ett, et/trach",
            "incomp sounds, incomprehensible sounds",
            "inapprop words, inappropriate words",
            "confused",
            "oriented",
        ),
    }.items()
}
#: A word, perhaps after its score.
_WORD = re.compile(r"(?:(\d+(?:\.\d+)?)\s+)?(.*)")
#: Largest number whose statistics, with cubes and squares of cubes, do not overflow.
_MAX_NUMBER = 1e50
#: Parts of a stay: the whole, the first and the last shares.
_PARTS = ((0.0, 1.0), (0.0, 0.1), (0.0, 0.25), (0.0, 0.5), (0.9, 1.0), (0.75, 1.0), (0.5, 1.0))
#: The label of the task of mortality.
_DIED = ("y_true",)
#: Tolerance in hours at the ends of a part.
_HOUR = 1e-6


def _skew(values: NDArray[np.float64]) -> float:
    spread = float(np.std(values))
    return float(np.mean((values - values.mean()) ** 3)) / spread**3 if spread > 0 else 0.0


_STATISTICS: tuple[Callable[[NDArray[np.float64]], float], ...] = (
    np.min,
    np.max,
    np.mean,
    np.std,
    _skew,
    len,
)


def read_mimic(folder: Path) -> DataSet:
    """Return the stays of the benchmark as rows of numbers, with the labels of its list.

    Parameters
    ----------
    folder : Path
        The folder with `train` and `test`.

    Returns
    -------
    DataSet
        A row for each stay; its `public` is False. For phenotypes, `label_names` names the columns; for mortality there
        are two classes, survived and died.

    Raises
    ------
    FileNotFoundError
        For a missing file.
    ValueError
        For an invalid file, a stay that is listed twice, or another task. The sentence names the file, and the line.

    Notes
    -----
    Each stay counts as a person. A patient with k stays has k budgets: mu-GDP for each stay is (k mu)-GDP for the
    patient.

    Each variable of the time series gives six statistics (smallest, largest, mean, standard deviation, skewness,
    number) in each of seven parts of the stay, as in the benchmark's logistic regression. Missing statistics are the
    mean of the training rows, and columns are standardised by them: these means and deviations use everyone's data and
    are not covered by a guarantee on the training.

    Source of the format: H. Harutyunyan, H. Khachatrian, D. C. Kale, G. Ver Steeg & A. Galstyan (2019), Multitask
    learning and benchmarking with clinical time series data.
    """
    (names, features, labels), (others, test_features, test_labels) = map(
        _stays, (folder / "train", folder / "test")
    )
    if names != others:
        raise ValueError(
            f"{folder / 'test'} must have the variables and labels of train, {', '.join(names)}, got "
            f"{', '.join(others)}; pass the folder of one benchmark"
        )
    measured = np.isfinite(features)
    center = np.where(measured, features, 0.0).sum(axis=0) / np.maximum(measured.sum(axis=0), 1)
    features = np.where(measured, features, center)
    test_features = np.where(np.isfinite(test_features), test_features, center)
    spread = features.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    label_names = names[len(names) - labels.shape[1] :]
    died = label_names == _DIED
    return DataSet(
        name=f"MIMIC-III {'in-hospital mortality' if died else 'phenotyping'}, each stay as a person",
        features=(features - center) / scale,
        labels=np.hstack([1 - labels, labels]) if died else labels,
        test_features=(test_features - center) / scale,
        test_labels=np.hstack([1 - test_labels, test_labels]) if died else test_labels,
        public=False,
        label_names=() if died else label_names,
    )


def _stays(folder: Path) -> tuple[tuple[str, ...], NDArray[np.float64], NDArray[np.float64]]:
    """Return the names of variables and labels, the features of each stay, and its labels."""
    variables: tuple[str, ...] = ()
    listed, rows, labels = folder / "listfile.csv", [], []
    columns, lines = _read(listed)
    timed = columns[1:2] == ["period_length"]
    label_names = tuple(columns[1 + timed :])
    # stay, period_length and y_true is the list of decompensation and of length of stay: several lines for each stay
    if columns[0] != "stay" or not label_names or (timed and label_names == _DIED):
        raise ValueError(
            f"{listed} must have the columns of phenotyping or in-hospital-mortality, got {','.join(columns)!r}; pass "
            "the files of one of these tasks"
        )
    names: set[str] = set()
    for number, line in lines:
        name, own = line[0], line[1 + timed :]
        if not {*own} <= {"0", "1"} or (timed and not line[1].replace(".", "", 1).isdecimal()):
            wanted = "have 0 or 1 for each label, and a number of hours as period_length"
            raise _damaged(listed, wanted, f"{','.join(line)!r} in line {number}")
        if name in names or not name or Path(name).name != name:
            wanted = "name each stay once, as a file in its folder"
            raise _damaged(listed, wanted, f"{name!r} in line {number}")
        names.add(name)
        header, events = _read(folder / name)
        if (
            header[0] != "Hours"
            or len({*header}) < len(header)
            or (variables and tuple(header[1:]) != variables)
        ):
            wanted = "have the columns Hours and the variables of the other stays"
            raise _damaged(folder / name, wanted, repr(",".join(header)))
        variables = tuple(header[1:])
        rows.append(_features(_parsed_events(folder / name, variables, events)))
        labels.append([float(label) for label in own])
    if not rows:
        raise _damaged(listed, "name a stay", "none")
    return variables + label_names, np.array(rows), np.array(labels)


def _read(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the header of a file, and its other lines with their numbers."""
    if not path.is_file():
        raise FileNotFoundError(f"folder must hold {path}, got no such file; pass the benchmark's folder")
    content = path.read_bytes()
    try:
        reader = csv.reader(io.StringIO(content.decode("utf-8"), newline=""))
        header, *lines = [(reader.line_num, line) for line in reader if line] or [(0, [])]
    except UnicodeDecodeError as wrong:
        number = content.count(10, 0, wrong.start) + 1
        raise _damaged(path, "be UTF-8", f"another byte in line {number}") from wrong
    except csv.Error as wrong:
        raise _damaged(path, "be a table", f"{wrong} in line {reader.line_num}") from wrong
    if not header[1]:
        raise _damaged(path, "have a header", "an empty file")
    for number, line in lines:
        if len(line) != len(header[1]):
            wanted = f"have {len(header[1])} cells in every line"
            raise _damaged(path, wanted, f"{len(line)} in line {number}")
    return header[1], lines


def _damaged(path: Path, wanted: str, got: str) -> ValueError:
    """Return the error of a file that is not as the benchmark writes it."""
    return ValueError(f"{path} must {wanted}, got {got}; write it again with the benchmark")


def _parsed_events(
    path: Path, variables: Sequence[str], events: Sequence[tuple[int, list[str]]]
) -> NDArray[np.float64]:
    """Return the hours and the variables of each event, NaN where nothing was measured: shape (n, 1 + variables)."""
    parsed = np.full((len(events), 1 + len(variables)), np.nan)
    for row, (number, (hour, *cells)) in zip(parsed, events, strict=True):
        try:
            row[0] = _number(hour, {})
            for column, (name, cell) in enumerate(zip(variables, cells, strict=True), 1):
                row[column] = _number(cell, _SCALES.get(name, {})) if cell else np.nan
        except ValueError as wrong:
            raise _damaged(path, "hold hours and numbers", f"{wrong} in line {number}") from None
    falls = np.flatnonzero(np.diff(parsed[:, 0]) < 0)
    if len(falls):
        number, (hour, *_) = events[falls[0] + 1]
        raise _damaged(path, "hold hours in increasing order", f"{hour} in line {number}")
    return parsed


def _features(events: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the statistics of every variable in every part of a stay, NaN for none: shape (variables * 42,)."""
    statistics: list[float] = []
    for column in events.T[1:]:
        hours, values = events[~np.isnan(column), 0], column[~np.isnan(column)]
        for first, last in _PARTS:
            if len(hours):
                begin, length = hours[0], hours[-1] - hours[0]
                inside = (hours > begin + first * length - _HOUR) & (hours < begin + last * length + _HOUR)
            chosen = values[inside] if len(hours) else values
            statistics += (
                [statistic(chosen) for statistic in _STATISTICS]
                if len(chosen)
                else [math.nan] * len(_STATISTICS)
            )
    return np.array(statistics)


def _number(text: str, scores: Mapping[str, int]) -> float:
    """Return a number, or the score of a word of a coma scale."""
    try:
        number = float(text)
    except ValueError:
        match = _WORD.fullmatch(text.strip().lower())
        score = scores.get(match[2]) if match else None
        if score is None or (match and match[1] and float(match[1]) != score):
            raise ValueError(f"{text!r}, which is no number and no word of the column's coma scale") from None
        return float(score)
    if not abs(number) <= _MAX_NUMBER:
        raise ValueError(f"{text!r}, which is not finite or above {_MAX_NUMBER:g}")
    return number
