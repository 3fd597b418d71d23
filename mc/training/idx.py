"""A data set of pictures in IDX files, such as those of MNIST, from a local folder.

    data = read_idx_data_set(Path("mnist"))

The folder has four files: `train-images-idx3-ubyte`, `train-labels-idx1-ubyte`, `t10k-images-idx3-ubyte` and
`t10k-labels-idx1-ubyte`. Each may be compressed by gzip, with `.gz` at the end of its name. Nothing is downloaded.
"""

from __future__ import annotations

import gzip
import math
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.training.data_set import DataSet

#: The third byte of an IDX file: its numbers are unsigned bytes.
_UNSIGNED_BYTE = 8
_CLASSES = 10


def read_idx_data_set(folder: Path) -> DataSet:
    """Read the four IDX files of a folder into a data set: pictures in [0, 1], one-hot classes.

    Row i of the features is picture i read line by line, divided by 255: shape (n, height * width). The files must
    agree with each other and with their own headers. `public` is False. Raises FileNotFoundError for a missing file and
    ValueError for an invalid one, in one sentence that names it.

    Source of the format: Y. LeCun, C. Cortes, C. Burges, the MNIST database of handwritten digits.
    """
    if not folder.is_dir():
        raise FileNotFoundError(
            f"folder must be a folder with IDX files, got folder={str(folder)!r}; pass the folder that holds them"
        )
    pictures, labels = _read_pictures_and_classes(folder, "train")
    test_pictures, test_labels = _read_pictures_and_classes(folder, "t10k")
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


def _read_pictures_and_classes(folder: Path, part: str) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the pictures (n, height, width) and the classes (n,) of the training or the test part."""
    pictures = _read_idx_file(folder, f"{part}-images-idx3-ubyte", dimensions=3)
    labels = _read_idx_file(folder, f"{part}-labels-idx1-ubyte", dimensions=1)
    if len(pictures) != len(labels) or labels.max() >= _CLASSES:
        raise ValueError(
            f"{part}-labels-idx1-ubyte must hold one class below {_CLASSES} for each of {len(pictures)} pictures, got "
            f"{len(labels)} up to {labels.max()}; pass the labels of the same pictures"
        )
    return pictures, labels


def _read_idx_file(folder: Path, name: str, dimensions: int) -> NDArray[np.uint8]:
    """Return the unsigned bytes of one IDX file, plain or compressed, with that many dimensions."""
    path = next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)
    if path is None:
        raise FileNotFoundError(f"{folder} must hold the file {name} or {name}.gz, got neither; put it there")
    try:
        content = path.read_bytes()
        content = gzip.decompress(content) if path.suffix == ".gz" else content
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path} must be a valid gzip file, got {error}; download it again") from None
    start = 4 + 4 * dimensions
    sizes = np.frombuffer(content[4:start].ljust(start - 4, b"\0"), dtype=">u4").tolist()
    numbers = np.frombuffer(content[start:], dtype=np.uint8)
    if content[:4] != bytes((0, 0, _UNSIGNED_BYTE, dimensions)) or not 0 < len(numbers) == math.prod(sizes):
        raise ValueError(
            f"{path} must be a whole IDX file of unsigned bytes in {dimensions} "
            f"dimension{'s' * (dimensions > 1)}, got {len(content)} bytes that start with {content[:start].hex(' ')}; "
            "download it again, or pass the file of that name"
        )
    return numbers.reshape(sizes)
