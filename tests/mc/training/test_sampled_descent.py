"""DP-SGD: its noise is the least that composition allows, and full batches are private gradient descent."""

import numpy as np
import pytest

import filterproof as fp
from filterproof.filters import GaussianFilter, IndividualFilter
from filterproof.mc.training.descent import PrivateGradientDescent
from filterproof.mc.training.digits import load_digits
from filterproof.mc.training.network import DenseNetwork
from filterproof.mc.training.sampled_descent import sampled_descent, sampled_noise


@pytest.mark.parametrize(("q", "steps"), [(1.0, 50), (0.3, 100)])
def test_the_noise_suffices_and_a_little_less_does_not(q: float, steps: int) -> None:
    sigma = sampled_noise(q, steps, epsilon=1.0, delta=1e-5)

    def epsilon(noise: float) -> fp.results.Bounds:
        pair = fp.Gaussian(1 / noise) if q == 1 else fp.SubsampledGaussian(q, noise)
        return fp.Composition({pair: steps}).epsilon(1e-5, relative=1e-5)

    assert epsilon(sigma * (1 + 1e-9)).high <= 1.0 + 1e-8
    assert epsilon(sigma * (1 - 3e-4)).low > 1.0


def test_without_noise_a_full_batch_is_private_gradient_descent_and_a_sample_is_near_it() -> None:
    data, network = load_digits(), DenseNetwork()
    people = IndividualFilter(GaussianFilter(mu=1e12), people=data.people)
    descent = PrivateGradientDescent(data, network, people, clip=0.5, sigma=1e-9, rate=2.0, seed=3)
    descent.steps(3)
    how = {"clip": 0.5, "sigma": 1e-9, "rate": 2.0}
    start, *_, final = sampled_descent(data, network, q=1.0, steps=3, **how, rng=np.random.default_rng(3))
    assert final == pytest.approx(descent.theta, abs=1e-7)
    *_, many = sampled_descent(data, network, q=1.0, steps=3, **how, rng=np.random.default_rng(3), copies=3)
    assert many == pytest.approx(descent.theta, abs=1e-7)
    assert np.array_equal(start, network.start(np.random.default_rng(3)))
    *_, sampled = sampled_descent(data, network, q=0.5, steps=3, **how, rng=np.random.default_rng(3))
    moved, other = final - start, sampled - start
    cosine = float(moved @ other / np.sqrt((moved @ moved) * (other @ other)))
    assert 0.9 < cosine < 1 - 1e-6
    assert abs(float(np.sqrt((other @ other) / (moved @ moved))) - 1) < 0.2
