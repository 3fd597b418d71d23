"""Compiled draws against NumPy's, bit by bit; and what a Gaussian says of its levels."""

import importlib.util
import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import filterproof.theory.fast.compiled_gaussian
from filterproof.theory.argument_checks import check_positive, check_probability
from filterproof.theory.fast.compiled_gaussian import KernelsAndZiggurat, gaussian_kernels
from filterproof.theory.pairs import Gaussian

#: A word, looked at when the test runs: what is only collected compiles nothing.
compiled = pytest.mark.skipif(
    "gaussian_kernels() is None", reason="numba, the extra [fast], is not installed"
)
#: Where NumPy's ziggurat ends: one draw in 3900 lies beyond.
TAIL = 3.6541528853610088
BITS: list[Callable[[int], Any]] = [np.random.SFC64, np.random.PCG64, np.random.MT19937]


def fast() -> KernelsAndZiggurat:
    kernels = gaussian_kernels()
    assert kernels is not None
    return kernels


def test_where_numba_is_installed_the_kernels_pass_their_own_check() -> None:
    # else every test of a kernel would be skipped, and nobody would know
    wanted = importlib.util.find_spec("numba") is not None and os.environ.get("FILTERPROOF_FAST", "1") != "0"
    assert (gaussian_kernels() is not None) == wanted


@compiled
@pytest.mark.parametrize("seed", [11, 12])
@pytest.mark.parametrize("bits", BITS)
def test_compiled_normals_are_those_of_numpy_and_leave_its_state(
    bits: Callable[[int], Any], seed: int
) -> None:
    ours, theirs = (np.random.Generator(bits(seed)) for _ in range(2))
    unit_mu, tails = np.ones(1), 0
    for n in (1, 0, 33, 400_000, 7, 200_001):
        # an odd number of 32-bit draws leaves half a word over, which normals must not touch
        for rng in (ours, theirs):
            rng.random(3)
        np.testing.assert_array_equal(
            ours.integers(2**32, size=5, dtype=np.uint32), theirs.integers(2**32, size=5, dtype=np.uint32)
        )
        drawn, expected = fast().draw(ours, unit_mu, 0.0, n), theirs.standard_normal(n)
        assert drawn.tobytes() == expected.tobytes()
        tails += int((np.abs(drawn) > TAIL).sum())
        assert repr(ours.bit_generator.state) == repr(theirs.bit_generator.state)
    assert tails > 100  # 154 expected, both signs, a second draw in the tail's loop now and then


@compiled
@pytest.mark.parametrize("n", [32, 33, 8191, 8193, 20_000])
@pytest.mark.parametrize("order", [1.0, 2.5, 0.0])
def test_compiled_losses_are_those_of_numpy(n: int, order: float, monkeypatch: pytest.MonkeyPatch) -> None:
    mus = np.random.default_rng(3).uniform(1e-3, 2, 2 * n)
    raised = mus[:n] > 1
    pairs = [
        Gaussian(0.3),
        Gaussian(mus[:n]),
        Gaussian(mus[::2]),
        Gaussian(mus[:1]),
        Gaussian(np.broadcast_to(0.7, n)),
        Gaussian(np.where(raised, 0.35, 0.1)),
    ]
    drawn = [pair.sample(np.random.Generator(np.random.SFC64(5)), n, order) for pair in pairs]
    monkeypatch.setattr(filterproof.theory.fast.compiled_gaussian, "gaussian_kernels", lambda: None)
    z = np.random.Generator(np.random.SFC64(5)).standard_normal(n)
    for pair, loss in zip(pairs, drawn, strict=True):
        assert loss.tobytes() == pair.sample(np.random.Generator(np.random.SFC64(5)), n, order).tobytes()
        mu = np.broadcast_to(pair.mu, n)
        np.testing.assert_array_equal(loss, (z + (order - 0.5) * mu) * mu)


@pytest.mark.parametrize("n", [31, 32, 1000])
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, -0.25, 0.0])
@pytest.mark.parametrize("place", [0, 17, -1])
def test_one_bad_number_among_many_is_found(n: int, bad: float, place: int) -> None:
    x = np.full(n, 0.25)
    x[place] = bad
    for values in (x, np.repeat(x, 2)[::2]):
        with pytest.raises(ValueError, match="mu must be finite and > 0"):
            check_positive("mu", values)
        if bad == 0:
            assert check_probability("p", values) is values
        else:
            with pytest.raises(ValueError, match=r"p must be in \[0, 1\]"):
                check_probability("p", values)
