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


OTHERS = Other.making(fp.GaussianFilter(1.0), clip=1.0, sigma=4.0)


REFUSED: list[tuple[Callable[[], object], str]] = [
    *(
        (lambda changes=changes: three(**changes), sentence)
        for changes, sentence in (
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
                {"features": np.array([[0.0], [np.nan], [1.0]])},
                "features must be finite, got .* not in row 1; fill",
            ),
            ({"labels": np.full((3, 2), 0.5)}, "labels must be 0 or 1, got 0.5; pass one column"),
            (
                {"test_features": np.zeros((1, 3))},
                "test_features must have as many columns .*, got 3 for 2; ",
            ),
        )
    ),
    *(
        (lambda method=method, changes=changes: asked_of_the_network(method, **changes), sentence)
        for method in ("gradients", "losses", "right")
        for changes, sentence in (
            ({"theta": np.zeros(5)}, r"theta must have shape \(26,\), got \(5,\); pass what start"),
            (
                {"theta": np.full(26, 1e308), "x": np.full((6, 3), 10.0)},
                "x must give finite sums with these param",
            ),
            ({"x": np.zeros((6, 2))}, r"x must have shape \(6, 3\), got \(6, 2\); pass a row"),
            ({"x": np.full((6, 3), np.inf)}, "x must be finite, got inf; check the features$"),
            ({"y": np.zeros((5, 2))}, r"y must have shape \(6, 2\), got \(5, 2\); pass a row of labels"),
        )
    ),
    *((lambda sizes=sizes: Network(sizes=sizes), "sizes must ") for sizes in ((3,), 3, (3, 0), (3, 2.5))),
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
    (
        lambda: TwoTrainings(
            fp.training.LogisticTraining(ONE, np.array([1]), rate=1.0), MAKE, person=0, runs=1
        ),
        "training must have at least 2 people",
    ),
    (
        lambda: TwoTrainings(
            TABLE, OtherNoise.making(fp.GaussianFilter(1.0), clip=1.0, sigma=1.0), person=0, runs=1
        ).sums(),
        ".*standard_normal",
    ),
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
    (lambda: simulated(squares=1e300), "squares must be at most 500 in size"),
]


@pytest.mark.parametrize(("call", "sentence"), REFUSED, ids=range(len(REFUSED)))
def test_what_is_none_is_one_sentence(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises((TypeError, ValueError, IndexError), match=f"^{sentence}") as refused:
        call()
    assert "\n" not in str(refused.value)
