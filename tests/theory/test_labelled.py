"""A request with labels has the laws of its mechanism about a record that it reads, and of nothing about others."""

from __future__ import annotations

import numpy as np
import pytest

import filterproof as fp
from mc.engine.encoding import decode, encode, nameable
from theory.pairs import examples

WHERE = {"site": "a", "epoch": (1, 2)}
NOTHING = fp.RandomizedResponse.from_ratio(1)


@pytest.mark.parametrize("pair", examples()[::2], ids=repr)
def test_it_has_the_laws_of_its_mechanism_or_of_nothing(pair: fp.DominatingPair) -> None:
    for law, made in ((pair, fp.Labelled(pair, WHERE)), (NOTHING, fp.Labelled(pair, WHERE, reveals=False))):
        for name in (
            "pure_epsilon",
            "zcdp_rho",
            "gdp_mu",
            "zcdp_root",
            "outputs",
            "normal_mu",
            "kov",
            "infinite_mass",
        ):
            assert getattr(made, name) == getattr(law, name)
        for epsilon in (0.0, 0.7):
            assert made.hockey_stick(epsilon) == law.hockey_stick(epsilon)
            assert made.swapped.hockey_stick(epsilon) == law.swapped.hockey_stick(epsilon)
        assert made.renyi(3.0) == law.renyi(3.0)
        assert made.loss_cdf(0.1) == law.loss_cdf(0.1)
        draws = [one.sample(np.random.default_rng(1), 5, 2.0) for one in (made, law)]
        assert np.array_equal(*draws)
        assert np.array_equal(*(one.log_weight(draws[0], 2.0) for one in (made, law)))
        assert made.asked == pair
        assert made.labels == WHERE


def test_runs_that_ask_elsewhere_lose_nothing_there() -> None:
    size = fp.RandomizedResponse(np.array([0.5, 1.0, 2.0]))
    here, elsewhere = fp.Labelled(size, {"site": "a"}), fp.Labelled(size, {"site": "b"}, reveals=False)
    both = fp.Selection((here, elsewhere), np.array([0, 1, 0]))
    assert both.pure_epsilon.tolist() == [0.5, 0.0, 2.0]
    assert both.take(np.array([1, 2])).pure_epsilon.tolist() == [0.0, 2.0]
    assert np.abs(both.sample(np.random.default_rng(3), 3)).tolist() == [0.5, 0.0, 2.0]
    assert here.of_run(1) == fp.Labelled(fp.RandomizedResponse(1.0), {"site": "a"})


def test_it_is_written_and_read_again() -> None:
    made = fp.Labelled(fp.Gaussian(0.5), WHERE, reveals=False)
    assert decode(encode(made, nameable()), nameable()) == made != fp.Labelled(fp.Gaussian(0.5), WHERE)
