"""A search for the first decision on which two filters differ.

>>> import filterproof as fp
>>> search = first_difference(fp.ZCDPFilter(0.5), fp.ZCDPFilter(0.51), effort=0.02)
>>> search.difference is not None and search.difference.granted_by
'the second'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from itertools import count, groupby
from typing import Any, TypeAlias

import numpy as np

from filterproof.filters.adapters.bridge import LateBridgeError
from filterproof.filters.adapters.labelled_filter import LabelledFilter, bridged_filter_of
from filterproof.filters.contract.contract_checks import checked_filter, checked_start
from filterproof.filters.contract.filter_base import MechanismFamily
from filterproof.filters.contract.work import WorkLimit, activate_meter, checked_effort
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.testing.request_sampling import (
    FAMILIES,
    ByteTape,
    History,
    RequestMenu,
    clip_to_possible_loss,
    requests_near,
)
from filterproof.mc.examine.deadline import Deadline, OutOfTime
from filterproof.mc.examine.divergence import targets
from filterproof.mc.examine.filter_fault import FilterFault, filter_faults_raised
from filterproof.mc.examine.formatting import pair_words, sequence_words, user_code_name
from filterproof.mc.examine.minimise import minimise
from filterproof.mc.examine.revalidation import history_is_granted, nondeterminism_fault
from filterproof.mc.examine.sequence import RequestSequence, granted_state
from filterproof.mc.examine.stage_finding import stopped_after
from filterproof.mc.examine.worker import iter_isolated, run_isolated
from filterproof.theory.argument_checks import check_count
from filterproof.theory.numerics.decimals import format_down
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.pairs.labelled import Where

#: The lengths of drawn histories in turn, and the length of a row of one request.
_LENGTHS, _ROW = (1, 2, 4, 8, 16, 32), 400
_BYTES_PER_HISTORY = 256
#: Histories between two reports. The last report counts if the time limit ends the search.
_HISTORIES_PER_REPORT = 16
Filters: TypeAlias = tuple[PrivacyFilter, PrivacyFilter]
_NAMES = ("the first", "the second")
#: Units of work of effort 1: about ten seconds on an idle machine.
_UNITS = 500_000
#: The share of the work for the search. The rest is for the largest last request.
_SEARCH_SHARE = 0.7
#: The number of families that are also requested at other labels than those of the record: the first ones.
_ELSEWHERE = 2


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """The first decision on which two filters differ.

    Attributes
    ----------
    history : tuple of (DominatingPair, float)
        Requests that both filters granted before, each with the privacy loss that both observed.
    request : DominatingPair
        The request that one filter grants and the other denies.
    granted_by : str
        "the first" or "the second".
    wrong : str
        Why the granting filter breaks its guarantee, if these requests show it, and otherwise "". A denial breaks no
        guarantee. A grant may still break it with further requests.
    """

    history: tuple[tuple[DominatingPair, float], ...]
    request: DominatingPair
    granted_by: str
    wrong: str

    def __str__(self) -> str:
        """Return the requests, the filter that granted the last one, and the consequence."""
        rows = tuple((pair, len(list(row))) for pair, row in groupby(pair for pair, _ in self.history))
        when = f"after {sequence_words(rows)}, " if rows else "at once, "
        follows = (
            self.wrong
            or "as a fixed sequence, these requests keep its guarantee; examine that filter for adaptive attacks"
        )
        return f"{when}{self.granted_by} alone grants {pair_words(self.request)}; {follows}"


@dataclass(frozen=True, slots=True)
class DifferenceSearch:
    """The result of `first_difference`: the first difference, if any, and the amount of search.

    Attributes
    ----------
    difference : Difference or None
        The first difference.
    histories, requests : int
        Number of histories and of requests.
    stopped : str
        The share of the work after which the time limit ended the search; "" if the search was complete.
    """

    difference: FirstDifference | None
    histories: int
    requests: int
    stopped: str = ""

    def __str__(self) -> str:
        """Return the difference, or the amount of search without one."""
        if self.difference is not None:
            return str(self.difference)
        began = f"{self.stopped}: " if self.stopped else ""
        result = f"no difference found in {self.requests:,} requests of {self.histories:,} histories"
        return f"{began}{result}. This is not a proof that there is none."


def first_difference(
    first: PrivacyFilter,
    second: PrivacyFilter,
    *,
    effort: float = 1.0,
    seconds: float | None = None,
    seed: int = 0,
) -> DifferenceSearch:
    """Search for a short history after which exactly one of two filters grants a request; finding none proves nothing.

    Both filters receive the same requests, near the largest that either grants, and observe the same losses. A request
    that both deny is skipped. Filters with labels receive requests at every label.

    Parameters
    ----------
    first, second : PrivacyFilter
        The filters.
    effort : float, default 1.0
        Amount of search, > 0, counted in work (`filterproof.filters.contract.work`) from the first common request; 1
        takes about ten seconds for filters in Python.
    seconds : float, optional
        Time limit, > 0, that ends the search early.
    seed : int, default 0
        Seed of the histories, >= 0.

    Returns
    -------
    DifferenceSearch
        The first difference and the amount of search. The history is minimal. The last request is the largest of its
        family if that shows a broken guarantee. The result depends on the arguments alone, unless `stopped` is set.

    Raises
    ------
    TypeError
        If an argument is not a filter.
    ValueError
        If effort <= 0, seconds <= 0 or seed < 0, or if both filters have labels, and not the same or not the same
        record.
    FilterFault
        If a filter's code raises or ends its process, or if a new process of a filter decides differently.

    Notes
    -----
    A search without a finding is not a proof. The filters' code runs in a process of its own.
    """
    filters = first, second
    for filt in filters:
        checked_filter(filt)
    units, deadline = _UNITS * checked_effort(effort), Deadline.of(seconds)
    work = partial(_search_reports, filters, _families(filters), check_count("seed", seed, least=0), units)
    # once here: every worker would take as long as for hundreds of histories
    import_module("filterproof.mc.runs.warmup")
    whose = " and ".join(map(user_code_name, filters))
    # the worker of a program may start processes
    worker_filter = second if bridged_filter_of(second) is not None else first
    latest, began = DifferenceSearch(None, 0, 0), None
    with activate_meter() as meter:
        try:
            with closing(iter_isolated(work, deadline=deadline, filt=worker_filter, whose=whose)) as reports:
                for report in reports:
                    began = meter.done if began is None else began  # preparations do not count
                    with activate_meter():  # the replay of a report does not count as work
                        _confirm_isolated(filters, report, deadline)
                    latest = report
                    if deadline.expired:  # the next report may come before the deadline is noticed
                        raise OutOfTime
        except (OutOfTime, LateBridgeError) as late:
            share = 0.0 if began is None else (meter.done - began) / units
            return replace(latest, stopped=stopped_after(share, late))
    return latest


def _confirm_isolated(filters: Filters, search: DifferenceSearch, deadline: Deadline) -> None:
    """Raise FilterFault if a new process of a filter decides differently."""
    if (difference := search.difference) is None:
        return
    for filt, name in zip(filters, _NAMES, strict=True):
        last = (*difference.history, (difference.request, 0.0))
        for history, grants in ((difference.history, True), (last, name == difference.granted_by)):
            again = partial(history_is_granted, filt, history)
            if run_isolated(again, filt=filt, deadline=deadline) is not grants:
                raise FilterFault(nondeterminism_fault(filt))


def _families(filters: Filters) -> tuple[MechanismFamily, ...]:
    """Return the families to request, for filters with labels at each of them. Raises ValueError for other labels."""
    first, second = filters
    if not (isinstance(first, LabelledFilter) and isinstance(second, LabelledFilter)):
        return FAMILIES
    if (first.label_combinations, first.over) != (second.label_combinations, second.over):
        raise ValueError(
            f"second must have the labels and the record of first, got second={second!r}; pass the same"
            f" labels= and over="
        )
    here, *elsewhere = first.label_combinations
    labelled = [(here, family) for family in FAMILIES]
    labelled += [(where, family) for where in elsewhere for family in FAMILIES[:_ELSEWHERE]]
    return tuple(partial(_pair_at_labels, first, where, family) for where, family in labelled)


def _pair_at_labels(filt: LabelledFilter, where: Where, family: MechanismFamily, size: Any) -> DominatingPair:
    return filt.at(family(size), **dict(where))


def _search_reports(
    filters: Filters, families: tuple[MechanismFamily, ...], seed: int, units: float
) -> Iterator[DifferenceSearch]:
    """Yield the reports of a search, the first one before both filters get a request."""
    report = DifferenceSearch(None, 0, 0)
    with filter_faults_raised(filters[0]), filter_faults_raised(filters[1]):
        near = [requests_near(filt, families) for filt in filters]
        yield report
        limit = WorkLimit.of(units)
        searching = limit.fraction(_SEARCH_SHARE)
        for history in _histories_to_try(near, np.random.default_rng(seed)):
            request_count, difference = _first_difference_in_history(filters, history)
            report = DifferenceSearch(None, report.histories + 1, report.requests + request_count)
            if difference is not None:
                wrong = _broken_guarantee_text(filters, difference)
                yield replace(report, difference=replace(difference, wrong=wrong))
                minimal = _minimised(filters, difference)
                largest = _with_largest_last_request(filters, minimal, near, limit)
                report = replace(report, difference=largest)
                break
            if searching.exhausted:
                break
            if report.histories % _HISTORIES_PER_REPORT == 0:
                yield report
    yield report


def _histories_to_try(near: list[RequestMenu], rng: np.random.Generator) -> Iterator[History]:
    """Yield requests near an edge, then rows of one request, then drawn histories."""
    for drawn in near:
        yield from ([(request, 0.0)] for request in drawn.near)
    for k in count():
        drawn, tape = near[k % 2], ByteTape(rng.bytes(_BYTES_PER_HISTORY))
        if k % 8 >= 6:
            row = drawn.repeated_request(tape, _ROW)
            losses = map(clip_to_possible_loss, row, rng.uniform(-1.0, 1.0, len(row)).tolist())
            yield [*zip(row, losses, strict=True)]
        else:
            yield drawn.history(tape, _LENGTHS[k // 8 % len(_LENGTHS)])


def _first_difference_in_history(
    filters: Filters, history: Iterable[tuple[DominatingPair, float]]
) -> tuple[int, FirstDifference | None]:
    """Return the number of requests made, and the first on which the filters differ, or None."""
    states: list[Any] = [checked_start(filt, 1) for filt in filters]
    common: History = []
    request_count = 0
    for request_count, (request, loss) in enumerate(history, 1):
        runs = zip(filters, states, strict=True)
        after = [granted_state(filt, state, request, loss) for filt, state in runs]
        denied = [state is None for state in after]
        if denied[0] != denied[1]:
            return request_count, FirstDifference(tuple(common), request, _NAMES[denied[0]], "")
        if not denied[0]:
            common.append((request, loss))
            states = after
    return request_count, None


def _difference_after(
    filters: Filters,
    difference: FirstDifference,
    history: tuple[tuple[DominatingPair, float], ...],
    request: DominatingPair,
) -> FirstDifference | None:
    """Return the difference at this request after another history, or None if it is not the same difference."""
    other = _first_difference_in_history(filters, [*history, (request, 0.0)])[1]
    is_same = other is not None and other.request is request and other.granted_by == difference.granted_by
    return other if is_same else None


def _broken_guarantee_text(filters: Filters, difference: FirstDifference) -> str:
    """Return how the requests, as a fixed sequence, break the guarantee, or "" if they do not."""
    filt = filters[_NAMES.index(difference.granted_by)]
    if filt.looks_at_losses and difference.history:
        return ""
    sequence = RequestSequence(
        tuple((pair, 1) for pair, _ in (*difference.history, (difference.request, 0.0)))
    )
    if (violation := sequence.violation(filt.promise, targets(filt.promise))) is None:
        return ""
    (measure, low), promised = violation, violation[0].promised(filt.promise)
    return f"this breaks {filt.promise}: {measure} is at least {format_down(low)}; promised {promised:.6g}"


def _minimised(filters: Filters, difference: FirstDifference, *, broken: bool = False) -> FirstDifference:
    """Remove every request that the difference does not need. With `broken`, the rest still breaks the guarantee."""

    def differs(history: tuple[tuple[DominatingPair, float], ...]) -> bool:
        other = _difference_after(filters, difference, history, difference.request)
        return other is not None and (not broken or _broken_guarantee_text(filters, other) != "")

    minimal = minimise(difference.history, differs)
    return _difference_after(filters, difference, minimal, difference.request) or difference


def _with_largest_last_request(
    filters: Filters, first: FirstDifference, near: list[RequestMenu], limit: WorkLimit
) -> FirstDifference:
    """Return the difference with the largest last request that breaks the guarantee, if one does."""
    if wrong := _broken_guarantee_text(filters, first):
        return replace(first, wrong=wrong)
    for chain in (chain for drawn in near for chain in drawn.chains):
        dearer = (_difference_after(filters, first, first.history, pair) for pair in reversed(chain.pairs))
        other = next((difference for difference in dearer if difference is not None or limit.exhausted), None)
        if other is not None and _broken_guarantee_text(filters, other):
            cut = _minimised(filters, other, broken=True)
            return replace(cut, wrong=_broken_guarantee_text(filters, cut))
    return first
