"""A filter that decides once for each distinct state plays the same runs as one that decides for each run."""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.mc.engine.adversaries import MenuChasing, MenuRandom, Scripted
from filterproof.mc.engine.batches import play_batch
from filterproof.mc.engine.distinct_states import DENIED, DistinctStates
from filterproof.mc.engine.streams import Batch
from filterproof.reports.chapters.filter_page_subjects import SUBJECTS, FilterPageSubject
from tests.slow_cases import slow_but

N = 4096


# adversaries of a user, who may read the state, so that each run has a state of its own
class OwnChasing(MenuChasing):
    pass


class OwnRandom(MenuRandom):
    pass


class OwnScript(Scripted):
    pass


@pytest.mark.parametrize("subject", slow_but(SUBJECTS[::3], SUBJECTS), ids=lambda first: first.name)
def test_the_runs_of_every_filter_are_bit_for_bit_those_with_states_of_their_own(
    subject: FilterPageSubject,
) -> None:
    filt, menu = subject.make(), tuple(subject.menu)
    script = menu * 3, (2,) * (3 * len(menu))
    for ours, own in (
        (MenuChasing(menu), OwnChasing(menu)),
        (MenuRandom(menu), OwnRandom(menu)),
        (Scripted(*script), OwnScript(*script)),
    ):
        for order, direction in ((1.0, "PQ"), (2.0, "QP")):
            both = []
            for adversary in (ours, own):
                game = fp.runs.Game.between(filt, adversary, rounds=20, direction=direction)  # type: ignore[arg-type]
                both.append(play_batch(replace(game, order=order), Batch(5, 0, N)))
            for name in ("loss", "log_weight", "releases"):
                first, other = (np.asarray(getattr(paths, name)) for paths in both)
                assert first.tobytes() == other.tobytes(), (type(ours).__name__, order, name)
            assert both[0].releases.any()


def test_equal_states_have_one_number() -> None:
    table = DistinctStates(fp.GaussianFilter(mu=1.0))
    numbers = table.start(4)
    for choice in ([0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1]):
        request = fp.PairPerRun((fp.Gaussian(0.5), fp.Gaussian(0.75)), np.array(choice))
        numbers = table.step(numbers, request)  # type: ignore[assignment]
    assert numbers.tolist() == [DENIED] * 4
    assert len(table) == 4  # nothing, one of each, both in either order


class Counting(fp.HockeyStickFilter):
    """Counts the runs that it decides for."""

    __slots__ = ()
    decided: ClassVar[list[int]] = []

    def step(self, state: Any, request: fp.DominatingPair) -> Any:
        self.decided.append(len(state[0]))
        return fp.HockeyStickFilter.step(self, state, request)


def test_a_loss_that_many_runs_observe_is_observed_once() -> None:
    filt: FilterBase = Counting(1.0, 0.5)
    table = DistinctStates(filt)
    response = fp.RandomizedResponse(0.25)
    rng = np.random.default_rng(3)
    numbers = table.start(1000)
    for _ in range(4):
        numbers = table.step(numbers, response)  # type: ignore[assignment]
        numbers = table.observe(numbers, response.sample(rng, 1000))  # type: ignore[assignment]
    assert sum(Counting.decided) < 100
    assert table.observe(table.start(100), rng.normal(size=100)) is None  # as many losses as runs
    assert table.step(table.start(2), fp.Gaussian(np.array([0.1, 0.2]))) is None
