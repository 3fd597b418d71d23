"""`verify` examines a filter; `assert_holds` does the same as a test.

>>> import filterproof as fp
>>> with fp.suppress_unsound_warning():
...     filt = fp.NaiveRealisationFilter(1.0, 0.01)
>>> exam = fp.verify(filt, effort=0.01, mechanisms=["erasure"])
>>> exam.headline, exam.counterexample.replay().refutes
('REFUTED', True)
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

from filterproof.filters.adapters.bridge import LateBridgeError
from filterproof.filters.contract.work import WorkLimit, activate_meter, checked_effort
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.deadline import Deadline, OutOfTime
from filterproof.mc.examine.ending import Ending
from filterproof.mc.examine.examination import Examination, PartialExamination
from filterproof.mc.examine.formatting import naming, user_code_name
from filterproof.mc.examine.pairs_in_attributes import pair_names
from filterproof.mc.examine.parameter_families import FAMILY_TABLE, checked_family_names
from filterproof.mc.examine.replay_snippets import replay_snippet
from filterproof.mc.examine.stage_finding import STOPPED_BY_INTERRUPT, StageFinding, stopped_after
from filterproof.theory.argument_checks import check_count

SEED = 20_261_121


def verify(
    filt: PrivacyFilter,
    *,
    effort: float = 1.0,
    seconds: float | None = None,
    mechanisms: Sequence[str] | None = None,
    seed: int = SEED,
    thorough: bool = False,
    stages: Sequence[str] | None = None,
    on_stage: Callable[[str], object] = lambda _: None,
    target: str | Sequence[str] | None = None,
) -> Examination:
    """Examine whether a filter keeps its guarantee.

    Proofs, searches, games and simulations run the filter's own code and look for a counterexample. The first
    refutation ends the search.

    Parameters
    ----------
    filt : PrivacyFilter
        The filter, or an accountant: an `IndividualFilter`, `ClippedSums`, `LinearQueries`, a tracker or an
        odometer; or a service, by `fp.services.with_promise`.
    effort : float, default 1.0
        The amount of work, greater than 0. It counts decisions, certified evaluations, positions of games and
        simulated rounds. Effort 1 takes about half a minute; effort 10 does ten times the work.
    seconds : float, optional
        The time limit. `Examination.stopped` then names the share of the work that was done. No limit by default.
    mechanisms : sequence of str, optional
        The families of mechanisms that the requests come from: gaussian, rr, laplace, kov, erasure, subsampled,
        twopoint. All by default.
    seed : int, optional
        The random seed.
    thorough : bool, default False
        Continue after the first refutation, and look for more.
    stages : sequence of str, optional
        The stages to run: invariants, denials, schedules, certificate, source, sequences, games, search. All by
        default.
    on_stage : callable, optional
        A function that receives the name of each stage when it starts.
    target : str or sequence of str, optional
        The name of the filter on the command line, FILE.py::Class, with the options that it needs, for the replay
        command of the result.

    Returns
    -------
    Examination
        The findings, the `verdict`, and the counterexample in `counterexample`.

    Raises
    ------
    TypeError
        If `filt` is a class and not an instance.
    ValueError
        If another argument is out of range or unknown.
    PartialExamination
        After Ctrl-C: a KeyboardInterrupt with the findings so far.

    Notes
    -----
    What the filter's own code raises, prints or returns in the wrong form becomes a finding. Code that never returns,
    or that waits for a thread which ran before the examination, ends at `seconds` alone. The result is a function of
    the filter's source, `mechanisms`, `stages`, `effort` and `seed`. It is the same on every machine unless `seconds`
    ends the examination. An examination that finds no violation gives UNDECIDED. It gives HOLDS only if a theorem
    covers the code that runs.

    Examples
    --------
    >>> import filterproof as fp
    >>> exam = fp.verify(fp.ZCDPFilter(0.1), effort=0.001, mechanisms=["gaussian"])
    >>> exam.headline
    'HOLDS'
    """
    from filterproof.mc.examine.stage_schedule import EFFORT, FAILURE, StageRunner, chosen_stages, run_stages

    if issubclass(type(filt), type):  # isinstance would run the filter's own code
        class_name = getattr(filt, "__name__", "it")
        raise TypeError(f"filt is the class {class_name} and not a filter; call it: {class_name}()")
    effort = checked_effort(effort)
    units = EFFORT * effort
    deadline = Deadline.of(seconds)
    chosen_names = checked_family_names(FAMILY_TABLE if mechanisms is None else mechanisms)
    # in one order, so that no search depends on it
    names = tuple(name for name in FAMILY_TABLE if name in chosen_names)
    seed = check_count("seed", seed, least=0)
    pressed: KeyboardInterrupt | None = None
    with activate_meter(), naming(pair_names(filt)):
        limit, chosen = WorkLimit.of(units), chosen_stages(stages)
        exam = StageRunner(filt, units, deadline, limit, on_stage, thorough=thorough, chosen=chosen)
        try:
            run_stages(exam, names, seed, own_menu=mechanisms is None)
        except KeyboardInterrupt as stop:
            if exam.promise is None:
                raise
            exam.leave(STOPPED_BY_INTERRUPT)
            pressed = stop
        except (OutOfTime, LateBridgeError) as late:
            exam.leave(stopped_after(1 - exam.limit.remaining / units, late))
        finally:
            exam.close()
    if exam.has_printed:
        words = f"{user_code_name(filt)} prints while it decides; its output is not shown"
        question = "Does it print while it decides?"
        exam.findings.append(StageFinding("invariants", question, words, "", "", notes=(words,)))
    findings = tuple(exam.findings)
    examination = Examination(filt, names, findings, seed, FAILURE, exam.promise, exam.scope, effort, target)
    if pressed is not None:
        raise PartialExamination(examination) from pressed
    return examination


def assert_holds(
    filt: PrivacyFilter,
    *,
    effort: float = 1.0,
    seconds: float | None = None,
    mechanisms: Sequence[str] | None = None,
    seed: int = SEED,
) -> Examination:
    """Examine a filter, and fail if its guarantee is refuted or the examination was not possible.

    **Passing is no proof**: the `verdict` of the result may be UNDECIDED.

    Parameters
    ----------
    filt : PrivacyFilter
        The filter, or an accountant, as for `verify`.
    effort : float, default 1.0
        The amount of work, greater than 0. Effort 1 takes about half a minute.
    seconds : float, optional
        The time limit. No limit by default.
    mechanisms : sequence of str, optional
        The families of mechanisms that the requests come from. All by default.
    seed : int, optional
        The random seed.

    Returns
    -------
    Examination
        The result, with a verdict of HOLDS or UNDECIDED.

    Raises
    ------
    AssertionError
        If the guarantee is refuted, the filter's code breaks the contract of a filter, the filter denies every
        request, or the time limit ends the examination before any result. The message has the verdict, and the
        counterexample as Python code that replays it.
    ValueError
        If another argument is out of range or unknown.
    """
    __tracebackhide__ = True  # pytest shows the caller's line
    exam = verify(filt, effort=effort, seconds=seconds, mechanisms=mechanisms, seed=seed)
    if message := failure(exam):
        raise AssertionError(message)
    return exam


def failure(exam: Examination) -> str:
    """Return why an examined filter fails a test, or '' if it passes."""
    if exam.ending in (Ending.HOLDS, Ending.UNDECIDED):
        return ""
    lines = [exam.sentence, *exam.faults, *filter(None, [exam.stopped])]
    if exam.ending is Ending.NOT_EXAMINED:
        lines += [finding.result for finding in exam.findings]
    if exam.counterexample is not None:
        moves = exam.trace.lines if exam.counterexample.kind == "schedule" and exam.trace is not None else ()
        snippet = textwrap.indent(replay_snippet(exam.counterexample), "    ")
        lines += [*moves, str(exam.counterexample), "To replay it:", "", snippet]
    return "\n".join(lines)
