"""A data set of pictures in the IDX files that MNIST and its likes come in, read from a local folder.

    data = read_idx(Path("mnist"))

The folder holds four files: `train-images-idx3-ubyte`, `train-labels-idx1-ubyte`, `t10k-images-idx3-ubyte` and
`t10k-labels-idx1-ubyte`, each as it is or packed by gzip, with `.gz` at the end of its name. Nothing is fetched.
"""

from __future__ import annotations

import gzip
import math
import os
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mc.training.data import DataSet
from theory.arguments import check_count

__all__ = ["read_idx"]

#: The third byte of an IDX file: the numbers in it are unsigned bytes.
_UNSIGNED_BYTE = 8
#: Most numbers that are made of all four files, points and one-hot labels, 2 GiB as doubles; MNIST has 56 million.
_MOST = 2**28
#: gzip makes data at most this many times as long (1032, by the format), so a short file that claims more is damaged.
_GZIP_RATIO = 1100
_CHUNK = 2**20


def read_idx(folder: Path, *, classes: int = 10, public: bool = False) -> DataSet:
    """The pictures of four IDX files as rows of points in [0, 1], and their classes as one-hot rows.

    Row i of the features is picture i read line by line, divided by 255: shape (n, height * width). The files must
    agree with each other, with their own headers and with the number of classes; sizes are compared with what lies on
    the disk, and what will be made of all four with 2^28 numbers, before memory is taken. public: see `DataSet`.
    Raises FileNotFoundError for a file that is not there and ValueError for one that is not what it should be, in one
    sentence that names it.
    Source of the format: Y. LeCun, C. Cortes, C. Burges, the MNIST database of handwritten digits.
    """
    classes = check_count("classes", classes, least=2)
    if not folder.is_dir():
        raise FileNotFoundError(
            f"folder must be a folder with IDX files, got folder={str(folder)!r}; pass the folder that holds them"
        )
    pictures, labels = _part(folder, "train", classes, room=_MOST)
    room = _MOST - pictures.size - classes * len(labels)
    test_pictures, test_labels = _part(folder, "t10k", classes, room=room)
    if pictures.shape[1:] != test_pictures.shape[1:]:
        raise ValueError(
            f"the pictures of t10k must be as large as those of train, got {_size(test_pictures)} for "
            f"{_size(pictures)}; pass a folder with the files of one data set"
        )
    return DataSet(
        name=folder.resolve().name or "IDX files",
        features=_points(pictures),
        labels=_one_hot(labels, classes),
        test_features=_points(test_pictures),
        test_labels=_one_hot(test_labels, classes),
        public=public,
    )


def _part(folder: Path, part: str, classes: int, room: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The pictures, shape (n, height, width), and the classes, shape (n,), of the training or the test part.

    At most `room` numbers are to be made of them: a point is one, a label `classes`.
    """
    pictures_path, labels_path = (_path(folder, f"{part}-{rest}") for rest in _NAMES)
    pictures = _read(pictures_path, dimensions=3, room=room)
    labels = _read(labels_path, dimensions=1, room=(room - pictures.size) // classes)
    if len(pictures) != len(labels):
        raise ValueError(
            f"{labels_path} must hold one label for each picture of {pictures_path.name}, got {len(labels)} for "
            f"{len(pictures)}; pass the labels of the same pictures"
        )
    if labels.max() >= classes:
        where = int(np.argmax(labels >= classes))
        raise ValueError(
            f"{labels_path} must hold classes below {classes}, got {labels[where]} for picture {where}; "
            "pass the number of classes, or a file that is whole"
        )
    return pictures, labels


_NAMES = ("images-idx3-ubyte", "labels-idx1-ubyte")


def _path(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    raise FileNotFoundError(f"{folder} must hold the file {name} or {name}.gz, got neither; put it there")


def _read(path: Path, dimensions: int, room: int) -> NDArray[np.uint8]:
    """The unsigned bytes of an IDX file with that many dimensions, at most `room` of them."""
    try:
        with path.open("rb") as file:
            on_disk = os.fstat(file.fileno()).st_size
            if path.suffix != ".gz":
                return _decoded(file.read, path, dimensions, room, most=on_disk)
            with gzip.open(file) as unpacked:
                return _decoded(unpacked.read, path, dimensions, room, most=_GZIP_RATIO * on_disk)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _damaged(path, f"what gzip cannot unpack ({error})") from None
    except OSError as error:
        raise OSError(
            f"{path} must be a file that can be read ({error.strerror or error}); mend it"
        ) from error


def _decoded(
    read: Callable[[int], bytes], path: Path, dimensions: int, room: int, most: int
) -> NDArray[np.uint8]:
    length = 4 + 4 * dimensions
    header = read(length)
    expected = bytes((0, 0, _UNSIGNED_BYTE, dimensions))
    if header[:4] != expected:
        raise ValueError(
            f"{path} must start with the bytes {expected.hex(' ')}, those of an IDX file of unsigned bytes in "
            f"{dimensions} dimension{'s' * (dimensions > 1)}, got {header[:4].hex(' ') or 'an empty file'}; "
            "pass the file of that name"
        )
    if len(header) < length:
        raise _damaged(path, f"{len(header)} bytes where the header alone takes {length}")
    sizes = tuple(int(size) for size in np.frombuffer(header, dtype=">u4", offset=4))
    count = math.prod(sizes)
    shape = " by ".join(str(size) for size in sizes)
    if count == 0:
        raise _damaged(path, f"a header that says {shape}")
    if count > room:
        raise ValueError(
            f"{path} must hold at most {room} numbers, got a header that says {shape}; pass a smaller data set, of "
            f"{_MOST} numbers in all, where a label counts once for each class"
        )
    if length + count > most:
        raise _damaged(path, f"a header that says {shape}, more than the file can hold")
    content = bytearray()
    while len(content) < count:
        chunk = read(min(_CHUNK, count - len(content)))
        if not chunk:
            raise _damaged(path, f"a header that says {shape}, and {len(content)} numbers")
        content += chunk
    if read(1):
        raise _damaged(path, f"a header that says {shape}, and more numbers than that")
    return np.frombuffer(content, dtype=np.uint8).reshape(sizes)


def _damaged(path: Path, got: str) -> ValueError:
    return ValueError(f"{path} must be a whole IDX file, got {got}; fetch it again")


def _points(pictures: NDArray[np.uint8]) -> NDArray[np.float64]:
    points = pictures.reshape(len(pictures), -1).astype(np.float64)
    points /= 255.0
    return points


def _one_hot(labels: NDArray[np.uint8], classes: int) -> NDArray[np.float64]:
    rows = np.zeros((len(labels), classes))
    rows[np.arange(len(labels)), labels] = 1.0
    return rows


def _size(pictures: NDArray[np.uint8]) -> str:
    return f"{pictures.shape[1]} by {pictures.shape[2]}"
