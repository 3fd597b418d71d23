"""Compiled draws of Gaussian losses, with NumPy's bits."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from filterproof.theory.argument_checks import Real
from filterproof.theory.fast.compiler import compiler, pays_off

_1, _3, _8, _9, _11, _24, _40, _255, _256, _52_BITS = map(
    np.uint64, (1, 3, 8, 9, 11, 24, 40, 255, 256, 2**52 - 1)
)
_UNIFORM = 2.0**-53
#: The start of the tail of NumPy's ziggurat, and its inverse in NumPy.
_TAIL = 3.6541528853610088
_TAIL_INVERSE = 0.27366123732975828


def losses(rng: np.random.Generator, mu: Real, shift: float, n: int) -> NDArray[np.float64] | None:
    """Return (z + shift mu) mu for the next n standard normals z of rng; None without a compiler.

    mu has shape (), (1,) or (n,). Afterwards rng is in the same state as after n draws by NumPy.
    """
    kernels = gaussian_kernels() if pays_off(n) else None
    return None if kernels is None else kernels.draw(rng, np.atleast_1d(mu), shift, n)


@dataclass(frozen=True, slots=True)
class KernelsAndZiggurat:
    """The compiled functions and the tables of NumPy's ziggurat: scale, bound and density of each layer."""

    normals: Callable[..., None]
    losses: Callable[..., None]
    scales: NDArray[np.float64]
    bounds: NDArray[np.uint64]
    densities: NDArray[np.float64]

    def draw(
        self, rng: np.random.Generator, mu: NDArray[np.float64], shift: float, n: int
    ) -> NDArray[np.float64]:
        """Return `losses` for mu of shape (n,) or (1,); the generator is SFC64 or draws its own normals."""
        loss = np.empty(n)
        if not isinstance(rng.bit_generator, np.random.SFC64):
            rng.standard_normal(out=loss)
            loss += shift * mu
            loss *= mu
            return loss
        state: Any = rng.bit_generator.state
        self.normals(state["state"]["state"], self.scales, self.bounds, self.densities, loss)
        rng.bit_generator.state = state
        self.losses(loss, mu, shift)
        return loss


@cache
def gaussian_kernels() -> KernelsAndZiggurat | None:
    """Return the kernels, or None without a compiler or if its tables differ from those of this NumPy."""
    compile_ = compiler()
    if compile_ is None:
        return None
    try:
        from numba.np.random import _constants as tables
    except ImportError:
        return None
    compiled = KernelsAndZiggurat(
        compile_(_fill_normals),
        compile_(_scale_to_losses),
        np.concatenate([tables.wi_double, np.negative(tables.wi_double)]),
        np.array(tables.ki_double, dtype=np.uint64),
        np.array(tables.fi_double),
    )
    return compiled if _draws_as_numpy(compiled) else None


def _draws_as_numpy(compiled: KernelsAndZiggurat) -> bool:
    """Return whether the first draws of a few seeds equal NumPy's bit for bit, in layers and in tails."""
    unit_mu = np.ones(1)
    for seed in range(4):
        ours, theirs = (np.random.Generator(np.random.SFC64(seed)) for _ in range(2))
        if compiled.draw(ours, unit_mu, 0.0, 8192).tobytes() != theirs.standard_normal(8192).tobytes():
            return False
    return True


def _fill_normals(words: Any, scales: Any, bounds: Any, densities: Any, out: Any) -> None:
    """Fill `out` with the standard normals of NumPy's ziggurat from SFC64, and advance its four words.

    The second half of a table stores the sign, because a branch would be mispredicted every other time. This and the
    generator inside the loop make it four times as fast. The first branch fails once in 67 draws.

    Source: Marsaglia and Tsang (2000), with 256 layers.
    """
    a, b, c, w = words[0], words[1], words[2], words[3]
    i = 0
    while i < out.size:
        r = a + b + w
        w = w + _1
        a = b ^ (b >> _11)
        b = c + (c << _3)
        c = ((c << _24) | (c >> _40)) + r
        layer = np.int64(r & _255)
        size = (r >> _9) & _52_BITS
        z = np.float64(np.int64(size)) * scales[layer + np.int64(r & _256)]
        out[i] = z
        if size < bounds[layer]:
            i += 1
            continue
        r = a + b + w
        w = w + _1
        a = b ^ (b >> _11)
        b = c + (c << _3)
        c = ((c << _24) | (c >> _40)) + r
        u = np.float64(np.int64(r >> _11)) * _UNIFORM
        if layer > 0:
            if (densities[layer - 1] - densities[layer]) * u + densities[layer] < math.exp(-0.5 * z * z):
                i += 1
            continue
        while True:  # the tail beyond the last layer
            r = a + b + w
            w = w + _1
            a = b ^ (b >> _11)
            b = c + (c << _3)
            c = ((c << _24) | (c >> _40)) + r
            x = -_TAIL_INVERSE * math.log1p(-u)
            y = -math.log1p(-np.float64(np.int64(r >> _11)) * _UNIFORM)
            if y + y > x * x:
                break
            r = a + b + w
            w = w + _1
            a = b ^ (b >> _11)
            b = c + (c << _3)
            c = ((c << _24) | (c >> _40)) + r
            u = np.float64(np.int64(r >> _11)) * _UNIFORM
        out[i] = -(_TAIL + x) if (size >> _8) & _1 else _TAIL + x
        i += 1
    words[0], words[1], words[2], words[3] = a, b, c, w


def _scale_to_losses(z: Any, mu: Any, shift: float) -> None:
    """Set z to (z + shift mu) mu."""
    if mu.size > 1:
        for i in range(z.size):
            z[i] = (z[i] + shift * mu[i]) * mu[i]
    else:
        for i in range(z.size):
            z[i] = (z[i] + shift * mu[0]) * mu[0]
