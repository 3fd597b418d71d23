"""Private counts: the sum and noise, charged to those who count."""

from __future__ import annotations

import numpy as np
import pytest

from mc.training.stopping import PrivateCounts


def test_a_count_is_the_sum_and_noise_and_costs_those_who_count() -> None:
    counts, rng = PrivateCounts(people=50, rho=0.04, looks=8), np.random.default_rng(3)
    assert counts.sigma == 10.0
    right = np.zeros(50)
    right[:20] = 1.0
    told = np.array([counts.count(right, rng) for _ in range(8)])
    noise = (told - 20) / 10
    assert np.allclose(noise, np.random.default_rng(3).standard_normal(8), rtol=1e-6)
    left = counts.people.remaining().made_public()
    assert left[:20] == pytest.approx(0.0, abs=1e-12)
    assert left[20:] == pytest.approx(0.04, rel=1e-12), "whoever is told wrongly is charged nothing"
    assert (
        abs(counts.count(right, np.random.default_rng(0)) - 10 * np.random.default_rng(0).standard_normal())
        < 1e-3
    )
    assert (counts.people.remaining().made_public() >= 0).all()
