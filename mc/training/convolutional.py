"""The convolutional network of Feldman & Zrnic (2021) for MNIST, with per-person gradients by Torch and Opacus.

    network = ConvolutionalNetwork()
    gradients = network.gradients(theta, data.features, data.labels)
    sums.release(gradients, rng)

It needs the extra `filterproof[training]`; importing this module does not.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.training.data_set import checked_training_arrays

Array = NDArray[np.float64]

_SIDE, _CLASSES = 28, 10
#: The shape of the weights of each layer; there are as many biases as the first size.
_WEIGHT_SHAPES: Final = ((16, 1, 8, 8), (32, 16, 4, 4), (32, 512), (_CLASSES, 32))


class ConvolutionalNetwork:
    """Cross-entropy of the network of Opacus's MNIST example: two convolutions, each pooled, and two linear layers.

    28 by 28 points -> 16 channels of 8 by 8, stride 2, padding 3 -> ReLU -> largest of 2 by 2, stride 1 -> 32 channels
    of 4 by 4, stride 2 -> ReLU -> largest of 2 by 2, stride 1 -> 512 -> 32 -> ReLU -> 10 classes: 26,010 parameters,
    one vector theta in Torch's order. Torch computes in single precision, norms and sums of gradients in double.
    Rows x have shape (n, 784), one-hot labels y (n, 10). batch: the people whose gradients are in memory at once; 512
    of them, and Torch itself, took 0.9 GB where it was measured. ImportError without Torch and Opacus; ValueError for
    wrong shapes and for numbers not finite.
    Source: Feldman & Zrnic (2021), Section 5.1 and Appendix A.
    """

    sizes: Final = (_SIDE * _SIDE, _CLASSES)
    output: Final = "softmax"

    def __init__(self, *, batch: int = 512) -> None:
        self._batch = batch
        self._torch, self._module = _built_network()

    @property
    def dimension(self) -> int:
        """The number of parameters d."""
        return sum(int(np.prod(shape)) + shape[0] for shape in _WEIGHT_SHAPES)

    def start(self, rng: np.random.Generator) -> Array:
        """Return initial parameters, shape (d,): uniform within 1 / sqrt(inputs of a unit), as in Torch."""
        parts = []
        for shape in _WEIGHT_SHAPES:
            most = float(np.prod(shape[1:])) ** -0.5
            parts += [rng.uniform(-most, most, int(np.prod(shape))), rng.uniform(-most, most, shape[0])]
        return np.concatenate(parts)

    def gradients(self, theta: Array, x: Array, y: Array) -> PerSampleGradients:
        """Return the gradient of each person's loss by theta, computed on demand, one batch of people at a time."""
        theta, x, y = checked_training_arrays(self.dimension, self.sizes, theta, x, y)
        return PerSampleGradients(self, theta, x, y)

    def losses(self, theta: Array, x: Array, y: Array) -> Array:
        """Return each person's loss in nats, shape (n,)."""
        theta, x, y = checked_training_arrays(self.dimension, self.sizes, theta, x, y)
        functional, torch = self._torch.nn.functional, self._torch
        parts = [
            functional.cross_entropy(sums, torch.from_numpy(y[rows].argmax(axis=1)), reduction="none")
            for rows, sums in self._iter_last_layer_sums(theta, x)
        ]
        return np.concatenate([part.double().numpy() for part in parts])

    def scores(self, theta: Array, x: Array) -> Array:
        """Return the sums of the last layer, shape (n, 10): the larger one, the more likely the class."""
        theta, x = checked_training_arrays(self.dimension, self.sizes, theta, x)
        return np.concatenate([sums.double().numpy() for _, sums in self._iter_last_layer_sums(theta, x)])

    def iter_per_sample_gradients(
        self, theta: Array, x: Array, y: Array
    ) -> Iterator[tuple[slice, list[Any]]]:
        """Yield, batch by batch, the rows and the per-person gradients of each parameter tensor."""
        torch, module = self._torch, self._module
        self._load_parameters(theta)
        for rows in self._batch_slices(len(x)):
            module.zero_grad(set_to_none=True)  # possibly left by an interrupted batch
            with warnings.catch_warnings():
                # the warning is about gradients of pictures, which are not needed
                warnings.filterwarnings(
                    "ignore", message="Full backward hook is firing", category=UserWarning
                )
                target = torch.from_numpy(y[rows].argmax(axis=1))
                sums = module(self._picture_tensor(x[rows]))
                torch.nn.functional.cross_entropy(sums, target, reduction="sum").backward()
            gradients = [parameter.grad_sample.flatten(1) for parameter in module.parameters()]
            module.zero_grad(set_to_none=True)
            yield rows, gradients

    def _iter_last_layer_sums(self, theta: Array, x: Array) -> Iterator[tuple[slice, Any]]:
        """Yield, batch by batch, the rows and the sums (logits) of the last layer."""
        self._load_parameters(theta)
        for rows in self._batch_slices(len(x)):
            with self._torch.no_grad():
                sums = self._module(self._picture_tensor(x[rows]))
            if not self._torch.isfinite(sums).all():
                raise ValueError(
                    "x must give finite sums with these parameters, got one that is not; lower the rate of the descent"
                )
            yield rows, sums

    def _load_parameters(self, theta: Array) -> None:
        torch = self._torch
        torch.nn.utils.vector_to_parameters(torch.tensor(theta).float(), self._module.parameters())

    def _picture_tensor(self, x: Array) -> Any:
        return self._torch.from_numpy(x.astype(np.float32)).reshape(-1, 1, _SIDE, _SIDE)

    def _batch_slices(self, n: int) -> Iterator[slice]:
        return (slice(at, min(at + self._batch, n)) for at in range(0, n, self._batch))


