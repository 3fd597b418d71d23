"""Paths have the distribution requested; a batch is a function of its index and seed; bad arguments raise."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filterproof.mc.engine.batches import play_batch
from filterproof.mc.engine.budget_monitor import BoundExceeded, BudgetMonitor
from filterproof.mc.engine.granted_levels import largest_granted_level
from filterproof.mc.engine.streams import BATCH_SIZE, Batch
from tests.mc.estimate.small_filters import Grants

BASIC, GDP, A = fp.BasicFilter(1.0, 1e-3), fp.GaussianFilter(1.0), fp.Gaussian(0.8)


def test_streams_are_functions_of_seed_tile_and_purpose() -> None:
    draws = {
        (seed, index, who): getattr(Batch(seed, index, BATCH_SIZE), who)().random(4).tobytes()
        for seed in (0, 1)
        for index in (0, 1, 2)
        for who in ("output_rng", "adversary_rng")
    }
    assert len(set(draws.values())) == len(draws)
    assert Batch(1, 2, 7).output_rng().random(4).tobytes() == draws[1, 2, "output_rng"]


@dataclass(frozen=True)
class Ends(fp.Adversary):
    """Asks for `first`, and finally for `last`."""

    first: Any = A
    last: Any = A

    def request(self, view: fp.AdversaryView) -> fp.DominatingPair:
        return self.first  # type: ignore[no-any-return]

    def final(self, view: fp.AdversaryView) -> fp.DominatingPair:
        return self.last  # type: ignore[no-any-return]


def play(filt: Any, adversary: Any) -> None:
    play_batch(fp.runs.Game(filt, adversary, 30), Batch(0, 0, 5))


@dataclass(frozen=True)
class Touches(fp.Adversary):
    """Does something with what it sees, and asks for A."""

    does: Callable[[Any], object]
    memory: Any = None

    def start(self, filt: fp.PrivacyFilter, n: int, rng: np.random.Generator) -> Any:
        return self.memory

    def request(self, view: fp.AdversaryView) -> fp.DominatingPair:
        self.does(view)
        return A


def guarded(**asked: fp.DominatingPair) -> None:
    game = fp.runs.Game(fp.GaussianFilter(1.0), Ends(**asked), 30)
    play_batch(game.at(2.0, BudgetMonitor.at(2.0, 1.0, 0.0, "assert", gaussian=True)), Batch(0, 0, 5))


def wrong(method: str, value: Any) -> fp.PrivacyFilter:
    """A filter of which one method answers with `value`."""
    kind = type("Wrong", (Grants,), {method: lambda self, *args: value})
    return kind(fp.ApproxDP(1.0, 0.5), 1)  # type: ignore[no-any-return]


REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: play(GDP, Ends(3.0)), "Ends.request must return a DominatingPair, got 3.0; return Gaussian"),
    (lambda: play(GDP, Ends(last=3.0)), "Ends.final must return a DominatingPair, got 3.0"),
    (
        lambda: play(GDP, Ends(fp.Gaussian(np.ones(4)))),
        r"one pair or one per live run, shape \(\) or \(5,\), got shape \(4,\)",
    ),
    (lambda: play(GDP, Ends(last=fp.Gaussian(np.ones(2)))), r"Ends.final must return one pair .*\(5,\)"),
    *(
        (lambda asked=asked: guarded(**asked), f"must request only Gaussian pairs, got .* from Ends.{method}")
        for method, asked in (
            ("request", {"first": fp.RandomizedResponse(0.1)}),
            ("final", {"last": fp.RandomizedResponse(0.1)}),
        )
    ),
    *(
        (
            lambda method=method, value=value: play(wrong(method, value), fp.Constant(A)),
            f"{method} must return {what}",
        )
        for method, value, what in (
            ("start", np.zeros(3), "an array"),
            ("admits", np.ones(5), r"booleans of shape \(5,\)"),
            ("spend", np.zeros((2, 5)), "an array"),
            ("observe", None, "an array"),
        )
    ),
    *(
        (
            lambda seen=seen: play(GDP, Touches(lambda view: seen(view).fill(0))),
            "Touches.request wrote into read-only memory",
        )
        for seen in (lambda view: view.loss, lambda view: view.last, lambda view: view.state[0])
    ),
    (
        lambda: play(GDP, Touches(lambda view: setattr(view, "memory", view.memory + 1), np.zeros(5))),
        "Touches.request replaced view.memory by another object",
    ),
    *(
        (lambda held=held: play(GDP, Touches(np.ndim, held)), "Touches.start must return None, an array")
        for held in (np.zeros((2, 5)), (np.zeros(5), np.zeros(4)), [0.0] * 5)
    ),
    (lambda: fp.runs.Game(GDP, Ends(), 30, erasures="none"), "erasures must be one of"),  # type: ignore[arg-type]
    (lambda: play(GDP, fp.Scripted), "adversary must be an Adversary"),
    (lambda: play(3, fp.Constant(A)), "PrivacyFilter"),
    (
        lambda: largest_granted_level(BASIC, fp.Gaussian),
        "family must hold a pair that BasicFilter admits, got .*Gaussian",
    ),
    (lambda: fp.runs.Game.between(GDP, fp.EraserForever()), "p is missing: the guarantee of GaussianFilter"),
    (lambda: fp.Constant(fp.Gaussian(np.ones(2))), r"pair must be a single pair, got shape \(2,\)"),
    (lambda: fp.Scripted((A,), (1, 2)), "times must hold one number for each pair, got 2 for 1"),
    (lambda: fp.Scripted((A,), (0,)), "times must be"),
]


def test_the_filter_decides_by_its_own_state_whatever_an_adversary_puts_into_its_view() -> None:
    fresh = Touches(lambda view: setattr(view, "state", GDP.start(view.n)))
    for on_denial in ("halt", "retry"):
        paths = play_batch(fp.runs.Game(GDP, fresh, 30, on_denial=on_denial), Batch(0, 0, 5))  # type: ignore[arg-type]
        assert paths.releases.tolist() == [1] * 5


@pytest.mark.parametrize(("call", "sentence"), REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_played_is_one_sentence(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises((TypeError, ValueError), match=sentence) as refused:
        call()
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("direction", "passes"), [("PQ", True), ("QP", False)])
def test_a_guard_charges_the_divergence_of_the_law_that_is_drawn_from(direction: Any, passes: bool) -> None:
    """Of order 2 it is log(25/9) one way, log(41/25) the other; .7 lies between."""
    one_sided = fp.FinitePair((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 10), Fraction(9, 10)))
    game = fp.runs.Game(Grants(fp.ApproxDP(1.0, 0.5), 1), Ends(one_sided, one_sided), 1, direction=direction)
    paths = play_batch(game.at(1.0, BudgetMonitor.at(2.0, 0.7, 0.0, "flag")), Batch(0, 0, 5))
    assert set(np.asarray(paths.over_bound).tolist()) == {passes}


def test_a_guard_lets_nothing_pass_that_is_beyond_its_bound_or_no_number() -> None:
    monitor = BudgetMonitor.at(2.0, 1.0, 0.5, "truncate")
    spent, finite = np.array([0.5, 2.0, np.nan, 0.5, 0.5]), np.array([0.0, 0.0, 0.0, -1.0, np.nan])
    assert monitor.is_exceeded(spent, finite).tolist() == [False, True, True, True, True]
    monitor.check_finished(np.array([0.5]), np.zeros(1), np.zeros(1))
    for loss, log_finite in ((2.0, 0.0), (np.nan, 0.0), (0.5, -1.0), (0.5, np.nan)):
        with pytest.raises(BoundExceeded):
            monitor.check_finished(np.array([loss]), np.zeros(1), np.array([log_finite]))
