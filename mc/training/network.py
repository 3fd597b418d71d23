"""A network of tanh layers with per-person gradients in closed form, with the same bits on every machine.

>>> import numpy as np
>>> net = DenseNetwork(sizes=(2, 3, 2))
>>> theta = net.start(np.random.default_rng(0))
>>> x, y = np.array([[0.0, 1.0], [1.0, 0.0]]), np.eye(2)
>>> net.gradients(theta, x, y).norms().shape, net.losses(theta, x, y).shape
((2,), (2,))
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from filterproof.mc.training.data_set import checked_training_arrays
from filterproof.theory.argument_checks import check_count
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.norms import squared_norms
from filterproof.theory.numerics.products import matrix_product

Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class LayerwiseGradients:
    """The gradients g_i of n people's losses, stored layer by layer as outer products of two vectors.

    inputs[l], shape (n, s_l), is the input of layer l, and slopes[l], shape (n, s_{l+1}), the derivative of each
    person's loss by the sums of the layer. The gradient by the weights is inputs_i slopes_i^T, by the biases slopes_i.
    """

    inputs: tuple[Array, ...]
    slopes: tuple[Array, ...]

    def norms(self) -> Array:
        """Return |g_i|_2 of shape (n,): the square is the sum over layers of |slopes_i|^2 (|inputs_i|^2 + 1)."""
        square = np.zeros(len(self.inputs[0]))
        for taken, slope in zip(self.inputs, self.slopes, strict=True):
            square += squared_norms(slope) * (squared_norms(taken) + 1.0)
        return np.sqrt(square)

    def weighted(self, factors: Array) -> Array:
        """Return sum_i factors[i] g_i of shape (d,), one matrix product for each layer; factors has shape (n,)."""
        parts = []
        for taken, slope in zip(self.inputs, self.slopes, strict=True):
            scaled = slope * factors[:, np.newaxis]
            parts += [matrix_product(taken.T, scaled).ravel(), scaled.sum(axis=0)]
        return np.concatenate(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseNetwork:
    """A network of dense layers with tanh units.

        softmax:   loss_i = -sum_j y_ij log p_ij,  p_i = softmax(s_i)
        logistic:  loss_i = -(1/k) sum_j (y_ij log p_ij + (1 - y_ij) log(1 - p_ij)),  p_ij = 1 / (1 + e^-s_ij)
        s = W_L a + b_L,  a = tanh(W a' + b) layer by layer

    Parameters
    ----------
    sizes : tuple of int
        The numbers of features, of units of each hidden layer, and of classes or labels k.
    output : {"softmax", "logistic"}, default "softmax"
        "softmax" for one class of each person, "logistic" for labels of which several may hold.

    Raises
    ------
    ValueError
        For fewer than two sizes, and for another output. Methods raise it for wrong shapes and for numbers that are not
        finite.
    TypeError
        Methods raise it for anything but arrays of real numbers.

    Notes
    -----
    The parameters are one vector theta of shape (d,): weights of shape (s_l, s_{l+1}) and biases, layer by layer.
    Methods take rows x of shape (n, s_0) and labels y of shape (n, s_L).
    """

    sizes: tuple[int, ...] = (64, 32, 10)
    output: Literal["softmax", "logistic"] = "softmax"

    def __post_init__(self) -> None:
        if not isinstance(self.sizes, tuple | list) or len(self.sizes) < 2:
            raise ValueError(
                f"sizes must be at least two numbers of units, got sizes={self.sizes!r}; pass e.g. (64, 32, 10)"
            )
        if self.output not in ("softmax", "logistic"):
            raise ValueError(
                f"output must be softmax or logistic, got output={self.output!r}; pass one of them"
            )
        object.__setattr__(self, "sizes", tuple(check_count("sizes", size) for size in self.sizes))

    @property
    def dimension(self) -> int:
        """The number of parameters d."""
        return sum((ins + 1) * outs for ins, outs in pairwise(self.sizes))

    def start(self, rng: np.random.Generator) -> Array:
        """Return initial parameters, shape (d,): weights N(0, 1/s_l), biases zero."""
        parts = []
        for ins, outs in pairwise(self.sizes):
            parts += [rng.standard_normal(ins * outs) / np.sqrt(ins), np.zeros(outs)]
        return np.concatenate(parts)

    def losses(self, theta: Array, x: Array, y: Array) -> Array:
        """Return each person's loss in nats, shape (n,)."""
        theta, x, y = checked_training_arrays(self.dimension, self.sizes, theta, x, y)
        sums = self._layer_inputs_and_last_sums(theta, x)[1]
        if self.output == "logistic":
            return np.asarray(-(y * rm.log_expit(sums) + (1.0 - y) * rm.log_expit(-sums)).mean(axis=1))
        largest = sums.max(axis=1)
        total = largest + rm.log(rm.exp(sums - largest[:, np.newaxis]).sum(axis=1))
        return np.asarray(total * y.sum(axis=1) - (y * sums).sum(axis=1))

    def scores(self, theta: Array, x: Array) -> Array:
        """Return the sums s of the last layer, shape (n, s_L): the larger one, the more likely the label."""
        theta, x = checked_training_arrays(self.dimension, self.sizes, theta, x)
        return self._layer_inputs_and_last_sums(theta, x)[1]

    def gradients(self, theta: Array, x: Array, y: Array) -> LayerwiseGradients:
        """Return the gradient of each person's loss by theta, in closed form."""
        theta, x, y = checked_training_arrays(self.dimension, self.sizes, theta, x, y)
        taken, sums = self._layer_inputs_and_last_sums(theta, x)
        if self.output == "logistic":
            slopes = [(rm.expit(sums) - y) / y.shape[1]]
        else:
            chances = rm.exp(sums - sums.max(axis=1, keepdims=True))
            slopes = [chances * (y.sum(axis=1, keepdims=True) / chances.sum(axis=1, keepdims=True)) - y]
        for (weights, _), activation in zip(
            reversed(self._layer_parameters(theta)[1:]), reversed(taken[1:]), strict=True
        ):
            slopes.append(matrix_product(slopes[-1], weights.T) * (1.0 - activation * activation))
        return LayerwiseGradients(taken, tuple(reversed(slopes)))

    def _layer_inputs_and_last_sums(self, theta: Array, x: Array) -> tuple[tuple[Array, ...], Array]:
        """Return the input of each layer, and the sums of the last layer."""
        taken = [x]
        *hidden, (last, bias) = self._layer_parameters(theta)
        for weights, biases in hidden:
            taken.append(rm.tanh(matrix_product(taken[-1], weights) + biases))
        sums = matrix_product(taken[-1], last) + bias
        if not np.isfinite(sums).all():
            raise ValueError(
                "x must give finite sums with these parameters, got one that is not; scale the features, or lower "
                "the rate of the descent"
            )
        return tuple(taken), sums

    def _layer_parameters(self, theta: Array) -> list[tuple[Array, Array]]:
        """Return the weights and biases of each layer, as views of theta."""
        layers, at = [], 0
        for ins, outs in pairwise(self.sizes):
            bias = at + ins * outs
            layers.append((theta[at:bias].reshape(ins, outs), theta[bias : bias + outs]))
            at = bias + outs
        return layers
