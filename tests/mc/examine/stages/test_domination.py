"""A filter that grants nothing that a proven one denies keeps its promise on the menu on which that was checked."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from mc.examine.stages.never_looser import dominated, never_looser
from theory.evidence import Evidence, Outcome

BITS = (fp.RandomizedResponse(0.5), fp.RandomizedResponse(0.25))


class Squares(fp.PrivacyFilter):
    """A user's own rule: sums of squares of pure epsilons, in doubles, up to `most`."""

    promise: fp.Guarantee = fp.ZCDP(0.5)
    most = 1.0

    def start(self, n: int) -> Any:
        return np.zeros(n)

    def admits(self, state: Any, request: Any) -> Any:
        return state + request.pure_epsilon**2 <= self.most

    def spend(self, state: Any, request: Any) -> Any:
        return state + request.pure_epsilon**2


class Wider(Squares):
    most = 1.0625


def looser_by_enumeration(most: Fraction, rho: Fraction, rounds: int) -> bool:
    """Whether some sequence over BITS is granted with squares up to `most` and has sum e^2/2 above rho."""
    for steps in product((Fraction(1, 2), Fraction(1, 4)), repeat=rounds):
        spent = Fraction(0)
        for epsilon in steps:
            if spent + epsilon**2 > most:
                break
            spent += epsilon**2
            if spent / 2 > rho:
                return True
    return False


@pytest.mark.parametrize("kind", [Squares, Wider])
def test_it_is_looser_where_enumeration_says_so(kind: type[Squares]) -> None:
    found = never_looser(kind(), fp.ZCDPFilter(0.5), BITS, max_states=1000)
    assert found is not looser_by_enumeration(Fraction(kind.most), Fraction(1, 2), 10)


def test_what_is_never_looser_holds_on_the_menu_and_names_the_theorem() -> None:
    found = dominated(Squares(), BITS, max_states=1000)
    assert found is not None
    assert found.outcome is Outcome.HOLDS
    assert found.evidence is Evidence.EXACT
    assert found.citations == ()
    assert "menu" in found.scope
    assert repr(BITS[0]) in found.scope
    assert "'RDP filter'" in found.detail
    assert dominated(Wider(), BITS, max_states=1000) is None


@pytest.mark.slow
def test_the_proven_filter_is_chosen_from_the_promise() -> None:
    class Approximate(Squares):
        promise = fp.ApproxDP(2.0, 1e-3)
        most = 0.25

    class Pure(Squares):
        promise = fp.PureDP(1.0)
        most = 0.25  # at most four times a quarter

    class Steep(Squares):
        promise = fp.RenyiDP(3.0, 1.5)

    class Normal(Squares):
        promise = fp.GaussianDP(1.0)

        def admits(self, state: Any, request: Any) -> Any:
            return state + request.gdp_mu**2 <= 0.75

        def spend(self, state: Any, request: Any) -> Any:
            return state + request.gdp_mu**2

    gaussians = (fp.Gaussian(0.5), fp.Gaussian(0.25))
    for filt, menu, said in (
        (Approximate(), BITS, "ApproxDP(epsilon=2.0, delta=0.001) by"),
        (Pure(), BITS, "basic composition"),
        (Steep(), BITS, "zcdp_charge"),
        (Normal(), gaussians, "gdp_charge"),
    ):
        found = dominated(filt, menu, max_states=1000)
        assert found is not None, filt
        assert found.outcome is Outcome.HOLDS
        assert said in found.detail


def test_basic_composition_dominates_a_filter_of_epsilons_and_deltas() -> None:
    menu = (fp.KOV(0.25, 1e-4), fp.KOV(0.5, 1e-4))
    found = dominated(fp.BasicFilter(1.0, 1e-3), menu, max_states=1000)
    assert found is not None
    assert any("basic composition" in one for one in found.citations)


def test_too_many_states_are_no_answer() -> None:
    assert never_looser(Squares(), fp.ZCDPFilter(0.5), BITS, max_states=3) is None
    assert dominated(Squares(), BITS, max_states=3) is None


class Watching(Squares):
    def observe(self, state: Any, loss: Any) -> Any:
        return state


class Denying(Watching):
    looks_at_losses = False  # type: ignore[assignment]  # it says so, and it does


class Counting(Squares):
    """Keeps what it spends in itself: it forgets the half of it after a hundred questions."""

    asked = 0

    def admits(self, state: Any, request: Any) -> Any:
        self.asked += 1
        return super().admits(state / (2 if self.asked > 20 else 1), request)


def test_a_filter_that_denies_that_it_looks_at_losses_or_keeps_count_in_itself_is_no_answer() -> None:
    assert never_looser(Watching(), fp.ZCDPFilter(0.5), BITS, max_states=1000) is True
    assert never_looser(Denying(), fp.ZCDPFilter(0.5), BITS, max_states=1000) is None
    assert never_looser(Counting(), fp.ZCDPFilter(0.5), BITS, max_states=1000) is not True


def test_a_promise_that_is_computed_is_not_proved() -> None:
    class Varying(Squares):
        @property
        def promise(self) -> Any:  # type: ignore[override]
            return fp.ZCDP(0.5)

    assert dominated(Varying(), BITS, max_states=1000) is None


def test_a_cheaper_spend_is_found_where_it_shows() -> None:
    class Forgetting(Squares):
        """Forgets its spend where it is exactly one half."""

        def spend(self, state: Any, request: Any) -> Any:
            after = super().spend(state, request)
            return np.where(after == 0.5, 0.0, after)

    assert never_looser(Forgetting(), fp.ZCDPFilter(0.5), BITS, max_states=1000) is False


@pytest.mark.parametrize("menu", [(), (fp.Gaussian(np.array([0.1, 0.2])),), (3,)])
def test_a_bad_menu_is_one_sentence(menu: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="menu must hold"):
        never_looser(Squares(), fp.ZCDPFilter(0.5), menu)
