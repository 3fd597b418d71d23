"""The data sets: their shapes, and the digits that come with scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest

from mc.training.digits import digits, pictures
from tests.mc.training.made_up import three


def test_a_data_set_counts_its_people_and_keeps_their_numbers() -> None:
    data = three()
    assert (data.people, data.inputs, data.outputs) == (3, 2, 2)
    for one in (data.features, data.labels, data.test_features, data.test_labels):
        assert one.dtype == np.float64
        with pytest.raises(ValueError, match="read-only"):
            one[0, 0] = 7.0
    own = np.zeros((3, 2))
    assert three(features=own).features is not own
    own[0, 0] = 1.0  # the caller's stays writable


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
