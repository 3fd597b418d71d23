"""A fault is an exception that an examined filter's own code raised, told with its place in that code."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from types import FrameType

from filters.adapters.bridge import BridgeError
from filters.contract import answers, checks, filter_base, terms
from filters.privacy_filter import PrivacyFilter
from filters.rules import additive
from mc.examine.clock import Clock, OutOfTime

#: Files of ours that call a filter's methods; an exception that they raise about its answers is not a FilterFault.
_OURS = {one.__file__ for one in (filter_base, checks, terms, answers, additive)}


class FilterFault(Exception):  # noqa: N818 - the fault of the filter, in one sentence
    """A method of the examined filter raised: the class, method, file, line and exception, as one sentence."""


@contextmanager
def examining(filt: PrivacyFilter) -> Iterator[None]:
    """Turn an exception (SystemExit included) of the filter's own code into a FilterFault; let others pass."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, OutOfTime | FilterFault) or ctrl_c(error, _file(filt)):
            raise
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


class Calls:
    """The calls of a filter's methods that this thread is seen in: which is at work, since when, the longest before.

    Calls that begin and end between two looks of another thread are not seen.
    """

    def __init__(self, filt: PrivacyFilter | None) -> None:
        self.filter, self.thread, self.base = filt, threading.get_ident(), sys._getframe(1)
        self.call: FrameType | None = None
        self.since, self.longest, self.slowest = 0.0, 0.0, ""

    def look(self) -> None:
        """Note which method is at work now."""
        if self.filter is None:
            return
        call = next((frame for frame, _ in self._frames() if _self(frame) is self.filter), None)
        if call is self.call:
            return
        now = Clock.now()
        if self.call is not None and now - self.since > self.longest:
            self.longest, self.slowest = now - self.since, _method(self.filter, self.call)
        self.call, self.since = call, now

    def sentence(self, whose: str) -> str:
        """What is at work when the time is up, and whether it is slow or has not returned."""
        self.look()
        found = None if self.filter is None else _place(self.filter, self._frames())
        if found is None or self.filter is None or self.call is None:
            return f"{whose} {LATE}"
        frame, line = found
        told = f"{_method(self.filter, frame)} ({Path(frame.f_code.co_filename).name}, line {line}) {LATE}"
        ran = Clock.now() - self.since
        if self.longest >= SLOW:
            return f"{told}: it is slow, {self.slowest} takes up to {self.longest:.2g} s a call, this one {ran:.2g} s"
        return f"{told}: {_method(self.filter, self.call)} {STUCK} after {ran:.2g} s"

    def _frames(self) -> list[tuple[FrameType, int]]:
        """The frames below `base`, the outermost first."""
        frames = traceback.walk_stack(sys._current_frames().get(self.thread))
        return [*takewhile(lambda at: at[0] is not self.base, frames)][::-1]


#: How it reads that a method was at work at the end of the time, and that it may never return.
#: The seconds of a call that make a filter slow.
LATE, STUCK, SLOW = "was still at work when the time was up", "had not returned", 0.2


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
