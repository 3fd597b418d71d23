"""Final requests: every run of a tile against the same run replayed alone, from what its adversary wrote down."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from filters import (
    ApproximateZCDPFilter,
    BasicFilter,
    GaussianFilter,
    RealisationFilter,
    RenyiFilter,
    RogersFilter,
    ZCDPFilter,
)
from filters.contract.state import State
from filters.privacy_filter import PrivacyFilter
from mc.engine.adversary import Adversary, View
from mc.engine.game import Game
from mc.engine.guard import Guard
from mc.engine.paths import Paths
from mc.engine.streams import Tile
from mc.engine.tiles import play_tile
from theory.pairs import KOV, DominatingPair, Erasure, Gaussian, RandomizedResponse

MechanismFamily = Any


@dataclass(frozen=True)
class Entry:
    """One request of one run: what it saw, and what it was told."""

    last_request: bool
    loss: float
    last: float
    level: float
    admitted: bool
    state: tuple[bytes, ...]


@dataclass(frozen=True)
class Diary(Adversary):
    """Two levels by the loss, with a final request; the pages of run i are `pages[i]`."""

    family: MechanismFamily
    low: float
    high: float
    rest: float
    pages: dict[int, list[Entry]] = field(default_factory=dict)

    def start(self, filt: PrivacyFilter, n: int, rng: np.random.Generator) -> State:
        self.pages.update((i, []) for i in range(n))
        # who the run is, twice and in two shapes; how often it asked; what all runs share
        who = np.arange(n)
        return (
            who,
            (np.stack([who, 10 * who], axis=1), np.zeros(n, dtype=np.int64)),
            np.broadcast_to(7.0, n),
            "shared",
        )

    def _write(
        self, view: View, pair: DominatingPair, level: NDArray[np.float64], last: bool
    ) -> DominatingPair:
        who, (twice, asked), sevens, shared = view.memory
        np.testing.assert_array_equal(twice, np.stack([who, 10 * who], axis=1))
        assert (len(sevens), shared) == (view.n, "shared")
        assert (sevens == 7).all()
        admitted = view.admits(pair)
        parts = view.state if isinstance(view.state, tuple) else (view.state,)
        for row, run in enumerate(who.tolist()):
            assert asked[row] == len(self.pages[run])
            self.pages[run].append(
                Entry(
                    last,
                    float(view.loss[row]),
                    float(view.last[row]),
                    float(level[row]),
                    bool(admitted[row]),
                    tuple(np.asarray(part[row] + 0.0).tobytes() for part in parts),
                )
            )
        asked += 1
        return pair

    def request(self, view: View) -> DominatingPair:
        up = view.loss > 0
        level = np.where(up, self.high, self.low)
        pair = Gaussian.either(self.low, self.high, up) if self.family is Gaussian else self.family(level)
        return self._write(view, pair, level, last=False)

    def final(self, view: View) -> DominatingPair:
        # some runs ask for what they may have, others for too much, by who they are
        level = np.where(view.memory[0] % 3 == 0, self.high, self.rest)
        return self._write(view, self.family(level), level, last=True)


@dataclass(frozen=True)
class NoFinal(Diary):
    """The same adversary, which is denied instead."""

    final = Adversary.final


def single(filt: PrivacyFilter, pages: list[Entry], family: MechanismFamily, end: float) -> list[float]:
    """The run of these pages, asked for alone of a fresh filter, whose answers are held against them; its levels."""
    state, spent = filt.start(1), []
    for entry, following in zip(pages, [*pages[1:], None], strict=True):
        pair = family(np.array([entry.level]))
        parts = state if isinstance(state, tuple) else (state,)
        assert entry.state == tuple(np.asarray(part[0] + 0.0).tobytes() for part in parts)
        assert filt.admits(state, pair)[0] == entry.admitted
        after = end if following is None else following.loss
        if not entry.admitted:
            assert after == entry.loss
            continue
        spent.append(entry.level)
        loss = end - entry.loss if following is None else following.last
        assert following is None or following.loss == entry.loss + following.last
        state = filt.observe(filt.spend(state, pair), np.array([loss]))
    return spent


def replay(game: Game, paths: Paths) -> int:
    """Hold every path against its own replay; how many final requests were admitted."""
    diary = game.adversary
    assert isinstance(diary, Diary)
    backward, granted = game.direction == "QP", 0
    for run, pages in diary.pages.items():
        # an adversary sees log P/Q of the transcript whatever the outputs are drawn from
        end = -paths.loss[run] if backward else paths.loss[run]
        spent = single(game.filter, pages, diary.family, float(end))
        assert paths.releases[run] == len(spent) <= game.rounds
        # denied once at most; then one request more, if there is a final one, and nothing after it
        told = [entry.admitted for entry in pages]
        denied, more = False in told, 2 if diary.asks_finally else 1
        assert len(pages) == (told.index(False) + more if denied else game.rounds)
        finals = [entry.last_request for entry in pages]
        assert finals == [False] * (len(pages) - 1) + [denied and diary.asks_finally]
        granted += pages[-1].last_request and told[-1]
        pairs = [diary.family(level) for level in spent]
        if game.erasures == "weighed":
            kept = sum(math.log1p(-float(pair.infinite_mass)) for pair in pairs)
            assert np.ravel(paths.log_kept)[run] == pytest.approx(kept, rel=1e-12, abs=1e-15)
        if game.order != 1 and all(float(pair.infinite_mass) == 0 for pair in pairs):
            # log dP/dR = sum (a - 1)(D_a - L)
            drawn_from = [pair.swapped if backward else pair for pair in pairs]
            normaliser = (game.order - 1) * sum(float(pair.renyi(game.order)) for pair in drawn_from)
            weight = normaliser - (game.order - 1) * paths.loss[run]
            assert paths.log_weight[run] == pytest.approx(weight, rel=1e-11, abs=1e-11)
    return granted


def played(filt: PrivacyFilter, diary: Diary, n: int, **rules: Any) -> tuple[Game, Paths]:
    game = Game(filt, diary, rules.pop("rounds", 200), **rules)
    return game, play_tile(game, Tile(9, 0, n))


CASES: list[tuple[PrivacyFilter, tuple[Any, ...]]] = [
    (GaussianFilter(mu=1.0), (Gaussian, 0.25, 0.375, 0.125)),
    (GaussianFilter(mu=1.3), (Gaussian, 0.3, 0.47, 0.11)),
    (ZCDPFilter(rho=0.7), (Gaussian, 0.25, 0.5, 0.2)),
    (ZCDPFilter(rho=0.5), (RandomizedResponse, 0.25, 0.5, 0.1)),
    (RenyiFilter(alpha=2.5, rho=1.0), (Gaussian, 0.21, 0.4375, 0.1)),
    (RealisationFilter(6.0, 1e-3, 12, (Gaussian(0.4),)), (Gaussian, 0.375, 0.5, 0.05)),
    (RogersFilter(epsilon=2.0, delta=1e-6), (RandomizedResponse, 0.05, 0.125, 0.01)),
]
cases = pytest.mark.parametrize(("filt", "asks"), CASES, ids=lambda value: type(value).__name__)


@cases
@pytest.mark.parametrize(("direction", "order"), [("PQ", 2.5), ("QP", 1.0), ("QP", 2.5)])
def test_every_run_is_what_it_would_be_alone(
    filt: PrivacyFilter, asks: tuple[Any, ...], direction: str, order: float
) -> None:
    game, paths = played(filt, Diary(*asks), 40, direction=direction, order=order)
    granted = replay(game, paths)
    assert granted > 0
    finals = sum(pages[-1].last_request for pages in game.adversary.pages.values())  # type: ignore[attr-defined]
    assert len(set(paths.releases.tolist())) > 1
    assert finals == 40


@cases
@pytest.mark.parametrize("diary", [Diary, NoFinal])
def test_runs_of_a_short_game_are_what_they_would_be_alone(
    filt: PrivacyFilter, asks: tuple[Any, ...], diary: Any
) -> None:
    some: set[bool] = set()
    for rounds in (1, 5, 9, 16):
        game, paths = played(filt, diary(*asks), 20, rounds=rounds)
        replay(game, paths)
        some |= {pages[-1].last_request for pages in game.adversary.pages.values()}  # type: ignore[attr-defined]
        assert paths.releases.max() <= rounds
    assert False in some


@pytest.mark.parametrize("on_denial", ["halt", "retry"])
@pytest.mark.parametrize("direction", ["PQ", "QP"])
def test_a_final_request_leaves_nothing_to_retry(on_denial: Any, direction: Any) -> None:
    filt, asks = CASES[1]
    game, paths = played(filt, Diary(*asks), 40, on_denial=on_denial, direction=direction)
    assert not game.waits
    replay(game, paths)
    other = played(filt, Diary(*asks), 40, on_denial="halt", direction=direction)[1]
    assert paths.loss.tobytes() == other.loss.tobytes()


ERASING: list[tuple[PrivacyFilter, tuple[Any, ...]]] = [
    (BasicFilter(epsilon=1.0, delta=0.2), (Erasure, 0.03, 0.04, 0.01)),
    (ApproximateZCDPFilter(rho=0.5, xi=0.11), (Erasure, 0.03, 0.04, 0.005)),
    (ApproximateZCDPFilter(rho=1.0, xi=0.11), (lambda e: KOV(e, 0.01), 0.25, 0.5, 0.125)),
]


@pytest.mark.parametrize(("filt", "asks"), ERASING)
@pytest.mark.parametrize("direction", ["PQ", "QP"])
@pytest.mark.parametrize("order", [1.0, 1.5])
def test_weighed_erasures_of_final_requests_are_weighed_too(
    filt: PrivacyFilter, asks: tuple[Any, ...], direction: Any, order: float
) -> None:
    game, paths = played(filt, Diary(*asks), 40, direction=direction, order=order, erasures="weighed")
    assert replay(game, paths) > 0
    assert np.isfinite(paths.loss).all()
    assert np.all(np.asarray(paths.log_kept) < 0)


@dataclass(frozen=True)
class Ends(Adversary):
    """Asks for Gaussian(0.8), and finally for what it is told to."""

    last: Any

    def request(self, view: View) -> DominatingPair:
        return Gaussian(0.8)

    def final(self, view: View) -> DominatingPair:
        assert view.round == 30
        return self.last  # type: ignore[no-any-return]


def test_a_final_request_that_is_none_is_told_so() -> None:
    for last, message in (
        (3.0, r"Ends.final must return a DominatingPair, got 3.0"),
        (Gaussian(np.ones(2)), r"Ends.final must return one pair or one per live run, shape \(\) or \(5,\)"),
        (RandomizedResponse(0.1), r"adversary must ask for Gaussian pairs only, got .* from Ends.final"),
    ):
        game = Game(GaussianFilter(mu=1.0), Ends(last), 30)
        with pytest.raises((TypeError, ValueError), match=message):
            play_tile(game.at(2.0, Guard.at(2.0, 1.0, 0.0, "trust", gaussian=True)), Tile(0, 0, 5))
