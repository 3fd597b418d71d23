"""Data sets: their shapes, the digits of scikit-learn, and IDX files with the sentence for each way to be wrong."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from filterproof.mc.training.digits import load_digit_arrays as digit_pictures
from filterproof.mc.training.digits import load_digits
from filterproof.mc.training.idx import read_idx_data_set
from tests.mc.training.made_up import IMAGES, LABELS, idx, pictures, three


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Five pictures to train on and two to test with, 4 by 3 points each."""
    for part, number in (("train", 5), ("t10k", 2)):
        (tmp_path / f"{part}-{IMAGES}").write_bytes(idx(pictures(number, seed=number)))
        (tmp_path / f"{part}-{LABELS}").write_bytes(idx(np.arange(number) % 10))
    return tmp_path


def test_pictures_become_rows_of_points_and_labels_one_hot_rows(folder: Path) -> None:
    data = read_idx_data_set(folder)
    assert (data.people, data.feature_count, data.class_count) == (5, 12, 10)
    assert not data.public, "nobody said that the people of the folder may be shown"
    np.testing.assert_array_equal(
        data.features, [[x / 255 for x in picture.ravel()] for picture in pictures(5, 5)]
    )
    np.testing.assert_array_equal(data.test_features * 255, pictures(2, 2).reshape(2, 12))
    assert [list(row).index(1.0) for row in data.labels] == [0, 1, 2, 3, 4]
    assert [list(row).index(1.0) for row in data.test_labels] == [0, 1]
    for path in list(folder.iterdir()):
        (folder / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    packed = read_idx_data_set(folder)
    np.testing.assert_array_equal(packed.features, data.features)
    np.testing.assert_array_equal(packed.test_labels, data.test_labels)


def test_a_folder_or_a_file_that_is_not_there_is_named(folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"folder must be a folder .*, got folder='.*gone'; pass"):
        read_idx_data_set(folder / "gone")
    (folder / f"t10k-{LABELS}").unlink()
    with pytest.raises(FileNotFoundError, match=rf"the file t10k-{LABELS} or .*\.gz, got neither; put"):
        read_idx_data_set(folder)


PACKED = gzip.compress(idx(pictures(5, 5)))
WHOLE = (
    f"train-{IMAGES} must be a whole IDX file of unsigned bytes in 3 dimensions, got .*; download it again"
)
WRONG: dict[str, tuple[str, bytes, str]] = {
    "empty": (f"train-{IMAGES}", b"", WHOLE),
    "labels": (f"train-{IMAGES}", idx(np.arange(5)), WHOLE),
    "floats": (f"train-{IMAGES}", b"\0\0\x0d\x03" + bytes(60), WHOLE),
    "header cut": (f"train-{IMAGES}", b"\0\0\x08\x03\0\0\0\5", WHOLE),
    "cut": (f"train-{IMAGES}", idx(pictures(5, 5))[:-1], WHOLE),
    "none": (f"train-{IMAGES}", idx(np.zeros((0, 4, 3))), WHOLE),
    "other size": (f"t10k-{IMAGES}", idx(pictures(2, 2, (3, 4))), "of t10k must be .*, got 3 by 4 for 4 by 3; "
    "pass"),
    "fewer": (f"train-{LABELS}", idx(np.arange(4)), "one class below 10 for each of 5 pictures, got 4 up to 3; pass"),
    "too large": (f"train-{LABELS}", idx(np.array([0, 9, 10, 1, 2])), "got 5 up to 10; pass the labels"),
    "not packed": (f"train-{IMAGES}.gz", b"no gzip at all", "a valid gzip file, got .*; download"),
    "checksum": (f"train-{IMAGES}.gz", PACKED[:-8] + bytes(8), "a valid gzip file, got .*; download"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "content", "sentence"), WRONG.values(), ids=WRONG)
def test_a_file_that_is_wrong_is_named_in_a_sentence(
    folder: Path, name: str, content: bytes, sentence: str
) -> None:
    (folder / name.removesuffix(".gz")).unlink()
    (folder / name).write_bytes(content)
    with pytest.raises(ValueError, match=sentence) as refused:
        read_idx_data_set(folder)
    assert (name if ".gz" in name else name.partition("-")[0]) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_data_set_counts_its_people_and_keeps_their_numbers() -> None:
    data = three()
    assert (data.people, data.feature_count, data.class_count) == (3, 2, 2)
    for array in (data.features, data.labels, data.test_features, data.test_labels):
        assert array.dtype == np.float64
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 7.0
    own = np.zeros((3, 2))
    assert three(features=own).features is not own
    own[0, 0] = 1.0  # the caller's stays writable


def test_the_digits_are_the_pictures_of_scikit_learn_each_once() -> None:
    from sklearn import datasets

    data = load_digits()
    points = np.concatenate([data.features, data.test_features]) * 16
    classes = np.concatenate([data.labels, data.test_labels]).argmax(axis=1)
    ours = np.column_stack([points, classes])
    known = np.column_stack(datasets.load_digits(return_X_y=True))
    assert sorted(map(tuple, ours.tolist())) == sorted(map(tuple, known.tolist()))
    assert np.array_equal(np.column_stack(digit_pictures()), known)
    assert data.public
    assert load_digits() is data
    assert np.ptp(data.labels.sum(axis=0)) < 20, "every digit is among those trained on, about as often"


def test_rows_and_labels_that_do_not_fit_are_refused() -> None:
    for changes, sentence in (
        (
            {"features": np.zeros((2, 2))},
            "labels must have one row for each row of features, got 3 rows for 2; ",
        ),
        (
            {"labels": np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 0.0]])},
            "labels must be 0 or 1, got 0.5 in row 1, column 1; ",
        ),
        ({"features": np.array([[0.0], [np.nan], [1.0]])}, "features must be finite, got .* in row 1; fill"),
        ({"test_features": np.zeros((1, 3))}, "test_features must have as many columns .*, got 3 for 2; "),
    ):
        with pytest.raises(ValueError, match=sentence):
            three(**changes)
