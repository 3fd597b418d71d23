"""The examination of a filter: all stages in turn, each with its share of the time, and no stage that ends the others.

>>> from filters.catalogue import CATALOGUE
>>> found = examine(CATALOGUE["NaturalFilter"].example(), seconds=60.0, first_only=True)
>>> found.verdict.outcome.name, found.witness.evidence.name
('REFUTED', 'EXACT')
"""

from __future__ import annotations

import io
import os
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, redirect_stdout
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, BinaryIO, cast

from filters.adapters.labelled import service_of
from filters.contract.checks import checked_filter, checked_start
from filters.holders.held_to import is_held_to
from filters.privacy_filter import PrivacyFilter
from mc.examine.clock import Clock, OutOfTime
from mc.examine.confirmation import differs, impure
from mc.examine.examination import STOPPED, UNFINISHED, Examination, PartialExamination, StageFinding
from mc.examine.family_lines import FAMILIES, at_labels, lines_of, names_of
from mc.examine.filter_fault import SLOW, FilterFault, examining
from mc.examine.schedule_search import stage as schedules
from mc.examine.sequence import granted
from mc.examine.stages.examined_holders import games_of, lets_through
from mc.examine.stages.filter_laws import laws
from mc.examine.stages.games import games, replies
from mc.examine.stages.parts import PROVED, of_parts
from mc.examine.stages.sequences import glance, sequences
from mc.examine.stages.strategy_search import search
from mc.examine.stages.telling import as_found, telling
from mc.examine.subject import Subject, admission, own_numbers
from mc.examine.witness import Witness
from mc.examine.worker import results
from theory.arguments import check_count
from theory.guarantees import Guarantee
from theory.pairs import DominatingPair
from theory.proofs.proof import Proof

#: The probability that an examination refutes a promise that is kept, shared by all that it estimates.
FAILURE = 1e-6
#: Seconds beyond its share after which a stage is ended, that proofs may take, and that a first find is told and
#: played again in.
_GRACE, _PROVING, _MOMENT = 2.0, 600.0, 5.0
#: A filter is slow that is not asked so often in its time, and takes longer than so many seconds.
_CALLS, _QUICK = 3000, 1e-3
#: The share of the time for a glance at the plainest plays, where the first refutation ends all.
_GLANCE = 0.08
#: Seconds of the time, and the most of it as a share, in which the last stage's findings are read.
_LAST, _LATE = 1.0, 0.05


def examine(
    filt: PrivacyFilter,
    *,
    seconds: float = 60.0,
    mechanisms: Sequence[str] | None = None,
    seed: int = 20_261_121,
    on_stage: Callable[[str], object] = lambda stage: None,
    first_only: bool = False,
    proofs: dict[str, Proof] | None = None,
) -> Examination:
    """Examine the promise of a filter for about so many seconds; `first_only` ends with the first refutation.

    mechanisms are names of `FAMILIES`, or one of them; all of them by default. on_stage is told each stage as it
    begins. Proofs in `proofs` are not run again, and new ones are added; by default those of this process.
    Raises TypeError for what is no filter, ValueError for seconds, seeds or mechanisms out of range; after Ctrl-C
    `PartialExamination`, a KeyboardInterrupt, which holds what was found so far. What the filter's
    own code raises, prints or returns in the wrong form becomes a finding.
    """
    clock = Clock.of(seconds)
    clock, began = Clock(clock.until - min(_LAST, _LATE * clock.left)), time.perf_counter()
    names = names_of(FAMILIES if mechanisms is None else mechanisms)
    seed = check_count("seed", seed, least=0)
    done = PROVED if proofs is None else proofs
    exam = _Stages(filt, clock, on_stage, done, first_only=first_only)

    stopped: KeyboardInterrupt | None = None
    try:
        _in_turn(exam, names, seed, own_menu=mechanisms is None)
        exam.confirm(Clock.of(seconds))
    except KeyboardInterrupt as pressed:
        if exam.promise is None:
            raise
        exam.leave()
        stopped = pressed
    spent = time.perf_counter() - began
    found = (*exam.findings, *exam.noise())
    examination = Examination(filt, names, found, spent, seed, FAILURE, exam.promise, exam.scope)
    if stopped is not None:
        raise PartialExamination(examination) from stopped
    return examination


