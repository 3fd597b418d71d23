"""The descent against Algorithms 6 and 7 of Feldman & Zrnic in loops, what is spent, and resuming."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import filterproof as fp
from filterproof.mc.training.descent import PrivateGradientDescent
from filterproof.mc.training.network import DenseNetwork, LayerwiseGradients
from tests.mc.training.made_up import CLIP, NET, RATE, RHO, SIGMA, K, descent, made_up, noise_in_a_row


def written_out(
    steps: int, budget: float, *, adam: bool
) -> tuple[list[NDArray[np.float64]], NDArray[np.float64]]:
    """Algorithm 7 in loops over steps and people, and what each person's squared norms sum to."""
    data, rng = made_up(), np.random.default_rng(7)
    theta = NET.start(rng)
    spent, thetas, first, second = np.zeros(data.people), [], 0.0, 0.0
    for t in range(1, steps + 1):
        total = np.zeros(NET.dimension)
        for i in range(data.people):
            alone = NET.gradients(theta, data.features[i : i + 1], data.labels[i : i + 1])
            g = alone.weighted(np.ones(1))
            norm = np.sqrt((g**2).sum())
            allowed = min(CLIP, np.sqrt(max(budget - spent[i], 0.0)))
            g = g * min(1.0, allowed / norm)
            spent[i] += (g**2).sum()
            total += g
        total += SIGMA * CLIP * rng.standard_normal(NET.dimension)
        mean = total / data.people
        first, second = 0.9 * first + 0.1 * mean, 0.999 * second + 0.001 * mean**2
        if adam:  # Kingma & Ba, Algorithm 1
            mean = first / (1 - 0.9**t) / (np.sqrt(second / (1 - 0.999**t)) + 1e-8)
        theta = theta - RATE * mean
        thetas.append(theta)
    return thetas, spent


@pytest.mark.parametrize("adam", [False, True])
def test_it_is_algorithm_7_written_out_in_loops(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, adam: bool
) -> None:
    noise_in_a_row(monkeypatch, NET)
    steps = 2 * K
    thetas, spent = written_out(steps, K * CLIP**2, adam=adam)
    ours = descent(adam=adam)
    for known in thetas:
        next(ours)
        np.testing.assert_allclose(ours.theta, known, rtol=1e-6, atol=1e-8)
        ours.save(tmp_path / "descent.json")
        ours = PrivateGradientDescent.restored(tmp_path / "descent.json", made_up(), NET, fp.ZCDPFilter(RHO))
    assert ours.steps_taken == steps
    left = ours.people.remaining().made_public()
    np.testing.assert_allclose(RHO - left, spent / (2 * (SIGMA * CLIP) ** 2), rtol=1e-6, atol=1e-9 * RHO)
    gone = np.isclose(spent, K * CLIP**2, rtol=1e-6)
    assert gone.any(), "somebody ran out"
    assert not gone.all(), "and somebody did not"


def test_who_has_run_out_no_longer_counts() -> None:
    ours = descent()
    assert ours.active() == 40
    ours.steps(K)
    assert ours.active() == 40
    ours.steps(100)
    assert 0 < ours.active() < 40
    assert (ours.people.remaining().made_public() >= 0).all()
    private = descent(data=made_up(public=False))
    next(private)
    with pytest.raises(ValueError, match="got the data set 'made up'; the number of people is personal data"):
        private.active()


def test_a_seed_and_a_budget_make_a_descent_and_looking_at_it_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, again, other = descent(), descent(), descent(seed=8)
    for each in (first, again, other):
        each.theta[:] = 0.0  # a view of the parameters
        each.steps(3)
    assert np.array_equal(first.theta, again.theta)
    assert not np.array_equal(first.theta, other.theta)
    noise_in_a_row(monkeypatch, NET)
    zcdp, gdp = descent(), descent(fp.GaussianFilter((2 * RHO) ** 0.5))
    zcdp.steps(2 * K)
    gdp.steps(2 * K)
    np.testing.assert_allclose(zcdp.theta, gdp.theta, rtol=1e-9, atol=1e-12)


def test_a_step_that_leaves_the_numbers_is_charged_and_not_taken_and_says_so() -> None:
    ours = descent(rate=1.7e308, sigma=1e3)
    before = ours.theta
    refusal = pytest.raises(
        ValueError, match=r"^theta must be finite, got -?inf; lower the rate, step 1 was ch"
    )
    with np.errstate(over="ignore", invalid="ignore"), refusal:
        next(ours)
    assert ours.steps_taken == 0
    assert np.array_equal(ours.theta, before)
    assert (ours.people.remaining().made_public() < RHO).all()
    ours.rate = RATE
    assert next(ours) == 1  # by noise of its own: the one of step 1 was drawn


# -- kept and restored ---------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """What a descent of no steps saved."""
    descent().save(tmp_path / "descent.json")
    return tmp_path / "descent.json"


def test_going_on_from_one_save_with_another_person_does_not_cancel_the_noise(saved: Path) -> None:
    class Without(DenseNetwork):
        """The same network, to which person 7 means nothing."""

        def gradients(self, theta: Any, x: Any, y: Any) -> LayerwiseGradients:
            all_, keep = super().gradients(theta, x, y), (np.arange(len(x)) != 7)[:, None]
            return LayerwiseGradients(all_.inputs, tuple(slope * keep for slope in all_.slopes))

    first, same, other = (
        PrivateGradientDescent.restored(saved, made_up(), net, fp.ZCDPFilter(RHO))
        for net in (NET, NET, Without(sizes=NET.sizes))
    )
    for each in (first, same, other):
        next(each)
    assert np.array_equal(first.theta, same.theta), "the same step says the same"
    difference = (first.theta - other.theta) * 40 / RATE
    assert np.linalg.norm(difference) > 3 * CLIP, "and another step has noise of its own"


def test_a_file_that_was_damaged_or_is_another_is_one_sentence_that_names_it(saved: Path) -> None:
    content, rng = saved.read_bytes(), np.random.default_rng(0)
    bad = [
        b"",
        b"words",
        content[:-200],
        json.dumps({**json.loads(content), "taken": 1}).encode(),
    ]
    bad += [
        content[:place] + bytes([content[place] ^ 1 << rng.integers(7)]) + content[place + 1 :]
        for place in rng.integers(0, len(content), 12).tolist()
    ]
    for damaged in bad:
        saved.write_bytes(damaged)
        with pytest.raises(
            ValueError, match=r"^path must name a file of PrivateGradientDescent\.save, got \d+ other bytes"
        ) as refused:
            PrivateGradientDescent.restored(saved, made_up(), NET, fp.ZCDPFilter(RHO))
        assert "\n" not in str(refused.value)


def test_a_descent_goes_on_with_its_own_data_network_and_filter_alone(saved: Path) -> None:
    given = {"path": saved, "data": made_up(), "network": NET, "filt": fp.ZCDPFilter(RHO)}
    for sentence, other in (
        ("data must be that of the saved descent", {"data": made_up(seed=1)}),
        ("sizes must be that of the saved descent", {"network": DenseNetwork(sizes=(2, 7, 3))}),
        (
            "output must be that of the saved descent",
            {"network": DenseNetwork(sizes=NET.sizes, output="logistic")},
        ),
        ("filt must be the filter that was saved", {"filt": fp.ZCDPFilter(2 * RHO)}),
    ):
        with pytest.raises(ValueError, match=f"^{sentence}"):
            PrivateGradientDescent.restored(**(given | other))  # type: ignore[arg-type]
