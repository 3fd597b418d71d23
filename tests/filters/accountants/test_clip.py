"""Clipping to what is left: nobody spends more than the budget, and nothing that counts is free."""

import copy
import itertools
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import filterproof.filters as fp
from filterproof.filters.accountants.constant_normals import ZERO_NOISE
from filterproof.filters.accountants.secret_noise import SecretNoise
from filterproof.theory.numerics.decimals import format_up
from filterproof.theory.pairs import Gaussian
from tests.filters.own import AddingMu


def charged(people: fp.IndividualFilter) -> list[Fraction]:
    """What the ledger of a filter that adds holds of each person, exactly."""
    high, low = (map(float.fromhex, part["values"]) for part in people.to_dict()["state"])  # type: ignore[attr-defined]
    unit = Fraction(people.filter.budget.sqrt_unit) ** 2  # type: ignore[attr-defined]
    return [(Fraction(first) + Fraction(rest)) * unit for first, rest in zip(high, low, strict=True)]


class Boastful(AddingMu):
    """mu up to 0.7 in all; it says that twice as much is affordable."""

    most = 0.7

    def affordable(self, state: Any, family: Any) -> Any:
        return np.full(len(state), 1.4)


def test_whom_the_filter_denies_counts_with_nothing_whatever_it_called_affordable() -> None:
    people = fp.IndividualFilter(Boastful(), 3)
    assert people.clip(np.array([1.0, 0.5, 9.0]), sigma=1.0).tolist() == [0.0, 1.0, 0.0]


class _Closed:
    """Vectors given by norms and a weighted sum alone."""

    def __init__(self, rows: np.ndarray) -> None:
        self.rows = rows

    def norms(self) -> np.ndarray:
        return np.sqrt((self.rows**2).sum(axis=-1))

    def weighted(self, factors: np.ndarray) -> np.ndarray:
        return factors @ self.rows


def test_vectors_in_closed_form_are_summed_alike() -> None:
    rows = np.random.default_rng(1).standard_normal((7, 3))
    answers = []
    for given in (rows, _Closed(rows)):
        people = fp.IndividualFilter(fp.GaussianFilter(1.0), 7)
        sums = fp.ClippedSums(people, clip=1.0, sigma=2.0)
        answers.append([sums.release(given, np.random.default_rng(k)).value for k in range(9)])
        assert 2.0 * (1 + 2.0**-33) < sums.sigma < 2.0 * (1 + 2.0**-31)  # for the rounding of norms
    np.testing.assert_allclose(answers[0], answers[1], atol=1e-12)


def test_many_worlds_at_once_are_single_worlds() -> None:
    rng, (worlds, each, d) = np.random.default_rng(8), (5, 3, 2)

    def sums(people: int, **runs: int) -> fp.ClippedSums:
        return fp.ClippedSums(
            fp.IndividualFilter(fp.GaussianFilter(1.0), people), clip=1.0, sigma=1.5, **runs
        )

    together, alone = sums(worlds * each, runs=worlds), [sums(each) for _ in range(worlds)]
    for k in range(8):
        vectors = rng.standard_normal((worlds, each, d))
        value = together.release(vectors, np.random.default_rng(k)).value
        noise = np.random.default_rng(k).standard_normal((worlds, d)) * together.sigma
        for w in range(worlds):
            quiet = alone[w].release(vectors[w], ZERO_NOISE).value
            np.testing.assert_allclose(value[w] - noise[w], quiet, atol=1e-12)


@pytest.mark.parametrize(
    ("given", "size"),
    [*((np.array, size) for size in (1e-170, 5e-324, 1e200, 1e307)), (_Closed, 1e-170), (_Closed, 5e-324)],
)
def test_vectors_too_small_or_too_large_to_be_squared_are_paid_for(given: Any, size: float) -> None:
    """In closed form such a small norm may well be 0."""
    people = fp.IndividualFilter(fp.GaussianFilter(1.0), 1)
    sums = fp.ClippedSums(people, clip=0.5, sigma=1.0)
    for _ in range(3):
        before = charged(people)
        value = sums.release(given(np.full((1, 3), size)), ZERO_NOISE).value
        assert charged(people) > before
        assert np.linalg.norm(value) <= 0.5
        assert np.linalg.norm(value) > 0.499 or size < 1
    assert float(charged(people)[0]) == pytest.approx(
        0.75 if size > 1 else 0.0, abs=1e-6
    )  # 3 times at most 1/2


