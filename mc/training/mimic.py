"""The phenotyping task of the MIMIC-III benchmark, read from a local folder.

    task = read_phenotyping(Path("data/phenotyping"))
    task.data.features.shape  # (stays, 119)

The folder holds `train` and `test`, each with `listfile.csv` (columns stay, period_length, and 25 labels of 0 and 1)
and one CSV file for each stay that it names, with a column `Hours` and 17 variables, most cells blank. The benchmark's
own scripts write it from the MIMIC-III tables, which one must have leave to use; nothing is fetched.
"""

from __future__ import annotations

import csv
import errno
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mc.training.data import DataSet
from mc.training.mimic_variables import LARGEST, VARIABLES, Variable

__all__ = ["STATISTICS", "Phenotyping", "read_phenotyping"]

#: What is told of each variable over a stay.
STATISTICS = ("count", "mean", "least", "most", "first", "last", "deviation")
_TASKS = 25
#: Most bytes and lines, blank ones too, of a list, a line for each stay, and of a stay. The benchmark's list of the
#: training part has 35622 lines.
_LONGEST, _MOST_LINES = 2**24, 2**17
#: Most bytes of a file's name.
_LONGEST_NAME = 255
#: log(1 + count) is divided by this: a stay has from a few to some thousand rows.
_COUNT_SCALE = 4.0
_BY_NAME = {variable.name: variable for variable in VARIABLES}


@dataclass(frozen=True, slots=True, eq=False)
class Phenotyping:
    """The stays as a `DataSet` of several labels each, and the names of the labels in the order of its columns."""

    data: DataSet
    tasks: tuple[str, ...]


def read_phenotyping(folder: Path) -> Phenotyping:
    """Each stay as 119 features, seven `STATISTICS` of each of 17 variables, and its 25 labels.

    A value v counts as (v - centre) / scale, taken to [-5, 5], with the constants of `VARIABLES`: nothing is computed
    from the stays of others, so that a feature is covered by what covers its stay. Statistics are taken of these; the
    count c is log(1 + c) / 4; the deviation is that of the population. All are 0 for a variable without a value. first
    and last go by `Hours`. One stay counts as one person: somebody with several stays is promised something for each of
    them alone. public is False. Files are read one at a time.
    Raises FileNotFoundError for a file that is not there and ValueError for one that is not what it should be, in one
    sentence that names the file and the row.
    Source: H. Harutyunyan et al., Multitask learning and benchmarking with clinical time series data, Scientific Data
    6 (2019); paper 003, Section 6 and Appendix E.
    """
    tasks, features, labels = _part(folder / "train")
    test_tasks, test_features, test_labels = _part(folder / "test")
    if tasks != test_tasks:
        raise ValueError(
            f"{folder / 'test' / _LIST} must have the labels of {folder / 'train' / _LIST} in the same order, got "
            "others; pass a folder that one run of the benchmark has written"
        )
    data = DataSet(
        name="MIMIC-III phenotyping",
        features=features,
        labels=labels,
        test_features=test_features,
        test_labels=test_labels,
        public=False,
    )
    return Phenotyping(data, tasks)


_LIST = "listfile.csv"
_Row = tuple[int, list[str]]


def _part(folder: Path) -> tuple[tuple[str, ...], NDArray[np.float64], NDArray[np.float64]]:
    """The names of the labels, the features and the labels of `train` or `test`."""
    path = folder / _LIST
    rows = _rows(path)
    header = next(rows)[1]
    tasks = tuple(header[2:])
    if header[:2] != ["stay", "period_length"] or len(set(tasks)) != _TASKS or len(tasks) != _TASKS:
        raise ValueError(
            f"{path} must have the columns stay, period_length and {_TASKS} labels, got {len(header)} columns, the "
            f"first {[column[:40] for column in header[:2]]}; pass the phenotyping folder of the benchmark"
        )
    features: list[NDArray[np.float64]] = []
    labels: list[NDArray[np.float64]] = []
    seen: set[str] = set()
    for line, (stay, _, *marks) in rows:
        if not _is_name(stay) or stay in seen or stay == _LIST:
            raise ValueError(
                f"{path}, row {line}: stay must be the name of a file beside it, each once, got {stay[:40]!r}; mend "
                "the row"
            )
        if not set(marks) <= {"0", "1"}:
            wrong = next(mark for mark in marks if mark not in ("0", "1"))
            raise ValueError(f"{path}, row {line}: labels must be 0 or 1, got {wrong[:40]!r}; mend the row")
        seen.add(stay)
        labels.append(np.array([float(mark) for mark in marks]))
        features.append(np.array(_stay(folder / stay)))
    if not features:
        raise ValueError(f"{path} must name at least one stay, got none; pass the whole folder")
    return tasks, np.array(features), np.array(labels)


