"""Every run of a batch against the same run replayed alone, from what its adversary wrote down."""

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import filterproof as fp
from filterproof.filters.contract.state import State
from filterproof.mc.engine.batches import play_batch
from filterproof.mc.engine.streams import Batch

MechanismFamily = Any


@dataclass(frozen=True)
class Entry:
    """One request of one run: what it saw, and what it was told."""

    round: int
    last_request: bool
    loss: float
    last: float
    level: float
    admitted: bool
    state: tuple[bytes, ...]


@dataclass(frozen=True)
class Diary(fp.Adversary):
    """Two levels by loss and round, with a final request; the pages of run i are `pages[i]`."""

    family: MechanismFamily
    low: float
    high: float
    rest: float
    pages: dict[int, list[Entry]] = field(default_factory=dict)

    def start(self, filt: fp.PrivacyFilter, n: int, rng: np.random.Generator) -> State:
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
        self, view: fp.AdversaryView, pair: fp.DominatingPair, level: NDArray[np.float64], last: bool
    ) -> fp.DominatingPair:
        who, (twice, counts), sevens, shared = view.memory
        np.testing.assert_array_equal(twice, np.stack([who, 10 * who], axis=1))
        assert (len(sevens), shared) == (view.n, "shared")
        assert (sevens == 7).all()
        admitted = view.admits(pair)
        parts = view.state if isinstance(view.state, tuple) else (view.state,)
        for row, run in enumerate(who.tolist()):
            assert counts[row] == len(self.pages[run])
            self.pages[run].append(
                Entry(
                    view.round,
                    last,
                    float(view.loss[row]),
                    float(view.last[row]),
                    float(level[row]),
                    bool(admitted[row]),
                    tuple(np.asarray(part[row] + 0.0).tobytes() for part in parts),
                )
            )
        counts += 1
        return pair

    def request(self, view: fp.AdversaryView) -> fp.DominatingPair:
        up = (view.loss > 0) ^ (view.round % 3 == 2)
        level = np.where(up, self.high, self.low)
        return self._write(view, self.family(level), level, last=False)

    def final(self, view: fp.AdversaryView) -> fp.DominatingPair:
        # some runs ask for what they may have, others for too much, by who they are
        level = np.where(view.memory[0] % 3 == 0, self.high, self.rest)
        return self._write(view, self.family(level), level, last=True)


@dataclass(frozen=True)
class NoFinal(Diary):
    """The same adversary, which is denied instead."""

    final = fp.Adversary.final


def single(
    filt: fp.PrivacyFilter, pages: list[Entry], family: MechanismFamily, end: float, *, waits: bool
) -> list[float]:
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
            assert following is None or not waits or following.last == 0
            continue
        spent.append(entry.level)
        loss = end - entry.loss if following is None else following.last
        assert following is None or following.loss == entry.loss + following.last
        state = filt.observe(filt.spend(state, pair), np.array([loss]))
    return spent


def replay(game: fp.runs.Game, paths: fp.runs.FinishedRuns) -> None:
    """Hold every path against its own replay."""
    diary = game.adversary
    assert isinstance(diary, Diary)
    backward = game.direction == "QP"
    for run, pages in diary.pages.items():
        # an adversary sees log P/Q of the transcript whatever the outputs are drawn from
        end = -paths.loss[run] if backward else paths.loss[run]
        spent = single(game.filter, pages, diary.family, float(end), waits=game.waits)
        assert paths.releases[run] == len(spent) <= game.rounds
        # denied once at most, but in a game that waits; then one request more, if there is a final one
        decisions = [entry.admitted for entry in pages]
        denied, more = False in decisions, 2 if diary.asks_finally else 1
        assert len(pages) == (decisions.index(False) + more if denied and not game.waits else game.rounds)
        finals = [entry.last_request for entry in pages]
        assert finals == [False] * (len(pages) - 1) + [denied and diary.asks_finally]
        rounds = [entry.round for entry in pages]
        assert rounds == [*range(len(pages) - 1), game.rounds if finals[-1] else len(pages) - 1]
        pairs = [diary.family(level) for level in spent]
        if game.erasures == "weighed":
            log_finite = sum(math.log1p(-float(pair.infinite_mass)) for pair in pairs)
            assert np.ravel(paths.log_finite)[run] == pytest.approx(log_finite, rel=1e-12, abs=1e-15)
        if game.order != 1 and all(float(pair.infinite_mass) == 0 for pair in pairs):
            # log dP/dR = sum (a - 1)(D_a - L)
            drawn_from = [pair.swapped if backward else pair for pair in pairs]
            normaliser = (game.order - 1) * sum(float(pair.renyi(game.order)) for pair in drawn_from)
            weight = normaliser - (game.order - 1) * paths.loss[run]
            assert paths.log_weight[run] == pytest.approx(weight, rel=1e-11, abs=1e-11)


