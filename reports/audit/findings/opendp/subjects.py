"""OpenDP's filter, odometer and compositor as subjects of the laws; `opendp` is imported when one is made."""

import math
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from filters.adapters.budget import from_queryable
from mc.accountants.accountant_subject import AccountantSubject
from mc.accountants.law_answers import subject_of
from theory.guarantees import ZCDP, PureDP
from theory.pairs import DominatingPair, Gaussian, RandomizedResponse

from ..shared.subjects import accountant, one_by_one

#: What a refusal begins with. The same exception class carries unsupported queries and exceptions of a mechanism.
_REFUSALS = (
    "filter is now exhausted",
    "filter is exhausted",
    "unknown ordering between",  # under approximate measures
    "insufficient budget for query",
    "out of queries",
)


def _opendp() -> Any:
    dp = import_module("opendp.prelude")
    dp.enable_features("contrib", "honest-but-curious")
    return dp


def denied(error: Exception) -> bool:
    """Whether an exception says that a query was refused for its loss."""
    return any(str(getattr(error, "message", "")).startswith(words) for words in _REFUSALS)


class _Remembering:
    """A queryable, and the loss that it said last: after a refusal a filter says it no more."""

    def __init__(self, queryable: Any, d_in: int) -> None:
        self.queryable, self._d_in, self.said = queryable, d_in, 0.0

    def __call__(self, query: Any) -> Any:
        answer = self.queryable(query)
        self.said = float(self.queryable.privacy_loss(self._d_in))
        return answer


def privacy_filter() -> AccountantSubject:
    """make_privacy_filter with pure losses and d_out = 1, asked for randomized response."""
    dp, space = _over_a_bit()
    limit = 1.0 + 2.0**-40  # the maps round up
    odometer = dp.c.make_fully_adaptive_composition(*space, dp.max_divergence())
    measurement = dp.c.make_privacy_filter(odometer, d_in=1, d_out=limit)

    @cache
    def child(epsilon: float) -> Any:
        return dp.c.make_adaptive_composition(*space, dp.max_divergence(), d_in=1, d_mids=[epsilon])

    return _queried(
        lambda: _Remembering(measurement(True), 1),
        limit,
        (0.25, 0.5),
        spent=lambda held: held.said,
        raw=lambda held, epsilon: held.queryable(child(epsilon)),
    )


def adaptive_composition() -> AccountantSubject:
    """make_adaptive_composition with four slots of 1/4, asked for randomized response within a slot."""
    dp, space = _over_a_bit()
    slot = 0.25 + 2.0**-42
    measurement = dp.c.make_adaptive_composition(*space, dp.max_divergence(), d_in=1, d_mids=[slot] * 4)
    return _queried(lambda: measurement(True), 4 * slot, (0.125, 0.25))


def _over_a_bit() -> tuple[Any, tuple[Any, Any]]:
    dp = _opendp()
    return dp, (dp.atom_domain(T=bool), dp.discrete_distance())


def _queried(
    make: Callable[[], Any],
    limit: float,
    levels: tuple[float, ...],
    spent: Callable[[Any], float] | None = None,
    **laws: Any,
) -> AccountantSubject:
    dp, space = _over_a_bit()

    def run(held: Any, pair: DominatingPair, body: Callable[[], None]) -> None:
        """What costs as much as the pair and calls `body` when it is run; its output is not looked at."""

        def function(bit: bool) -> bool:
            body()
            return bit

        loss = float(pair.pure_epsilon)
        held(
            dp.m.make_user_measurement(
                *space, dp.max_divergence(), function, lambda d_in: loss if d_in else 0.0, TO=bool
            )
        )

    filt = from_queryable(
        make,
        lambda pair: dp.m.make_randomized_response_bool(1 / (1 + math.exp(-pair.pure_epsilon))),
        PureDP(limit),
        menu=tuple(map(RandomizedResponse, levels)),
        denied=denied,
        spent=spent,
    )
    return subject_of(filt, run=run, **laws)


def fully_adaptive_composition() -> AccountantSubject:
    """An odometer of zCDP, used to go on while its loss is at most 1/2, asked for Gaussian noise."""
    dp = _opendp()
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    odometer = dp.c.make_fully_adaptive_composition(*space, dp.zero_concentrated_divergence())
    return accountant(
        lambda: odometer(0.0),
        lambda pair: dp.m.make_gaussian(*space, scale=1 / float(pair.mu)),
        ZCDP(0.5),
        (Gaussian(0.25), Gaussian(0.5)),
        compose=one_by_one(lambda held, query: held(query)),
        spent=lambda held: held.privacy_loss(1.0),
    )
