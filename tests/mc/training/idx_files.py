"""IDX files for the tests, written by the description of the format and not by the reader."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

IMAGES, LABELS = "images-idx3-ubyte", "labels-idx1-ubyte"


def idx(array: np.ndarray) -> bytes:
    """An IDX file of unsigned bytes."""
    header = struct.pack(">HBB", 0, 8, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape)
    return header + array.astype(np.uint8).tobytes()


def pictures(number: int, seed: int, size: tuple[int, int] = (4, 3)) -> np.ndarray:
    """Pictures of random points, shape (number, *size)."""
    return np.random.default_rng(seed).integers(0, 256, (number, *size))


def write_squares(folder: Path, people: int = 60, tested: int = 20, side: int = 28) -> Path:
    """A folder of pictures with a bright square, whose place says the class, under noise."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, number, seed in (("train", people, 1), ("t10k", tested, 2)):
        classes = np.arange(number) % 10
        points = pictures(number, seed, (side, side)) // 4
        for one, where in zip(points, classes, strict=True):
            row, column = divmod(int(where), 5)
            one[4 + 10 * row : 12 + 10 * row, 5 * column : 5 + 5 * column] += 180
        (folder / f"{part}-{IMAGES}").write_bytes(idx(points))
        (folder / f"{part}-{LABELS}").write_bytes(idx(classes))
    return folder