class InOrder(fp.PrivacyFilter):
    """No two of its steps commute, and its state is nested: a number, and the steps taken beside the same number."""

    promise = fp.ApproxDP(epsilon=1.0, delta=0.5)

    def start(self, n: int) -> Any:
        return np.zeros(n), np.zeros((n, 2))

    def admits(self, state: Any, request: fp.DominatingPair) -> NDArray[np.bool_]:
        return np.asarray((np.abs(state[0]) + request.gdp_mu <= 3.0) & (state[0] == state[1][:, 1]))

    def spend(self, state: Any, request: fp.DominatingPair) -> Any:
        number = 1.25 * state[0] + request.gdp_mu
        return number, np.stack([state[1][:, 0] + 1, number], axis=1)

    def observe(self, state: Any, loss: NDArray[np.float64]) -> Any:
        number = state[0] + loss / 8
        return number, np.stack([state[1][:, 0] + 1, number], axis=1)


CASES: list[tuple[fp.PrivacyFilter, tuple[Any, ...]]] = [
    (InOrder(), (fp.Gaussian, 0.25, 0.75, 0.125)),
    (fp.GaussianFilter(mu=1.3), (fp.Gaussian, 0.3, 0.47, 0.11)),
    (fp.ZCDPFilter(rho=0.5), (fp.RandomizedResponse, 0.25, 0.5, 0.1)),
    (fp.RealisationFilter(6.0, 1e-3, 12, (fp.Gaussian(0.4),)), (fp.Gaussian, 0.375, 0.5, 0.05)),
    (fp.BasicFilter(epsilon=1.0, delta=0.215), (fp.Erasure, 0.03, 0.04, 0.01)),
    (fp.ApproximateZCDPFilter(rho=0.8, xi=0.5), (lambda e: fp.KOV(e, 0.01), 0.25, 0.5, 0.125)),
]
RULES: list[tuple[type[Diary], dict[str, Any]]] = [
    *((Diary, {"direction": direction, "order": 2.5}) for direction in ("PQ", "QP")),
    *((Diary, {"on_denial": on_denial, "direction": "QP"}) for on_denial in ("halt", "retry")),
    *((Diary, {"erasures": "weighed", "direction": way, "order": 1.5}) for way in ("PQ", "QP")),
    *((kind, {"rounds": rounds}) for kind in (Diary, NoFinal) for rounds in (1, 16)),
    *((NoFinal, {"rounds": 16, "on_denial": "retry", "direction": way}) for way in ("PQ", "QP")),
]


@pytest.mark.parametrize(("diary", "rules"), RULES)
@pytest.mark.parametrize(("filt", "asks"), CASES, ids=lambda value: type(value).__name__)
def test_every_run_is_what_it_would_be_alone(
    filt: fp.PrivacyFilter, asks: tuple[Any, ...], diary: type[Diary], rules: dict[str, Any]
) -> None:
    game = fp.runs.Game(filt, diary(*asks), **({"rounds": 200} | rules))
    paths = play_batch(game, Batch(9, 0, 14))
    replay(game, paths)
    assert np.isfinite(paths.loss).all() or game.erasures == "drawn"
    runs: list[list[Entry]] = list(game.adversary.pages.values())  # type: ignore[attr-defined]
    if game.rounds == 200:
        assert all(run[-1].last_request for run in runs)
        assert any(run[-1].admitted for run in runs)
        assert len(set(paths.releases.tolist())) > 1
    if game.waits and isinstance(filt, fp.GaussianFilter):
        assert any(later.admitted > page.admitted for run in runs for page, later in pairwise(run))
