"""Budgets, accountants and programs that are told what was released."""

import math
from pathlib import Path
from typing import Any

import pytest

import filterproof as fp
from tests.filters.adapters.program import bridged

HALF, QUARTER = fp.RandomizedResponse(0.5), fp.RandomizedResponse(0.25)


class Vote:
    """A vote costs what it is told afterwards; one that does not fit is denied."""

    left, requested = 1.0, 0.0

    def ask(self, epsilon: float) -> bool:
        self.requested = epsilon
        return epsilon <= self.left

    def only_yes(self, loss: float) -> None:
        if loss > 0:
            self.left -= self.requested

    def always(self, loss: float) -> None:
        self.left -= self.requested if abs(loss) > 0 else 0.0


def votes(on_release: Any, menu: tuple[fp.RandomizedResponse, ...] | None = (HALF, QUARTER)) -> Any:
    return fp.from_budget(
        Vote,
        lambda vote, pair: pair.pure_epsilon is not None and vote.ask(float(pair.pure_epsilon)),
        fp.PureDP(1.0),
        menu=menu,
        released=lambda vote, pair, loss: on_release(vote, loss),
    )


def granted(filt: Any, losses: list[float], pair: fp.DominatingPair) -> list[bool]:
    """The decisions of one session about the same request, each release with its loss."""
    session, answers = filt.open("retry"), []
    for loss in losses:
        answers.append(session.request(pair))
        if answers[-1]:
            session.observe(loss)
    return answers


@pytest.mark.parametrize("kind", ["menu", "any request", "program", "accountant"])
def test_decisions_depend_on_what_was_released(kind: str, tmp_path: Path) -> None:
    if kind == "program":
        filt = bridged(tmp_path, "observes")
    elif kind == "accountant":
        filt = fp.from_accountant(
            lambda: [],
            lambda pair: pair.epsilon,
            fp.PureDP(1.0),
            compose=lambda events, event, count: events.append(event),
            spent=sum,
            released=lambda events, pair, loss: None if loss > 0 else events.pop(),
        )
    else:
        filt = votes(Vote.only_yes, (HALF, QUARTER) if kind == "menu" else None)
    assert filt.looks_at_losses
    assert granted(filt, [0.5, 0.5, 0.5], HALF) == [True, True, False]
    assert granted(filt, [0.5, -0.5, -0.5, 0.5, 0.5], HALF) == [True] * 4 + [False]
    if kind == "menu":
        assert not filt.open("retry").request(fp.RandomizedResponse(0.125))


@pytest.mark.parametrize("fault", ["observes", "observes and restarts"])
def test_a_program_decides_by_its_history_of_losses_also_after_a_restart(fault: str, tmp_path: Path) -> None:
    filt = bridged(tmp_path, fault)
    seen = filt.observe(filt.spend(filt.start(2), QUARTER), [0.25, -0.25])
    assert seen[0] != seen[1]
    assert filt.readable_state(seen).tolist() == (
        ["0.25", "0.0"] if "restarts" in fault else [f"1 granted, losses {loss}" for loss in (0.25, -0.25)]
    )
    again = filt.observe(filt.spend(filt.start(1), QUARTER), [0.25])
    assert again[0] == seen[0]
    assert filt.step(seen, fp.RandomizedResponse(1.0))[0].tolist() == [False, True]
    assert filt.observe(filt.spend(filt.start(1), QUARTER), [math.inf]).shape == (1,)
    filt.bridge.close()


def test_a_cost_of_one_outcome_alone_is_refuted_and_a_cost_of_both_is_not() -> None:
    refuted = fp.verify(votes(Vote.only_yes), effort=0.02, mechanisms=["rr"])
    assert refuted.headline == "REFUTED"
    assert refuted.counterexample.adaptive
    assert fp.verify(votes(Vote.always), effort=0.02, mechanisms=["rr"]).headline == "UNDECIDED"
