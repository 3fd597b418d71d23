"""The boundaries of a filter's decisions, found by running it: the largest granted request, and the number of grants.

The filter starts from a fresh state and from later states. Bisection over the doubles, with one run and with several at
once, finds the last granted request. The theorem must allow this number, and must not allow the next double beyond a
stated share.

>>> FAMILIES["Laplace(x)"].make(2.0)
Laplace(b=2.0)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np

from filterproof.filters.certified.admission_conditions import AdmissionCondition, Spent
from filterproof.filters.certified.comparison import BoundSide, Comparison, Comparisons
from filterproof.filters.contract.contract_checks import (
    checked_admits,
    checked_spend,
    checked_start,
    checked_step,
)
from filterproof.filters.contract.filter_base import FilterBase
from filterproof.filters.contract.largest_granted import last_granted
from filterproof.filters.contract.state import State
from filterproof.theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    Gaussian,
    Laplace,
    RandomizedResponse,
    SubsampledGaussian,
)
from filterproof.theory.rounding import next_above, next_below

#: A request that counts in units of the largest one, and the most releases of it.
_UNIT, _MAX_RELEASES = 0.09375, 300


@dataclass(frozen=True, slots=True)
class RequestFamily:
    """make(x) for x from low to high; the cost increases with x, or decreases if `cost_increases` is False."""

    make: Callable[[Any], DominatingPair]
    low: float
    high: float
    cost_increases: bool = True

    @property
    def size_range(self) -> tuple[float, float]:
        """Return the x of the smallest cost and the x of the largest cost."""
        return (self.low, self.high) if self.cost_increases else (self.high, self.low)


#: The delta of the KOV pairs with varying epsilon, and the epsilon of those with varying delta.
TINY, SMALL = 2.0**-40, 2.0**-6

FAMILIES: Mapping[str, RequestFamily] = MappingProxyType(
    {
        "Gaussian(x)": RequestFamily(Gaussian, 1e-100, 1e100),
        "RandomizedResponse(x)": RequestFamily(RandomizedResponse, 1e-100, 600.0),
        "Laplace(x)": RequestFamily(Laplace, 2e-3, 1e100, cost_increases=False),
        "SubsampledGaussian(1/8, x)": RequestFamily(
            lambda x: SubsampledGaussian(0.125, x), 1e-100, 1e100, cost_increases=False
        ),
        "KOV(x, 0)": RequestFamily(lambda x: KOV(x, 0.0), 1e-100, 600.0),
        "KOV(x, 2^-40)": RequestFamily(lambda x: KOV(x, TINY), 1e-100, 600.0),
        "KOV(1/64, x)": RequestFamily(lambda x: KOV(SMALL, x), 1e-100, 1.0),
        "Erasure(x)": RequestFamily(Erasure, 1e-100, 1.0),
    }
)


def decision_boundaries(filt: FilterBase, condition: AdmissionCondition, name: str) -> Iterator[Comparison]:
    """Yield the boundaries of the filter's decisions, from fresh and later states, for every family."""
    of, first = Comparisons(condition.theorem, name), dict[str, float]()
    for family in condition.costs:
        last = last_admitted(filt, [], FAMILIES[family])
        yield from _boundary_comparisons(filt, condition, of, last, family, [])
        if math.isfinite(last):
            first[family] = last
            says = f"decisions on {family} that differ when two runs are asked at once"
            yield of.near_truth(says, _count_disagreeing_runs(filt, FAMILIES[family], last), 0)
    for place, family in enumerate(first):
        yield from _grant_count_comparisons(
            filt, condition, of, family, _size_with_cost_share(family, first, _UNIT)
        )
        others = list(first)[: place + 1]
        wanted = [
            (earlier, _size_with_cost_share(earlier, first, 0.203125 / 2**k), 1 + k)
            for k, earlier in enumerate(others)
        ]
        granted = _granted_history(filt, wanted)
        yield from _boundary_comparisons(
            filt, condition, of, last_admitted(filt, granted, FAMILIES[family]), family, granted
        )
    for family in condition.denied:
        request_family = FAMILIES[family]
        tried = request_family.low, math.sqrt(request_family.low * request_family.high), request_family.high
        admitted = sum(_is_granted(filt, filt.start(1), request_family.make(x)) for x in tried)
        yield of.near_truth(f"how many of three {family} are admitted, whose charge is infinite", admitted, 0)


def last_admitted(filt: FilterBase, history: Sequence[Spent], family: RequestFamily) -> float:
    """Return the x next to the boundary among those granted after a history, or NaN.

    It is the boundary itself if the filter grants everything of smaller cost.
    """
    return last_from(filt, state_after(filt, history, 1), family)


