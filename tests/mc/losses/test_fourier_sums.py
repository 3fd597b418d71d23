"""The transform's bounds on its own errors hold against sums of products of rationals."""

import math
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import filterproof.mc.losses.fourier_sums as powers
from filterproof.mc.losses.fourier_sums import fft_rounding_error, tilted_power
from filterproof.mc.losses.lattice_pld import LatticePLD

distributions = st.lists(
    st.tuples(st.integers(-6, 9), st.floats(1e-12, 1.0)), min_size=1, max_size=5, unique_by=lambda m: m[0]
).map(lambda pairs: LatticePLD(np.array([p for p, _ in pairs]), np.array([m for _, m in pairs])))


def _exactly(distribution, count):
    """The masses of the sum as rationals, by place."""
    masses = {
        int(p): Fraction(float(m)) for p, m in zip(distribution.places, distribution.masses, strict=True)
    }
    return reduce(_sum, [masses] * count)


def _sum(first, other):
    total: dict[int, Fraction] = {}
    for p, m in first.items():
        for q, w in other.items():
            total[p + q] = total.get(p + q, Fraction(0)) + m * w
    return total


@settings(deadline=None)
@given(
    distributions, st.integers(1, 6), distributions, st.integers(1, 4), st.sampled_from([-0.7, 0.0, 0.4, 3.0])
)
def test_each_share_is_within_its_bound_of_the_exact_one(first, k, other, j, tilt):
    power = tilted_power([first, other], [k, j], tilt=tilt)
    exact = _sum(_exactly(first, k), _exactly(other, j))
    tilted = {place: float(mass) * math.exp(tilt * place) for place, mass in exact.items()}
    moment = math.fsum(tilted.values())
    assert abs(power.log_moment - math.log(moment)) <= power.factor + 1e-12
    assert power.tail == 0.0
    for place, share in zip(power.places.tolist(), power.shares.tolist(), strict=True):
        true = tilted.get(place, 0.0) / moment
        assert abs(share - true) <= power.error + (power.factor + 1e-12) * true


@pytest.mark.parametrize("tilt", [0.0, 0.05])
def test_mass_beyond_the_window_is_bounded_and_folded_into_it(monkeypatch, tilt):
    # a long window, cut to 64 places, against the whole of it
    coin = LatticePLD(np.array([-1, 1]), np.array([0.5, 0.5]))
    uncut = tilted_power([coin], [400], tilt=tilt)
    monkeypatch.setattr(powers, "_MAX_WINDOW", 64)
    cut = tilted_power([coin], [400], tilt=tilt)
    inside = (uncut.places >= cut.first) & (uncut.places < cut.first + 64)
    lost = float(uncut.shares[~inside].sum())
    assert 0 < lost <= cut.tail
    assert cut.shares.sum() == pytest.approx(1.0, abs=1e-9)
    assert np.all(cut.shares >= uncut.shares[inside] - 1e-12)


@pytest.mark.parametrize("levels", [4, 12, 22])
def test_the_bound_on_a_transform_is_not_below_the_theorem_it_is_from(levels):
    """Higham, Theorem 24.2: log2(n) eta / (1 - log2(n) eta), eta = u + gamma_4 (sqrt(2) + u), roots rounded to u."""
    u = 2.0**-53
    eta = u + 4 * u / (1 - 4 * u) * (2**0.5 + u)
    assert fft_rounding_error(2**levels) >= levels * eta / (1 - levels * eta)