def _in_turn(exam: _Stages, names: tuple[str, ...], seed: int, *, own_menu: bool) -> None:
    """All stages, each with its share of the time."""
    filt, holder = exam.filter, cast(object, exam.filter)
    # nothing can be asked of a filter whose first answers do not come, so that they may take all the time
    if is_held_to(holder):
        exam.run("admission", 1.0, partial(lets_through, holder))
        exam.prove()
        exam.run("games", 1.0, partial(games_of, filt))
    else:
        exam.run("admission", 1.0, partial(_admitted, filt, names, seed, own_menu=own_menu))
    if exam.subject is not None and exam.subject.lines:
        if few := exam.subject.slow:  # few calls fit: first those that are most likely to tell something
            exam.run("sequences", 0.6, partial(sequences, exam.subject))
        elif exam.first_only:  # cheaper than the laws, and most faults show here
            if not exam.subject.looks:
                exam.run("sequences", _GLANCE, partial(glance, exam.subject))
            exam.run("games", _GLANCE, partial(replies, exam.subject))
        exam.run("laws", 0.08, partial(laws, exam.subject))
        if service_of(filt) is not None:
            exam.run("schedules", 0.2, partial(schedules, exam.subject))
        # where purity is broken a state does not stand for a run, and only what one run is granted counts
        subject = replace(exam.subject, slow=False, pure=not any(one.fault for one in exam.findings))
        if subject.pure:
            exam.prove()
        if not few:
            exam.run("sequences", 0.3, partial(sequences, subject))
        if subject.pure:
            # a filter that looks at losses is searched for as long as it is solved
            known = bool(exam.witnesses)
            exam.run("games", 0.45 if subject.looks or known else 0.6, partial(games, subject))
            if subject.looks:
                exam.run("search", 0.3 if known else 0.6, partial(search, subject, failure=FAILURE))
        exam.tell(subject)