def last_from(filt: FilterBase, state: State, family: RequestFamily) -> float:
    """As `last_admitted`, in a state of one run."""
    return decision_boundary(lambda x: _is_granted(filt, state, family.make(x)), *family.size_range)


def decision_boundary(ask: Callable[[float], bool], cheap: float, dear: float) -> float:
    """Return the last x that `ask` accepts; NaN if it refuses the cheap end, or accepts the expensive one."""
    return last_granted(ask, cheap, dear) if ask(cheap) and not ask(dear) else math.nan


def constructor_refuses(make: Callable[[], object]) -> bool:
    """Whether the constructor raises ValueError."""
    try:
        make()
    except ValueError:
        return True
    return False


def _boundary_comparisons(
    filt: FilterBase,
    condition: AdmissionCondition,
    of: Comparisons,
    last: float,
    family: str,
    history: Sequence[Spent],
) -> Iterator[Comparison]:
    """Yield the last granted request; its largest one if all are granted, or that the smallest one is too large."""
    requests, margin = FAMILIES[family], condition.margin(family, history)
    cheap, dear = requests.size_range
    spent = f"after {len(history)} others" if history else "nothing spent"
    says = f"last x of {family} admitted{' ' if history else ', '}{spent}"
    if math.isfinite(last):
        side: BoundSide = "<=" if requests.cost_increases else ">="
        yield of.by_margin(says, last, side, margin, slack=condition.slack, **condition.at)
    elif _is_granted(filt, state_after(filt, history, 1), requests.make(cheap)):
        yield of.by_margin(f"{says}: all up to {dear:g}", dear, "<=", margin, slack=None, **condition.at)
    elif requests.cost_increases and not history:
        none = f"{says}: not even {cheap:g}"
        number = of.by_margin(none, 0, "<=", margin, slack=0, least=cheap, **condition.at)
        if number.sign(Fraction(0)) != -1:  # otherwise the condition denies the whole family, too
            yield number


def _count_disagreeing_runs(filt: FilterBase, family: RequestFamily, last: float) -> int:
    """Return how many of two simultaneous runs, one on each side of the boundary, are decided differently."""
    refused = next_above(last) if family.cost_increases else next_below(last)
    both, state = family.make(np.array([last, refused])), state_after(filt, [], 2)
    answers = [checked_admits(filt, state, both, 2), checked_step(filt, state, both, 2)[0]]
    return sum(int(answer[0] != True) + int(answer[1] != False) for answer in answers)  # noqa: E712


def _grant_count_comparisons(
    filt: FilterBase, condition: AdmissionCondition, of: Comparisons, family: str, x: Fraction
) -> Iterator[Comparison]:
    """Yield the number of grants of one request."""
    pair, state, times = FAMILIES[family].make(float(x)), filt.start(1), 0
    while times < _MAX_RELEASES and _is_granted(filt, state, pair):
        state, times = checked_spend(filt, state, pair, 1), times + 1
    if times < _MAX_RELEASES:
        says = f"how often {family} at x = {float(x):.17g} is admitted"
        yield of.by_margin(
            says, times, "<=", condition.repeated_request_margin(family, x), slack=0, least=1, **condition.at
        )


def _granted_history(filt: FilterBase, wanted: Sequence[Spent]) -> list[Spent]:
    """Return the granted part of the wanted requests."""
    granted: list[Spent] = []
    state = filt.start(1)
    for family, x, times in wanted:
        pair = FAMILIES[family].make(float(x))
        for _ in range(times):
            if not _is_granted(filt, state, pair):
                break
            state = checked_spend(filt, state, pair, 1)
            granted.append((family, x, 1))
    return granted


def state_after(filt: FilterBase, history: Sequence[Spent], n: int) -> State:
    """Return the state of n runs after this spending."""
    state = checked_start(filt, n)
    for family, x, times in history:
        for _ in range(times):
            state = checked_spend(filt, state, FAMILIES[family].make(float(x)), n)
    return state


def _size_with_cost_share(family: str, first: Mapping[str, float], share: float) -> Fraction:
    """Return the x with about this share of the cost of the largest request of a family, or of its square."""
    x = first[family]
    return Fraction(x * share if FAMILIES[family].cost_increases else x / share)


def _is_granted(filt: FilterBase, state: State, pair: DominatingPair) -> bool:
    """Return whether the filter grants the pair in a state of one run."""
    return bool(checked_admits(filt, state, pair, 1)[0])
