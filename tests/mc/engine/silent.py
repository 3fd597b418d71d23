"""An adversary that does not say what it asks for, so that nothing but the filter bounds a path."""

from __future__ import annotations

from dataclasses import dataclass

import filterproof as fp


@dataclass(frozen=True)
class Silent(fp.Adversary):
    """Asks for one pair for ever."""

    pair: fp.DominatingPair

    def request(self, view: fp.View) -> fp.DominatingPair:
        return self.pair
