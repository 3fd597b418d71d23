"""The reference digits of the benchmarks by second routes, and what a line says of a peer that is absent."""

import math

import pytest

from mc.losses.composition import Composition
from tests.instruments.bench import peers
from tests.instruments.bench.peers import CONTESTANTS, OURS, WORKS, Absent, Contestant, Said, Work, compare
from tests.instruments.bench.references import reference
from theory.pairs import Gaussian, Laplace, RandomizedResponse, SubsampledGaussian


@pytest.mark.parametrize("pair", [Gaussian(0.3), Laplace(3.0), RandomizedResponse(0.4)], ids=repr)
@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_a_reference_lies_within_the_certified_worst_case(pair, rounds: int) -> None:
    found = Composition({pair: rounds}).delta(0.3)
    assert found.low * (1 - 1e-12) <= reference(pair, rounds, 0.3) <= found.high * (1 + 1e-12)
    assert found.high - found.low < 0.01 * found.high


@pytest.mark.parametrize("pair", [Gaussian(0.3), Laplace(3.0), RandomizedResponse(0.4)], ids=repr)
def test_the_reference_of_one_round_is_the_pair_s_own_delta(pair) -> None:
    assert float(reference(pair, 1, 0.3)) == pytest.approx(float(pair.hockey_stick(0.3)), rel=1e-13)


def test_a_gaussian_that_samples_everybody_is_the_gaussian() -> None:
    everybody = SubsampledGaussian(math.nextafter(1.0, 0.0), 10.0)
    assert float(reference(everybody, 100, 3.0)) == pytest.approx(
        float(Gaussian(1.0).hockey_stick(3.0)), rel=1e-11
    )


def test_an_unknown_pair_is_told() -> None:
    with pytest.raises(TypeError, match="known closed form"):
        reference(object(), 1, 1.0)  # type: ignore[arg-type]


@pytest.mark.slow
def test_ours_encloses_every_reference_that_it_answers() -> None:
    for work in WORKS:
        said = OURS.delta(work)
        assert said.low <= reference(work.pair, work.rounds, work.epsilon) <= said.high


def test_the_line_of_a_peer_that_cannot_answer_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(work: Work) -> Said:
        raise ImportError("no such package")

    def broken(work: Work) -> Said:
        raise AttributeError("np.float was removed")

    def narrow(work: Work) -> Said:
        raise Absent("it knows no such pair")

    others = (
        Contestant("nobody", "no-such-package", missing),
        Contestant("old", "numpy", broken),
        Contestant("narrow", "numpy", narrow),
        Contestant("wrong", "numpy", lambda work: Said(None, 1.0, 0.0)),
    )
    monkeypatch.setattr(peers, "CONTESTANTS", (OURS, *others))
    monkeypatch.setattr(peers, "WORKS", WORKS[1:2])
    ours, *told, wrong = compare(repeats=1)
    assert ours["encloses"]
    assert ours["times"] == 1
    assert abs(ours["error"]) < 1e-9
    assert [one["absent"] for one in told] == [
        "not installed; pip install 'filterproof[bench]'",
        "AttributeError: np.float was removed",
        "it knows no such pair",
    ]
    assert [one["by"].split()[0] for one in told] == ["nobody", "old", "narrow"]
    assert wrong["encloses"] is False
    assert wrong["error"] == pytest.approx(1 / wrong["reference"] - 1)


def test_an_error_of_ours_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(work: Work) -> Said:
        raise ValueError("ours")

    monkeypatch.setattr(peers, "CONTESTANTS", (Contestant("ours", None, broken), *CONTESTANTS[1:]))
    with pytest.raises(ValueError, match="ours"):
        compare(repeats=1)
