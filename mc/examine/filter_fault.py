"""A fault is an exception that an examined filter's own code raised, told with its place in that code."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from filterproof.filters.adapters.bridge import BridgeError, LateBridgeError
from filterproof.filters.contract import answer_checks, contract_checks, filter_base, terms
from filterproof.filters.contract.work import OutOfWork
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules import additive

#: Files of ours that call a filter's methods; an exception that they raise about its answers is not a FilterFault.
_OURS = {one.__file__ for one in (filter_base, contract_checks, terms, answer_checks, additive)}


class FilterFault(Exception):  # noqa: N818 - the fault of the filter, in one sentence
    """A method of the examined filter raised: the class, method, file, line and exception, as one sentence."""


@contextmanager
def examining(filt: PrivacyFilter) -> Iterator[None]:
    """Turn an exception (SystemExit included) of the filter's own code into a FilterFault; let others pass."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, FilterFault) or ctrl_c(error, _file(filt)):
            raise
        if (end := _end_behind(error)) is not None:
            raise end from None
        if isinstance(error, BridgeError):
            raise FilterFault(str(error)) from error  # the fault is in no Python
        if isinstance(error, RuntimeError) and isinstance(error.__cause__, StopIteration):
            error = error.__cause__  # a generator on the way turned the filter's own exception into another
        if (broken := _malformed(filt, error)) is not None:
            raise broken from error
        found = _place(filt, traceback.walk_tb(error.__traceback__))
        if found is None:
            raise
        frame, line = found
        said = " ".join(str(error).split())
        raise FilterFault(
            f"{_method(filt, frame)} raised {type(error).__name__}{': ' if said else ''}{said} at "
            f"{Path(frame.f_code.co_filename).name}, line {line}; mend it there: what a filter does not cover it denies"
        ) from error


def _end_behind(error: BaseException | None) -> BaseException | None:
    """What ends a search for want of work or time, where the error is that or what the filter made of it."""
    seen = set[int]()  # an error that is raised again may stand behind itself
    while error is not None and id(error) not in seen:
        if isinstance(error, OutOfWork | LateBridgeError):
            return error
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None


def _malformed(filt: PrivacyFilter, error: BaseException) -> FilterFault | None:
    """The fault where a method of the filter answered in a form that the contract does not allow; None elsewhere."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    if not isinstance(error, TypeError) or not frames or frames[-1].f_code.co_filename not in _OURS:
        return None
    message = " ".join(str(error).split())
    kind, _, method = message.partition(" ")[0].partition(".")
    code = getattr(getattr(type(filt), method, None), "__code__", None)
    if kind != type(filt).__name__ or code is None:
        return None
    return FilterFault(f"{message} ({Path(code.co_filename).name}, line {code.co_firstlineno})")


def ctrl_c(error: BaseException, file: str | None) -> bool:
    """Whether a person interrupted: a KeyboardInterrupt that the file did not raise itself."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return isinstance(error, KeyboardInterrupt) and frames[-1].f_code.co_filename != file


def _file(filt: PrivacyFilter) -> str | None:
    return getattr(sys.modules.get(type(filt).__module__), "__file__", None)


def _place(filt: PrivacyFilter, frames: Iterable[tuple[FrameType, int]]) -> tuple[FrameType, int] | None:
    """The filter's innermost method and the line at work there; None if no frame, outermost first, is the filter's."""
    deepest: tuple[FrameType, int] | None = None
    own_file = _file(filt)
    for frame, at in frames:
        file, own = frame.f_code.co_filename, _self(frame) is filt
        if file in _OURS or not (own or file == own_file):
            continue
        if deepest is None or own:
            deepest = frame, at
        elif file == deepest[0].f_code.co_filename:  # a helper: the method is named, the line is the helper's
            deepest = deepest[0], at
    return deepest


def _method(filt: PrivacyFilter, frame: FrameType) -> str:
    code = frame.f_code
    return f"{type(filt).__name__}.{code.co_name if code.co_name.isidentifier() else code.co_qualname}"


def _self(frame: FrameType) -> object:
    # the first argument must be called self: a function of ours that takes the filter first is not its method
    return frame.f_locals.get("self") if frame.f_code.co_varnames[:1] == ("self",) else None