#: Vectors or norms that are asked of two people, and what the refusal names.
RNG = np.random.default_rng(0)
REFUSED: list[tuple[Any, Any, str]] = [
    ([1.0], None, "norms"),
    ([1.0, -1.0], None, "norms"),
    ([1.0, np.nan], None, "norms"),
    (np.zeros((3, 2)), RNG, "nothing was charged"),
    (np.array([[np.inf], [0.0]]), RNG, "nothing was charged"),
    (_Closed(np.array([[np.nan], [0.0]])), RNG, "nothing was charged"),
    (np.full((2, 10_000), 1.7e308), RNG, "nothing was charged"),  # whose norm is no double
    ([["a"], ["b"]], ZERO_NOISE, "nothing was charged"),
    (np.ones((2, 1)), 42, "nothing was charged"),
]


@pytest.mark.parametrize(("given", "rng", "message"), REFUSED)
def test_what_is_refused_charges_nobody(given: Any, rng: Any, message: str) -> None:
    people = fp.IndividualFilter(fp.GaussianFilter(1.0), 2)
    fresh, sums = people.to_dict(), fp.ClippedSums(people, clip=1.0, sigma=1.0)
    with pytest.raises((ValueError, TypeError), match=message):
        people.clip(np.array(given), sigma=1.0) if rng is None else sums.release(given, rng)
    assert people.to_dict() == fresh


@pytest.mark.parametrize("bad", [0.0, 2.0**-301, 2.0**901, np.nan])
def test_clip_and_noise_are_where_rounding_is_known(bad: float) -> None:
    people = fp.IndividualFilter(fp.GaussianFilter(1.0), 1)
    for name in ("clip", "sigma"):
        with pytest.raises(ValueError, match=name):
            fp.ClippedSums(people, **({"clip": 1.0, "sigma": 1.0} | {name: bad}))
    with pytest.raises(ValueError, match="sigma"):
        people.clip(np.ones(1), sigma=min(bad, 0.0))
    with pytest.raises(ValueError, match="most"):
        people.clip(np.ones(1), sigma=1.0, most=-1.0)


def test_secret_noise_is_the_same_for_the_same_secret_step_sigma_and_sum_alone() -> None:
    sums = np.array([0.0, 2.0])
    first = SecretNoise(12345, step=1).noise_for(sums, sigma=2.0)
    for same in ([np.array([-0.0, 2.0])], [sums / 2, sums / 2], [sums - 2.0**50, np.full(2, 2.0**50)]):
        assert (SecretNoise(12345, step=1).noise_for(*same, sigma=2.0) == first).all()
    with pytest.raises(ValueError, match="sigma must be finite and > 0"):
        SecretNoise(12345, step=1).noise_for(sums, sigma=0.0)
    others = [(12346, 1, 2.0, [sums]), (12345, 2, 2.0, [sums]), (12345, 1, 4.0, [sums])]
    others += [(12345, 1, 2.0, given) for given in ([sums + 1], [sums, sums], [sums[None]])]
    for secret, step, sigma, given in others:
        noise = SecretNoise(secret, step=step).noise_for(*given, sigma=sigma)
        assert not (noise / sigma == first / 2).any()


def test_secret_noise_has_the_variance_of_its_sigma() -> None:
    # of 2 x 10^7 squares the mean has a standard deviation of 3.2e-4; the draws are the same in each run of the test
    zeros = np.zeros(2_000_000)
    means = [
        np.mean(np.square(SecretNoise(12345, step=step).noise_for(zeros, sigma=3.0))) / 9
        for step in range(10)
    ]
    assert abs(np.mean(means) - 1) <= 1e-3


def test_a_step_of_secret_noise_gives_noise_to_one_sum_of_the_same_people() -> None:
    answers: dict[bool, list[str]] = {}
    for present in (True, False):  # with person 0 two sums differ, without they are equal
        people = fp.IndividualFilter(fp.GaussianFilter(mu=0.01), people=20)
        sums, noise = fp.ClippedSums(people, clip=1.0, sigma=1000.0), SecretNoise(12345, step=1)
        vectors = np.full((20, 3), 0.5)
        vectors[0] *= present
        sums.release(vectors, noise)
        vectors[0] = 0
        others = fp.ClippedSums(people, clip=1.0, sigma=1000.0)
        again = fp.ClippedSums(
            fp.IndividualFilter.from_dict(people.to_dict(), fp.GaussianFilter(mu=0.01)),
            clip=1.0,
            sigma=1000.0,
        )
        left = people.remaining().made_public()
        for clipped_sums in (sums, others, again):
            for used in (noise, copy.copy(noise), copy.deepcopy(noise), SecretNoise(12345, 0)):
                with pytest.raises(ValueError, match="step must be above those") as refused:
                    clipped_sums.release(vectors, used)
                answers.setdefault(present, []).append(str(refused.value))
        assert "pass SecretNoise(secret, step=2), nothing was charged" in answers[present][0]
        assert (people.remaining().made_public() == left).all()
        sums.release(vectors, SecretNoise(12346, step=1))  # another secret has steps of its own
        assert sums.next_noise(12345) == SecretNoise(12345, 2)
        sums.release(vectors, sums.next_noise(12345))
        assert sums.next_noise(12345).step == 3
    assert answers[True] == answers[False]


