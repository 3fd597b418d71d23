"""Broken invariants: each planted fault is named, sound filters break nothing, and what the filter raises passes
through."""

import math
from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis.errors import FlakyFailure

import filterproof as fp
from filterproof.filters.testing.broken_invariants import broken_invariants
from filterproof.filters.testing.request_sampling import clip_to_possible_loss, requests_of
from filterproof.theory.pairs import Gaussian, Laplace, RandomizedResponse
from tests.filters.own import of
from tests.slow_cases import slow_but


def cost(request: Any) -> Any:
    return np.minimum(request.zcdp_rho, 1e9)


class Sound(fp.PrivacyFilter):
    """A budget of zCDP, with the number of grants and the size of the last one in the state."""

    promise = fp.ApproxDP(epsilon=1.0, delta=1e-5)

    def start(self, n: int) -> Any:
        return np.zeros(n), np.zeros(n), np.zeros(n)

    def admits(self, state: Any, request: Any) -> Any:
        return state[0] + cost(request) <= 0.5

    def spend(self, state: Any, request: Any) -> Any:
        return state[0] + cost(request), state[1] + 1, cost(request) + 0 * state[0]


class Together(Sound):
    """The same, with the state after it at once; it means nothing where a run is denied."""

    most = 0.5

    def step(self, state: Any, request: Any) -> Any:
        after = self.spend(state, request)
        return after[0] <= self.most, (np.where(after[0] <= 0.5, after[0], np.nan), *after[1:])


class Exacting(Sound):
    """Refuses a loss that what was released cannot have."""

    def spend(self, state: Any, request: Any) -> Any:
        return *super().spend(state, request)[:2], request.pure_epsilon + np.zeros(len(state[0]))

    def observe(self, state: Any, loss: Any) -> Any:
        assert not (np.abs(loss) > state[2]).any()
        return state


class SpendsOutside(Sound):
    def __init__(self) -> None:
        self.spent = 0.0

    def admits(self, state: Any, request: Any) -> Any:
        return self.spent + cost(request) + 0 * state[0] <= 0.5

    def spend(self, state: Any, request: Any) -> Any:
        self.spent += float(np.max(cost(request)))
        return super().spend(state, request)


class CountsCalls(Sound):
    def __init__(self) -> None:
        self.asked = 0

    def admits(self, state: Any, request: Any) -> Any:
        self.asked += 1
        return super().admits(state, request) & (self.asked % 3 > 0)


class Refilled(Sound):
    budget = 0.5

    def admits(self, state: Any, request: Any) -> Any:
        return state[0] + cost(request) <= self.budget

    def remaining(self, state: Any) -> Any:
        self.budget += 0.05
        return self.budget - state[0]


def refused(where: Any) -> type[Sound]:
    """One that refuses what it should not: where(state, cost of the request)."""
    return of(Sound, admits=lambda filt, s, r: Sound.admits(filt, s, r) & ~where(s, cost(r)))


def written(method: str) -> type[Sound]:
    """One that writes into the state that a method is given."""

    def writes(filt: Sound, state: Any, *asked: Any) -> Any:
        state[0][...] += 1e-3
        return getattr(Sound, method)(filt, state, *asked)

    return of(Sound, **{method: writes})


def first_only(before: Any, after: Any) -> Any:
    """The first run's state after a request, and the others' before it."""
    return tuple(np.append(b[:1], a[1:]) for a, b in zip(before, after, strict=True))


