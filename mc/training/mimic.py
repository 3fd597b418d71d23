"""The phenotyping or in-hospital-mortality files of the MIMIC-III benchmark as a data set for training.

    data = read_mimic(Path("phenotyping"))

The folder has `train` and `test`, each with `listfile.csv` and a time series for each stay. The columns of the list say
the task: stay, period_length and a label for each phenotype, or stay and y_true. Nothing is downloaded: PhysioNet gives
the data to certified persons.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.training.data_set import DataSet

#: The words of the coma scale without their leading numbers, in small letters, and their scores.
_SCORES = {
    word: score
    for score, words in enumerate(
        (
            "none",
            "no response, no response-ett, et/trach",
            "to pain, abnorm extensn, abnormal extension, incomp sounds, incomprehensible sounds",
            "to speech, abnorm flexion, abnormal flexion, inapprop words, inappropriate words",
            "spontaneously, flex-withdraws, confused",
            "localizes pain, oriented",
            "obeys commands",
        )
    )
    for word in words.split(", ")
}
_LEADING = re.compile(r"^\d+(\.\d+)?\s+")
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
        For an invalid file, which the sentence names.

    Notes
    -----
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
        name=f"MIMIC-III {'in-hospital mortality' if died else 'phenotyping'}",
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
    columns, *lines = _read(listed)
    label_names = tuple(columns[2 if columns[1:2] == ["period_length"] else 1 :])
    for line in lines:
        own = line[len(columns) - len(label_names) :]
        if columns[0] != "stay" or not label_names or len(line) != len(columns) or not {*own} <= {"0", "1"}:
            raise ValueError(
                f"{listed} must have lines with a stay and 0 or 1 for each label, got {','.join(line)!r} under "
                f"{','.join(columns)!r}; pass the files of phenotyping or in-hospital-mortality"
            )
        header, *events = _read(folder / line[0])
        if header[:1] != ["Hours"] or (variables and tuple(header[1:]) != variables):
            raise ValueError(
                f"{folder / line[0]} must have the columns Hours and the variables of the other stays, got "
                f"{','.join(header)!r}; write it again with the benchmark"
            )
        variables = tuple(header[1:])
        rows.append(_features(folder / line[0], len(variables), events))
        labels.append([float(label) for label in own])
    if not rows:
        raise ValueError(f"{listed} must name a stay, got none; write it with the benchmark")
    return variables + label_names, np.array(rows), np.array(labels)


def _read(path: Path) -> list[list[str]]:
    if not path.is_file():
        raise FileNotFoundError(f"folder must hold {path}, got no such file; pass the benchmark's folder")
    with path.open(newline="", encoding="utf-8") as file:
        rows = [line for line in csv.reader(file) if line]
    if not rows:
        raise ValueError(f"{path} must have a header, got an empty file; write it again with the benchmark")
    return rows


def _features(path: Path, variables: int, events: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Return the statistics of every variable in every part of a stay, NaN for none: shape (variables * 42,)."""
    statistics: list[float] = []
    for column in range(1, variables + 1):
        try:
            series = [(float(event[0]), _number(event[column])) for event in events if event[column]]
        except (ValueError, IndexError) as wrong:
            raise ValueError(
                f"{path} must hold hours and numbers in every line, got {wrong}; write it again with the benchmark"
            ) from None
        hours, values = np.array(series).reshape(-1, 2).T
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


def _number(text: str) -> float:
    """Return a number, or the score of a word of the coma scale."""
    try:
        number = float(text)
    except ValueError:
        word = _LEADING.sub("", text.strip()).lower()
        if word not in _SCORES:
            raise ValueError(f"{text!r}, which is no number and no word of the coma scale") from None
        return float(_SCORES[word])
    if not math.isfinite(number):
        raise ValueError(f"{text!r}, which is not finite")
    return number
