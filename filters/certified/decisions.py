"""Decisions of a filter, found by running it: the largest request that it admits, and how often it admits one.

A filter is asked from a fresh state and from states that requests led to, by bisection over the doubles, one at a time
and several runs at once; what it admits last is a running number, which its theorem must allow, and the next
double but a stated share must not be allowed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Literal

import numpy as np

from filters.certified.families import FAMILIES, RequestFamily
from filters.certified.law import Law, Spent
from filters.certified.running_number import Claims, RunningNumber
from filters.contract.checks import checked_admits, checked_grant, checked_spend, checked_start
from filters.contract.filter_base import FilterBase
from filters.contract.state import State, copied
from theory.pairs import DominatingPair

__all__ = ["after", "decisions", "is_refused", "last_admitted", "last_from", "last_granted"]

#: A request that counts in units of the largest one, and how often at most it is released.
_UNIT, _MOST = 0.09375, 300


def decisions(filt: FilterBase, law: Law, name: str) -> Iterator[RunningNumber]:
    """The boundaries of the filter's decisions, from a fresh state and from others, for every family of the law."""
    first: dict[str, float] = {}
    for family in law.costs:
        family_requests = FAMILIES[family]
        last = last_admitted(filt, [], family_requests)
        says = f"{name}: last x of {family} admitted, nothing spent"
        yield from _boundary(filt, law, says, last, family, [])
        if last is not None:
            first[family] = last
            yield _agreement(filt, law, [], family_requests, last, name, family)
    for place, family in enumerate(first):
        yield from _counted(filt, law, family, first, name)
        others = list(first)[: place + 1]
        history = [
            (one, _part(FAMILIES[one], first[one], 0.203125 / 2**k), 1 + k) for k, one in enumerate(others)
        ]
        granted = _history(filt, history)
        family_requests = FAMILIES[family]
        last = last_admitted(filt, granted, family_requests)
        says = f"{name}: last x of {family} admitted after {_told(granted)}"
        yield from _boundary(filt, law, says, last, family, granted)
    for family in law.denied:
        family_requests = FAMILIES[family]
        tried = (
            family_requests.low,
            math.sqrt(family_requests.low * family_requests.high),
            family_requests.high,
        )
        admitted = sum(_admitted(filt, filt.start(1), family_requests.make(x)) for x in tried)
        says = f"{name}: how many of three {family} are admitted, whose charge is infinite"
        yield Claims(law.theorem).near(says, admitted, 0)


def last_admitted(filt: FilterBase, history: Sequence[Spent], family: RequestFamily) -> float | None:
    """The x next to the boundary among those that the filter admits after a history; None where there is none.

    It is the boundary itself where the filter admits what costs less.
    """
    return last_from(filt, after(filt, history, 1), family)


def last_from(filt: FilterBase, state: State, family: RequestFamily) -> float | None:
    """`last_admitted`, in a state of one run."""
    return last_granted(lambda x: _admitted(filt, state, family.make(x)), *family.ends)


def last_granted(ask: Callable[[float], bool], cheap: float, dear: float) -> float | None:
    """The x next to the boundary among those granted, by bisection over the doubles from zero up.

    None where the cheap end is denied, or the dear one granted.
    """
    if not ask(cheap) or ask(dear):
        return None
    good, bad = (int(np.float64(x).view(np.int64)) for x in (cheap, dear))
    while abs(good - bad) > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if ask(float(np.int64(middle).view(np.float64))) else (good, middle)
    return float(np.int64(good).view(np.float64))


def is_refused(make: Callable[[], object]) -> bool:
    """Whether what is made raises ValueError."""
    try:
        make()
    except ValueError:
        return True
    return False


def _boundary(
    filt: FilterBase, law: Law, says: str, last: float | None, family: str, history: Sequence[Spent]
) -> Iterator[RunningNumber]:
    """What is admitted last; its dearest end where the whole range is, and that the cheapest end is too dear."""
    family_requests, margin, at = FAMILIES[family], law.margin(family, history), dict(law.at)
    cheap, dear = family_requests.ends
    if last is not None:
        side: Literal["<=", ">="] = "<=" if family_requests.grows else ">="
        yield RunningNumber(law.theorem, says, Fraction(last), side, margin, at, Fraction(law.slack))
    elif _admitted(filt, after(filt, history, 1), family_requests.make(cheap)):
        yield RunningNumber(
            law.theorem, f"{says}: all up to {dear:g}", Fraction(dear), "<=", margin, at, None
        )
    elif family_requests.grows and not history:
        says = f"{says}: not even {cheap:g}"
        number = RunningNumber(law.theorem, says, Fraction(0), "<=", margin, at, Fraction(0), Fraction(cheap))
        if number.sign(Fraction(0)) != -1:  # else the law denies the whole family, too
            yield number


def _agreement(
    filt: FilterBase,
    law: Law,
    history: Sequence[Spent],
    family_requests: RequestFamily,
    last: float,
    name: str,
    family: str,
) -> RunningNumber:
    """Two runs at once, one asking for what is admitted last and one for what is refused first, decided alike."""
    refused = math.nextafter(last, math.inf if family_requests.grows else 0.0)
    both = family_requests.make(np.array([last, refused]))
    state = after(filt, history, 2)
    answers = [checked_admits(filt, state, both, 2), checked_grant(filt, state, both, 2)[0]]
    placed = filt.grant_in_place(copied(after(filt, history, 2)), both)
    if placed is not None:
        answers.append(placed)
    wrong = sum(int(answer[0] != True) + int(answer[1] != False) for answer in answers)  # noqa: E712
    return Claims(law.theorem).near(
        f"{name}: decisions on {family} that differ when two runs are asked at once", wrong, 0
    )


def _counted(
    filt: FilterBase, law: Law, family: str, first: dict[str, float], name: str
) -> Iterator[RunningNumber]:
    """How often one request is admitted, and what is admitted after it."""
    asked = FAMILIES[family]
    x = _part(asked, first[family], _UNIT)
    pair, state, times = asked.make(float(x)), filt.start(1), 0
    while times < _MOST and _admitted(filt, state, pair):
        state, times = checked_spend(filt, state, pair, 1), times + 1
    if times == _MOST:
        return
    says = f"{name}: how often {family} at x = {float(x):.17g} is admitted"
    margin = law.count_margin(family, x)
    yield RunningNumber(
        law.theorem, says, Fraction(times), "<=", margin, dict(law.at), Fraction(0), Fraction(1)
    )


def _history(filt: FilterBase, wanted: Sequence[Spent]) -> list[Spent]:
    """What of it the filter admits, in turn."""
    granted: list[Spent] = []
    state = filt.start(1)
    for family, x, times in wanted:
        pair = FAMILIES[family].make(float(x))
        for _ in range(times):
            if not _admitted(filt, state, pair):
                break
            state = checked_spend(filt, state, pair, 1)
            granted.append((family, x, 1))
    return granted


def after(filt: FilterBase, history: Sequence[Spent], n: int) -> State:
    """The state of n runs that spent so much."""
    state = checked_start(filt, n)
    for family, x, times in history:
        for _ in range(times):
            state = checked_spend(filt, state, FAMILIES[family].make(float(x)), n)
    return state


def _part(family: RequestFamily, x: float, share: float) -> Fraction:
    return Fraction(x * share if family.grows else x / share)


def _admitted(filt: FilterBase, state: State, pair: DominatingPair) -> bool:
    return bool(checked_admits(filt, state, pair, 1)[0])


def _told(history: Sequence[Spent]) -> str:
    return f"{len(history)} others" if history else "nothing"
