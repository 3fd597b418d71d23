"""What the room refuses: a call, words of the one sentence that it gets, and the arguments that are refused so."""

import math
from collections.abc import Callable
from fractions import Fraction as Q
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filterproof.theory.pairs import PairPerRun
from filterproof.theory.stopping_level import optimal_split

HALVES, FIRST, ONE, FIVE = (0.5, 0.5), np.array([0]), fp.Gaussian(1.0), fp.Gaussian(np.ones(5))
TINY = Q(1, 10**400)
SQUARE = np.full((2, 2), 0.5)
DRAW = np.random.default_rng(1)


def stop(threshold: Any, ratio: Any) -> object:
    return fp.people.AboveThreshold(threshold, ratio=ratio, rng=DRAW)


def drawn(pair: fp.DominatingPair, *given: Any) -> object:
    return pair.sample(DRAW, *given)


REFUSED: list[tuple[Callable[..., object], str, *tuple[tuple[Any, ...], ...]]] = [
    # guarantees and conversions
    (fp.BUN_STEINKE.budget, r"delta must be in \(0, 1\), got delta=0\.0; pass a probability", (1.0, 0.0)),
    (fp.CKS.budget, "epsilon must be finite and > 0", (math.inf, 1e-5)),
    (fp.GaussianDP, r"mu must be finite and > 0, got mu=-1\.0", (-1.0,)),
    (optimal_split, "delta must be one number below 1/2", (48, 0.5)),
    (fp.conversions.renyi_epsilon, "rho must be >= 0", (2.0, -1.0, 1e-6), (2.0, math.nan, 1e-6)),
    (fp.conversions.renyi_epsilon, "alpha must be", (1.0, 1.0, 1e-6)),
    (fp.RenyiFilter, r"alpha must be finite and >= 1, got alpha=0\.5", (0.5, 1.0)),
    (fp.ZCDP(0.5).extremal, "^epsilon must be finite and >= 0, got", (-1.0,), (math.inf,), (math.nan,)),
    # verdicts
    (fp.Verdict, "scope must name", (fp.Outcome.UNDECIDED, fp.Evidence.STATISTICAL, "")),
    (fp.Verdict, "a failed attack is not a proof", (fp.Outcome.HOLDS, fp.Evidence.STATISTICAL, "all")),
    (fp.Verdict, "REFUTED needs a counterexample", (fp.Outcome.REFUTED, fp.Evidence.STATISTICAL, "all")),
    (fp.Verdict, "citations must name the theorems", (fp.Outcome.HOLDS, fp.Evidence.CITED, "all")),
    (
        lambda *cited: fp.Verdict(fp.Outcome.HOLDS, fp.Evidence.EXACT, "all", citations=cited),
        "citations must name the theorems",
        ("Doob",),
    ),
    # pairs
    (fp.FinitePair, "p must sum to one", ((0.5, 0.4), HALVES)),
    (fp.FinitePair, "q must have as many outcomes", (HALVES, (1.0,))),
    (fp.FinitePair, r"p must be a tuple of numbers or an array of shape \(k,\)", (SQUARE / 2, HALVES)),
    (lambda ratio: fp.RandomizedResponse(1.0, ratio=ratio), "epsilon must be log", (Q(3, 2),)),
    (fp.RandomizedResponse, "epsilon must be finite and >= 0, got epsilon=nan", (np.array([1.0, np.nan]),)),
    (fp.RandomizedResponse.from_ratio, "ratio must be >= 1", (Q(2, 3),)),
    (fp.Erasure, r"p must be in \[0, 1\], got p=1.5", (1.5,)),
    (fp.Erasure, "p must be a real number", (True,)),
    (lambda exact: fp.Erasure(0.0, exact=exact), "p must be exact", (TINY,)),
    (lambda exact: fp.KOV(0.5, 0.0, exact_delta=exact), "delta must be exact_delta", (TINY,)),
    (fp.SubsampledGaussian, "q must be finite and > 0", (0.0, 1.0)),
    (fp.SubsampledGaussian, r"q must be in \[0, 1\]", (1.1, 1.0)),
    (lambda way: fp.SubsampledGaussian(0.5, 1.0, adjacency=way), "adjacency must be", ("both",)),
    (drawn, "order must be >= 1", (fp.SubsampledGaussian(0.5, 1.0), 2, 0.5)),
    (fp.Laplace, "b must be finite and > 0", (-1.0,)),
    (fp.Laplace, r"b must be at least 2\^-1022, got b=5e-324; pass a larger noise scale", (5e-324,)),
    (fp.DiscreteLaplace, "scale|sensitivity", (0.0, 1), (1.0, 0), (1.0, 2000), (1e-308, 2), (1.0, 1.5)),
    (fp.DiscreteGaussian, "sigma", (0.0, 1), (2.0**-11, 1), (2.0**21, 1)),
    (fp.DiscreteGaussian, "sensitivity", (1.0, 0), (1.0, 2**21), (1.0, 1.5)),
    *(
        (make, r"must be a number or one per run, shape \(n,\), got .*shape \(2, 2\)", (SQUARE,))
        for make in (fp.Gaussian, fp.Laplace, fp.Erasure, fp.RandomizedResponse, lambda x: fp.KOV(x, 0.1))
    ),
    # one pair for each run
    (drawn, r"runs 5, got n=\d+; take the live runs", (FIVE, 4), (FIVE, 6), (FIVE, 40)),
    (PairPerRun, "empty menu", ((), FIRST)),
    (PairPerRun, r"index must lie in 0\.\.0, got 0\.\.1", ((ONE,), np.array([0, 1]))),
    (PairPerRun, r"got -1\.\.0", ((ONE,), np.array([0, -1]))),
    (PairPerRun, "integer array", ((ONE,), np.array([0.0]))),
    (PairPerRun, "pairs must hold dominating pairs", ((1.0,), FIRST)),
    (drawn, "n must be the number of runs", (PairPerRun((ONE,), FIRST), 2)),
    (PairPerRun((ONE,), FIRST).sample_finite, "n must be the number of runs", (DRAW, 2)),
    # labels, and the stop of the sparse vector
    (
        fp.LabelledRequest,
        "one pair without labels",
        (3, {"a": 1}),
        (fp.LabelledRequest(ONE, {"a": 1}), {"b": 1}),
    ),
    (fp.LabelledRequest, "where must map text to text", (ONE, {"site": 0.5}), (ONE, {"site": ()})),
    (fp.LabelledRequest, "where must map dimensions to labels, got 3; pass", (ONE, 3)),
    (fp.LabelledRequest, "where must name each dimension once", (ONE, (("site", "a"), ("site", "b")))),
    (fp.LabelledRequest, "reveals must be a bool, got reveals=1; pass", (ONE, {"site": "a"}, 1)),
    (stop, "ratio must be", (0, Q(1)), (0, 1.5)),
    (stop, "threshold must be", (0.5, Q(2)), (2**63, Q(2))),
]


@pytest.mark.parametrize(
    ("call", "says", "given"), [(call, says, given) for call, says, *each in REFUSED for given in each]
)
def test_what_cannot_be_is_refused_in_a_sentence(
    call: Callable[..., object], says: str, given: tuple[Any, ...]
) -> None:
    with pytest.raises((TypeError, ValueError), match=says):
        call(*given)
