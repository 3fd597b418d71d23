"""Kinds of faults that searches used to miss, each with a sound filter of its shape, and how tight that one is."""

import json
import math
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.verification import verify
from filterproof.theory.evidence import Evidence, Outcome
from tests.slow_cases import slow_but

#: The stages that attack.
ATTACKS = ("invariants", "sequences", "games", "search")


def examined(filt: fp.PrivacyFilter[Any], effort: float = 0.03, **how: Any) -> Any:
    return verify(filt, effort=effort, stages=ATTACKS, **how)


class SumOfSquares(fp.PrivacyFilter[Any]):
    """1-GDP; sums mu^2, and grants sizes from `low` to `high` as if their cost had wrapped around."""

    promise: fp.Guarantee = fp.GaussianDP(1.0)

    def __init__(self, low: float = math.inf, high: float = math.inf, budget: float = 1.0) -> None:
        self.low, self.high, self.budget = low, high, budget

    def start(self, n: int) -> Any:
        return np.zeros(n)

    def mu(self, state: Any, request: Any) -> Any:
        return np.broadcast_to(np.asarray(request.gdp_mu, dtype=float), len(state))

    def admits(self, state: Any, request: Any) -> Any:
        mu = self.mu(state, request)
        return (state + mu**2 <= self.budget) | ((mu >= self.low) & (mu <= self.high))

    def spend(self, state: Any, request: Any) -> Any:
        return state + self.mu(state, request) ** 2


class OnlyInOrder(SumOfSquares):
    """A response, then a Laplace, then a Gaussian, each once, of mu at most .3, .3 and `last`."""

    kinds = (fp.RandomizedResponse, fp.Laplace, fp.Gaussian)

    def __init__(self, last: float) -> None:
        self.most = (0.3, 0.3, last)

    def admits(self, state: Any, request: Any) -> Any:
        place = next((k for k, kind in enumerate(self.kinds) if isinstance(request, kind)), None)
        if place is None:
            return np.zeros(len(state), dtype=bool)
        return (state == place) & (self.mu(state, request) <= self.most[place])

    def spend(self, state: Any, request: Any) -> Any:
        return state + 1


class RareOutcomes(SumOfSquares):
    """Grants pairs of two outcomes whose delta at epsilon 1 is within the promise: `most` of them."""

    promise = fp.ApproxDP(1.0, 1e-6)

    def __init__(self, most: int) -> None:
        self.most = most

    def admits(self, state: Any, request: Any) -> Any:
        if not isinstance(request, fp.FinitePair) or not 1 < request.pure_epsilon < 40:
            return np.zeros(len(state), dtype=bool)
        delta = max(float(pair.hockey_stick(1.0)) for pair in (request, request.swapped))
        return (state < self.most) & (delta <= 1e-6)

    def spend(self, state: Any, request: Any) -> Any:
        return state + 1


class ChargesTheRise(SumOfSquares):
    """Charges what exceeds the largest request so far, which it keeps on the instance."""

    level = 0.0

    def admits(self, state: Any, request: Any) -> Any:
        return self.mu(state, request) ** 2 - self.level <= 1.0

    def spend(self, state: Any, request: Any) -> Any:
        self.level = max(self.level, float(self.mu(state, request).max()) ** 2)
        return state


class Remembers(SumOfSquares):
    """Remembers its last request on the instance, and never reads it."""

    last: object = None

    def spend(self, state: Any, request: Any) -> Any:
        self.last = request
        return super().spend(state, request)


class FreeBelow(SumOfSquares):
    """Pure; requests of less than a cent are free, and others are denied."""

    promise = fp.PureDP(1.0)

    def admits(self, state: Any, request: Any) -> Any:
        return np.broadcast_to(request.pure_epsilon, len(state)) < 0.01

    def spend(self, state: Any, request: Any) -> Any:
        return state


#: The faulty filter and the requested families.
FAULTY = {
    "wraps at 100": (lambda: SumOfSquares(90.0, 110.0), ("gaussian",)),
    "wraps at 10^10": (lambda: SumOfSquares(9e9, 1.1e10), ("gaussian",)),
    "wraps at 10^14": (lambda: SumOfSquares(1e14, 2e14), ("gaussian",)),
    "third kind": (lambda: OnlyInOrder(2.0), ("gaussian", "rr", "laplace")),
    "rare outcomes": (lambda: RareOutcomes(49), ("twopoint",)),
    "kept on the instance": (ChargesTheRise, ("gaussian", "rr")),
    "free": (FreeBelow, ("rr",)),
}
#: The sound filter, the requested families, and the share of its guarantee that some play reaches.
SOUND = {
    "does not wrap": (SumOfSquares, ("gaussian",), 0.9999),
    "third kind": (lambda: OnlyInOrder(math.sqrt(0.82)), ("gaussian", "rr", "laplace"), 0.9),
    "one rare outcome": (lambda: RareOutcomes(1), ("twopoint",), 0.99),
    "remembers": (Remembers, ("gaussian", "rr"), 0.9999),
}


@pytest.mark.parametrize(
    "kind", slow_but(("wraps at 100", "wraps at 10^14", "rare outcomes", "kept on the instance"), FAULTY)
)
def test_fault_of_this_kind_is_refuted_by_a_play_that_replays(kind: str) -> None:
    make, names = FAULTY[kind]
    found = examined(make(), mechanisms=names)
    assert found.verdict.outcome is Outcome.REFUTED
    assert found.counterexample.replay(make()).refutes


