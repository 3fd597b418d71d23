"""The examination in other people's tests: an assertion that a filter's promise was not refuted."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from filters.privacy_filter import PrivacyFilter
from reports.examination_words import Ending
from reports.examined import SEED, Examined, verify
from reports.replaying import replay_snippet

__all__ = ["assert_holds", "failure"]


def assert_holds(
    filt: PrivacyFilter,
    *,
    seconds: float = 30.0,
    mechanisms: Sequence[str] | None = None,
    seed: int = SEED,
) -> Examined:
    """Examine a filter, and raise AssertionError if its promise is refuted or it could not be examined.

    The message has the verdict and the witness as Python to paste, which plays it again without files. **Passing is
    no proof**: the promise then HOLDS, or is UNDECIDED, which says only that nothing was found in that time; look at
    the `verdict` of what is returned. Could not be examined means that the filter's code is at fault, that it admits
    nothing, or that it did not answer in time.
    """
    __tracebackhide__ = True  # pytest shows the caller's line
    exam = verify(filt, seconds=seconds, mechanisms=mechanisms, seed=seed)
    if told := failure(exam):
        raise AssertionError(told)
    return exam


def failure(exam: Examined) -> str:
    """Why an examined filter fails a test, '' if it passes."""
    if exam.ending in (Ending.HOLDS, Ending.UNDECIDED):
        return ""
    lines = [exam.sentence, *exam.faults]
    if exam.witness is not None:
        lines += [
            str(exam.witness),
            "To play it again:",
            "",
            textwrap.indent(replay_snippet(exam.witness), "    "),
        ]
    return "\n".join(lines)
