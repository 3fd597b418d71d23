"""Tables 1 to 3 of Feldman & Zrnic (2021) on a folder of IDX files, such as MNIST's: both arms of every setting.

    for row in repeat_tables(Path("mnist"), Path("tables")):
        print(row)

It needs the extra `filterproof[training]`. Killed at any moment, the same call goes on where it stood.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from filterproof.mc.intervals.student import student
from filterproof.mc.runs.output import OutputFolder
from filterproof.mc.training import retraining
from filterproof.mc.training.convolutional import ConvolutionalNetwork
from filterproof.mc.training.data_set import DataSet
from filterproof.mc.training.idx import read_idx_data_set
from filterproof.theory.argument_checks import check_count
from filterproof.theory.conversions import gaussian_epsilon
from filterproof.theory.numerics.decimals import interval

_DELTA = 1e-5
#: The training accuracy is queried at the last step of the budget and seven times more, five steps apart.
_QUERIES, _APART = 8, 5
_FILE = "queries.json"

#: The accuracies at one query: steps taken, share of the training set, share of the test set.
Query: TypeAlias = tuple[int, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSetting:
    """A row of a table: k steps with noise sigma * clip cover everyone's budget; `further` says that more follow.

    `epsilon` is the paper's, by the conversion of zCDP. The accuracies that the paper prints are in percent.
    """

    table: int
    epsilon: float
    clip: float
    sigma: float
    rate: float
    steps: int
    unfiltered: float
    filtered: float
    further: bool = True


def _settings() -> tuple[TableSetting, ...]:
    """Return the nine settings of Tables 1 to 3 of Feldman & Zrnic."""
    tuned = (
        (0.3, 10.0, 170.0, 0.2, 112, 1.5),
        (0.5, 15.0, 130.0, 0.15, 180, 1.5),
        (1.0, 10.0, 100.0, 0.2, 420, 2.0),
    )
    printed = (
        ((93.29, 93.64), (94.62, 94.90), (96.25, 96.25)),
        ((84.47, 92.25), (92.07, 94.30), (94.45, 95.33)),
        ((86.88, 91.20), (92.37, 93.86), (94.35, 94.50)),
    )
    settings = []
    for table, rows in enumerate(printed, 1):
        for (epsilon, clip, sigma, rate, steps, factor), (unfiltered, filtered) in zip(
            tuned, rows, strict=True
        ):
            by = factor if table > 1 else 1.0
            settings.append(
                TableSetting(
                    table=table,
                    epsilon=epsilon,
                    clip=clip * by if table == 2 else clip,
                    sigma=sigma / by,
                    rate=rate,
                    steps=int(steps / by**2),
                    unfiltered=unfiltered,
                    filtered=filtered,
                    further=not (table == 1 and epsilon == max(tuned_row[0] for tuned_row in tuned)),
                )
            )
    return tuple(settings)


#: The nine settings of Tables 1 to 3, with the parameters of Appendix A.
TABLES: tuple[TableSetting, ...] = _settings()


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """Test accuracies in percent of all trials of one setting, without and with filtering."""

    setting: TableSetting
    unfiltered: tuple[float, ...]
    filtered: tuple[float, ...]

    def __str__(self) -> str:
        comparisons = []
        for name, values, printed in (
            ("unfiltered", self.unfiltered, self.setting.unfiltered),
            ("filtered", self.filtered, self.setting.filtered),
        ):
            if len(values) > 1:
                mean, low, high = student(values)
                comparisons.append(f"{name} {mean:.2f} {interval(low, high, 4)}, printed {printed:.2f}")
            else:
                comparisons.append(f"{name} {values[0]:.2f} in one trial, printed {printed:.2f}")
        return f"Table {self.setting.table}, epsilon = {self.setting.epsilon:g}: {'; '.join(comparisons)}"


def repeat_tables(
    folder: Path,
    out: Path,
    *,
    trials: int = 10,
    settings: Sequence[TableSetting] = TABLES,
    seed: int | None = None,
    on_row: Callable[[TableRow], None] | None = None,
) -> tuple[TableRow, ...]:
    """Repeat Tables 1 to 3 of Feldman & Zrnic on a folder of IDX files.

    Parameters
    ----------
    folder : Path
        A folder of IDX files with pictures of 28 by 28 points, such as MNIST's.
    out : Path
        The folder of the results, with a folder for each trial. What is in `private` there is personal data.
    trials : int, default 10
        The number of trials of each setting.
    settings : sequence of TableSetting, optional
        The settings, by default the nine of the paper.
    seed : int, optional
        Seed of all trials. Without it the noise is secret, as the guarantee requires.
    on_row : callable, optional
        Receives each row once its trials are done.

    Returns
    -------
    tuple of TableRow
        A row for each setting; `str(row)` has the means with Student 95 % intervals beside the printed numbers.

    Raises
    ------
    ImportError
        Without the extra `filterproof[training]`.
    OSError, ValueError
        As `train_idx`.

    Notes
    -----
    Both arms of a trial are one descent, because nobody's budget is spent before step k: the unfiltered arm is step k,
    the filtered one the query with the best training accuracy, among step k and up to 35 steps after it. The queries
    are not charged, as in the paper. Everything is stored after each step. Source: Feldman & Zrnic (2021), Section 5.1
    and Appendix A.
    """
    trials, rows = check_count("trials", trials), []
    data = read_idx_data_set(folder)
    for number, setting in enumerate(settings):
        query_lists = []
        for trial in range(trials):
            place = out / f"table-{setting.table}" / f"epsilon-{setting.epsilon:g}" / f"trial-{trial}"
            own = None if seed is None else seed * 10_000 + number * 100 + trial
            query_lists.append(_accuracies_by_query(folder, data, setting, place, own))
        best = [max(queries, key=lambda query: query[1]) for queries in query_lists]
        rows.append(
            TableRow(
                setting=setting,
                unfiltered=tuple(100 * queries[0][2] for queries in query_lists),
                filtered=tuple(100 * query[2] for query in best),
            )
        )
        if on_row is not None:
            on_row(rows[-1])
    return tuple(rows)


def _accuracies_by_query(
    folder: Path, data: DataSet, setting: TableSetting, place: Path, seed: int | None
) -> list[Query]:
    """Train one trial and return (step, training accuracy, test accuracy) of each query."""
    file = place / _FILE
    saved = json.loads(file.read_bytes()) if file.exists() else []
    queries: list[Query] = [(int(step), float(train), float(test)) for step, train, test in saved]
    for query in range(len(queries), _QUERIES if setting.further else 1):
        outcome = retraining.train_idx(
            folder,
            epsilon=float(gaussian_epsilon(setting.steps**0.5 / setting.sigma, _DELTA)),
            delta=_DELTA,
            clip=setting.clip,
            rate=setting.rate,
            out=place,
            steps=setting.steps,
            most_steps=setting.steps + _APART * query,
            seed=seed,
        )
        scores = ConvolutionalNetwork().scores(outcome.theta, data.features)
        queries.append((outcome.steps_taken, data.quality(scores, data.labels), outcome.accuracy.value))
        with OutputFolder(place) as output:
            output.add(_FILE, json.dumps(queries).encode())
    return queries