@dataclass(slots=True)
class _Stages:
    """The stages of one examination, each in a worker of its own, and what came back from them."""

    filter: PrivacyFilter
    clock: Clock
    on_stage: Callable[[str], object]
    proofs: dict[str, Proof]
    first_only: bool
    findings: list[StageFinding] = field(default_factory=list)
    subject: Subject | None = None
    promise: Guarantee | None = None
    scope: str = ""
    heard: bool = False
    shut: bool = False
    stage: str = ""
    confirmed: list[Mapping[str, Any]] = field(default_factory=list)

    def prove(self) -> None:
        """Proofs take the time that they need once in a process."""
        began, work = Clock.now(), partial(_proved, self.filter, self.proofs)
        self.run("parts", 1.0, work, Clock(self.clock.until + _PROVING))
        self.clock = Clock(self.clock.until + Clock.now() - began)

    def tell(self, subject: Subject) -> None:
        """The most telling witness of what was found, if anything was, and its play; a schedule tells itself."""
        if found := tuple(one for one in self.witnesses if one.kind != "schedule"):
            clock = self.clock.at_most(_MOMENT) if self.first_only else self.clock
            self.run("telling", 0.9, partial(telling, subject, found), clock, always=True)

    def confirm(self, clock: Clock) -> None:
        """Let no refutation stand whose witness does not refute when it is played afresh, by a filter nobody has asked.

        That of the most telling one is enough, unless it fails: then each of the others is played, too.
        """
        orders = {at: one.witness.order for at, one in enumerate(self.findings) if one.witness is not None}
        failed = False
        for at in sorted(orders, key=lambda at: (orders[at], -at)):  # of equals the last, which was told
            finding = self.findings[at]
            self.findings[at] = self._afresh(finding, clock)
            failed = failed or self.findings[at] is not finding
            if not failed:
                return
        left = self.witnesses
        if left and self.subject is not None and left[0].kind != "schedule":
            subject = replace(self.subject, pure=False)
            self.run("telling", 0.9, partial(as_found, subject, left[0]), clock, always=True)

    def leave(self) -> None:
        """A person waits for the end, and not for a replay: no refutation stands that was not played afresh."""
        self.findings = [
            one
            if one.witness is None or one.witness.data in self.confirmed
            else _fallen(one, f"{one.witness.asked}: not played afresh: {STOPPED}")
            for one in self.findings
        ]
        self.findings.append(self._ended(STOPPED))

    def _ended(self, found: str, **more: Any) -> StageFinding:
        """What is found of a stage that did not come to its end."""
        said = {"notes": (found,)} | more
        return StageFinding(self.stage, "Was the stage finished?", found, "", UNFINISHED, **said)

    def _afresh(self, finding: StageFinding, clock: Clock) -> StageFinding:
        """The finding, or what is found where its witness fails: the worker of each play is a fork of this process."""
        witness, fault = finding.witness, ""
        if witness is None or witness.data in self.confirmed:
            return finding
        try:
            if not (other := differs(witness, partial(self._aside, clock))):
                self.confirmed.append(witness.data)
                return finding
            fault, found = impure(self.filter), f"{witness.asked}: granted, but not afresh: {other}"
        except (OutOfTime, ValueError) as reason:
            found = f"{witness.asked}: not played afresh: {reason}"
        except FilterFault as broken:
            found = fault = str(broken)
        return _fallen(finding, found, fault)

    def _aside(self, clock: Clock, work: Callable[[], Any]) -> Any:
        """What the work returns in a worker of its own, which this process, that asks the filter nothing, forks."""
        (done,) = self._reports(lambda clock: iter((work(),)), 1.0, clock, clock)
        return done

    @property
    def witnesses(self) -> list[Witness]:
        """The refutations so far, the most telling first."""
        found = (one.witness for one in self.findings if one.witness is not None)
        return sorted(found, key=lambda one: one.order)

    def run(
        self,
        stage: str,
        share: float,
        work: Callable[[Clock], Iterator[object]],
        clock: Clock | None = None,
        *,
        always: bool = False,
    ) -> None:
        """Keep the findings of a stage, also where its time, a share of the clock, is up or the filter's code raises.

        Of none where one refutation was enough, unless it is to run always.
        """
        if self.first_only and self.witnesses and not always:
            return
        clock = clock or self.clock
        self.stage, first = stage, len(self.findings)
        self.on_stage(stage)
        began, part = time.perf_counter(), clock.part(share)
        # the stages look at the clock themselves; the last has no grace, and a moment to say what it found
        late = Clock(min(part.until + _GRACE, clock.until))
        try:
            with closing(self._reports(work, share, clock, late)) as told:
                for finding in told:
                    if self.first_only:  # which ends with it
                        finding = self._afresh(finding, Clock.of(max(clock.left, _MOMENT)))
                    is_first = finding.witness is not None and not self.witnesses
                    self.findings.append(finding)
                    if is_first and self.first_only:
                        break
                    if is_first:  # so that one stands, should a person end it
                        self._afresh(finding, clock.at_most(_MOMENT))
        except OutOfTime as stuck:
            # the first stage ends all: nothing can be asked of a filter whose first answers do not come
            self.findings.append(self._ended(str(stuck), fault=str(stuck) if stage == "admission" else ""))
        except FilterFault as broken:
            self.findings.append(self._ended(str(broken), fault=str(broken), notes=()))
        except Exception as error:
            if stage == "admission" and self.promise is None:
                raise  # what is no filter is the caller's mistake
            # not the filter's own code, but our own at what it returned: a stranger's filter ends no examination
            said = f"{type(self.filter).__name__} returned: {type(error).__name__}: {error}"
            said = f"the stage broke off at what {said}"
            self.findings.append(self._ended(said))
        finally:
            spent = time.perf_counter() - began
            added = self.findings[first:]
            self.findings[first:] = [replace(one, seconds=spent / len(added)) for one in added]

    def _reports(
        self, work: Callable[[Clock], Iterator[object]], share: float, clock: Clock, late: Clock
    ) -> Generator[Any, None, None]:
        """What a worker found; what else it learnt, by the names of our fields, is kept."""
        with closing(results(partial(_quietly, work, clock, share), filt=self.filter, clock=late)) as told:
            for report in told:
                if not isinstance(report, dict):
                    yield report
                    continue
                self.proofs |= report.pop("proofs", {})
                for name, value in report.items():
                    setattr(self, name, value)

    def noise(self) -> Iterator[StageFinding]:
        """What is wrong with what the filter printed."""
        name, finding = type(self.filter).__name__, partial(StageFinding, "laws", menu="", unseen="")
        if self.shut:
            words = f"{name} closed standard output while it decides; leave it open"
            yield finding("Does it leave alone what it did not open?", words, fault=words)
        if self.heard:
            words = f"{name} prints while it decides; what it printed was left out"
            yield finding("Does it decide in silence?", words, notes=(words,))


