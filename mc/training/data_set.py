"""A data set for training: one row for each person, and rows for testing.

>>> import numpy as np
>>> data = DataSet(
...     name="two people",
...     features=np.array([[0.0, 1.0], [1.0, 0.0]]),
...     labels=np.eye(2),
...     test_features=np.array([[0.5, 0.5]]),
...     test_labels=np.array([[1.0, 0.0]]),
...     public=True,
... )
>>> data.people, data.feature_count, data.class_count
(2, 2, 2)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DataSet:
    """A data set with training people (row i is person i) and separate test rows.

    features has shape (n, f), labels (n, k) with zeros and ones. test_features and test_labels have shapes (m, f) and
    (m, k). All are float64, and read-only here. `public` says that numbers of single people may be shown. `label_names`
    names the k columns of labels of which several may hold for a person; without names each person has one class.
    Raises ValueError or TypeError with one sentence for a wrong shape, an empty part, a number that is not finite, and
    a label other than 0 and 1.
    """

    name: str
    features: Array
    labels: Array
    test_features: Array
    test_labels: Array
    public: bool
    label_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for rows, columns in (("features", "labels"), ("test_features", "test_labels")):
            for name in (rows, columns):
                object.__setattr__(self, name, _checked_table(name, getattr(self, name)))
            x, y = getattr(self, rows), getattr(self, columns)
            if len(x) != len(y):
                raise ValueError(
                    f"{columns} must have one row for each row of {rows}, got {len(y)} rows for {len(x)}; "
                    "pass the labels of the same people"
                )
            wrong = np.argwhere(~np.isin(y, (0.0, 1.0)))
            if len(wrong):
                row, column = wrong[0].tolist()
                raise ValueError(
                    f"{columns} must be 0 or 1, got {float(y[row, column])!r} in row {row}, column {column}; "
                    "pass one column of zeros and ones for each class"
                )
        for rows, tests in (("features", "test_features"), ("labels", "test_labels")):
            width, other = getattr(self, rows).shape[1], getattr(self, tests).shape[1]
            if width != other:
                raise ValueError(
                    f"{tests} must have as many columns as {rows}, got {other} for {width}; "
                    "pass the same columns in the same order"
                )

    @property
    def people(self) -> int:
        """The number of people n in training, without the test set."""
        return len(self.features)

    @property
    def feature_count(self) -> int:
        """The number of features f of a row."""
        return int(self.features.shape[1])

    @property
    def class_count(self) -> int:
        """The number of classes or labels k of a row."""
        return int(self.labels.shape[1])

    def quality(self, scores: Array, labels: Array) -> float:
        """Return the share of correctly classified rows, or with several labels the mean area under the curve."""
        return (
            area_under_curve(scores, labels) if self.label_names else float(classified(scores, labels).mean())
        )


def classified(scores: Array, labels: Array) -> Array:
    """Return 1 for each row whose class has the largest score, else 0, shape (n,)."""
    return np.asarray(scores.argmax(axis=1) == labels.argmax(axis=1), dtype=np.float64)


def area_under_curve(scores: Array, labels: Array) -> float:
    """Return the area under the ROC curve: the chance that a positive row has the larger score, ties counting half.

    Parameters
    ----------
    scores : ndarray of float, shape (n,) or (n, k)
        A score of each row, larger for positive rows; with k columns, of each label.
    labels : ndarray, of the shape of scores
        0 or 1.

    Returns
    -------
    float
        The area, in [0, 1]; with k columns the mean of their areas (the macro average).

    Raises
    ------
    ValueError
        If all labels of a column are equal.
    """
    from scipy.stats import rankdata  # takes long to load

    positive = np.asarray(labels, dtype=np.bool_)
    many, few = positive.sum(axis=0), (~positive).sum(axis=0)
    if not (many * few).all():
        raise ValueError(
            f"labels must have both classes, got {many} positive of {len(positive)}; pass more rows"
        )
    ranks = rankdata(scores, axis=0)
    return float(np.mean(((ranks * positive).sum(axis=0) - many * (many + 1) / 2) / (many * few)))


def real_array(name: str, value: object) -> NDArray[np.float64]:
    """Return `value` as float64 without a copy if possible. Raises TypeError unless it is an array of real numbers."""
    if not isinstance(value, np.ndarray):
        got = "None" if value is None else f"one of the type {type(value).__name__}"
        raise TypeError(f"{name} must be an array of real numbers, got {got}; pass a NumPy array of floats")
    if value.dtype.kind not in "biuf":
        raise TypeError(
            f"{name} must be an array of real numbers, got dtype={value.dtype}; pass a NumPy array of floats"
        )
    return np.asarray(value, dtype=np.float64)


def checked_training_arrays(
    dimension: int, sizes: tuple[int, ...], theta: object, x: object, *y: object
) -> tuple[Array, ...]:
    """Return parameters, rows x and labels y as finite float64; raise ValueError for a wrong shape.

    Raises ValueError or TypeError in one sentence for anything else.
    """
    theta, x = real_array("theta", theta), real_array("x", x)
    n = x.shape[0] if x.ndim else 0
    parts = [
        ("theta", theta, (dimension,), "pass the result of start()", "lower the rate of the descent"),
        ("x", x, (n, sizes[0]), "pass a row of that many features for each person", "check the features"),
    ]
    for labels in y:
        labels = real_array("y", labels)
        parts.append(
            ("y", labels, (n, sizes[-1]), "pass a row of labels for each row of x", "pass labels from 0 to 1")
        )
    for name, array, shape, remedy, where_finite in parts:
        if array.shape != shape:
            raise ValueError(f"{name} must have shape {shape}, got {array.shape}; {remedy}")
        if not np.isfinite(array).all():
            bad = float(array[~np.isfinite(array)][0])
            raise ValueError(f"{name} must be finite, got {bad!r}; {where_finite}")
    return tuple(array for _, array, *_ in parts)


def _checked_table(name: str, value: object) -> Array:
    """Return `value` as a read-only table of finite numbers."""
    value = real_array(name, value)
    if value.ndim != 2 or value.size == 0:
        raise ValueError(
            f"{name} must have rows and columns, one row for each person, got shape {value.shape}; "
            "pass a table of shape (people, columns)"
        )
    table = np.ascontiguousarray(value).view()
    finite = np.isfinite(table).all(axis=1)
    if not finite.all():
        raise ValueError(
            f"{name} must be finite, got a number that is not in row {int(np.argmin(finite))}; "
            "fill in or remove missing values"
        )
    table.flags.writeable = False
    return table
