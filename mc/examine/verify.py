"""The examination of a filter: all stages in turn, each with its share of the time, and no stage that ends the others.

>>> import filterproof as fp
>>> with fp.knowingly():
...     naive = fp.NaiveRealisationFilter(1.0, 0.01)
>>> found = examine(naive, seconds=60.0, first_only=True)
>>> found.verdict.outcome.name, found.witness.evidence.name
('REFUTED', 'EXACT')
"""

from __future__ import annotations

import io
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace

import numpy as np

from filters.contract.checks import checked_filter
from filters.privacy_filter import PrivacyFilter
from mc.examine.clock import Clock, OutOfTime
from mc.examine.examination import Examination
from mc.examine.families import FAMILIES, lines_of
from mc.examine.fault import FilterFault, at_work, examining
from mc.examine.finding import Finding
from mc.examine.no_forks import without_forks
from mc.examine.stages.games import games
from mc.examine.stages.laws import laws
from mc.examine.stages.search import search
from mc.examine.stages.sequences import sequences
from mc.examine.stages.tests import betting_tests
from mc.examine.stages.theorems import of_parts, on_a_menu
from mc.examine.subject import Subject, admission, own_numbers
from theory.arguments import check_count
from theory.guarantees import PureDP
from theory.proofs.theorem import Proof

__all__ = ["FAILURE", "examine"]

#: The probability that an examination refutes a promise that is kept, shared by all that it estimates.
FAILURE = 1e-6


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

    mechanisms are names of `FAMILIES`, all of them by default. on_stage is told each stage as it begins. Proofs in
    `proofs` are not run again, and new ones are added; by default those of this process.
    Raises TypeError for what is no filter, ValueError for seconds, seeds or mechanisms out of range. What the filter's
    own code raises, prints or returns in the wrong form becomes a finding.
    """
    clock = Clock.of(seconds)
    seed = check_count("seed", seed, least=0)
    began = time.perf_counter()
    names = tuple(FAMILIES) if mechanisms is None else tuple(mechanisms)
    findings: list[Finding] = []
    lines_of(names, PureDP(1.0))  # an unknown name is the caller's mistake, whatever the filter is

    def run(stage: str, share: float, work: Callable[[Clock], Iterator[Finding]]) -> None:
        if first_only and any(one.witness is not None for one in findings):
            return
        with redirect_stdout(told_on):
            on_stage(stage)
        findings.extend(_run(stage, filt, clock.part(share), work, first_only=first_only))

    admitted: list[Subject] = []

    def admit(part: Clock) -> Iterator[Finding]:
        lines = lines_of(names, filt.promise, own_numbers(filt))
        finding, found, closed = admission(filt, lines, part, own_menu=mechanisms is None)
        admitted.append(Subject.of(filt, found, closed, names, seed))
        yield finding

    told_on = sys.stdout
    with _quietly() as noise, without_forks(filt):
        if (broken := _no_promise(filt, clock.part(0.1))) is not None:
            findings.append(broken)
        else:
            run("admission", 0.1, admit)
        if admitted and admitted[0].lines:
            first = admitted[0]
            run("laws", 0.08, lambda part: laws(first, part))
            # where purity is broken a state does not stand for a run, and only what one run is granted counts
            subject = replace(first, pure=not any(one.fault for one in findings))
            if subject.pure:
                with redirect_stdout(told_on):
                    on_stage("parts")
                start = time.perf_counter()
                made = of_parts(filt, done=proofs)
                made = _timed(made, time.perf_counter() - start)
                findings.append(made)
                # proofs run none of the filter's code, and take the time that they need once in a process
                clock = Clock(clock.until + made.seconds)
                if not made.whole:
                    run("parts", 0.03, lambda part: on_a_menu(subject, part))
            run("sequences", 0.3, lambda part: sequences(subject, part))
            if subject.pure:
                # a filter that looks at losses is searched for as long as it is solved
                run("games", 0.45 if subject.looks else 0.6, lambda part: games(subject, part))
                run("search", 0.6, lambda part: search(subject, part, FAILURE / 2))
                if not any(one.witness is not None for one in findings):
                    run("tests", 1.0, lambda part: betting_tests(subject, part, FAILURE / 2))
    if noise.shut:
        told = f"{type(filt).__name__} closed standard output while it decides; leave it open"
        findings.append(
            Finding("laws", "Does it leave alone what it did not open?", told, "", "", fault=told)
        )
    if noise.heard:
        told = f"{type(filt).__name__} prints while it decides; what it printed was left out"
        findings.append(Finding("laws", "Does it decide in silence?", told, "", "", notes=(told,)))
    return Examination(filt, names, tuple(findings), time.perf_counter() - began, seed, FAILURE)


def _run(
    stage: str,
    filt: PrivacyFilter,
    clock: Clock,
    work: Callable[[Clock], Iterator[Finding]],
    *,
    first_only: bool,
) -> list[Finding]:
    """The findings of a stage; what it found is kept when its time is up or the filter's code raises."""
    found: list[Finding] = []
    began = time.perf_counter()
    asked = "Was the stage finished?"
    try:
        # the stages look at the clock themselves; the alarm is for a filter that does not come back
        with examining(filt), Clock(clock.until + 2.0).limiting():
            for finding in work(clock):
                found.append(finding)
                if first_only and finding.witness is not None:
                    break
    except OutOfTime as late:
        told = f"{at_work(filt, late)} was still at work when the time was up"
        # nothing can be asked of a filter whose first answers do not come
        fault = told if stage == "admission" else ""
        found.append(Finding(stage, asked, told, "", "the rest of the stage", fault=fault, notes=(told,)))
    except FilterFault as fault:
        found.append(Finding(stage, asked, str(fault), "", "the rest of the stage", fault=str(fault)))
    except Exception as error:  # noqa: BLE001
        # not the filter's own code, but our own at what it returned: a stranger's filter ends no examination
        told = f"the stage broke off at what {type(filt).__name__} returned: {type(error).__name__}: {error}"
        found.append(Finding(stage, asked, told, "", "the rest of the stage", notes=(told,)))
    spent = time.perf_counter() - began
    return [_timed(one, spent / len(found)) for one in found]


def _no_promise(filt: PrivacyFilter, clock: Clock) -> Finding | None:
    """What is wrong where the filter's code does not come to say what it promises; TypeError for what is no filter."""
    try:
        with examining(filt), Clock(clock.until + 2.0).limiting():
            checked_filter(filt)
            return None
    except OutOfTime as late:
        fault = f"{at_work(filt, late)} was still at work when the time was up"
    except FilterFault as raised:
        fault = str(raised)
    return Finding("admission", "What does it promise?", "nothing", "", "everything", fault=fault)


def _timed(finding: Finding, seconds: float) -> Finding:
    return replace(finding, seconds=seconds)


class _Silence(io.TextIOBase):
    """Forgets what is written to it, but for whether something was, and whether it was to be closed."""

    heard = False
    shut = False

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.heard = self.heard or bool(text)
        return len(text)

    def close(self) -> None:
        self.shut = True


@contextmanager
def _quietly() -> Iterator[_Silence]:
    """Keep what a filter prints and warns of out of sight, and yield what heard it.

    What it sets of warnings and of numpy's floating-point errors is put back.
    """
    sink = _Silence()
    with redirect_stdout(sink), warnings.catch_warnings(), np.errstate():
        warnings.simplefilter("ignore")
        warnings.showwarning = lambda *told, **more: None  # should the filter ask for warnings
        yield sink
