"""The third part once more: sound filters under deeper games, and runs together that decide as runs alone."""

import numpy as np
import pytest

import filterproof as fp
from filters.contract.state import choose, leaves, same, take
from tests.instruments.corpus.case import Case
from tests.instruments.corpus.games import best_value
from tests.instruments.corpus.halves import HALVES

CASES = HALVES["third"]
RARE = fp.FinitePair((0.02, 0.98), (0.0014, 0.9986))
ONE_SIDED = fp.FinitePair((0.0, 1.0), (0.04, 0.96))
#: What comes near the limits of each sound filter, and for how many rounds.
DEEPER: dict[str, tuple[tuple[fp.DominatingPair, ...], int]] = {
    "bucket-in-the-sum": ((fp.RandomizedResponse(0.3), fp.RandomizedResponse(0.05), RARE), 5),
    "given-back-at-cost": ((fp.RandomizedResponse(0.1), fp.RandomizedResponse(0.28)), 6),
    "collision-product": ((RARE, fp.RandomizedResponse(0.4)), 5),
    "still-together": ((fp.RandomizedResponse(0.05), fp.Erasure(0.03), ONE_SIDED), 5),
    "half-of-the-rest": ((fp.KOV(0.5, 2e-5), fp.KOV(0.25, 2e-5), fp.KOV(0.125, 3e-5)), 5),
    "few-or-many": ((fp.RandomizedResponse(0.2), fp.RandomizedResponse(0.4)), 8),
    "cut-off-and-paid": ((fp.RandomizedResponse(0.2505), fp.KOV(0.25, 3e-4)), 6),
    "settled-at-losses": ((fp.RandomizedResponse(0.25), fp.RandomizedResponse(0.4)), 8),
    "draws-lots": ((fp.RandomizedResponse(0.3), fp.RandomizedResponse(0.123456789)), 7),
    "paid-second-chances": ((fp.RandomizedResponse(0.15),), 12),
}
ASKED = (
    fp.RandomizedResponse(0.02),
    fp.RandomizedResponse(0.15),
    fp.RandomizedResponse(0.5),
    fp.FinitePair((0.3, 0.7), (0.4, 0.6)),
    fp.Gaussian(0.05),
    fp.Gaussian(50.0),
    fp.Laplace(20.0),
    fp.KOV(0.05, 1e-5),
    fp.SubsampledGaussian(0.01, 2.0),
    ONE_SIDED,
)


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in CASES if case.kind == "sound"], ids=lambda case: case.name)
def test_no_deeper_game_beats_a_sound_filter(case: Case) -> None:
    filt = case.filter_class()
    menu, rounds = DEEPER[case.name]
    for epsilon in {0.0, getattr(filt.promise, "epsilon", 0.8)}:
        assert best_value(filt, menu, epsilon, rounds) <= float(filt.promise.delta(epsilon)) * (1 + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_runs_together_decide_as_runs_alone(case: Case) -> None:
    filt, n, rng = case.filter_class(), 5, np.random.default_rng(5)
    together, alone = filt.start(n), [filt.start(1) for _ in range(n)]
    for _ in range(40):
        index = rng.integers(0, len(ASKED), n)
        request, before = fp.Selection(ASKED, index), [leaf.copy() for leaf in leaves(together)]
        granted = filt.admits(together, request)
        loss = np.array([float(ASKED[place].sample(rng, 1)[0]) for place in index])
        after = filt.observe(filt.spend(together, request), loss)
        # every method is pure
        assert all(np.array_equal(old, new) for old, new in zip(before, leaves(together), strict=True))
        together = choose(granted, after, together)
        for run, place in enumerate(index):
            assert filt.admits(alone[run], ASKED[place])[0] == granted[run]
            if granted[run]:
                alone[run] = filt.observe(filt.spend(alone[run], ASKED[place]), loss[run : run + 1])
            assert same(take(together, np.array([run])), alone[run])[0]
