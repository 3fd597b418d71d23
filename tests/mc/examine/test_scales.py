"""A budget far from one, and requests far from its size, are examined like any others."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import filterproof as fp
from filterproof.filters.contract.work import WorkLimit
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.examination_context import admission_finding
from filterproof.mc.examine.parameter_families import families_for_guarantee
from filterproof.mc.examine.sequence import Sequence
from filterproof.mc.examine.verification import verify
from filterproof.theory.evidence import Outcome
from tests.mc.examine.example_filters import PureSum
from tests.slow_cases import slow_but


class Purse(PureSum):
    """Charges a share of epsilon; requests of more than `wraps` cost nothing."""

    def __init__(self, budget, share=1.0, wraps=math.inf):
        self.most, self.share, self.wraps = budget, share, wraps
        self.promise = fp.PureDP(budget)

    def cost(self, state, request):
        cost = self.share * super().cost(state, request)
        return np.where(cost <= self.wraps, cost, 0.0)


@given(st.floats(1e-290, 1e290))
@example(1e-6)
@example(1.0)
@example(33.0)
@example(70_333.0)
def test_the_largest_size_that_is_granted_is_found_at_any_scale(budget):
    filt = Purse(budget)
    _, subject = admission_finding(
        filt, families_for_guarantee(("rr",), filt.promise), WorkLimit.of(10_000), seed=1
    )
    (line,) = subject.families
    assert line.sizes[-1] == budget
    # the grid of a budget near one ends at 2^-14
    assert 2.0**-14 <= budget < 2.0**-4 or len([t for t in line.sizes if budget / 1000 < t]) > 20


@pytest.mark.parametrize("wraps", slow_but([1e30], [720.0, 1e30]))
def test_a_large_request_that_costs_nothing_is_asked_where_less_is_denied(wraps):
    found = verify(Purse(1.0, wraps=wraps), effort=0.01, mechanisms=["rr"])
    assert found.verdict.outcome is Outcome.REFUTED
    assert found.counterexample.replay().refutes


@pytest.mark.parametrize("tolerance", [1e-9, 0.0])
def test_tolerance_of_a_billionth_is_refuted_and_none_is_not(tolerance):
    filt = Purse(3.0 * (1 + tolerance))
    filt.promise = fp.PureDP(3.0)
    found = verify(filt, effort=0.01, mechanisms=["rr"], stages=["sequences"])
    assert found.verdict.outcome is (Outcome.REFUTED if tolerance else Outcome.UNDECIDED)
    assert not tolerance or found.counterexample.replay().refutes


@pytest.mark.parametrize(
    ("budget", "share"),
    [
        *((1e-9, 0.5), (70_333.0, 1.25)),
        *(pytest.param(*one, marks=pytest.mark.slow) for one in ((70_333.0, 0.5), (1e-9, 1.25))),
    ],
)
def test_half_of_what_is_due_is_found_at_any_scale_and_more_than_that_is_none(budget, share):
    found = verify(Purse(budget, share), effort=0.01, stages=["sequences"])
    assert found.verdict.outcome is (Outcome.REFUTED if share < 1 else Outcome.UNDECIDED)
    assert share >= 1 or found.counterexample.replay().refutes


class Ledger(PureSum):
    """Adds to nearest: what is too small to move the sum is granted for ever, unless it must move."""

    def __init__(self, moves):
        self.moves = moves

    def admits(self, state, request):
        return super().admits(state, request) & (not self.moves or self.spend(state, request) > state)


@pytest.mark.parametrize("moves", [pytest.param(False, marks=pytest.mark.slow), True])
def test_requests_that_leave_a_full_sum_as_it_was_are_found(moves):
    found = verify(Ledger(moves), effort=0.05 if moves else 0.25, mechanisms=["rr"], stages=["sequences"])
    assert found.verdict.outcome is (Outcome.UNDECIDED if moves else Outcome.REFUTED)
    assert moves or found.counterexample.replay().refutes


def test_very_many_requests_are_bounded_from_below_and_by_no_more_than_they_reveal():
    def low(mu, times, epsilon):
        steps = (fp.Gaussian(mu), times), (fp.RandomizedResponse(1e-12), 1)
        return Sequence(steps).low(Divergence.hockey_stick(epsilon))

    for mu in (1.0, 2.0, 3.0, 8.0):  # of all together, by 2^42 Gaussians and next to nothing
        for epsilon in (0.0, 1.0, 5.0):
            assert 0 <= low(mu * 2.0**-21, 2**42, epsilon) <= fp.Gaussian(mu).hockey_stick(epsilon) + 1e-12
    assert low(3.0 * 2.0**-21, 2**42, 0.0) > 0.2
    assert low(2.0**-50, 2**120, 5.0) > 0.999
