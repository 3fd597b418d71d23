"""A refutation stands where its counterexample refutes when it is played by a filter that nobody has asked before."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pytest

import filterproof as fp
from filterproof.mc.engine.adversaries import Constant
from filterproof.mc.examine.counterexample import Counterexample, menu_counterexample, record_simulation
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.ending import Ending
from filterproof.mc.examine.revalidation import history_is_granted, revalidate
from filterproof.mc.examine.verification import verify
from filterproof.mc.examine.worker import run_isolated
from filterproof.mc.worst_case.plan import AdaptivePlan
from filterproof.mc.worst_case.solve import worst_case_of_checked_filter
from filterproof.theory.evidence import Outcome
from tests.mc.examine import counterexamples, example_filters, services
from tests.mc.examine.stages.test_stages import SeesRewinding
from tests.slow_cases import slow_but

SMALL, LARGE = map(fp.RandomizedResponse.from_ratio, (Fraction(11, 10), Fraction(9)))
#: The starts after which a filter that tires charges nothing.
_RUNS = 12


class Tires(example_filters.Sum):
    """A sum that is kept, until it was started often; sound when nobody has asked it before."""

    def __init__(self):
        self.starts = 0

    def start(self, n):
        self.starts += 1
        return super().start(n)

    def spend(self, state, request):
        return state if self.starts > _RUNS else super().spend(state, request)


class TiresAtLosses(Tires):
    """The same, and is shown what was lost."""

    def observe(self, state, loss):
        return state + 0 * loss


class TiredPeople(fp.IndividualFilter):
    """Lets everybody take part once it was asked often."""

    asked: ClassVar[list[int]] = []

    def select(self, request):
        self.asked.append(1)
        allowed = super().select(request)
        return allowed | (len(self.asked) > 100)


class TiredPurse(services.Purse):
    """Charges nothing once its process was begun often."""

    begun: ClassVar[list[int]] = []

    def __init__(self, disk):
        super().__init__(disk)
        self.begun.append(1)

    def charge(self, pair):
        if len(self.begun) <= _RUNS:
            super().charge(pair)


TIRED_PURSE = partial(fp.services.with_promise, TiredPurse, fp.PureDP(1.0))
#: An impure filter that is sound when fresh -> how it is examined, so that a counterexample of another kind is found
#: of each.
IMPURE: dict[Callable[[], Any], dict[str, Any]] = {
    Tires: {"mechanisms": ["gaussian", "rr", "twopoint"], "effort": 0.03, "stages": ["sequences"]},
    TiresAtLosses: {"mechanisms": ["gaussian", "rr"], "effort": 0.03, "stages": ["games"]},
    partial(TiredPeople, fp.ZCDPFilter(0.5), 3): {"effort": 0.07, "stages": ["games"]},
    TIRED_PURSE: {"mechanisms": ["rr"], "effort": 0.07},
}


@pytest.mark.parametrize("make", slow_but([TiresAtLosses, TIRED_PURSE], IMPURE))
def test_an_impure_filter_that_keeps_its_promise_when_fresh_is_at_fault_and_not_refuted(
    make: Callable[[], Any],
) -> None:
    exam = verify(make(), **IMPURE[make])
    assert exam.verdict.outcome is Outcome.UNDECIDED
    assert exam.counterexample is None
    assert any("depend on earlier runs" in fault or "keeps data outside" in fault for fault in exam.faults)
    assert exam.ending is Ending.FAULTY


# -- each kind of counterexample -----------------------------------------------------------------------------


def rewound_plan() -> Counterexample:
    plan = AdaptivePlan(SMALL, (AdaptivePlan(SMALL, (None, None)), AdaptivePlan(LARGE, (None, None))))
    return counterexamples.written(SeesRewinding(), 1.0, Fraction(3), plan)


def rewound_menu() -> Counterexample:
    filt, at, menu = SeesRewinding(), Divergence.hockey_stick(1.0), (SMALL, LARGE)
    worst = worst_case_of_checked_filter(filt, menu, epsilon=1.0, rounds=2)
    return menu_counterexample(filt, menu, at, rounds=2, low=worst.low, high=worst.high)


def tired_sequence() -> Counterexample:
    """The counterexample made by a filter that is tired, beside one that is not."""
    filt = Tires()
    filt.starts = _RUNS
    shown = counterexamples.sequence(filt, fp.Gaussian(0.9), Divergence.renyi(2.0))
    return Counterexample(Tires(), shown.data)


def differs_afresh(counterexample: Counterexample) -> str:
    return revalidate(counterexample, partial(run_isolated, filt=counterexample.filter))


@pytest.mark.parametrize("make", [rewound_plan, rewound_menu, tired_sequence])
def test_a_counterexample_of_what_one_run_asked_for_nothing_else_is_denied_does_not_stand(
    make: Callable[[], Counterexample],
) -> None:
    counterexample = make()
    assert counterexample.value > counterexample.promised
    if make is not tired_sequence:  # whose replay asks for many runs, as who found it did
        assert run_isolated(lambda: counterexample.replay().refutes, filt=counterexample.filter)
    assert differs_afresh(counterexample)


def test_no_number_is_given_of_a_filter_that_counts_what_it_was_asked() -> None:
    with pytest.raises(TypeError, match="TiresAtLosses changed its attribute 'starts'"):
        record_simulation(TiresAtLosses(), Constant(fp.Gaussian(0.9)), epsilon=3.0, n=500, rounds=9)


@pytest.mark.parametrize("kind", ["plan", "menu", "sequence"])
def test_a_counterexample_of_a_pure_filter_stands(kind: str) -> None:
    counterexample = counterexamples.COUNTEREXAMPLES[kind][0]()
    assert differs_afresh(counterexample) == ""


@pytest.mark.parametrize(("loss", "granted"), [(0.4, True), (1.0, False), (np.inf, True)])
def test_a_history_happens_as_its_finite_losses_are_shown(loss: float, granted: bool) -> None:
    small = fp.Gaussian(0.05)
    assert history_is_granted(example_filters.StopsAtLosses(), ((small, loss), (small, 0.0))) is granted


def test_a_counterexample_that_is_true_and_breaks_no_promise_does_not_stand() -> None:
    counterexample = counterexamples.sequence(example_filters.ByHand(), fp.Gaussian(0.02))
    assert differs_afresh(counterexample) == "its value is within the guarantee"


def test_a_plan_is_worth_what_its_histories_are() -> None:
    plan, filt = rewound_plan().plan, SeesRewinding()
    for way in ("PQ", "QP"):
        paid = [*plan.iter_terminal_values(Fraction(3, 2), way)]
        assert [history for history, _ in paid] == [*plan.histories()]
        assert sum(worth for _, worth in paid) == plan.value(filt, Fraction(3, 2), way) > 0