@pytest.mark.parametrize("kind", slow_but(("does not wrap",), SOUND))
def test_sound_filter_of_this_shape_is_not_refuted_and_is_shown_to_be_tight(kind: str) -> None:
    make, names, share = SOUND[kind]
    found = examined(make(), mechanisms=names)
    assert found.verdict.outcome is Outcome.UNDECIDED
    assert not found.faults
    near = found.closest
    assert share <= near.share <= 1 + 1e-9
    assert near.evidence in (Evidence.CERTIFIED, Evidence.EXACT)
    again = near.play.replay(make())
    assert not again.refutes
    assert float(getattr(again.result, "low", again.result)) == near.attack
    assert near.reached in found.detail


def test_excess_is_shown_at_the_epsilon_where_it_is_the_largest_multiple() -> None:
    found = examined(SumOfSquares(budget=1.03**2), mechanisms=["gaussian"]).counterexample
    reached, promised = fp.Gaussian(1.03), fp.GaussianDP(1.0)
    others = [epsilon for epsilon in (0.0, 0.2769, 1.0) if epsilon != found.measure.at]
    for epsilon in others:
        assert found.factor > float(reached.hockey_stick(epsilon)) / float(promised.delta(epsilon))
    assert found.measure.promised(promised) >= 1e-3


def test_free_requests_are_shown_by_few_and_not_by_a_power_of_two() -> None:
    found = examined(FreeBelow(), mechanisms=["rr"]).counterexample
    assert 101 <= found.rounds <= 110


def test_families_are_requested_in_one_order_however_they_are_named() -> None:
    found = [examined(FreeBelow(), mechanisms=names) for names in (("rr", "laplace"), ("laplace", "rr"))]
    one, other = (exam.counterexample.to_data() for exam in found)
    assert one == other


def test_lower_and_upper_end_stand_side_by_side_where_a_theorem_covers_the_code() -> None:
    found = verify(fp.GaussianFilter(mu=1.0), effort=0.01, mechanisms=["gaussian"])
    near = found.closest
    assert found.verdict.outcome is Outcome.HOLDS
    assert near.attack <= near.worst <= near.promised * (1 + 1e-9)
    assert near.share > 0.9999
    assert near.play.data == found.to_data()["closest"]


@pytest.mark.slow
def test_pure_guarantee_is_compared_at_epsilon_zero_where_it_is_not_nothing() -> None:
    class Thirds(FreeBelow):
        def admits(self, state: Any, request: Any) -> Any:
            return (state == 0) & (np.broadcast_to(request.pure_epsilon, len(state)) <= 1 / 3)

        def spend(self, state: Any, request: Any) -> Any:
            return state + 1

    near = examined(Thirds(), mechanisms=["rr"]).closest
    assert near.measure == Divergence.hockey_stick(0.0)
    assert near.share == pytest.approx(math.tanh(1 / 6) / math.tanh(1 / 2), rel=1e-9)


class StoresLossesUnderGaussianDP(SumOfSquares):
    """Grants one request more than fits, and stores the last loss, which it never reads."""

    promise = fp.GaussianDP(1.0)

    def start(self, n: int) -> Any:
        return np.zeros(n), np.zeros(n)

    def admits(self, state: Any, request: Any) -> Any:
        return (state[0] < 21) & (request.gdp_mu**2 <= 0.05 * (1 + 1e-12))

    def spend(self, state: Any, request: Any) -> Any:
        return state[0] + 1, state[1]

    def observe(self, state: Any, loss: Any) -> Any:
        return state[0], loss


def test_a_long_play_is_simulated_where_it_exceeds_gaussian_dp_clearly() -> None:
    shown = examined(StoresLossesUnderGaussianDP(), 1.0, mechanisms=("gaussian",)).counterexample
    assert shown is not None
    exact = fp.Composition({fp.Gaussian(math.sqrt(0.05)): 21}).delta(shown.measure.at)
    assert 1.1 * shown.promised < shown.value <= exact.high


class StoresLosses(SumOfSquares):
    """zCDP; grants one request more than fits, and stores losses that it never reads."""

    promise = fp.ZCDP(1.0)

    def start(self, n: int) -> Any:
        return np.zeros((n, 2))

    def admits(self, state: Any, request: Any) -> Any:
        return (state[:, 0] < 21) & (self.mu(state[:, 0], request) ** 2 <= 0.1)

    def spend(self, state: Any, request: Any) -> Any:
        return state + np.array([1.0, 0.0])

    def observe(self, state: Any, loss: Any) -> Any:
        return state + np.stack([0 * loss, loss], axis=1)


@pytest.mark.slow
def test_losses_that_are_stored_and_never_read_do_not_hide_a_long_play() -> None:
    found = examined(StoresLosses(), 0.05, mechanisms=("gaussian",))
    assert found.verdict.outcome is Outcome.REFUTED
    shown = found.counterexample
    assert shown.measure.kind == "renyi"
    exact = shown.measure.at * 21 * 0.05  # 21 Gaussians of mu^2 = .1
    assert exact * (1 - 1e-3) < shown.value <= exact
    again = fp.replay(json.dumps(shown.to_data()), filt=StoresLosses())
    assert again.low == shown.value
