"""The convolutional network: gradients as plain Torch has them, one person at a time, and runs that resume to the bit.

They need the extra `filterproof[training]`: `make training` installs it and runs them, and no other target does.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from filterproof.filters import ClippedSums, GaussianFilter, IndividualFilter
from filterproof.filters.accountants.clipped_sums import ImplicitVectors
from filterproof.mc.training.convolutional import ConvolutionalNetwork, PerSampleGradients
from filterproof.mc.training.retraining import train_idx
from tests.mc.training.made_up import write_squares

pytestmark = pytest.mark.training

SETTING = {"epsilon": 8.0, "delta": 1e-5, "clip": 1.0, "steps": 2, "rate": 0.5, "seed": 7}


@pytest.fixture(scope="module")
def network() -> ConvolutionalNetwork:
    return ConvolutionalNetwork(batch=7)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_squares(tmp_path_factory.mktemp("pictures"), people=40, tested=20)


def people(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    return rng.random((n, 784)), np.eye(10)[rng.integers(0, 10, n)]


def by_plain_torch(
    theta: np.ndarray, x: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gradients (n, d), losses (n,) and sums (n, 10) in double precision, one person at a time, without Opacus."""
    import torch
    from torch.nn import functional

    shapes = [(16, 1, 8, 8), (16,), (32, 16, 4, 4), (32,), (32, 512), (32,), (10, 32), (10,)]
    sizes = [int(np.prod(shape)) for shape in shapes]
    rows, losses, logits = [], [], []
    for picture, label in zip(x, y, strict=True):
        flat = torch.tensor(theta, dtype=torch.float64, requires_grad=True)
        w1, b1, w2, b2, w3, b3, w4, b4 = (
            part.reshape(shape) for part, shape in zip(flat.split(sizes), shapes, strict=True)
        )
        sums = torch.tensor(picture).reshape(1, 1, 28, 28)
        sums = functional.max_pool2d(functional.conv2d(sums, w1, b1, stride=2, padding=3).relu(), 2, 1)
        sums = functional.max_pool2d(functional.conv2d(sums, w2, b2, stride=2).relu(), 2, 1)
        sums = functional.linear(functional.linear(sums.flatten(1), w3, b3).relu(), w4, b4)
        loss = (sums.logsumexp(1) - (sums * torch.tensor(label)).sum(1)).sum()
        loss.backward()
        rows.append(flat.grad.numpy())
        losses.append(loss.item())
        logits.append(sums[0].detach().numpy())
    return np.array(rows), np.array(losses), np.array(logits)


def test_the_network_has_the_parameters_of_opacus_example(network: ConvolutionalNetwork) -> None:
    theta = network.start(np.random.default_rng(0))
    assert theta.shape == (network.dimension,) == (26_010,)
    at = 0
    for weights, biases, inputs in ((1024, 16, 64), (8192, 32, 256), (16384, 32, 512), (320, 10, 32)):
        part = np.abs(theta[at : at + weights + biases])
        assert 0.99 * inputs**-0.5 < part.max() <= inputs**-0.5
        at += weights + biases
    assert at == 26_010


@pytest.mark.parametrize("batch", [1, 7, 512])
def test_gradients_are_those_of_plain_torch_one_person_at_a_time(batch: int) -> None:
    network, (x, y) = ConvolutionalNetwork(batch=batch), people(20)
    theta = network.start(np.random.default_rng(1))
    rows, losses, sums = by_plain_torch(theta, x, y)
    gradients = network.gradients(theta, x, y)
    assert isinstance(gradients, ImplicitVectors)
    factors = np.random.default_rng(2).random(20)
    np.testing.assert_allclose(gradients.norms(), np.linalg.norm(rows, axis=1), rtol=1e-5)
    np.testing.assert_allclose(gradients.weighted(factors), factors @ rows, rtol=0, atol=1e-5 * len(x))
    np.testing.assert_allclose(network.losses(theta, x, y), losses, rtol=1e-5)
    np.testing.assert_allclose(network.scores(theta, x), sums, atol=1e-5)


def test_nobody_counts_with_more_than_was_charged_though_gradients_come_out_longer(
    network: ConvolutionalNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y = people(9)
    theta = network.start(np.random.default_rng(1))
    gradients = network.gradients(theta, x, y)
    norms, before = gradients.norms(), gradients.weighted(np.ones(9))
    parts = PerSampleGradients._iter_gradients

    def longer(self: PerSampleGradients) -> Any:
        return (
            (rows, [gradient * (3.0 if rows.start else 0.5) for gradient in gradients])
            for rows, gradients in parts(self)
        )

    monkeypatch.setattr(PerSampleGradients, "_iter_gradients", longer)
    for person in range(9):
        length = np.linalg.norm(gradients.weighted(np.eye(9)[person]))
        assert length == pytest.approx(norms[person] * (1.0 if person >= 7 else 0.5), rel=1e-6)
        assert length <= norms[person] * (1 + 1e-12)
    assert np.linalg.norm(before) > 0


def test_the_generator_of_the_callers_is_left_alone(folder: Path, tmp_path: Path) -> None:
    import torch

    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    train_idx(folder, **SETTING, most_steps=1, out=tmp_path / "out")
    assert torch.equal(torch.random.get_rng_state(), before)


def test_gradients_that_are_not_finite_charge_nobody(network: ConvolutionalNetwork) -> None:
    x, y = people(9)
    everyone = IndividualFilter(GaussianFilter(mu=1.0), people=9)
    before, theta = everyone.to_dict(), network.start(np.random.default_rng(1))
    sums = ClippedSums(everyone, clip=1.0, sigma=5.0)
    for wild in (
        theta * 1e30,
        theta * 1e200,
    ):  # infinite in single precision: within the network, and at once
        with pytest.raises(
            ValueError, match=r"gradients must be finite, .*; lower the rate, nothing was charged"
        ):
            sums.release(network.gradients(wild, x, y), np.random.default_rng(1))
        with pytest.raises(ValueError, match="x must give finite sums"):
            network.losses(wild, x, y)
    assert everyone.to_dict() == before


def test_without_noise_to_speak_of_it_learns_the_pictures(folder: Path, tmp_path: Path) -> None:
    setting = SETTING | {"epsilon": 1e6, "clip": 10.0, "steps": 60, "rate": 0.3}
    outcome = train_idx(folder, **setting, most_steps=60, out=tmp_path / "out")
    assert outcome.accuracy.low > 0.5, "ten classes, told by chance one time in ten"