class PerSampleGradients:
    """The gradients g_i of n people's losses at theta, recomputed in batches instead of stored."""

    def __init__(self, network: ConvolutionalNetwork, theta: Array, x: Array, y: Array) -> None:
        self._network, self._theta, self._x, self._y = network, theta.copy(), x, y
        self._gradient_norms: Array | None = None

    def norms(self) -> Array:
        """Return |g_i|_2 of shape (n,), summed in double precision. Raises ValueError if one is not finite."""
        if self._gradient_norms is None:
            norms = np.empty(len(self._x))
            for rows, gradients in self._iter_gradients():
                norms[rows] = _gradient_norms(gradients)
            if not np.isfinite(norms).all():
                raise ValueError(
                    "gradients must be finite, got one that is not; lower the rate, nothing was charged for this step"
                )
            self._gradient_norms = norms
        return self._gradient_norms.copy()

    def weighted(self, factors: Array) -> Array:
        """Return sum_i factors[i] g_i of shape (d,); factors has shape (n,).

        If a gradient is longer than in `norms`, because threads round differently, it is scaled back to that length,
        for which the person was charged.
        """
        charged, total = self.norms(), np.zeros(len(self._theta))
        for rows, gradients in self._iter_gradients():
            again = _gradient_norms(gradients)
            back = np.divide(charged[rows], again, out=np.ones(len(again)), where=again > charged[rows])
            scaled = factors[rows] * back
            total += np.concatenate([scaled @ gradient.double().numpy() for gradient in gradients])
        return total

    def _iter_gradients(self) -> Iterator[tuple[slice, list[Any]]]:
        """Yield, batch by batch, the rows and the per-person gradients of each parameter tensor."""
        return self._network.iter_per_sample_gradients(self._theta, self._x, self._y)


def _gradient_norms(gradients: list[Any]) -> Array:
    """Return each person's gradient norm over all parameter tensors."""
    squares = sum(gradient.double().square().sum(dim=1) for gradient in gradients)
    return np.asarray(squares.sqrt().numpy())


def _built_network() -> tuple[Any, Any]:
    """Return Torch, and the network wrapped by Opacus, without its parameters."""
    try:
        import torch
        from opacus import GradSampleModule
    except ImportError as error:
        raise ImportError(
            f"the convolutional network needs Torch and Opacus, got an error instead ({error}); "
            "run pip install 'filterproof[training]'"
        ) from error
    nn = torch.nn
    with torch.random.fork_rng(devices=[]):  # building draws parameters from the user's generator
        module = nn.Sequential(
            nn.Conv2d(1, 16, 8, stride=2, padding=3),
            nn.ReLU(),
            nn.MaxPool2d(2, stride=1),
            nn.Conv2d(16, 32, 4, stride=2),
            nn.ReLU(),
            nn.MaxPool2d(2, stride=1),
            nn.Flatten(),
            nn.Linear(512, 32),
            nn.ReLU(),
            nn.Linear(32, _CLASSES),
        )
    return torch, GradSampleModule(module, loss_reduction="sum")
