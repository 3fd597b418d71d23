"""A search in a worker process, limited by work and optionally by time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, TypeVar

from filterproof.filters.adapters.bridge import LateBridgeError
from filterproof.filters.contract.work import activate_meter, checked_effort
from filterproof.mc.examine.deadline import Deadline, OutOfTime
from filterproof.mc.examine.stage_finding import stopped_after
from filterproof.mc.examine.worker import iter_isolated

#: Units of work of effort 1: about ten seconds on an idle machine.
DEFAULT_UNITS = 500_000


class _SearchReport(Protocol):
    """A dataclass with the result of a search and the reason why it stopped."""

    @property
    def stopped(self) -> str: ...


SearchReport = TypeVar("SearchReport", bound=_SearchReport)


def last_report(
    work: Callable[[float], Iterator[SearchReport]],
    nothing: SearchReport,
    effort: float,
    seconds: float | None,
    confirm: Callable[[SearchReport, Deadline], object],
    **how: Any,
) -> SearchReport:
    """Run a search in a worker process; return its last report, or `nothing` if there is none.

    The units are counted from the first report on, so that preparations do not count. If the time limit ends the
    search, the report has the share of the work in `stopped`. The keywords are those of `worker.results`.
    """
    units, deadline = DEFAULT_UNITS * checked_effort(effort), Deadline.of(seconds)
    latest_report, began = nothing, None
    with activate_meter() as meter:
        try:
            with closing(iter_isolated(partial(work, units), deadline=deadline, **how)) as reports:
                for report in reports:
                    began = meter.done if began is None else began
                    with activate_meter():  # the replay of a report does not count as work
                        confirm(report, deadline)
                    latest_report = report
                    if deadline.expired:  # the next report may come before the deadline is noticed
                        raise OutOfTime
        except (OutOfTime, LateBridgeError) as late:
            share = 0.0 if began is None else (meter.done - began) / units
            return replace(latest_report, stopped=stopped_after(share, late))  # type: ignore[type-var]
    return latest_report
