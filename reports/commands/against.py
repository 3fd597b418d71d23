"""`filterproof verify TARGET --against OTHER`: two filters are asked the same, and the first difference is told."""

from __future__ import annotations

from contextlib import ExitStack

from filters.privacy_filter import PrivacyFilter
from mc.examine.difference import first_difference
from mc.examine.filter_fault import examining
from reports.commands.console import clear_errors, complain, doing, say
from reports.commands.exit_status import End, ExitStatus
from reports.examined import SEED
from reports.expression import read_command, read_filter

__all__ = ["against"]


def against(
    target: str | None,
    other: str,
    *,
    program: tuple[str | None, ...],
    seconds: float,
    seed: int | None,
) -> None:
    """Compare the filter of target, or of a program, with that of other, print what came of it, end with its status.

    other is a program where the first is one, with the same promise.
    """
    with clear_errors(), ExitStack() as stack:
        both: list[PrivacyFilter] = []
        for text in (target, other):
            filt = (
                read_command(text or program[0], *program[1:]) if target is None else read_filter(str(text))
            )
            assert filt is not None
            if target is None or "::" in str(text):
                stack.enter_context(examining(filt))
            both.append(filt)
        with doing("asking both the same"):
            found = first_difference(*both, seconds=seconds, seed=SEED if seed is None else seed)
    if not found.histories:
        complain(f"nothing was asked in {seconds:g} s, and nothing was compared; raise --seconds")
        raise End(ExitStatus.TIME_LIMIT)
    say(found)
    if found.difference is not None:
        raise End(ExitStatus.NOT_AS_EXPECTED)
