"""The searches of an examination take turns, counted in work, and a refutation ends them."""

import pytest

from filterproof.filters.contract.work import active_meter, count_work, current_meter
from filterproof.mc.examine.stage_schedule import _BEFORE_INVARIANTS, STAGES
from filterproof.mc.examine.verification import verify
from filterproof.mc.examine.worker import WorkerPaused, iter_isolated, so_far
from tests.mc.examine import example_filters

FEW = {"mechanisms": "gaussian", "effort": 0.01}


def test_worker_pauses_at_the_work_that_it_is_given_and_goes_on_where_it_was():
    def work():
        so_far(lambda: "so far")
        for number in range(6):
            count_work(10)
            yield number

    with active_meter() as meter:
        begins = iter(iter_isolated(work))
        next(begins)
        forked = meter.done - 10
        begins.close()
    with active_meter():
        told = [
            (found.summary, current_meter().done - forked) if isinstance(found, WorkerPaused) else found
            for found in iter_isolated(work, pauses=(forked + 20, forked + 45))
        ]
    assert told == [0, ("so far", 20), 1, 2, 3, ("so far", 50), 4, 5]


def test_each_search_has_a_turn_before_any_has_its_next_and_the_laws_come_between():
    stages = []
    found = verify(example_filters.ByHand(), on_stage=stages.append, **FEW)
    assert found.counterexample is None
    first, then = stages.index("invariants"), stages[stages.index("invariants") :]
    assert stages[:4] == ["admission", "sequences", "games", "sequences"]
    assert stages[:first].count("sequences") == _BEFORE_INVARIANTS
    assert "sequences" in then
    assert sum(one.result.startswith("0 refutations among ") for one in found.findings) == 1


def test_first_refutation_ends_the_search_and_a_thorough_one_goes_on():
    first, every = (
        verify(example_filters.Forgets(), thorough=thorough, effort=0.02, mechanisms="gaussian")
        for thorough in (False, True)
    )
    refuting, told = (one.stage for one in first.findings if one.counterexample is not None)
    assert (refuting in ("sequences", "games"), told) == (True, "shrinking")
    assert "invariants" not in [one.stage for one in first.findings]
    assert {"invariants", "sequences", "games"} <= {one.stage for one in every.findings}
    assert first.counterexample.replay().refutes
    assert every.counterexample.replay().refutes


def test_only_the_stages_that_are_named_are_run_and_unknown_ones_are_refused():
    found = verify(example_filters.ByHand(), stages=["invariants"], **FEW)
    assert {one.stage for one in found.findings} == {"admission", "invariants"}
    with pytest.raises(ValueError, match=f"stages must be among {', '.join(STAGES)}, got 'lows'"):
        verify(example_filters.ByHand(), stages=["lows"])
