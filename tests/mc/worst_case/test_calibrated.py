"""The table of calibrated thresholds: its rows are confirmed by solving them again, and false ones are not."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache

import mpmath
import pytest

import filterproof as fp
from filterproof.mc.worst_case.calibrate import CalibratedFilter
from filterproof.mc.worst_case.calibrated_thresholds import CalibratedThreshold, tabulated_filter
from filterproof.mc.worst_case.solve import worst_case
from filterproof.theory.conversions import BUN_STEINKE, max_gaussian_mu
from filterproof.theory.evidence import Evidence
from filterproof.theory.guarantees import ApproxDP
from filterproof.theory.pairs import Gaussian, Laplace, RandomizedResponse
from tests.mc.worst_case.write_thresholds import DELTAS, EPSILONS, MADE_BY, steps

ROWS = CalibratedThreshold.table()
BY_PROMISE = {
    (row.epsilon, row.delta, k): row
    for row in ROWS
    for k, step in enumerate(steps(row.epsilon, row.delta))
    if row.step == step
}
COARSE = BY_PROMISE[1.0, 1e-5, 3]
FINE = BY_PROMISE[1.0, 1e-5, 0]


def test_the_table_holds_every_promise_at_every_step():
    wanted = {(e, d, step) for e in EPSILONS for d in DELTAS for step in steps(e, d)}
    assert {(row.epsilon, row.delta, row.step) for row in ROWS} == wanted
    assert len(ROWS) == len(wanted) == 4 * len(EPSILONS) * len(DELTAS)


@pytest.mark.parametrize("row", [FINE, BY_PROMISE[0.1, 1e-9, 1], BY_PROMISE[10.0, 1e-3, 2]], ids=repr)
def test_a_row_is_confirmed_by_solving_its_game_again(row):
    solved = row.recheck()
    assert solved.evidence is row.evidence is Evidence.CERTIFIED
    assert solved.high <= row.delta
    assert solved.rounds == row.rounds
    assert solved.low <= row.high
    assert row.low <= solved.high


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_every_row_is_confirmed(epsilon):
    for row in ROWS:
        if row.epsilon == epsilon:
            assert row.recheck().high <= row.delta, row


def test_a_row_comes_out_the_same_when_it_is_made_again():
    row = BY_PROMISE[8.0, 1e-4, 2]
    assert CalibratedThreshold.compute(row.epsilon, row.delta, step=row.step, made_by=MADE_BY) == row


@pytest.mark.parametrize("row", [COARSE, BY_PROMISE[0.1, 1e-9, 2]], ids=repr)
def test_the_worst_case_of_a_row_agrees_with_a_recursion_in_mpmath(row):
    # an adversary has left some units of step^2 / 2 and a loss of so many steps; a level k costs k^2 units
    with mpmath.workdps(40):
        step, epsilon = mpmath.mpf(row.step), mpmath.mpf(row.epsilon)
        keep = [1 / (1 + mpmath.exp(-k * step)) for k in range(row.levels + 1)]

        @cache
        def worth(units, loss):
            best = max(mpmath.mpf(0), -mpmath.expm1(epsilon - loss * step))
            for k in range(1, row.levels + 1):
                if k * k <= units:
                    left = units - k * k
                    best = max(best, keep[k] * worth(left, loss + k) + (1 - keep[k]) * worth(left, loss - k))
            return best

        value = worth(math.floor(2 * Fraction(row.threshold) / Fraction(row.step) ** 2), 0)
        assert row.low <= value <= row.high


def _granted_count(filt, request):
    session = filt.open()
    count = 0
    while not session.halted and session.request(request):
        count += 1
    return count


def test_every_row_admits_more_than_every_published_threshold_and_the_finest_less_than_the_gaussian_ceiling():
    for row in ROWS:
        assert row.gain > row.gain_over_cks > 1.05
        if row.step == steps(row.epsilon, row.delta)[0]:  # coarser levels leave out adversaries
            assert row.threshold < float(max_gaussian_mu(row.epsilon, row.delta)) ** 2 / 2
        assert row.gain == pytest.approx(row.threshold / float(BUN_STEINKE.budget(row.epsilon, row.delta)))


def test_a_promise_of_the_table_gives_its_filter_in_one_line():
    filt = tabulated_filter(epsilon=1.0, delta=1e-5)
    assert isinstance(filt, CalibratedFilter)
    assert fp.tabulated_filter is tabulated_filter
    assert filt.promise == ApproxDP(1.0, 1e-5)
    assert filt.certificate == FINE
    assert filt.threshold == FINE.threshold
    assert f"epsilon <= {FINE.step * FINE.levels:.6g}" in filt.scope
    assert f"the smallest being {FINE.step:.6g}" in filt.scope
    state = filt.start(1)
    assert filt.admits(state, Laplace(20.0))[0]
    assert not filt.admits(state, Gaussian(1e-6))[0]
    assert not filt.admits(state, RandomizedResponse(FINE.step * FINE.levels * 1.001))[0]


@pytest.mark.parametrize(
    ("target", "promised"),
    [
        ((1.0, 1e-5), (1.0, 1e-5)),
        ((99.0, 0.5), (10.0, 1e-3)),
        ((0.1, 3e-9), (0.1, 1e-9)),
    ],
)
def test_between_the_promises_of_the_table_the_nearest_that_promises_no_more_is_given(target, promised):
    filt = tabulated_filter(*target)
    assert filt.promise == ApproxDP(*promised)
    assert filt.promise.delta(target[0]) <= target[1]
    for below in ((0.09, target[1]), (target[0], 9e-10)):
        with pytest.raises(ValueError, match=r"at least 0\.1 and 1e-09.*fp\.calibrate"):
            tabulated_filter(*below)


def test_the_size_of_the_mechanisms_picks_the_row_that_admits_most_of_them():
    for each in (0.1, 0.05, 0.02, 0.013):
        chosen = _granted_count(tabulated_filter(1.0, 1e-5, each=each), RandomizedResponse(each))
        usual = _granted_count(tabulated_filter(1.0, 1e-5), RandomizedResponse(each))
        assert (
            chosen
            == max(row.granted_count(each) for row in ROWS if row.epsilon <= 1 and row.delta <= 1e-5)
            >= usual
        )
    assert tabulated_filter(1.0, 1e-5, each=0.1).certificate == COARSE
    with pytest.raises(ValueError, match="each must be at most"):
        tabulated_filter(1.0, 1e-5, each=0.5)
    with pytest.raises(ValueError, match="each must be"):
        tabulated_filter(1.0, 1e-5, each=-0.1)


def _true_and_above_the_promise():
    loose, menu = fp.ZCDPFilter(1.2 * COARSE.threshold), COARSE.filter().menu
    true = worst_case(loose, menu, epsilon=0.9)
    assert true.high > COARSE.delta
    return CalibratedFilter(loose, menu, None, loose.rho, true, ApproxDP(0.9, COARSE.delta))


UNCONFIRMED = {
    "a slightly larger threshold": lambda: replace(COARSE, threshold=COARSE.threshold * 1.0002),
    "another filter": lambda: replace(COARSE.filter(), inner=fp.ZCDPFilter(2 * COARSE.threshold)),
    "a certificate that is true and above the promise": _true_and_above_the_promise,
}


@pytest.mark.parametrize("name", UNCONFIRMED)
def test_what_was_tampered_with_is_not_confirmed(name):
    with pytest.raises(ValueError, match="certificate is not confirmed"):
        UNCONFIRMED[name]().recheck()
