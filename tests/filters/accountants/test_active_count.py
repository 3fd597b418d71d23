"""Noisy counts of active people: exact without noise, with the covariance of a tree, and within their guarantee."""

import numpy as np
import pytest

import filterproof as fp


def nodes_of(t: int) -> list[tuple[int, int]]:
    """The dyadic intervals [first, last] that cover the releases 1 to t: a second route to the tree."""
    first, nodes = 1, []
    for bit in reversed(range(t.bit_length())):
        if t >> bit & 1:
            nodes.append((first, first + 2**bit - 1))
            first += 2**bit
    return nodes


def covariance(releases: int) -> np.ndarray:
    """The number of common nodes of every two answers."""
    nodes = [set(nodes_of(t)) for t in range(1, releases + 1)]
    return np.array([[len(a & b) for b in nodes] for a in nodes], dtype=np.float64)


def answers(leaves_at: list[int], releases: int, sigma: float, seed: int = 0) -> np.ndarray:
    """The answers if person i becomes inactive at release leaves_at[i]."""
    count, rng = fp.people.ActiveCount(len(leaves_at), releases, sigma=sigma), np.random.default_rng(seed)
    leaves = np.array(leaves_at)
    return np.array([count.release(leaves > t, rng) for t in range(1, releases + 1)])


def test_with_little_noise_the_answers_are_the_counts_and_nobody_comes_back() -> None:
    assert answers([1, 3, 3, 9], 7, 1e-9) == pytest.approx([3, 3, 1, 1, 1, 1, 1], abs=1e-6)
    count, rng = fp.people.ActiveCount(2, 3, sigma=1e-9), np.random.default_rng(0)
    masks = ([True, True], [True, False], [True, True])
    assert [round(count.release(np.array(mask), rng)) for mask in masks] == [2, 1, 1]


def test_the_noise_of_the_answers_has_the_covariance_of_a_tree() -> None:
    """Null: sums of 5,000 products miss six of their standard deviations with probability below 1e-7 for all 49."""
    n, releases = 5_000, 7
    noise = np.array([answers([99], releases, 2.0, seed) for seed in range(n)]) - 1
    due = 4 * covariance(releases)
    spread = np.sqrt((due**2 + np.outer(np.diag(due), np.diag(due))) / n)
    assert (np.abs(noise.T @ noise / n - due) < 6 * spread).all()


@pytest.mark.parametrize("releases", [1, 2, 3, 4, 5, 8, 9, 16])
def test_one_person_changes_the_answers_by_no_more_than_the_guarantee_and_someone_reaches_it(
    releases: int,
) -> None:
    """The answers are Gaussian: their mu is the length of the difference of means in the metric of the covariance."""
    promise = fp.people.ActiveCount(1, releases, sigma=3.0).promise.mu
    inverse = np.linalg.inv(9 * covariance(releases))
    reached = []
    for leaves in range(1, releases + 2):
        step = np.array([float(leaves > t) for t in range(1, releases + 1)])
        reached.append(float(step @ inverse @ step) ** 0.5)
    assert max(reached) <= promise * (1 + 1e-12)
    whole_tree = releases & (releases - 1) == 0
    assert not whole_tree or max(reached) == pytest.approx(promise, rel=1e-12)


def test_the_charge_is_paid_by_the_filter_of_the_analysis() -> None:
    people = fp.IndividualFilter(fp.GaussianFilter(mu=1.0), people=4)
    count = fp.people.ActiveCount(4, 16, sigma=4.0)
    assert people.select(count.request).all()
    assert people.remaining().made_public() == pytest.approx([(1 - 7 / 16) ** 0.5] * 4)


def test_too_many_releases_and_wrong_masks_are_refused() -> None:
    count, rng = fp.people.ActiveCount(2, 1, sigma=1.0), np.random.default_rng(0)
    for wrong in ([True], [1, 0]):
        with pytest.raises(ValueError, match="active must be 2 booleans"):
            count.release(np.array(wrong), rng)
    count.release(np.array([True, True]), rng)
    with pytest.raises(ValueError, match="at most 1 times"):
        count.release(np.array([True, True]), rng)
