"""The engine plays the filter's own code, in the right order; a tile is a function of its index and seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit

from filters.privacy_filter import PrivacyFilter
from mc.engine.adversary import Adversary, View
from mc.engine.game import Game
from mc.engine.streams import TILE, Tile
from mc.engine.tiles import play_tile
from theory.guarantees import ApproxDP
from theory.pairs import DominatingPair, Erasure, FinitePair, Gaussian, RandomizedResponse, Selection


class RoundLimit(PrivacyFilter):
    """Admits `rounds` requests of any kind, in every run; writes down what it was shown."""

    promise = ApproxDP(epsilon=1.0, delta=0.5)

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.log: list[tuple[str, Any]] = []

    def start(self, n: int) -> NDArray[np.float64]:
        return np.zeros(n)

    def admits(self, state: Any, request: DominatingPair) -> NDArray[np.bool_]:
        self.log.append(("admits", state.copy()))
        return np.asarray(state < self.rounds)

    def spend(self, state: Any, request: DominatingPair) -> Any:
        self.log.append(("spend", state.copy()))
        return state + 1

    def observe(self, state: Any, loss: NDArray[np.float64]) -> Any:
        self.log.append(("observe", loss.copy()))
        return state


class UpTo(PrivacyFilter):
    """Admits requests of pure epsilon at most `limit`, each once."""

    promise = ApproxDP(epsilon=1.0, delta=0.5)

    def __init__(self, limit: float) -> None:
        self.limit = limit

    def start(self, n: int) -> Any:
        return np.zeros(n), np.zeros((n, 2))

    def admits(self, state: Any, request: DominatingPair) -> NDArray[np.bool_]:
        return np.asarray((state[0] + request.pure_epsilon <= self.limit) & (state[0] == state[1][:, 1]))

    def spend(self, state: Any, request: DominatingPair) -> Any:
        spent = state[0] + request.pure_epsilon
        return spent, np.stack([state[1][:, 0] + 1, spent], axis=1)


@dataclass(frozen=True)
class Script(Adversary):
    """Asks for the given pairs in turn."""

    pairs: tuple[DominatingPair, ...]

    @property
    def horizon(self) -> int:
        return len(self.pairs)

    def request(self, view: View) -> DominatingPair:
        return self.pairs[view.round]


@dataclass(frozen=True)
class Branching(Adversary):
    """RR(0.5), then RR(1) after a positive loss and Gaussian(0.7) after a negative one."""

    @property
    def horizon(self) -> int:
        return 2

    def request(self, view: View) -> DominatingPair:
        if view.round == 0:
            return RandomizedResponse(0.5)
        return Selection((Gaussian(0.7), RandomizedResponse(1.0)), view.loss > 0)


def test_streams_are_functions_of_seed_tile_and_purpose() -> None:
    draws = {
        (seed, index, who): getattr(Tile(seed, index, TILE), who)().random(4).tobytes()
        for seed in (0, 1)
        for index in (0, 1, 2)
        for who in ("nature", "adversary")
    }
    assert len(set(draws.values())) == len(draws)
    assert Tile(1, 2, 7).nature().random(4).tobytes() == draws[1, 2, "nature"]


def test_the_filter_decides_then_is_charged_then_sees_the_loss() -> None:
    filt = RoundLimit(2)
    paths = play_tile(
        Game.between(filt, Script((Gaussian(0.5), Erasure(0.25), Gaussian(1.0)))), Tile(0, 0, 50)
    )
    events = [name for name, _ in filt.log]
    assert events == ["admits", "spend", "observe"] * 2 + ["admits"]
    seen = [what for name, what in filt.log if name == "observe"]
    np.testing.assert_array_equal(paths.loss, seen[0] + seen[1])
    assert set(np.unique(seen[1])) == {0.0, np.inf}
    assert (paths.releases == 2).all()


@pytest.mark.parametrize("order", [1.0, 2.5])
def test_infinite_losses_stay_infinite_and_make_no_nan(order: float) -> None:
    script = Script((Erasure(0.5), Gaussian(1.0), Erasure(0.5), RandomizedResponse(1.0)))
    paths = play_tile(Game.between(RoundLimit(4), script).at(order), Tile(1, 0, 1000))
    assert not np.isnan(paths.loss).any()
    assert not np.isnan(paths.log_weight).any()
    # 750 expected, standard deviation 13.7: beyond 6 of them by chance once in 10^9
    assert abs(np.isposinf(paths.loss).sum() - 750) < 6 * 13.7


@pytest.mark.parametrize("order", [1.0, 2.5])
def test_runs_of_one_round_may_ask_for_different_families(order: float) -> None:
    paths = play_tile(Game.between(RoundLimit(2), Branching()).at(order), Tile(2, 0, 4000))
    weights = np.exp(paths.log_weight)
    # E[w f(L)] = E_P[f(L)] for f = 1 and f = e^{-L}, both 1; five standard errors each
    for values in (weights, weights * np.exp(-paths.loss)):
        assert abs(values.mean() - 1) < 5 * values.std() / np.sqrt(len(values)) + 1e-12
    # the second route: the first round's two outcomes, then the hockey-stick of what is asked for after each
    keep = float(expit(0.5))
    for epsilon in (0.2, 1.0):
        exact = keep * RandomizedResponse(1.0).hockey_stick(epsilon - 0.5) + (1 - keep) * Gaussian(
            0.7
        ).hockey_stick(epsilon + 0.5)
        values = weights * -np.expm1(np.minimum(epsilon - paths.loss, 0.0))
        assert abs(values.mean() - exact) < 5 * values.std() / np.sqrt(len(values))


@pytest.mark.parametrize("direction", ["PQ", "QP"])
def test_either_direction_draws_from_its_own_law(direction: Any) -> None:
    pair = FinitePair((0.2, 0.3, 0.5), (0.6, 0.3, 0.1))
    filt = RoundLimit(1)
    paths = play_tile(Game.between(filt, Script((pair,)), direction=direction), Tile(4, 0, 6000))
    drawn, other = ((0.2, 0.3, 0.5), (0.6, 0.3, 0.1))[:: 1 if direction == "PQ" else -1]
    for p, q in zip(drawn, other, strict=True):
        share = np.isclose(paths.loss, np.log(p / q)).mean()
        assert abs(share - p) < 6 * np.sqrt(p * (1 - p) / 6000)
    seen = filt.log[-1][1]  # the filter is always shown log P/Q
    np.testing.assert_array_equal(seen, paths.loss if direction == "PQ" else -paths.loss)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (3.0, r"Bad.request must return a DominatingPair, got 3.0; return Gaussian"),
        (Gaussian(np.ones(4)), r"one pair or one per live run, shape \(\) or \(5,\), got shape \(4,\)"),
    ],
)
def test_an_adversary_that_returns_nonsense_is_told_so(request_: Any, message: str) -> None:
    class Bad(Adversary):
        def request(self, view: View) -> DominatingPair:
            return request_  # type: ignore[no-any-return]

    with pytest.raises((TypeError, ValueError), match=message):
        play_tile(Game.between(RoundLimit(1), Bad()), Tile(0, 0, 5))


@pytest.mark.parametrize(
    ("method", "value", "message"),
    [
        ("start", np.zeros(3), r"start must return an array"),
        ("admits", np.ones(5), r"admits must return booleans of shape \(5,\)"),
        ("admits", True, r"admits must return booleans of shape \(5,\)"),
        ("spend", np.zeros((2, 5)), r"spend must return an array"),
        ("observe", None, r"observe must return an array"),
    ],
)
def test_a_filter_that_returns_the_wrong_shape_is_told_so(
    method: str, value: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RoundLimit, method, lambda self, *args: value)
    with pytest.raises(TypeError, match=message):
        play_tile(Game.between(RoundLimit(1), Script((Gaussian(1.0),))), Tile(0, 0, 5))


def test_the_players_must_be_instances() -> None:
    with pytest.raises(TypeError, match="adversary must be an Adversary"):
        Game.between(RoundLimit(1), Script)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="PrivacyFilter"):
        Game.between(3, Script((Gaussian(1.0),)))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Recorder(Adversary):
    """Asks for RR(0.3), but in round 1 every other run asks for too much; writes down what it sees."""

    seen: list[tuple[NDArray[np.float64], NDArray[np.float64]]]

    @property
    def horizon(self) -> int:
        return 3

    def request(self, view: View) -> DominatingPair:
        self.seen.append((view.loss.copy(), view.last.copy()))
        return RandomizedResponse(np.where((view.round == 1) & (np.arange(view.n) % 2 == 0), 9.0, 0.3))


def test_an_adversary_sees_the_total_and_the_last_loss_a_denial_being_none() -> None:
    seen: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
    paths = play_tile(Game.between(UpTo(1.0), Recorder(seen), on_denial="retry"), Tile(5, 0, 400))
    (loss0, last0), (loss1, last1), (loss2, last2) = seen
    assert not loss0.any()
    assert not last0.any()
    np.testing.assert_array_equal(loss1, last1)
    np.testing.assert_array_equal(loss2, loss1 + last2)
    assert not last2[::2].any()
    assert last2[1::2].all()
    np.testing.assert_array_equal(paths.releases, np.tile([2, 3], 200))