def _is_name(text: str) -> bool:
    """Whether a file beside can have this name."""
    short = len(text.encode()) <= _LONGEST_NAME
    return short and Path(text).name == text and text not in ("", "..") and "\0" not in text


def _stay(path: Path) -> list[float]:
    """The features of one stay."""
    rows = _rows(path)
    header = next(rows)[1]
    if sorted(header) != sorted(["Hours", *_BY_NAME]):
        raise ValueError(
            f"{path} must have the columns Hours and the {len(VARIABLES)} variables of the benchmark, got "
            f"{len(header)} columns, of which {len(set(header) - {'Hours', *_BY_NAME})} are others; pass its own files"
        )
    hours = header.index("Hours")
    columns = [(at, _BY_NAME[name]) for at, name in enumerate(header) if at != hours]
    measured: dict[str, list[tuple[float, float]]] = {name: [] for name in _BY_NAME}
    for line, cells in rows:
        hour = _hour(cells[hours], path, line)
        for at, variable in columns:
            if cells[at].strip():
                measured[variable.name].append((hour, _standard(variable, cells[at], path, line)))
    return [statistic for variable in VARIABLES for statistic in _statistics(measured[variable.name])]


def _hour(cell: str, path: Path, line: int) -> float:
    try:
        hour = float(cell)
    except ValueError:
        hour = math.nan
    if not math.isfinite(hour):
        raise ValueError(
            f"{path}, row {line}: Hours must be a finite number, got {cell[:40]!r}; mend the row"
        )
    return hour


def _standard(variable: Variable, cell: str, path: Path, line: int) -> float:
    try:
        return variable.standard(cell)
    except ValueError as error:
        raise ValueError(
            f"{path}, row {line}: {variable.name} must be {error}, got {cell[:40]!r}; mend the row"
        ) from None


def _statistics(values: list[tuple[float, float]]) -> tuple[float, ...]:
    """`STATISTICS` of pairs of hour and value; pairs of the same hour count in the order of the rows."""
    if not values:
        return (0.0,) * len(STATISTICS)
    numbers = np.array([value for _, value in sorted(values, key=lambda pair: pair[0])])
    return (
        math.log1p(len(numbers)) / _COUNT_SCALE,
        float(numbers.mean()),
        float(numbers.min()),
        float(numbers.max()),
        float(numbers[0]),
        float(numbers[-1]),
        min(float(numbers.std()), LARGEST),
    )


def _rows(path: Path) -> Iterator[_Row]:
    """The rows of a CSV file with their line numbers, header first, all of the same length, without blank ones."""
    try:
        if not path.is_file():
            raise FileNotFoundError(errno.ENOENT, "no such file")
        size = path.stat().st_size
        if not 0 < size <= _LONGEST:
            raise ValueError(
                f"{path} must have from 1 to {_LONGEST} bytes, got {size}; pass the benchmark's own file"
            )
        with path.open(encoding="utf-8", newline="") as file:
            yield from _cells(csv.reader(file, strict=True), path)
    except (csv.Error, UnicodeDecodeError) as error:
        raise ValueError(
            f"{path} must be a CSV file in UTF-8, got one that is not ({error}); mend it"
        ) from None
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{path} must be there, got no such file; pass the phenotyping folder whole"
        ) from None
    except OSError as error:
        raise OSError(
            f"{path} must be a file that can be read ({error.strerror or error}); mend it"
        ) from error


def _cells(lines: Any, path: Path) -> Iterator[_Row]:
    """The rows of a reader of the csv module."""
    width = 0
    for cells in lines:
        if lines.line_num > _MOST_LINES:
            raise ValueError(
                f"{path} must have at most {_MOST_LINES} lines, got more; pass the benchmark's own file"
            )
        if not cells:
            continue
        width = width or len(cells)
        if len(cells) != width:
            raise ValueError(
                f"{path}, row {lines.line_num}: a row must have {width} cells as the header, got {len(cells)}; mend "
                "the row"
            )
        yield lines.line_num, cells
    if not width:
        raise ValueError(f"{path} must have a header, got blank lines alone; pass the benchmark's own file")
