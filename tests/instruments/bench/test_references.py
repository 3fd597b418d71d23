"""The reference digits of the benchmarks by second routes."""

import math

import pytest

from filterproof.mc.losses.composition import Composition
from filterproof.theory.pairs import Gaussian, Laplace, RandomizedResponse, SubsampledGaussian
from tests.instruments.bench.references import reference


@pytest.mark.parametrize("pair", [Gaussian(0.3), Laplace(3.0), RandomizedResponse(0.4)], ids=repr)
@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_reference_lies_within_certified_composition(pair, rounds: int) -> None:
    bounds = Composition({pair: rounds}).delta(0.3)
    assert bounds.low * (1 - 1e-12) <= reference(pair, rounds, 0.3) <= bounds.high * (1 + 1e-12)
    assert bounds.high - bounds.low < 0.01 * bounds.high


@pytest.mark.parametrize("pair", [Gaussian(0.3), Laplace(3.0), RandomizedResponse(0.4)], ids=repr)
def test_reference_of_one_round_is_the_pairs_own_delta(pair) -> None:
    assert float(reference(pair, 1, 0.3)) == pytest.approx(float(pair.hockey_stick(0.3)), rel=1e-13)


def test_gaussian_that_samples_everybody_is_the_gaussian() -> None:
    everybody = SubsampledGaussian(math.nextafter(1.0, 0.0), 10.0)
    assert float(reference(everybody, 100, 3.0)) == pytest.approx(
        float(Gaussian(1.0).hockey_stick(3.0)), rel=1e-11
    )


def test_pair_without_a_reference_is_refused() -> None:
    with pytest.raises(TypeError, match="known closed form"):
        reference(object(), 1, 1.0)  # type: ignore[arg-type]
