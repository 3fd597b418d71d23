"""What trainings are tested with: a small data set, a descent on it, a canary, and sums that are not the library's."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import filterproof as fp
from filterproof.mc.training.data_set import DataSet
from filterproof.mc.training.descent import Learner, PrivateGradientDescent
from filterproof.mc.training.network import DenseNetwork

NET = DenseNetwork(sizes=(2, 5, 3))
CLIP, SIGMA, RATE, K = 0.5, 2.0, 3.0, 6
#: A budget of K clipped steps.
RHO = K / (2 * SIGMA**2)
RNG = np.random.default_rng(0)
PEOPLE = fp.training.LogisticTraining(RNG.uniform(0, 1, (12, 4)), RNG.integers(0, 2, 12), rate=0.2)
#: The largest person there can be, the thirteenth.
CANARY = fp.training.TrainingWithCanary(PEOPLE, 1e4)
MAKE = fp.training.ClippedSums.factory(fp.GaussianFilter(1.0), clip=1.0, sigma=4.0)  # 16 clipped steps


def made_up(people: int = 40, *, public: bool = True, seed: int = 0) -> DataSet:
    """Three classes of people around three points."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(3, size=people + 20)
    features = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]])[classes] + rng.standard_normal(
        (people + 20, 2)
    )
    labels = np.eye(3)[classes]
    return DataSet(
        name="made up",
        features=features[:people],
        labels=labels[:people],
        test_features=features[people:],
        test_labels=labels[people:],
        public=public,
    )


def three(**changes: Any) -> DataSet:
    """Three people, and one row to test with."""
    parts = {
        "name": "three people",
        "features": np.array([[0, 1], [1, 0], [1, 1]]),
        "labels": np.array([[1, 0], [0, 1], [1, 0]]),
        "test_features": np.array([[0.5, 0.5]]),
        "test_labels": np.array([[True, False]]),
        "public": False,
    }
    return DataSet(**(parts | changes))


def noise_in_a_row(monkeypatch: pytest.MonkeyPatch, network: Learner) -> None:
    """Noise that does not look at the sums: of one generator after the start, so that it can be drawn a second time."""

    def added_to(
        noise: fp.training.SecretNoise, *total: NDArray[np.float64], sigma: float
    ) -> NDArray[np.float64]:
        rng = np.random.default_rng(noise.secret)
        network.start(rng)
        return sigma * [rng.standard_normal(total[0].shape) for _ in range(noise.step)][-1]

    monkeypatch.setattr(fp.training.SecretNoise, "noise_for", added_to)


def rows_of(gradients: fp.training.ImplicitVectors, n: int) -> NDArray[np.float64]:
    """The gradients of n people written out, shape (n, d): the sums in which one of them counts alone."""
    return np.array([gradients.weighted(unit) for unit in np.eye(n)])


def descent(filt: Any = None, **changes: Any) -> PrivateGradientDescent:
    """A descent of the people made up, each with a budget of K clipped steps, or with what is changed of it."""
    data = changes.pop("data", made_up())
    people = changes.pop("people", fp.IndividualFilter(filt or fp.ZCDPFilter(RHO), people=data.people))
    given = {"clip": CLIP, "sigma": SIGMA, "rate": RATE, "seed": 7, "network": NET} | changes
    return PrivateGradientDescent(data, given.pop("network"), people, **given)


class Two:
    """Two people, of whom one counts with `size` and the other not; the parameters are what was released."""

    people = 2

    def __init__(self, size: float, late: float | None = None) -> None:
        self.size, self.late = size, size if late is None else late

    def start(self, runs: int) -> NDArray[np.float64]:
        return np.zeros((runs, 1))

    def vectors(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        own = np.where(parameters > 1.0, self.late, self.size)
        return np.stack([own, 0 * own], axis=1)

    def step(self, parameters: NDArray[np.float64], released: NDArray[np.float64]) -> NDArray[np.float64]:
        return released.copy()


class PlainSums:
    """The sum and noise, without a clip or a budget; not `alone`, all worlds share their noise."""

    promise = fp.GaussianDP(1.0)

    def __init__(self, people: int, runs: int, *, alone: bool = True) -> None:
        self.noises = (runs, 1) if alone else (1,)

    def release(self, vectors: NDArray[np.float64], rng: np.random.Generator) -> fp.training.NoisySum:
        return fp.training.NoisySum(vectors.sum(axis=1) + rng.standard_normal(self.noises), 1.0)


class ToTheData(PlainSums):
    """Noise scaled to the largest vector there is: it says who is there."""

    def release(self, vectors: NDArray[np.float64], rng: np.random.Generator) -> fp.training.NoisySum:
        sigma = 2 * float(np.abs(vectors).max()) + 1e-3
        return fp.training.NoisySum(vectors.sum(axis=1) + sigma * rng.standard_normal(self.noises), sigma)


# -- IDX files, written by the description of the format and not by the reader ----------------------------

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
        for picture, where in zip(points, classes, strict=True):
            row, column = divmod(int(where), 5)
            picture[4 + 10 * row : 12 + 10 * row, 5 * column : 5 + 5 * column] += 180
        (folder / f"{part}-{IMAGES}").write_bytes(idx(points))
        (folder / f"{part}-{LABELS}").write_bytes(idx(classes))
    return folder
