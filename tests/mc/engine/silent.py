"""An adversary that does not say what it asks for, so that nothing but the filter bounds a path."""

from __future__ import annotations

from dataclasses import dataclass

from mc.engine.adversary import Adversary, View
from theory.pairs import DominatingPair


@dataclass(frozen=True)
class Silent(Adversary):
    """Asks for one pair for ever."""

    pair: DominatingPair

    def request(self, view: View) -> DominatingPair:
        return self.pair
