"""Paper 003's Figure 1: the profile by a Fourier transform of its own, RDP by the binomial formula, and its descent."""

import math

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as peer
from scipy.special import binom, ndtr

import filterproof as fp
from mc.training.data import DataSet
from mc.training.digits import digits
from mc.training.network import Network
from reports.figures.paper_figure import ComputedFigure, figure
from reports.figures.subsampled_gaussian import SampledDescent, _panel

Q, SIGMA, STEPS = 0.005, 2.0, 10_000


#: The descent of the figure and the shares that it gave, kept as the figure is made.
TRAINED: list[tuple[SampledDescent, np.ndarray]] = []


@pytest.fixture(scope="module")
def shown() -> ComputedFigure:
    shares = SampledDescent.shares

    def kept(run: SampledDescent, data: DataSet, *, steps: int) -> np.ndarray:
        TRAINED.append((run, shares(run, data, steps=steps)))
        return TRAINED[-1][1]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(SampledDescent, "shares", kept)
        return figure("003-1", points=4, people=3, least=0.2, trained=60, every=100, more_orders=256)


def profile(fraction: float, epsilons: np.ndarray, steps: int = STEPS) -> np.ndarray:
    """delta of removal by FFT on a grid of losses, each cell's mass at its middle: no code of the library."""
    sigma, half, n = SIGMA / fraction, 6.0, 1 << 19
    h = 2 * half / n
    edges = (np.arange(n + 1) - n / 2 - 0.5) * h
    # the output x at which log(1 - q + q exp((x - 1/2) / sigma^2)) is the edge
    with np.errstate(invalid="ignore", divide="ignore"):
        x = 0.5 + sigma**2 * np.log1p(np.expm1(edges) / Q)
    x = np.where(np.isnan(x), -np.inf, x)
    cdf = Q * ndtr((x - 1) / sigma) + (1 - Q) * ndtr(x / sigma)
    mass = np.diff(cdf)
    total = np.fft.fftshift(np.fft.irfft(np.fft.rfft(np.fft.ifftshift(mass)) ** steps, n))
    loss = (np.arange(n) - n // 2) * h
    return np.array([np.sum(np.clip(-np.expm1(e - loss), 0, None) * total) for e in epsilons])


def test_the_profile_is_that_of_another_fourier_transform(shown: ComputedFigure) -> None:
    epsilon, low, high = _panel(shown.data, "profile", "epsilon", "delta_low", "delta_high")
    again = profile(1.0, epsilon)
    assert np.all(low <= high)
    # the grid of the transform leaves a few parts in ten thousand, and 1e-13 of rounding
    assert np.allclose(again, low, rtol=2e-3, atol=1e-12)


def test_a_person_who_is_always_clipped(shown: ComputedFigure) -> None:
    low, high = shown.data.number("person_epsilon_low"), shown.data.number("person_epsilon_high")
    # by the transform above on finer grids: 1.1501821, 1.15017888, 1.15017867 at 2^19, 2^21, and 2^22 cells to 5
    assert 1.15017866 - 5e-8 < low <= high < 1.15017867 + 5e-8
    assert _panel(shown.data, "people", "epsilon_high")[0][-1] == high


def test_rdp_is_the_binomial_formula_at_integer_orders(shown: ComputedFigure) -> None:
    for fraction, found in zip(*_panel(shown.data, "people", "fraction", "epsilon_rdp"), strict=True):
        told = []
        for a in range(2, 33):
            k, s2 = np.arange(a + 1), (SIGMA / fraction) ** 2
            moment = np.sum(binom(a, k) * (1 - Q) ** (a - k) * Q**k * np.exp(k * (k - 1) / (2 * s2)))
            told.append((STEPS * math.log(moment) - math.log(a * 1e-6)) / (a - 1) + math.log(1 - 1 / a))
        assert found == pytest.approx(min(told), rel=1e-9)


def test_the_floor_of_rdp_comes_from_the_largest_order(shown: ComputedFigure) -> None:
    floor = {name: shown.data.number(name) for name in ("floor", "floor_more", "floor_at_other_delta")}
    of = {"floor": (32, 1e-6), "floor_more": (256, 1e-6), "floor_at_other_delta": (32, 1e-5)}
    by_hand = {name: math.log(1 - 1 / a) - math.log(a * delta) / (a - 1) for name, (a, delta) in of.items()}
    assert floor == pytest.approx(by_hand, rel=1e-12)
    few, more, pld = _panel(shown.data, "people", "epsilon_rdp", "epsilon_rdp_more", "epsilon_low")
    assert np.all(few >= floor["floor"])
    assert np.all(more <= few)
    assert np.all(pld < more)
    assert pld[0] < floor["floor"], "composition sees people whom RDP cannot see"


def test_the_two_gaussian_curves_do_what_is_said_of_them(shown: ComputedFigure) -> None:
    epsilon, high, wide = _panel(shown.data, "profile", "epsilon", "delta_high", "delta_gdp_range")
    assert np.all(wide >= high)
    least = fp.GaussianDP(shown.data.number("mu_range") * (1 - 1e-6)).delta(epsilon)
    assert np.any(least < high), "a smaller mu would not dominate"
    at = fp.GaussianDP(shown.data.number("mu_at")).delta(shown.data.number("person_epsilon_high"))
    assert at == pytest.approx(1e-6, rel=1e-9)


def test_for_all_epsilon_the_mu_of_full_batches_is_needed() -> None:
    # log delta(epsilon) / epsilon^2 tends to -sigma^2 / (2 T) for T subsampled steps, as for mu = sqrt(T) / sigma
    shown = figure("003-1", points=2, people=1, steps=4, q=0.5, more_orders=4, trained=5)
    assert shown.data.number("mu_all") == 1.0
    assert shown.data.number("mu_range") < 1.0


def test_the_histogram_counts_everyone_once_by_each_accountant(shown: ComputedFigure) -> None:
    start, end = _panel(shown.data, "trained", "from_epsilon", "to_epsilon")
    assert np.array_equal(start[1:], end[:-1])
    for name, median in (("people_pld", "median_pld"), ("people_rdp", "median_rdp")):
        (counts,) = _panel(shown.data, "trained", name)
        assert counts.sum() == 60
        middle = int(np.searchsorted(np.cumsum(counts), 30.0))
        assert start[middle] <= shown.data.number(median) <= end[middle + 1]


def test_people_of_the_training_have_the_epsilon_of_their_own_steps(shown: ComputedFigure) -> None:
    ((run, everyone),) = TRAINED
    assert run == SampledDescent(
        Network(sizes=(64, 10)), q=Q, sigma=SIGMA, clip=2.0, rate=0.02, every=100, seed=0
    )
    assert everyone.shape == (STEPS // 100, digits().people)
    shares = everyone[:, np.sort(np.random.default_rng(0).permutation(digits().people)[:60])]
    assert shown.data.number("clipped") == pytest.approx(np.mean(shares >= 1.0), abs=1e-12)
    # the one who cost least, shares rounded to twentieths, by another library
    person = int(np.argmin((shares**2).sum(axis=0)))
    levels, steps = np.unique(np.maximum(np.round(shares[:, person] / 0.05) * 0.05, 0.05), return_counts=True)
    parts = [
        peer.from_gaussian_mechanism(
            SIGMA / level, sampling_prob=Q, value_discretization_interval=2e-4
        ).self_compose(100 * int(count))
        for level, count in zip(levels, steps, strict=True)
    ]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.compose(part)
    assert shown.data.number("least_pld") == pytest.approx(whole.get_epsilon_for_delta(1e-6), rel=0.1)


def test_rdp_does_not_go_below_its_floor_and_composition_does(shown: ComputedFigure) -> None:
    told = shown.data.number
    assert told("least_rdp") > told("floor") > told("least_pld")
    assert told("least_pld") < told("least_rdp_more") < told("least_rdp")
    assert told("pld_below_rdp_more") == 1.0
    assert 0.0 < told("rounding") < 0.06
    assert "digits where 003 has MNIST" in shown.caption


def made(**changes: object) -> SampledDescent:
    options = {"q": 1.0, "sigma": 1e-12, "clip": 5.0, "rate": 1e-3, "every": 1, "seed": 3, **changes}
    return SampledDescent(Network(sizes=(64, 10)), **options)


def test_without_noise_it_is_clipped_descent_on_all_people() -> None:
    data = digits()
    found = made().shares(data, steps=4)
    theta = Network(sizes=(64, 10)).start(np.random.default_rng(3))
    weights, bias = theta[:640].reshape(64, 10), theta[640:]
    for row in found:
        sums = data.features @ weights + bias
        chances = np.exp(sums - sums.max(axis=1, keepdims=True))
        slopes = chances / chances.sum(axis=1, keepdims=True) - data.labels
        norms = np.sqrt((slopes**2).sum(axis=1) * ((data.features**2).sum(axis=1) + 1))
        assert row == pytest.approx(np.minimum(norms / 5.0, 1.0), rel=1e-6)
        slopes = slopes / np.maximum(norms, 5.0)[:, None]
        weights, bias = weights - 1e-3 * data.features.T @ slopes, bias - 1e-3 * slopes.sum(axis=0)


def test_looks_are_a_part_of_all_looks_and_change_nothing() -> None:
    data = digits()
    every, third = (made(q=0.01, sigma=2.0, every=n).shares(data, steps=10) for n in (1, 3))
    assert np.array_equal(third, every[::3])
    assert third.shape == (4, data.people)


def test_noise_and_samples_follow_the_seed() -> None:
    data = digits()
    one, same, other = (made(q=0.01, sigma=2.0, seed=seed).shares(data, steps=5) for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    # the noise has norm 2 sqrt(650) at rate 1e-3 in every step; a sample of 14 people moves by 14 at most
    far = made(q=0.01, sigma=2000.0).shares(data, steps=5)
    assert np.abs(far[1] - far[0]).mean() > 10 * np.abs(one[1] - one[0]).mean()