#: What each does wrong, the invariant that it breaks, and the filter.
PLANTED: dict[str, tuple[str, type[Sound]]] = {
    "allows more": ("step_is_admits_and_spend", of(Together, most=1.0)),
    "denies small": ("cheaper_is_admitted_too", refused(lambda s, c: c < 0.05**2 / 2)),
    "hole after three": (
        "cheaper_is_admitted_too",
        refused(lambda s, c: (s[1] >= 3) & (c >= 0.02) & (c <= 0.03)),
    ),
    "refunds": (
        "a_cheaper_past_denies_no_more",
        of(Sound, spend=lambda filt, s, r: (s[0] + np.where(cost(r) > 0.25, 0, cost(r)), s[1] + 1, s[2])),
    ),
    "spends outside": ("runs_do_not_see_each_other", SpendsOutside),
    "numbers its charges": (
        "saving_is_invisible",
        of(Sound, spend=lambda filt, s, r, n=count(): (s[0] + cost(r), s[1] + next(n) % 2, s[2])),  # noqa: B008
    ),
    "counts calls": ("the_future_changes_no_past_decision", CountsCalls),
    "admits in place": ("admits_has_no_effect", written("admits")),
    "spends in place": ("the_old_state_is_left_alone", written("spend")),
    "observes in place": ("the_old_state_is_left_alone", written("observe")),
    "remains in place": ("asking_changes_nothing", written("remaining")),
    "refilled": ("asking_changes_nothing", Refilled),
    "max of runs": (
        "runs_do_not_see_each_other",
        of(Sound, admits=lambda filt, s, r: np.max(s[0]) + cost(r) + 0 * s[0] <= 0.5),
    ),
    "charges the first of many alone": (
        "runs_do_not_see_each_other",
        of(
            Together,
            step=lambda filt, s, r: (Sound.admits(filt, s, r), first_only(s, Sound.spend(filt, s, r))),
        ),
    ),
    "decides one pair for all by the first": (
        "runs_do_not_see_each_other",
        of(Sound, admits=lambda filt, s, r: Sound.admits(filt, s if r.shape else (s[0][:1] + 0 * s[0],), r)),
    ),
}


def names(filt: fp.PrivacyFilter, examples: int = 100) -> set[str]:
    return {found.name for found in broken_invariants(filt, rng=np.random.default_rng(7), examples=examples)}


#: Faults that break an invariant which another one breaks as well.
MORE = {
    *("hole after three", "observes in place", "remains in place", "max of runs"),
    *("charges the first of many alone", "decides one pair for all by the first"),
}


@pytest.mark.parametrize("fault", slow_but({*PLANTED} - MORE, PLANTED))
def test_a_planted_fault_is_named(fault: str) -> None:
    invariant, kind = PLANTED[fault]
    assert invariant in names(kind(), examples=14)


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize(
    ("kind", "invariant"),
    [
        pytest.param(*PLANTED["hole after three"][::-1], marks=pytest.mark.slow),
        (CountsCalls, "saving_is_invisible"),
    ],
    ids=["hole after three", "counts calls"],
)
def test_the_laws_find_it_with_their_default_number_of_examples(kind: type[Sound], invariant: str) -> None:
    # a filter that counts breaks its invariant in a way that does not repeat, which hypothesis says as well
    with pytest.raises((AssertionError, FlakyFailure)):
        getattr(fp.invariants(kind)(), f"test_{invariant}")()


def test_a_sound_filter_breaks_nothing() -> None:
    assert names(Sound(), 8) == names(Together(), 8) == names(Exacting(), 8) == set()


@pytest.mark.parametrize(
    ("pair", "least", "most"),
    [
        (fp.FinitePair((0.3, 0.7), (0.2, 0.8)), math.log(0.7 / 0.8), math.log(0.3 / 0.2)),
        (fp.KOV(0.7, 1e-3), -0.7, 0.7),
        (fp.Erasure(0.1), 0.0, 0.0),
        (fp.SubsampledGaussian(0.1, 1.0), math.log(0.9), 2.0),
    ],
)
def test_a_filter_is_told_no_loss_beyond_those_that_a_request_can_have(
    pair: fp.DominatingPair, least: float, most: float
) -> None:
    told = [clip_to_possible_loss(pair, loss) for loss in (-2.0, 0.0, 2.0)]
    assert told == pytest.approx([least, 0.0, most], rel=1e-12)


def test_what_the_filter_raises_passes_through_even_an_assertion() -> None:
    def spend(filt: Sound, state: Any, request: Any) -> Any:
        assert state[1][0] < 3, "mine"
        return Sound.spend(filt, state, request)

    with pytest.raises(AssertionError, match=r"^mine"):
        broken_invariants(of(Sound, spend=spend)(), rng=np.random.default_rng(1))


def test_more_noise_is_cheaper_and_more_epsilon_is_dearer() -> None:
    drawn = [Laplace(1.0), Gaussian(1.0), RandomizedResponse(1.0), Laplace(4.0), Gaussian(0.5), Laplace(2.0)]
    assert [chain.pairs for chain in requests_of(drawn).chains] == [
        (Gaussian(0.5), Gaussian(1.0)),
        (Laplace(4.0), Laplace(2.0), Laplace(1.0)),
        (RandomizedResponse(1.0),),
    ]
