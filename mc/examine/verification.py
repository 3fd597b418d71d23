"""`verify` examines a filter; `assert_holds` does the same as a test.

>>> import filterproof as fp
>>> with fp.suppress_unsound_warning():
...     filt = fp.NaiveRealisationFilter(1.0, 0.01)
>>> exam = fp.verify(filt, effort=0.1, mechanisms=["erasure"])
>>> exam.headline, exam.counterexample.replay().refutes
('REFUTED', True)
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.examine.ending import Ending
from filterproof.mc.examine.examination import Examination
from filterproof.mc.examine.replay_snippets import replay_snippet

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
    on_stage: Callable[[str], None] = lambda _: None,
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
        The stages to run: invariants, schedules, certificate, source, sequences, games, search. All by default.
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

    Notes
    -----
    The result is a function of the filter's source, `mechanisms`, `stages`, `effort` and `seed`. It is the same on
    every machine unless `seconds` ends the examination. An examination that finds no violation gives UNDECIDED. It
    gives HOLDS only if a theorem covers the code that runs.

    Examples
    --------
    >>> import filterproof as fp
    >>> exam = fp.verify(fp.ZCDPFilter(0.1), effort=0.02, mechanisms=["gaussian"])
    >>> exam.headline
    'HOLDS'
    """
    from filterproof.mc.examine.stage_schedule import examine

    if issubclass(type(filt), type):  # isinstance would run the filter's own code
        made = getattr(filt, "__name__", "it")
        raise TypeError(f"filt is the class {made} and not a filter; call it: {made}()")
    return examine(
        filt,
        effort=effort,
        seconds=seconds,
        mechanisms=mechanisms,
        seed=seed,
        on_stage=on_stage,
        thorough=thorough,
        stages=stages,
        target=target,
    )


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
    if told := failure(exam):
        raise AssertionError(told)
    return exam


def failure(exam: Examination) -> str:
    """Return why an examined filter fails a test, or '' if it passes."""
    if exam.ending in (Ending.HOLDS, Ending.UNDECIDED):
        return ""
    lines = [exam.sentence, *exam.faults, *filter(None, [exam.stopped])]
    if exam.counterexample is not None:
        lines += [
            str(exam.counterexample),
            "To replay it:",
            "",
            textwrap.indent(replay_snippet(exam.counterexample), "    "),
        ]
    return "\n".join(lines)
