"""The games that are timed, those on which estimators are compared, and those that are solved."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from filters import AllOrdersFilter, GaussianFilter, RenyiFilter, ZCDPFilter
from mc.engine.adversaries import Constant, LossChasing, ManySmall
from mc.engine.adversary import Adversary, View
from mc.engine.game import Game
from mc.examine.attack import attack
from mc.worst_case import worst_case
from mc.worst_case.calibrated_threshold import CalibratedThreshold
from theory.pairs import DominatingPair, Gaussian, Laplace, RandomizedResponse

__all__ = ["GAMES", "LEAVING", "STARTS", "lattice", "solved"]

GDP, ZCDP, ROUNDS = GaussianFilter(mu=1.0), ZCDPFilter(rho=0.5), 100


@dataclass(frozen=True)
class UsersOwn(Adversary):
    """A loss-chasing adversary as a user writes it: the square of a level such as 0.07 is no double."""

    level: float = 0.07

    def request(self, view: View) -> DominatingPair:
        return Gaussian(self.level + self.level * (view.loss > 0))


GAMES = {
    "GDP filter, LossChasing": Game.between(GDP, LossChasing(pace=ROUNDS), rounds=ROUNDS),
    "zCDP filter, LossChasing": Game.between(ZCDP, LossChasing(pace=ROUNDS), rounds=ROUNDS),
    "GDP filter, LossChasing to the end": Game.between(GDP, LossChasing(pace=ROUNDS)),
    "GDP filter, a user's three lines": Game.between(GDP, UsersOwn(), rounds=ROUNDS),
    "GDP filter, the same with levels of few bits": Game.between(GDP, UsersOwn(0.0703125), rounds=ROUNDS),
    "GDP filter, Constant": Game.between(GDP, Constant(Gaussian(0.0999755859375)), rounds=ROUNDS),
}

#: Rounds that leave some of the budget: what gets through is no closed form of what was granted.
LEAVING = {
    "1-GDP, two Gaussian levels": Game.between(GDP, LossChasing(low=0.1, high=0.2), rounds=12),
    "0.5-zCDP, two levels of randomised response": Game.between(
        ZCDP, LossChasing(low=0.05, high=0.15, family=RandomizedResponse), rounds=30
    ),
    "0.5-zCDP, a Laplace mechanism": Game.between(ZCDP, Constant(Laplace(8.0)), rounds=40),
}

#: A filter and an adversary with its own defaults, as `simulate` is called.
STARTS = {
    "GDP filter, LossChasing": (GDP, LossChasing()),
    "GDP filter, ManySmall": (GDP, ManySmall()),
    "zCDP filter, Constant": (ZCDP, Constant()),
}


def lattice(levels: int, charges: int) -> tuple[ZCDPFilter, list[RandomizedResponse]]:
    """A filter that so many charges of the least level fill, and a menu of so many levels of randomised response."""
    step = 2.0**-8
    return ZCDPFilter(charges * step**2 / 2), [RandomizedResponse(step * k) for k in range(1, levels + 1)]


#: Exact games, a calibration and attacks.
WORKS: dict[str, Callable[[], object]] = {
    "worst case, 1 level, 16384 charges": lambda: worst_case(*lattice(1, 16384), epsilon=1.0),
    "worst case, 4 levels, 16384 charges": lambda: worst_case(*lattice(4, 16384), epsilon=1.0),
    "worst case, 64 levels, 4096 charges": lambda: worst_case(*lattice(64, 4096), epsilon=1.0),
    "calibration, 800 units": lambda: CalibratedThreshold.found(1.0, 1e-5, step=39 * 2.0**-12),
    "attack on (8, 1)-RDP": lambda: attack(RenyiFilter(8.0, 1.0)),
    "attack on three orders": lambda: attack(AllOrdersFilter((2.0, 8.0, 32.0), (0.25, 1.0, 4.0))),
}


def solved() -> list[dict[str, Any]]:
    """The seconds of each work, once, in this process."""
    rows = []
    for name, work in WORKS.items():
        began = time.perf_counter()
        work()
        rows.append({"work": name, "seconds": time.perf_counter() - began})
    return rows
