"""The network: gradients against finite differences and loops over people, norms and sums without the table of them."""

import numpy as np
import pytest
from numpy.typing import NDArray

import filterproof as fp
from filterproof.mc.training.data_set import classified
from filterproof.mc.training.network import DenseNetwork
from tests.mc.training.made_up import rows_of

Array = NDArray[np.float64]

NETS = [
    pytest.param(DenseNetwork(sizes=(3, 4, 2)), id="one-hidden"),
    pytest.param(DenseNetwork(sizes=(3, 4, 5, 2)), id="two-hidden"),
    pytest.param(DenseNetwork(sizes=(3, 2)), id="none-hidden"),
    pytest.param(DenseNetwork(sizes=(3, 4, 2), output="logistic"), id="logistic"),
]


def rows(net: DenseNetwork, n: int = 6) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(3)
    x = rng.standard_normal((n, net.sizes[0]))
    k = net.sizes[-1]
    y = np.eye(k)[rng.integers(k, size=n)]
    return net.start(rng) + 0.1 * rng.standard_normal(net.dimension), x, y


@pytest.mark.parametrize("net", NETS)
def test_each_gradient_is_that_of_finite_differences(net: DenseNetwork) -> None:
    theta, x, y = rows(net)
    step = 1e-5
    gradients = rows_of(net.gradients(theta, x, y), 6)
    assert gradients.shape == (6, net.dimension)
    for j in range(net.dimension):
        ahead, behind = theta.copy(), theta.copy()
        ahead[j] += step
        behind[j] -= step
        slope = (net.losses(ahead, x, y) - net.losses(behind, x, y)) / (2 * step)
        np.testing.assert_allclose(gradients[:, j], slope, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("net", NETS)
def test_norms_and_weighted_sums_are_those_of_the_gradients_of_each_alone(net: DenseNetwork) -> None:
    theta, x, y = rows(net)
    gradients = net.gradients(theta, x, y)
    table = rows_of(gradients, len(x))
    for i in range(len(x)):
        alone = rows_of(net.gradients(theta, x[i : i + 1], y[i : i + 1]), 1)
        np.testing.assert_allclose(table[i], alone[0], rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(gradients.norms(), np.sqrt((table**2).sum(axis=1)), rtol=1e-13)
    factors = np.linspace(0.0, 1.0, len(x))
    np.testing.assert_allclose(gradients.weighted(factors), factors @ table, rtol=1e-12, atol=1e-14)
    assert isinstance(gradients, fp.training.ImplicitVectors)


def test_the_loss_is_the_sum_that_the_docstring_says() -> None:
    net = DenseNetwork(sizes=(2, 3, 2))
    theta, x, y = rows(net)
    weights, biases = theta[:6].reshape(2, 3), theta[6:9]
    last, bias = theta[9:15].reshape(3, 2), theta[15:]
    for i in range(len(x)):
        hidden = [np.tanh(sum(x[i, a] * weights[a, b] for a in range(2)) + biases[b]) for b in range(3)]
        sums = [sum(hidden[a] * last[a, b] for a in range(3)) + bias[b] for b in range(2)]
        p = np.exp(sums) / np.exp(sums).sum()
        assert net.losses(theta, x, y)[i] == pytest.approx(-sum(y[i] * np.log(p)), rel=1e-12)
        p = 1 / (1 + np.exp([-sum_ for sum_ in sums]))
        both = np.mean([-np.log(sum_ if label else 1 - sum_) for sum_, label in zip(p, y[i], strict=True)])
        logistic = DenseNetwork(sizes=net.sizes, output="logistic")
        assert logistic.losses(theta, x, y)[i] == pytest.approx(both, rel=1e-12)
        assert net.scores(theta, x)[i] == pytest.approx(sums)


def test_those_told_rightly_are_counted_and_whole_numbers_and_flags_are_numbers() -> None:
    net = DenseNetwork(sizes=(2, 2))
    theta = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])  # the larger feature wins
    x = np.array([[3.0, 1.0], [1.0, 3.0], [5.0, 4.0], [-1.0, -2.0]])
    y = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    assert classified(net.scores(theta, x), y).tolist() == [1.0, 1.0, 0.0, 1.0]
    assert (net.losses(theta, x.astype(int), y > 0) == net.losses(theta, x, y)).all()
