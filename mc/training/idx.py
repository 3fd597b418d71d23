"""A data set of pictures in the IDX files that MNIST and its likes come in, read from a local folder.

    data = read_idx(Path("mnist"))

The folder holds four files: `train-images-idx3-ubyte`, `train-labels-idx1-ubyte`, `t10k-images-idx3-ubyte` and
`t10k-labels-idx1-ubyte`, each as it is or packed by gzip, with `.gz` at the end of its name. Nothing is fetched.
"""

from __future__ import annotations

import gzip
import math
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mc.training.data import DataSet

#: The third byte of an IDX file: the numbers in it are unsigned bytes.
_UNSIGNED_BYTE = 8
_CLASSES = 10


def read_idx(folder: Path) -> DataSet:
    """The pictures of four IDX files as rows of points in [0, 1], and their ten classes as one-hot rows.

    Row i of the features is picture i read line by line, divided by 255: shape (n, height * width). The files must
    agree with each other and with their own headers. Their people are nobody's to show: `public` is False.
    Raises FileNotFoundError for a file that is not there and ValueError for one that is not what it should be, in one
    sentence that names it.
    Source of the format: Y. LeCun, C. Cortes, C. Burges, the MNIST database of handwritten digits.
    """
    if not folder.is_dir():
        raise FileNotFoundError(
            f"folder must be a folder with IDX files, got folder={str(folder)!r}; pass the folder that holds them"
        )
    pictures, labels = _part(folder, "train")
    test_pictures, test_labels = _part(folder, "t10k")
    if pictures.shape[1:] != test_pictures.shape[1:]:
        got, due = (" by ".join(map(str, part.shape[1:])) for part in (test_pictures, pictures))
        raise ValueError(
            f"the pictures of t10k must be as large as those of train, got {got} for {due}; pass a folder with the "
            "files of one data set"
        )
    return DataSet(
        name=folder.resolve().name or "IDX files",
        features=pictures.reshape(len(pictures), -1) / 255.0,
        labels=np.eye(_CLASSES)[labels],
        test_features=test_pictures.reshape(len(test_pictures), -1) / 255.0,
        test_labels=np.eye(_CLASSES)[test_labels],
        public=False,
    )


def _part(folder: Path, part: str) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The pictures, shape (n, height, width), and the classes, shape (n,), of the training or the test part."""
    pictures_path, labels_path = (
        _path(folder, f"{part}-{rest}-ubyte") for rest in ("images-idx3", "labels-idx1")
    )
    pictures, labels = _read(pictures_path, dimensions=3), _read(labels_path, dimensions=1)
    if len(pictures) != len(labels):
        raise ValueError(
            f"{labels_path} must hold one label for each picture of {pictures_path.name}, got {len(labels)} for "
            f"{len(pictures)}; pass the labels of the same pictures"
        )
    if labels.max() >= _CLASSES:
        where = int(np.argmax(labels >= _CLASSES))
        raise ValueError(
            f"{labels_path} must hold classes below {_CLASSES}, got {labels[where]} for picture {where}; pass a file "
            "of ten classes that is whole"
        )
    return pictures, labels


def _path(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    raise FileNotFoundError(f"{folder} must hold the file {name} or {name}.gz, got neither; put it there")


def _read(path: Path, dimensions: int) -> NDArray[np.uint8]:
    """The unsigned bytes of an IDX file with that many dimensions."""
    try:
        content = path.read_bytes()
        content = gzip.decompress(content) if path.suffix == ".gz" else content
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _damaged(path, f"what gzip cannot unpack ({error})") from None
    except OSError as error:
        raise OSError(
            f"{path} must be a file that can be read ({error.strerror or error}); mend it"
        ) from error
    length, expected = 4 + 4 * dimensions, bytes((0, 0, _UNSIGNED_BYTE, dimensions))
    if content[:4] != expected:
        raise ValueError(
            f"{path} must start with the bytes {expected.hex(' ')}, those of an IDX file of unsigned bytes in "
            f"{dimensions} dimension{'s' * (dimensions > 1)}, got {content[:4].hex(' ') or 'an empty file'}; "
            "pass the file of that name"
        )
    if len(content) < length:
        raise _damaged(path, f"{len(content)} bytes where the header alone takes {length}")
    sizes = tuple(map(int, np.frombuffer(content[4:length], dtype=">u4")))
    numbers = np.frombuffer(content, dtype=np.uint8, offset=length)
    if not 0 < len(numbers) == math.prod(sizes):
        raise _damaged(path, f"a header that says {' by '.join(map(str, sizes))}, and {len(numbers)} numbers")
    return numbers.reshape(sizes)


def _damaged(path: Path, got: str) -> ValueError:
    return ValueError(f"{path} must be a whole IDX file, got {got}; fetch it again")
