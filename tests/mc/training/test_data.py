"""The data sets: their shapes, what they refuse, and the digits that come with scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mc.training.data import DataSet
from mc.training.digits import digits, pictures


def made(**changes: Any) -> DataSet:
    parts: dict[str, Any] = {
        "name": "three people",
        "features": np.array([[0, 1], [1, 0], [1, 1]]),
        "labels": np.array([[1, 0], [0, 1], [1, 0]]),
        "test_features": np.array([[0.5, 0.5]]),
        "test_labels": np.array([[True, False]]),
        "public": False,
    }
    return DataSet(**(parts | changes))


def test_a_data_set_counts_its_people_and_keeps_their_numbers() -> None:
    data = made()
    assert (data.people, data.inputs, data.outputs) == (3, 2, 2)
    for one in (data.features, data.labels, data.test_features, data.test_labels):
        assert one.dtype == np.float64
        with pytest.raises(ValueError, match="read-only"):
            one[0, 0] = 7.0
    own = np.zeros((3, 2))
    assert made(features=own).features is not own
    own[0, 0] = 1.0  # the caller's stays writable


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"features": [[0.0, 1.0]]},
            "features must be an array of real numbers, got one of the type list; pass",
        ),
        ({"features": np.ones((3, 2), dtype=complex)}, "features must be .*, got dtype=complex128; pass"),
        (
            {"features": np.zeros(3)},
            r"features must have rows and columns, .*, got shape \(3,\); pass a table",
        ),
        (
            {"features": np.zeros((2, 2))},
            "labels must have one row for each row of features, got 3 rows for 2; ",
        ),
        (
            {"features": np.array([[0.0, 1.0], [np.nan, 0.0], [1.0, 1.0]])},
            "features must be finite, got a number that is not in row 1; fill",
        ),
        ({"labels": np.full((3, 2), 0.5)}, "labels must be 0 or 1, got 0.5; pass one column"),
        (
            {"test_features": np.zeros((1, 3))},
            "test_features must have as many columns as features, got 3 for 2; ",
        ),
        ({"name": ""}, "name must be a word for the data set, got name=''; pass one"),
        ({"public": 1}, "public must be True or False, got public=1; pass"),
    ],
    ids=range(9),
)
def test_what_is_no_data_set_is_one_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises((ValueError, TypeError), match=f"^{sentence}") as told:
        made(**changes)
    assert "\n" not in str(told.value)


def test_the_digits_are_the_pictures_of_scikit_learn_each_once() -> None:
    from sklearn.datasets import load_digits

    data = digits()
    points = np.concatenate([data.features, data.test_features]) * 16
    classes = np.concatenate([data.labels, data.test_labels]).argmax(axis=1)
    told = np.column_stack([points, classes])
    known = np.column_stack(load_digits(return_X_y=True))
    assert sorted(map(tuple, told.tolist())) == sorted(map(tuple, known.tolist()))
    assert np.array_equal(np.column_stack(pictures()), known)
    assert data.public
    assert digits() is data
    assert np.ptp(data.labels.sum(axis=0)) < 20, "every digit is among those trained on, about as often"
