"""The examination of a filter: stages in turn, each with its share of the work, until a refutation.

The searches take turns: each does a small share of its work before any does a large one, so that an easy violation is
found early in whichever search it lies.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, redirect_stdout
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, BinaryIO, cast

from filterproof.filters.accountants.verifiable import VerifiableAccountant, is_verifiable
from filterproof.filters.adapters.bridge import LateBridgeError
from filterproof.filters.adapters.labelled_filter import service_of
from filterproof.filters.adapters.service import PromisedService
from filterproof.filters.contract.contract_checks import checked_filter
from filterproof.filters.contract.work import (
    Meter,
    OutOfWork,
    WorkLimit,
    activate_meter,
    count_work,
    current_meter,
)
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.counterexample import Counterexample
from filterproof.mc.examine.deadline import Deadline
from filterproof.mc.examine.examination_context import ExaminationContext, admission_finding, own_numbers
from filterproof.mc.examine.filter_fault import FilterFault
from filterproof.mc.examine.formatting import user_code_name
from filterproof.mc.examine.pairs_in_attributes import allowed_values_for
from filterproof.mc.examine.parameter_families import at_labels, families_for_guarantee
from filterproof.mc.examine.revalidation import nondeterminism_fault, revalidate
from filterproof.mc.examine.schedule import Schedule
from filterproof.mc.examine.service_schedule_search import MECHANISMS, confirm_schedule
from filterproof.mc.examine.stage_finding import UNFINISHED, USED_UP, StageFinding
from filterproof.mc.examine.stages.accountant_games import accountant_admission_stage, accountant_games_stage
from filterproof.mc.examine.stages.certificate import PROVED_BY_NAME, certificate_finding
from filterproof.mc.examine.stages.denials import denial_stage
from filterproof.mc.examine.stages.filter_invariants import invariant_stage
from filterproof.mc.examine.stages.games import game_stage
from filterproof.mc.examine.stages.schedules import (
    schedule_stage,
    service_admission_stage,
    service_schedule_stage,
)
from filterproof.mc.examine.stages.sequences import sequence_stage
from filterproof.mc.examine.stages.shrinking import shrink, tightness_stage
from filterproof.mc.examine.stages.source_proof import (
    accountant_source_proof,
    filters_with_own_code,
    has_own_code,
    source_proof,
)
from filterproof.mc.examine.stages.strategy_search import strategy_stage
from filterproof.mc.examine.worker import WorkerPaused, iter_isolated
from filterproof.theory.guarantees import Guarantee

#: The probability that an examination refutes a true guarantee, shared by all its estimates.
FAILURE = 1e-6
#: Units of work of effort 1, and the share of it that a stage may overrun before it is ended.
EFFORT, _GRACE = 1_200_000, 0.04
#: The smallest share of the effort for minimisation of a refutation.
_MIN_SHRINK_SHARE = 0.06
#: Units of work for a replay of the nearest play, and the share of the effort for its minimisation.
_REPLAYED, _TIGHTENED = 50_000, 0.02
#: The work that a proof from source code may do beside the rest, in shares of the effort.
_SOURCE_SHARE = 2.0
#: A counterexample that reaches less of the guarantee may be one of rounding alone.
_MIN_CLEAR_RATIO = 1 + 1e-6
#: The share of the work for finding the requests that a fresh run grants.
_ADMISSION_SHARE = 0.1
#: The share of its work that each search has done at the end of each turn, and the number of turns before the
#: invariants.
_TURNS, _BEFORE_INVARIANTS = (0.04, 0.15, 0.4, 0.6, 0.8, 1.0), 3
#: The stages that search for a refutation.
_SEARCH_STAGES = ("sequences", "games", "search")
#: The stages that `verify` can be restricted to.
STAGES = ("invariants", "denials", "schedules", "certificate", "source", *_SEARCH_STAGES)


def run_stages(exam: StageRunner, names: tuple[str, ...], seed: int, *, own_menu: bool) -> None:
    """Run all stages, each with its share of the remaining work."""
    filt, accountant = exam.filter, cast(object, exam.filter)
    all_work = WorkLimit(sys.maxsize)  # without the first answers nothing can be asked
    if is_verifiable(accountant):
        exam.run("admission", 1.0, partial(accountant_admission_stage, accountant), all_work)
        exam.prove()
        exam.prove_source(accountant)
        exam.run("games", 1.0, partial(accountant_games_stage, filt))
    elif isinstance(accountant, PromisedService):
        names = MECHANISMS if own_menu else names
        exam.run("admission", 1.0, partial(service_admission_stage, accountant, names), all_work)
        exam.run("schedules", 1.0, partial(service_schedule_stage, accountant, names, seed))
    else:
        part = exam.limit.fraction(_ADMISSION_SHARE)
        granted = partial(_admission_stage, filt, names, seed, part, own_menu=own_menu)
        exam.run("admission", 1.0, granted, all_work)
    if exam.subject is None or not (exam.subject.families or exam.subject.sampled):
        return
    exam.begin_searches(exam.subject)
    for _ in range(_BEFORE_INVARIANTS):  # most violations show at once, and at less cost than the invariants
        exam.search()
    exam.run("invariants", 0.12, partial(invariant_stage, exam.subject))
    exam.run("denials", 0.02, partial(denial_stage, exam.subject))
    if service_of(filt) is not None:
        exam.run("schedules", 0.2, partial(schedule_stage, exam.subject))
    # without determinism a state does not represent a run, and only a single run's grants count
    subject = replace(exam.subject, deterministic=not any(finding.fault for finding in exam.findings))
    if subject.deterministic:
        exam.prove()
        exam.prove_source(subject)
    else:
        exam.begin_searches(subject)
    while exam.searches and (exam.thorough or not exam.counterexamples):
        exam.search()
    if exam.counterexamples and not any(finding.stage == "certificate" for finding in exam.findings):
        exam.prove(always=True)  # a theorem that says otherwise is a contradiction
    exam.shrink(subject)
    exam.tighten(subject)


def chosen_stages(given: Sequence[str] | None) -> frozenset[str]:
    """Return the requested stages and those that every examination needs."""
    for name in given or ():
        if name not in STAGES:
            raise ValueError(f"stages must be among {', '.join(STAGES)}, got {name!r}; name some of these")
    return frozenset(("admission", "shrinking", "tightness", *(STAGES if given is None else given)))


@dataclass(slots=True)
class _WorkerSearch:
    """A search in a worker that waits between its turns, with a work meter of its own."""

    stage: str
    meter: Meter
    reports: Generator[Any, None, None]


@dataclass(slots=True)
class StageRunner:
    """The stages of one examination, each in a worker of its own, and their findings."""

    filter: PrivacyFilter
    units: float
    deadline: Deadline
    limit: WorkLimit
    on_stage: Callable[[str], object]
    thorough: bool
    chosen: frozenset[str]
    findings: list[StageFinding] = field(default_factory=list)
    subject: ExaminationContext | None = None
    promise: Guarantee | None = None
    scope: str = ""
    has_printed: bool = False
    stage: str = ""
    searches: list[_WorkerSearch] = field(default_factory=list)
    so_far: dict[str, StageFinding] = field(default_factory=dict)

    def begin_searches(self, subject: ExaminationContext) -> None:
        """Start all searches, each in a worker that waits for its turn. End earlier ones."""
        self.close()
        left = self.limit.remaining
        observes_losses = subject.observes_losses
        searches = [("sequences", 0.3, partial(sequence_stage, subject))]
        if subject.deterministic:
            # strategies against a filter that looks at losses get as much time as games
            searches.append(("games", 0.3 if observes_losses else 0.4, partial(game_stage, subject)))
            if observes_losses or subject.sampled:
                searches.append(("search", 0.25, partial(strategy_stage, subject, failure=FAILURE)))
        for stage, share, work in searches:
            if stage in self.chosen:
                units, pauses = int(share * left), tuple(int(part * share * left) for part in _TURNS[:-1])
                reports = self._worker_findings(work, WorkLimit(units), self._hard_limit(units), pauses)
                self.searches.append(_WorkerSearch(stage, Meter(), reports))

    def search(self) -> None:
        """Run the next turn of each search."""
        for stage_search in tuple(self.searches):
            if self.counterexamples and not self.thorough:
                return
            before = stage_search.meter.done
            try:
                with activate_meter(stage_search.meter):
                    ended = self._run_stage(stage_search.stage, stage_search.reports)
            finally:
                count_work(stage_search.meter.done - before)
            if ended:
                self.searches.remove(stage_search)

    def close(self) -> None:
        """End the unfinished searches."""
        for stage_search in self.searches:
            stage_search.reports.close()
        self.searches.clear()

    def prove(self, *, always: bool = False) -> None:
        """Run the proofs. They may exceed the share of their stage, and run once per process."""
        proved = partial(_proof_stage, self.filter)
        self.run("certificate", 1.0, proved, WorkLimit(sys.maxsize), always=always, extra=True)

    def prove_source(self, subject: ExaminationContext | VerifiableAccountant) -> None:
        """Prove a user's own code where no theorem did; the effort bounds its work, beside that of the searches."""
        if isinstance(subject, ExaminationContext):
            proof, own = partial(source_proof, subject), has_own_code(self.filter)
        else:
            proof, own = partial(accountant_source_proof, subject), bool(filters_with_own_code(subject))
        if not own or any(finding.covers_all for finding in self.findings):
            return
        # a counterexample of rounding alone is within the bound of a proof
        factors = [counterexample.factor for counterexample in self.counterexamples]
        rounded = bool(factors) and max(factors) < _MIN_CLEAR_RATIO
        limit = WorkLimit.of(_SOURCE_SHARE * self.units)
        self.run("source", 1.0, proof, limit, always=rounded, extra=True)

    def shrink(self, subject: ExaminationContext) -> None:
        """Minimise the clearest counterexample and trace its play. A schedule has its own description."""
        if counterexamples := tuple(each for each in self.counterexamples if each.kind != "schedule"):
            # a refutation is minimised and traced even with little work left
            minimum = _MIN_SHRINK_SHARE * self.units
            limit = WorkLimit.of(max(self.limit.remaining, minimum) if self.thorough else minimum)
            self.run("shrinking", 1.0, partial(shrink, subject, counterexamples), limit, always=True)

    def tighten(self, subject: ExaminationContext) -> None:
        """Minimise the admitted play that comes nearest to the guarantee if nothing was refuted."""
        work = partial(tightness_stage, subject, tuple(self.findings))
        self.run("tightness", 1.0, work, WorkLimit.of(_REPLAYED + _TIGHTENED * self.units))

    def leave(self, why: str) -> None:
        """Keep the findings of the searches so far, with refutations replayed."""
        self.findings += [*self.so_far.values(), self._unfinished_finding(why)]

    def _unfinished_finding(self, result: str, **more: Any) -> StageFinding:
        arguments = {"notes": (result,)} | more
        return StageFinding(self.stage, "Did the stage finish?", result, "", UNFINISHED, **arguments)

    def _revalidated(self, finding: StageFinding) -> StageFinding:
        """Return the finding, or a weaker one if its counterexample does not replay with a new instance of the filter.

        Each replay runs in a fork of this process.
        """
        counterexample, fault = finding.counterexample, ""
        if counterexample is None:
            return finding
        service = cast(object, self.filter)
        try:
            if isinstance(service, PromisedService):
                schedule = Schedule.from_data(counterexample.data["schedule"], allowed_values_for(service))
                confirm_schedule(service.make, service.promise, schedule, self.deadline)
                return finding
            if not (other := revalidate(counterexample, self._run_isolated)):
                return finding
            fault = nondeterminism_fault(self.filter)
            result = f"{counterexample.description}: granted, but not by a new instance: {other}"
        except ValueError as reason:
            result = f"{counterexample.description}: not replayed with a new instance: {reason}"
        except FilterFault as broken:
            result = fault = str(broken)
        # without the counterexample, which did not replay
        bare = replace(finding, verdict=None, counterexample=None, tightness=(), trace=None)
        return replace(bare, result=result, fault=fault, notes=() if fault else (result,))

    def _run_isolated(self, work: Callable[[], Any]) -> Any:
        """Run the work in a worker forked from this process, which never calls the filter.

        A replay does not count as work.
        """
        unlimited = WorkLimit(sys.maxsize)
        with activate_meter():
            (done,) = self._worker_findings(lambda limit: iter((work(),)), unlimited, unlimited)
        return done

    @property
    def counterexamples(self) -> list[Counterexample]:
        """Return the refutations so far, the clearest first."""
        refutations = (each.counterexample for each in self.findings if each.counterexample is not None)
        return sorted(refutations, key=lambda counterexample: counterexample.order)

    def run(
        self,
        stage: str,
        share: float,
        work: Callable[[WorkLimit], Iterator[object]],
        limit: WorkLimit | None = None,
        *,
        always: bool = False,
        extra: bool = False,
    ) -> None:
        """Keep the findings of a stage, even if its share of the work ends or the filter's code raises.

        A stage is skipped if it was not requested or one refutation suffices, unless `always`. The work of an `extra`
        stage leaves the limit of the others as it was.
        """
        if stage not in self.chosen or (self.counterexamples and not self.thorough and not always):
            return
        part, before = (limit or self.limit).fraction(share), current_meter().done
        # the stages check their limit themselves; one that does not is ended
        self._run_stage(stage, self._worker_findings(work, part, self._hard_limit(part.until)))
        if extra:
            self.limit = WorkLimit(self.limit.until + current_meter().done - before)

    def _hard_limit(self, until: float) -> WorkLimit:
        """Return the limit at which a stage is ended that ignores its own."""
        return WorkLimit(int(until) + int(_GRACE * self.units))

    def _run_stage(self, stage: str, reports: Generator[Any, None, None]) -> bool:
        """Keep the findings of a stage until it ends or pauses; return whether it ended."""
        self.stage = stage
        with activate_meter():  # the caller's own work does not count
            self.on_stage(stage)
        try:
            for finding in reports:
                if isinstance(finding, WorkerPaused):
                    self.so_far |= {} if finding.summary is None else {stage: finding.summary}
                    return False
                self.findings.append(self._revalidated(finding))
                if self.findings[-1].counterexample is not None and not self.thorough:
                    break
            reports.close()
            self.so_far.pop(stage, None)
        except OutOfWork:
            self.findings.append(self._unfinished_finding(USED_UP))
        except FilterFault as broken:
            self.findings.append(self._unfinished_finding(str(broken), fault=str(broken), notes=()))
        except LateBridgeError:
            raise  # not a fault of the filter
        except Exception as error:
            if stage == "admission" and self.promise is None:
                raise  # the caller's mistake: the object is no filter
            # library code fails on an answer of the filter, which must not end the examination
            returned = f"{user_code_name(self.filter)} returned: {type(error).__name__}: {error}"
            self.findings.append(self._unfinished_finding(f"the stage ended with an error: {returned}"))
        return True

    def _worker_findings(
        self,
        work: Callable[[WorkLimit], Iterator[object]],
        limit: WorkLimit,
        late: WorkLimit,
        pauses: tuple[int, ...] = (),
    ) -> Generator[Any, None, None]:
        """Yield the findings of a worker, and store its other results under their field names."""
        quiet, deadline = partial(_run_quietly, work, limit), self.deadline
        answers = iter_isolated(quiet, filt=self.filter, limit=late, deadline=deadline, pauses=pauses)
        with closing(answers) as reports:
            for report in reports:
                if not isinstance(report, dict):
                    yield report
                    continue
                PROVED_BY_NAME.update(report.pop("proofs", {}))
                for name, value in report.items():
                    setattr(self, name, value)


