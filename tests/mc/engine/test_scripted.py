"""A scripted adversary asks in a fixed order, whatever is released."""

from __future__ import annotations

import numpy as np
import pytest

import filterproof as fp
from mc.engine.adversaries import Scripted
from mc.engine.adversary import View
from theory.pairs import Gaussian, RandomizedResponse

A, B, C = Gaussian(0.5), RandomizedResponse(0.25), Gaussian(0.125)


def asked(foe: Scripted, t: int, loss: float = 0.0):
    filt = fp.GaussianFilter(1.0)
    return foe.request(
        View(t, np.array([loss]), np.array([loss]), filt.start(1), (), filt, np.random.default_rng(1))
    )


@pytest.mark.parametrize("times", [(1, 1, 1), (2, 3, 1), (1, 10, 2), (5, 1, 1)])
def test_each_pair_is_asked_so_many_times_in_a_row(times: tuple[int, int, int]) -> None:
    foe = Scripted((A, B, C), times)
    written_out = [pair for pair, n in zip((A, B, C), times, strict=True) for _ in range(n)]
    assert foe.horizon == len(written_out)
    for loss in (-3.0, 0.0, 7.0):
        assert [asked(foe, t, loss) for t in range(foe.horizon)] == written_out
    assert asked(foe, foe.horizon + 3) == C


def test_it_says_what_it_asks_and_whether_all_are_gaussians() -> None:
    foe = Scripted((A, B, A), (1, 2, 3))
    assert foe.asks == (A, B)
    assert not foe.gaussian
    assert Scripted((A, C), (1, 1)).gaussian


@pytest.mark.parametrize(
    ("pairs", "times", "words"),
    [
        ((), (), "times must hold one number for each pair"),
        ((A,), (1, 2), "got 2 for 1"),
        ((A,), (0,), "times must be"),
        ((Gaussian(np.array([0.1, 0.2])),), (1,), "pairs must be single pairs"),
        (A, (1,), "pairs must be a tuple"),
        ((A,), 1, "times must be a tuple"),
        ((0.1,), (1,), "pairs must be pairs"),
    ],
)
def test_a_script_that_is_none_or_says_nothing_is_refused(pairs, times, words) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        Scripted(pairs, times)