def _fallen(finding: StageFinding, found: str, fault: str = "") -> StageFinding:
    """The finding where its witness does not stand."""
    notes = () if fault else (found,)
    bare = replace(finding, verdict=None, witness=None, tightness=(), story=None)
    return replace(bare, found=found, fault=fault, notes=notes)


# -- what the workers do -------------------------------------------------------------------------------


def _admitted(
    filt: PrivacyFilter, names: tuple[str, ...], seed: int, clock: Clock, *, own_menu: bool
) -> Iterator[object]:
    """What the filter promises and a fresh run of it grants; TypeError for what is no filter."""
    checked_filter(filt)
    scope = filt.scope if isinstance(filt.scope, str) else "every adaptive adversary"
    yield {"promise": filt.promise, "scope": scope}
    part = clock.part(0.1)
    lines = at_labels(lines_of(names, filt.promise, own_numbers(filt)), filt)
    finding, subject = admission(filt, lines, part, seed=seed, own_menu=own_menu)
    with examining(filt):
        seconds = _seconds_of_a_call(filt, subject.lines[0].pairs[0]) if subject.lines else 0.0
        slow = seconds >= max(min(SLOW, clock.left / _CALLS), _QUICK)
        yield {"subject": replace(subject, slow=slow)}
    words = f"{type(filt).__name__} takes {seconds:.2g} s a request, so that few questions were asked"
    yield replace(finding, notes=(*finding.notes, words)) if slow else finding


def _seconds_of_a_call(filt: PrivacyFilter, pair: DominatingPair) -> float:
    """The seconds of a request, the least of three: one call among many may wait for the machine."""

    def seconds() -> float:
        began = Clock.now()
        granted(filt, checked_start(filt, 1), pair)
        return Clock.now() - began

    return min(seconds() for _ in range(3))


def _proved(filt: PrivacyFilter, done: dict[str, Proof], clock: Clock) -> Iterator[object]:
    kept = dict(done)
    yield of_parts(filt, done=kept)
    yield {"proofs": {name: proof for name, proof in kept.items() if name not in done}}


def _quietly(work: Callable[[Clock], Iterator[object]], clock: Clock, share: float) -> Iterator[object]:
    """The stage, with what a filter prints and warns of out of sight; last whether it printed. Only in a worker."""
    ear = _Ear(os.devnull, "w")
    sink = io.TextIOWrapper(cast(BinaryIO, ear), "utf-8", "replace", write_through=True)
    with redirect_stdout(sink):
        os.dup2(ear.fileno(), 1)
        warnings.simplefilter("ignore")
        warnings.showwarning = lambda *told, **more: None  # should the filter ask for warnings
        try:
            yield from work(clock.part(share))
        finally:
            yield {name: True for name in ("heard", "shut") if getattr(ear, name)}


class _Ear(io.FileIO):
    """Forgets what is written to it, but for whether something was, and whether it was to be closed."""

    heard = shut = False

    def write(self, data: Any) -> int:
        self.heard = self.heard or memoryview(data).nbytes > 0
        return super().write(data)

    def close(self) -> None:
        self.shut = True
