"""The engine's own bound on the spending of each run, independent of the filter's state."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from filterproof.theory.argument_checks import Real
from filterproof.theory.pairs import DominatingPair, is_ours

#: The rounding error that `check_finished` allows in the sums of a run; a larger excess violates the bound.
_ROUNDING = 1e-9


class BoundExceeded(RuntimeError):  # noqa: N818 - it reports a finding, not a failure
    """A run exceeded a trusted bound, or made a request that the bound does not cover, so no estimate may use it."""


@dataclass(frozen=True, slots=True)
class BudgetMonitor:
    """A bound on every run: sum_t log E_P[e^{(s-1) L_t} | L_t < inf] <= max_log_moment, prod_t P(L_t < inf) >=
    e^{log_finite}.

    s = `order`, P is the distribution of the outputs, and t runs over the released rounds; for pairs without infinite
    losses the first sum is (s-1) sum_t D_s (Rényi divergence, nats). Both are known before the release. If the next
    release would take a run without infinite losses above the bound, "truncate" ends the run before it, and "flag"
    plays on; both set `FinishedRuns.over_bound`. "record" plays on, too, and at order 1 its sum is that of the
    Kullback-Leibler divergences. "assert" only checks finished runs and raises Exceeded: a theorem or a computation
    proves the bound. `ours`: this proof covers pairs of this library only; `gaussian`: the sums cover Gaussians only.
    """

    order: float
    max_log_moment: float
    log_finite: float
    act: Literal["truncate", "flag", "record", "assert"]
    ours: bool = False
    gaussian: bool = False

    @classmethod
    def at(
        cls,
        order: float,
        divergence: float,
        infinite: float,
        act: Literal["truncate", "flag", "record", "assert"],
        *,
        ours: bool = False,
        gaussian: bool = False,
    ) -> BudgetMonitor:
        """Return the monitor of sum_t D_order <= divergence (nats) and 1 - prod_t P(L_t < inf) <= infinite."""
        max_log_moment = (order - 1) * divergence if order > 1 else math.inf
        log_finite = math.log1p(-infinite) if infinite < 1 else -math.inf
        return cls(order, max_log_moment, log_finite, act, ours, gaussian)

    def log_moment_and_log_finite(self, pair: DominatingPair) -> tuple[Real, Real]:
        """Return the cost of releasing `pair`: its log-moment at the order, and log P(L < inf)."""
        with np.errstate(divide="ignore"):
            log_finite = np.log1p(-np.asarray(pair.infinite_mass))
        if self.order == 1:
            return pair.renyi(1.0) if self.act == "record" else 0.0, log_finite
        # the log-weight at loss 0 is this log-moment, with the same bits as in the weights of paths
        return pair.log_weight(np.zeros(pair.shape or 1), self.order), log_finite

    def is_exceeded(self, spent: NDArray[np.float64], log_finite: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether each run's sums exceed the bound, shape (n,); NaN counts as exceeding."""
        return ~((spent <= self.max_log_moment) & (log_finite >= self.log_finite))

    def check(self, pair: DominatingPair, requester: str) -> None:
        """Raise Exceeded or TypeError for a pair that the proof does not cover; errors name the `requester`."""
        if self.gaussian and pair.normal_mu is None:
            raise TypeError(
                f"adversary must request only Gaussian pairs, got {pair!r} from {requester}; use the tilted estimator"
            )
        if self.ours and not is_ours(pair):
            raise BoundExceeded(
                f"{requester} requested {type(pair).__name__}, which the theorem does not cover"
            )

    def check_finished(
        self,
        loss: NDArray[np.float64],
        log_weight: NDArray[np.float64],
        log_finite: Real,
    ) -> None:
        """Raise Exceeded if a finished run, drawn from the distribution tilted to `order`, exceeded the bound."""
        if self.order > 1:
            spent = log_weight + (self.order - 1) * loss
            worst = float(np.max(spent, initial=-math.inf))
            if not worst <= self.max_log_moment + _ROUNDING * (1 + abs(self.max_log_moment)):
                raise BoundExceeded(
                    f"a run was charged divergence {worst / (self.order - 1):.9g} of order {self.order:.4g}, "
                    f"more than {self.max_log_moment / (self.order - 1):.9g}"
                )
        least = float(np.min(log_finite, initial=0.0))
        if not least >= self.log_finite - _ROUNDING:
            raise BoundExceeded(
                f"a run met infinite losses with probability {-math.expm1(least):.9g}, "
                f"more than {-math.expm1(self.log_finite):.9g}"
            )
