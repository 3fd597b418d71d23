"""What no part of a training takes is one sentence that names it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from mc.training.network import Network
from mc.training.two_trainings import TwoTrainings
from tests.mc.training.made_up import CANARY, MAKE, RHO, ToTheData, Two, descent, three

NET = Network(sizes=(3, 4, 2))
TABLE = fp.training.LogisticTraining(
    np.array([[2.0, 0.5], [1.0, -1.0], [-0.5, 3.0]]), np.array([0, 1, 1]), rate=0.3
)
ONE = np.ones((1, 1))


def asked_of_the_network(method: str, **changes: Any) -> None:
    given = {"theta": np.zeros(26), "x": np.zeros((6, 3)), "y": np.zeros((6, 2))} | changes
    with np.errstate(invalid="ignore", over="ignore"):
        getattr(NET, method)(**given)


def simulated(make: Any = MAKE, training: Any = CANARY, **given: Any) -> None:
    fp.training.simulate_training(training, make, **({"epsilon": 1.0, "steps": 2, "n": 20} | given))


class OtherNoise(fp.training.ClippedSums):
    def release(self, vectors: object, rng: np.random.Generator) -> fp.training.PrivateSum:
        return fp.training.PrivateSum(np.zeros((1, 2)) + rng.normal(size=2), 1.0)


class Other(fp.training.ClippedSums):
    pass


OTHER_NOISE = OtherNoise.making(fp.GaussianFilter(1.0), clip=1.0, sigma=1.0)
OTHERS = Other.making(fp.GaussianFilter(1.0), clip=1.0, sigma=4.0)


REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: three(features=np.zeros(3)), r"features must have rows and columns, .*, got shape \(3,\); pass a"),
    (lambda: three(features=np.zeros((2, 2))), "labels must be 0 or 1, with one row .*, got 3 rows for 2; "),
    (lambda: three(labels=np.full((3, 2), 0.5)), "labels must be 0 or 1"),
    (lambda: three(features=np.array([[0.0], [np.nan], [1.0]])), "features must be finite, got .* in row 1; fill"),
    (lambda: three(test_features=np.zeros((1, 3))), "test_features must have as many columns .*, got 3 for 2; "),
    (lambda: asked_of_the_network("gradients", theta=np.zeros(5)), r"theta must have shape \(26,\), got \(5,\); "),
    (
        lambda: asked_of_the_network("losses", theta=np.full(26, 1e308), x=np.full((6, 3), 10.0)),
        "x must give finite sums with these param",
    ),
    (lambda: asked_of_the_network("right", x=np.full((6, 3), np.inf)), "x must be finite, got inf; check the fea"),
    (lambda: Network(sizes=(3,)), "sizes must "),
    (
        lambda: descent(people=fp.IndividualFilter(fp.ZCDPFilter(RHO), people=39)),
        "people must be .*, got 39 for 40; ",
    ),
    (
        lambda: descent(network=Network(sizes=(3, 3))),
        r"network must take 2 features and tell 3 .*, got .*\(3, 3\); ",
    ),
    (lambda: fp.training.LogisticTraining(ONE * np.nan, np.array([0]), 1.0), "features must be finite"),
    (lambda: fp.training.LogisticTraining(np.ones((2, 1)), np.array([0, 2]), 1.0), "labels must be 0 or 1"),
    (lambda: TwoTrainings(TABLE, MAKE, person=3, runs=1), "person"),
    (lambda: simulated(training=TABLE, make=OTHER_NOISE), ".*standard_normal"),
    (
        lambda: simulated(Other.making(fp.BasicFilter(1.0, 1e-3), clip=1.0, sigma=1.0)),
        "squares must be given",
    ),
    (lambda: simulated(ToTheData, Two(100.0)), "sigma must be .*tells about that person"),
    (
        lambda: simulated(lambda people, runs: (OTHERS if runs > 1 else MAKE)(people, runs), Two(0.5)),
        "make must give the same kind of sums whatever the number of runs",
    ),
    (lambda: simulated(epsilon=800.0), "epsilon must be at most 500 in size"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "sentence"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_none_is_one_sentence(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises((TypeError, ValueError, IndexError), match=f"^{sentence}") as refused:
        call()
    assert "\n" not in str(refused.value)
