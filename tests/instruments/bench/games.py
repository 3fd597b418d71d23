"""The games that are timed."""

from collections.abc import Callable
from dataclasses import dataclass

from filterproof.filters import GaussianFilter, ZCDPFilter
from filterproof.mc.engine.adversaries import Constant, HighWhileLossPositive, ManySmall
from filterproof.mc.engine.adversary import Adversary, AdversaryView
from filterproof.mc.engine.game import Game
from filterproof.theory.pairs import DominatingPair, Gaussian

ROUNDS = 100


@dataclass(frozen=True)
class UsersOwn(Adversary):
    """A loss-chasing adversary as a user writes it: the square of a level such as 0.07 is no double."""

    level: float = 0.07

    def request(self, view: AdversaryView) -> DominatingPair:
        return Gaussian(self.level + self.level * (view.loss > 0))


GAMES: dict[str, Callable[[], Game]] = {
    "GDP filter, LossChasing": lambda: Game.between(
        GaussianFilter(mu=1.0), HighWhileLossPositive(pace=ROUNDS), rounds=ROUNDS
    ),
    "zCDP filter, LossChasing": lambda: Game.between(
        ZCDPFilter(rho=0.5), HighWhileLossPositive(pace=ROUNDS), rounds=ROUNDS
    ),
    "GDP filter, a user's three lines": lambda: Game.between(
        GaussianFilter(mu=1.0), UsersOwn(), rounds=ROUNDS
    ),
    "GDP filter, Constant": lambda: Game.between(
        GaussianFilter(mu=1.0), Constant(Gaussian(0.0999755859375)), rounds=ROUNDS
    ),
}

#: A filter and an adversary with its own defaults, as `simulate` is called.
STARTS = {
    "GDP filter, LossChasing": (GaussianFilter(mu=1.0), HighWhileLossPositive()),
    "GDP filter, ManySmall": (GaussianFilter(mu=1.0), ManySmall()),
    "zCDP filter, Constant": (ZCDPFilter(rho=0.5), Constant()),
}
