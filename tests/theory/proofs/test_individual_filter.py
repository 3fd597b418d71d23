"""The theorem on individual filters: its identities by quadrature, its rule of clipping by the filters' own code."""

import math

import numpy as np
import pytest

import filterproof as fp


def _reached(epsilon: float, mus: tuple[float, float, float], last: tuple[float, float]) -> float:
    """H of three Gaussians: mus[0], then mus[1] or mus[2] by the sign of the first output, then its `last`."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    total = 0.0
    for (low, high), second, third in zip(((-10.0, 0.0), (0.0, 10.0)), mus[1:], last, strict=True):
        z = (high - low) / 2 * nodes + (high + low) / 2
        w = (high - low) / 2 * weights * np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
        x = 10 * nodes
        v = 10 * weights * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
        loss = (mus[0] ** 2 / 2 + mus[0] * z)[:, None] + (second**2 / 2 + second * x)[None, :]
        total += float(w @ fp.Gaussian(third).hockey_stick(epsilon - loss) @ v)
    return total


@pytest.mark.parametrize("epsilon", [-0.5, 0.0, 1.0, 2.5])
def test_a_budget_of_squares_that_is_used_up_on_each_path_gives_the_gaussian_itself(epsilon: float) -> None:
    m, a, b, d = 0.75, 0.5, 0.9, 0.8
    whole = math.sqrt(m**2 + a**2 + d**2)
    used_up = _reached(epsilon, (m, a, b), (d, math.sqrt(a**2 + d**2 - b**2)))
    assert used_up == pytest.approx(float(np.asarray(fp.Gaussian(whole).hockey_stick(epsilon))), abs=1e-10)
    # as Remark C.3 is printed: the mu add up to the same
    printed = _reached(epsilon, (m, a, b), (d, a + d - b))
    assert abs(printed - used_up) > 1e-3


def test_people_who_are_clipped_to_what_is_left_never_spend_more_than_b_norm() -> None:
    rng = np.random.default_rng(7)
    sigma, clip, norm = 1.7, 0.8, 3.0
    promise = math.sqrt(norm) / (sigma * clip)
    people = fp.IndividualFilter(fp.GaussianFilter(mu=promise), people=20)
    spent = np.zeros(20)
    for _ in range(25):
        norms = rng.exponential(0.7, 20)
        counted_as = people.clip(norms, sigma=sigma * clip, most=clip) * norms
        rule = np.minimum(np.minimum(norms, clip), np.sqrt(np.maximum(norm - spent, 0.0)))
        assert counted_as == pytest.approx(rule, abs=2e-6 * math.sqrt(norm))
        spent += counted_as**2
    assert spent.max() <= norm
    assert spent.max() == pytest.approx(norm, rel=1e-9)
    assert fp.GaussianDP(promise).mu ** 2 / 2 == pytest.approx(norm / (2 * sigma**2 * clip**2))
