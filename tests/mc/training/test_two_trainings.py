"""Two trainings that differ in one person: what is summed for either."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import filterproof as fp
from filterproof.mc.training.neighbouring_trainings import TwoTrainings

FEATURES = np.array([[2.0, 0.5], [1.0, -1.0], [-0.5, 3.0]])
LABELS = np.array([0, 1, 1])
MAKE = fp.training.ClippedSums.factory(fp.GaussianFilter(1.0), clip=0.7, sigma=2.0)


class _Table:
    """The same training with a table of gradients, person by person."""

    people = 3

    def start(self, runs: int) -> NDArray[np.float64]:
        return np.zeros((runs, 2))

    def vectors(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        rows = np.empty((len(parameters), 3, 2))
        for r, theta in enumerate(parameters):
            for i, (x, y) in enumerate(zip(FEATURES, LABELS, strict=True)):
                rows[r, i] = (1 / (1 + math.exp(-float(x @ theta))) - y) * x
        return rows

    def step(self, parameters: NDArray[np.float64], released: NDArray[np.float64]) -> NDArray[np.float64]:
        return parameters - 0.3 * released


@pytest.mark.parametrize("person", [0, 2])
def test_closed_forms_and_tables_are_summed_alike(person: int) -> None:
    closed = TwoTrainings(
        fp.training.LogisticTraining(FEATURES, LABELS, rate=0.3), MAKE, person=person, runs=5
    )
    table = TwoTrainings(_Table(), MAKE, person=person, runs=5)
    rng = np.random.default_rng(3)
    for _ in range(30):
        first, other = closed.sums(), table.sums()
        np.testing.assert_allclose(first, other, atol=1e-12)
        released = first[0] + rng.standard_normal(first[0].shape)
        closed.go_on(released)
        table.go_on(released)
    np.testing.assert_allclose(closed.parameters, table.parameters, atol=1e-12)


def test_a_canary_moves_its_own_coordinate_until_nothing_is_left() -> None:
    for base in (fp.training.LogisticTraining(FEATURES, LABELS, rate=0.3), _Table()):
        two = TwoTrainings(fp.training.TrainingWithCanary(base, 50.0), MAKE, person=3, runs=2)
        moved = []
        for _ in range(12):
            shift = np.subtract(*two.sums()) / two.sigma
            assert np.abs(shift[:, :2]).max() < 1e-12
            moved.append(shift[0, 2])
            two.go_on(np.zeros((2, 3)))
        np.testing.assert_allclose(moved[:8], 0.35, rtol=1e-8)
        assert moved[8] == pytest.approx(math.sqrt(1 - 8 * 0.35**2), rel=1e-6)
        assert moved[9:] == [0.0, 0.0, 0.0]
        two.go_on(np.array([[1.0, 2.0, 7.0]] * 2))
        np.testing.assert_allclose(two.parameters, [[-0.3, -0.6]] * 2, atol=1e-12)