def test_a_release_that_is_made_again_from_what_was_saved_before_it_says_the_same() -> None:
    filt, vectors = fp.GaussianFilter(mu=1.0), np.full((4, 2), 0.5)
    people = fp.IndividualFilter(filt, people=4)
    fp.ClippedSums(people, clip=1.0, sigma=9.0).release(vectors, SecretNoise(12345, step=1))
    saved = people.to_dict()
    first, again = (
        fp.ClippedSums(fp.IndividualFilter.from_dict(saved, filt), clip=1.0, sigma=9.0) for _ in range(2)
    )
    values = [
        clipped_sums.release(vectors, clipped_sums.next_noise(12345)).value for clipped_sums in (first, again)
    ]
    assert (values[0] == values[1]).all()
    for steps in ([], {"0" * 63: 1}, {"0" * 64: -1}, {"0" * 64: True}, {"0" * 64: 0.5}, {1: 1}):
        with pytest.raises(ValueError, match="steps must hold a step of each secret"):
            fp.IndividualFilter.from_dict({**saved, "steps": steps}, filt)


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.MT19937, np.random.SFC64])
def test_a_generator_that_is_set_back_gives_no_noise_to_a_second_sum(kind: Any) -> None:
    people = fp.IndividualFilter(fp.GaussianFilter(mu=1.0), people=4)
    queries = fp.LinearQueries(4, norm_budget=5.0, kappa=1.0)
    for accountant in (fp.ClippedSums(people, clip=1.0, sigma=9.0), queries):
        rng, ones = np.random.Generator(kind(1)), np.ones((4, 1))
        start = rng.bit_generator.state
        for _ in range(3):  # it goes on
            accountant.noisy_sum(ones, rng)
        spent = queries.to_dict(), people.remaining().made_public().tolist()
        rng.bit_generator.state = start
        for used in (rng, np.random.Generator(kind(1)), copy.deepcopy(rng)):
            with pytest.raises(
                ValueError, match=r"earlier release again.*make one generator and pass it each"
            ):
                accountant.noisy_sum(ones, used)
        assert spent == (queries.to_dict(), people.remaining().made_public().tolist())
        accountant.noisy_sum(ones, np.random.Generator(kind(2)))


def test_personal_values_leave_by_two_doors_only() -> None:
    people = fp.IndividualFilter(fp.GaussianFilter(1.0), 2)
    people.clip(np.array([0.6, 0.0]), sigma=1.0)
    left = people.remaining()
    for shown in (repr(left), str(left), f"{left}", repr(left.report_for(0)), repr([left.report_for(0)])):
        assert "0.8" not in shown
    assert str(people.report_for(0)) == str(left.report_for(0))
    assert str(left.report_for(0)).endswith("0 only, not to be shown to anyone else: 0.8 left of 1-GDP")
    assert left.made_public().tolist() == pytest.approx([0.8, 1.0], rel=1e-14)
    for door in (list, np.array, np.asarray, pickle.dumps, copy.copy, copy.deepcopy, sum):
        with pytest.raises(TypeError, match="personal values must not be"):
            door(left)
    given = np.array([0.25])
    hidden = fp.PerPersonValues(
        given, lambda person, value: fp.PersonalRemainingBudget(person, "1-GDP", value)
    )
    given[0] = 0.5
    assert hidden.made_public()[0] == 0.25
    left.made_public()[0] = 7.0
    assert left.made_public()[0] < 1
    for person, shown_by in itertools.product((2, -1), (left, people)):
        with pytest.raises((IndexError, ValueError), match=r"^person must be"):
            shown_by.report_for(person)


def test_a_tracker_of_people_is_asked_for_one_pair_each() -> None:
    people = fp.IndividualTracker(fp.GaussianTracker(size=0.5), 4)
    people.spend(fp.gaussian_request(np.full(4, 0.5), 1.3))
    people.spend(Gaussian(np.array([0.1, 0.1, 0.9, 0.1])))
    spent, report = float(people.values().made_public()[2]), str(people.report_for(2))
    assert spent > float(f"{spent:.6g}")  # to nearest, which is no bound
    assert f"at most {format_up(spent)} spent" in report
