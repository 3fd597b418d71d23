"""The guard: the engine's own account of what runs were charged, whatever the filter thinks of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from theory.arguments import Real
from theory.pairs import PAIRS, DominatingPair, Selection

__all__ = ["Exceeded", "Guard", "is_ours"]

#: Rounding of a log-weight over a run; a run charged more than this beyond its bound was not held to it.
_ROUNDING = 1e-9


class Exceeded(RuntimeError):  # noqa: N818 - it is a finding before it is an error
    """A run was charged more than what was said to hold every run, so that nothing rests on it any more."""


@dataclass(frozen=True, slots=True)
class Guard:
    """A bound on every run: sum_t log E_P[e^{(s-1) L_t} | L_t < inf] <= log_most, prod_t P(L_t < inf) >= e^{log_kept}.

    s = `order`, P the law that outputs are drawn from, t over the released rounds; for symmetric pairs the first
    sum is (s-1) sum_t D_s. Both are known before the release, so that a guard may act before it:
    "stop" ends a run whose next release would pass the bound; "mark" notes such a run, where it has met no
    infinite loss yet, and plays on; "trust" does nothing, because something else excludes such a run, and raises
    Exceeded where one was seen all the same. `ours`: that something knows the pairs of this library only.
    """

    order: float
    log_most: float
    log_kept: float
    act: Literal["stop", "mark", "trust"]
    ours: bool = False

    @classmethod
    def at(
        cls,
        order: float,
        divergence: float,
        infinite: float,
        act: Literal["stop", "mark", "trust"],
        *,
        ours: bool = False,
    ) -> Guard:
        """The guard that bounds the sum of divergences of `order`, and the mass of infinite losses."""
        log_most = (order - 1) * divergence if order > 1 else math.inf
        return cls(order, log_most, math.log1p(-infinite) if infinite < 1 else -math.inf, act, ours)

    @property
    def acts(self) -> bool:
        """Whether it looks at every release."""
        return self.act != "trust"

    def cost(self, pair: DominatingPair) -> tuple[Real, Real]:
        """What a release of `pair`, in the direction of play, adds to the two sums."""
        with np.errstate(divide="ignore"):
            kept = np.log1p(-np.asarray(pair.infinite_mass))
        if self.order == 1:
            return 0.0, kept
        # the sum of the weights' constants and no other: what is bounded is what is used
        return pair.log_weight(np.zeros(pair.shape or 1), self.order), kept

    def passed(self, spent: NDArray[np.float64], kept: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether sums are beyond the bound; NaN is."""
        return ~((spent <= self.log_most) & (kept >= self.log_kept))

    def covers(self, pair: DominatingPair) -> bool:
        """Whether what excludes a run beyond the bound knows such a pair."""
        return not self.ours or is_ours(pair)

    def verify(
        self,
        loss: NDArray[np.float64],
        log_weight: NDArray[np.float64],
        log_kept: Real,
    ) -> None:
        """Raise Exceeded where a finished run, drawn at this order, is beyond the bound."""
        if self.order > 1:
            spent = log_weight + (self.order - 1) * loss
            worst = float(np.max(spent, initial=-math.inf))
            if not worst <= self.log_most + _ROUNDING * (1 + abs(self.log_most)):
                raise Exceeded(
                    f"a run was charged divergence {worst / (self.order - 1):.9g} of order {self.order:.4g}, "
                    f"more than {self.log_most / (self.order - 1):.9g}"
                )
        least = float(np.min(log_kept, initial=0.0))
        if not least >= self.log_kept - _ROUNDING:
            raise Exceeded(
                f"a run met infinite losses with probability {-math.expm1(least):.9g}, "
                f"more than {-math.expm1(self.log_kept):.9g}"
            )


def is_ours(pair: DominatingPair) -> bool:
    """Whether a pair is of this library, so that its charges are those that theorems are about."""
    if type(pair) is Selection:
        return all(map(is_ours, pair.pairs))
    return type(pair) in PAIRS
