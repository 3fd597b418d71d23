"""A search in a worker process that is limited by work, and optionally by time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, TypeVar

from filterproof.filters.adapters.bridge import LateBridgeError
from filterproof.filters.contract.work import checked_effort, current, metered
from filterproof.mc.examine.deadline import Deadline, OutOfTime
from filterproof.mc.examine.stage_finding import CUT
from filterproof.mc.examine.worker import results

#: Units of work of a search of effort 1: about ten seconds on a quiet machine.
EFFORT = 500_000
#: Units of work between two reports of a search, which are kept should the time limit end it.
REPORTED = 100


class _Report(Protocol):
    """A dataclass that says what a search found, and what stopped it."""

    @property
    def stopped(self) -> str: ...


Found = TypeVar("Found", bound=_Report)


def last_report(
    work: Callable[[float], Iterator[Found]],
    nothing: Found,
    effort: float,
    seconds: float | None,
    confirm: Callable[[Found, Deadline], object],
    **how: Any,
) -> Found:
    """The last report of a search of an effort in units, each confirmed as it comes; `nothing` where none came.

    The units are counted from the first report on: what a search asks for before it is no part of them. A search that
    the time limit ended says so, with the share of its work. The keywords are those of `worker.results`.
    """
    units, deadline, found, began = EFFORT * checked_effort(effort), Deadline.of(seconds), nothing, None
    with metered() as meter:
        try:
            with closing(results(partial(work, units), deadline=deadline, **how)) as reports:
                for report in reports:
                    began = meter.done if began is None else began
                    with metered():  # a replay is as long as what it replays, and counts as no work
                        confirm(report, deadline)
                    found = report
                    if deadline.expired:  # what reports without a pause is not waited for
                        raise OutOfTime
        except (OutOfTime, LateBridgeError) as late:
            share = 0.0 if began is None else (meter.done - began) / units
            cut = f"{CUT} {min(int(100 * share), 99)} % of the work"
            return replace(found, stopped=": ".join([cut, *map(str, late.args)]))  # type: ignore[type-var]
    return found


class Pace:
    """Says when a search is due to report."""

    def __init__(self) -> None:
        self._next = current().done + REPORTED

    @property
    def due(self) -> bool:
        """Whether so much was done since it last was."""
        if current().done < self._next:
            return False
        self._next = current().done + REPORTED
        return True
