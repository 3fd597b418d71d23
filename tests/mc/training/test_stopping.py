"""Private counts: the sum and noise, charged to those who count, and to nobody where the question is none."""

from __future__ import annotations

from typing import Any

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


@pytest.mark.parametrize(
    ("counted", "sentence"),
    [
        (None, "counted must be an array of real numbers, got None; "),
        (np.ones(2), r"counted must have shape \(3,\), got \(2,\); pass one number for each person"),
        (np.full(3, np.nan), r"counted must be in \[0, 1\], got counted=nan; "),
        (np.full(3, 1.5), r"counted must be in \[0, 1\], got counted=1.5; "),
    ],
    ids=range(4),
)
def test_a_count_of_nonsense_is_one_sentence_and_costs_nothing(counted: Any, sentence: str) -> None:
    counts = PrivateCounts(people=3, rho=0.04, looks=8)
    before = counts.people.remaining().made_public().tolist()
    with pytest.raises((TypeError, ValueError), match=f"^{sentence}"):
        counts.count(counted, np.random.default_rng(0))
    with pytest.raises(TypeError, match=r"^rng must be a NumPy Generator, got None; pass"):
        counts.count(np.ones(3), None)  # type: ignore[arg-type]
    assert counts.people.remaining().made_public().tolist() == before
