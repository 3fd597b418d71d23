"""A network in many worlds: the same gradients as in one."""

import numpy as np

import filterproof as fp
from mc.training.digits import digits
from mc.training.network import Network
from mc.training.two_trainings import TwoTrainings
from reports.figures.audited import NetworkTraining
from tests.mc.training.made_up import rows_of

NETWORK = Network(sizes=(64, 4, 10))
TRAINING = NetworkTraining(digits(), NETWORK, rate=1.0, seed=0, people=6)
MAKE = fp.ClippedSums.making(fp.GaussianFilter(1.0), clip=1.0, sigma=2.0)


def test_each_world_has_the_gradients_of_its_own_parameters() -> None:
    theta = TRAINING.start(3) + np.random.default_rng(1).standard_normal((3, NETWORK.dimension))
    vectors, factors = TRAINING.vectors(theta), np.random.default_rng(2).uniform(0, 1, (3, 6))
    x, y = digits().features[:6], digits().labels[:6]
    for r in range(3):
        rows = rows_of(NETWORK.gradients(theta[r], x, y), 6)
        np.testing.assert_allclose(vectors.norms()[r], np.linalg.norm(rows, axis=1), rtol=1e-10)
        np.testing.assert_allclose(vectors.weighted(factors)[r], factors[r] @ rows, atol=1e-10)


def test_removing_a_person_removes_the_own_gradient() -> None:
    two = TwoTrainings(TRAINING, MAKE, person=2, runs=1)
    x, y = digits().features[:6], digits().labels[:6]
    row = NETWORK.gradients(TRAINING.start(1)[0], x, y).weighted(np.eye(6)[2])
    np.testing.assert_allclose(
        np.subtract(*two.sums())[0], row / max(1.0, float(np.linalg.norm(row))), atol=1e-9
    )