# -- run in the workers ---------------------------------------------------------------------------------


def _admission_stage(
    filt: PrivacyFilter, names: tuple[str, ...], seed: int, part: WorkLimit, _: WorkLimit, *, own_menu: bool
) -> Iterator[object]:
    """Yield the filter's guarantee and the finding on the requests that a fresh run grants.

    Raises TypeError for an object that is no filter.
    """
    checked_filter(filt)
    scope = filt.scope if isinstance(filt.scope, str) else "every adaptive adversary"
    yield {"promise": filt.promise, "scope": scope}
    families = at_labels(families_for_guarantee(names, filt.promise, own_numbers(filt)), filt)
    finding, subject = admission_finding(filt, families, part, seed=seed, own_menu=own_menu)
    yield {"subject": subject}
    yield finding


def _proof_stage(filt: PrivacyFilter, limit: WorkLimit) -> Iterator[object]:
    """Yield the finding of the certificate and the proofs that it needed."""
    before = frozenset(PROVED_BY_NAME)
    yield certificate_finding(filt)
    yield {"proofs": {name: proof for name, proof in PROVED_BY_NAME.items() if name not in before}}


def _run_quietly(work: Callable[[WorkLimit], Iterator[object]], limit: WorkLimit) -> Iterator[object]:
    """Run a stage without the filter's output and warnings, and yield last whether it printed. Only in a worker."""
    ear = _OutputWatcher(os.devnull, "w")
    sink = io.TextIOWrapper(cast(BinaryIO, ear), "utf-8", "replace", write_through=True)
    with redirect_stdout(sink):
        os.dup2(ear.fileno(), 1)
        warnings.simplefilter("ignore")
        warnings.showwarning = lambda *told, **more: None  # the filter may have turned warnings on
        try:
            yield from work(limit)
        finally:
            yield {"has_printed": True} if ear.has_printed else {}


class _OutputWatcher(io.FileIO):
    """Discards everything written and remembers whether something was."""

    has_printed = False

    def write(self, data: Any) -> int:
        self.has_printed = self.has_printed or memoryview(data).nbytes > 0
        return super().write(data)

    def close(self) -> None:
        """Stay open, because the worker goes on."""
