"""The stage of schedules: concurrent requests, retries, and a process that is killed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from filterproof.filters.adapters.labelled_filter import service_of
from filterproof.filters.adapters.service import PromisedService
from filterproof.filters.contract.work import WorkLimit
from filterproof.mc.examine.examination_context import ExaminationContext
from filterproof.mc.examine.filter_fault import filter_faults_raised
from filterproof.mc.examine.formatting import pair_words
from filterproof.mc.examine.parameter_families import families_for_guarantee
from filterproof.mc.examine.service_schedule_search import (
    Violation,
    granted_menu,
    granted_or_default_menu,
    pairs_at_shares,
    search_schedules,
)
from filterproof.mc.examine.stage_finding import StageFinding
from filterproof.mc.examine.stages.denials import denial_finding, explain_charged_retry
from filterproof.mc.examine.trace import Trace
from filterproof.theory.pairs import DominatingPair

_SCHEDULES_NOT_TRIED = "requests of other kinds, moves that depend on what came out, and longer schedules"
_QUESTION = "Does the guarantee survive concurrent requests, retries, and a process that is killed?"


def schedule_stage(subject: ExaminationContext, limit: WorkLimit) -> Iterator[StageFinding]:
    """Yield the finding about a filter whose program is a service; nothing for other filters."""
    filt = subject.filter
    service = service_of(filt)
    if service is None or not subject.families:
        return
    menu = pairs_at_shares((family.definition, family.sizes[-1]) for family in subject.families)
    with filter_faults_raised(filt):
        violation, amount = search_schedules(service, filt.promise, menu, limit, seed=subject.seed)
    yield _schedule_finding(filt, menu, violation, amount, "crashes inside a command of the program")


def service_admission_stage(
    service: PromisedService, names: Sequence[str], limit: WorkLimit
) -> Iterator[object]:
    """Yield the guarantee of a service, and the finding about the requests that a new one answers."""
    yield {"promise": service.promise, "scope": service.scope}
    menu = granted_menu(service.make, families_for_guarantee(tuple(names), service.promise))
    largest = {type(pair): pair for pair in reversed(menu)}
    granted_text = ", ".join(map(pair_words, reversed(largest.values()))) or "nothing"
    yield StageFinding("admission", "What does a new service answer?", granted_text, ", ".join(names), "")


def service_schedule_stage(
    service: PromisedService, names: Sequence[str], seed: int, limit: WorkLimit
) -> Iterator[StageFinding]:
    """Yield the findings on schedules of a service, and on retries that it charges again."""
    menu = granted_or_default_menu(service.make, families_for_guarantee(tuple(names), service.promise))
    violation, amount = search_schedules(service.make, service.promise, menu, limit, seed=seed)
    yield _schedule_finding(service, menu, violation, amount, _SCHEDULES_NOT_TRIED)
    if violation is None:
        retried = explain_charged_retry(service.make, menu)
        yield denial_finding((retried,) if retried else (), ", ".join(names), limit)


def _schedule_finding(
    filt: object, menu: tuple[DominatingPair, ...], violation: Violation | None, amount: str, unseen: str
) -> StageFinding:
    """Return the finding on a search over schedules: a refutation if one violates the guarantee."""
    names = ", ".join(dict.fromkeys(type(pair.unlabelled).__name__ for pair in menu))
    if violation is None:
        return StageFinding("schedules", _QUESTION, amount, names, unseen)
    trace = Trace(violation.measure, (), None, (), moves=violation.events)
    words = ("schedules", _QUESTION, names, PromisedService.scope)
    shown = violation.counterexample(filt)
    return StageFinding.from_counterexample(*words, shown, not_tried=unseen, trace=trace)
