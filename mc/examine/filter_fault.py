"""An exception from the code of an examined filter, with its place in this code."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import dropwhile
from pathlib import Path
from types import FrameType

from filterproof.filters.adapters.bridge import BridgeError, LateBridgeError
from filterproof.filters.adapters.foreign import CopiedFilter, CountedFilter
from filterproof.filters.adapters.labelled_filter import LabelledFilter
from filterproof.filters.contract import answer_checks, contract_checks, filter_base, terms
from filterproof.filters.contract.work import OutOfWork
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.rules import additive
from filterproof.mc.examine.formatting import user_code_name
from filterproof.theory import argument_checks

#: Files of the library that call a filter's methods. Their own exceptions about its answers are not FilterFaults.
_CHECKING_FILES = {
    one.__file__ for one in (filter_base, contract_checks, terms, answer_checks, additive, argument_checks)
}


class FilterFault(Exception):  # noqa: N818 - the fault of the filter, in one sentence
    """A method of the examined filter raised: its class, method, file, line and exception, as one sentence."""


@contextmanager
def filter_faults_raised(filt: PrivacyFilter) -> Iterator[None]:
    """Turn an exception (SystemExit included) of the filter's own code into a FilterFault; let others pass."""
    while isinstance(filt, LabelledFilter):
        filt = filt.inner_filter
    try:
        yield
    except BaseException as error:
        if isinstance(error, FilterFault) or ctrl_c(error, _source_file(filt)):
            raise
        if (end := _limit_exception_behind(error)) is not None:
            raise end from None
        if isinstance(error, BridgeError):
            raise FilterFault(str(error)) from error  # the fault is not in Python code
        if isinstance(error, RuntimeError) and isinstance(error.__cause__, StopIteration):
            error = error.__cause__  # a generator replaced the filter's exception by another
        if (broken := _malformed_answer(filt, error)) is not None:
            raise broken from error
        message = " ".join(str(error).split())
        frames = traceback.walk_tb(error.__traceback__)
        adapts = isinstance(filt, CopiedFilter | CountedFilter)
        frame_and_line = (_innermost_foreign_line if adapts else _innermost_line)(filt, frames)
        if frame_and_line is None:
            if not adapts:
                raise
            name = user_code_name(filt)  # the adapter's own sentence may begin with it
            raise FilterFault(message if message.startswith(name) else f"{name}: {message}") from error
        frame, line = frame_and_line
        raise FilterFault(
            f"{_method_name(filt, frame)} raised {type(error).__name__}{': ' if message else ''}{message} in "
            f"{Path(frame.f_code.co_filename).name}, line {line}; correct it there, and return False for "
            "requests that the filter does not support"
        ) from error


def _limit_exception_behind(error: BaseException | None) -> BaseException | None:
    """Return the out-of-work or out-of-time exception behind an error, or None."""
    seen = set[int]()  # an exception can be its own cause
    while error is not None and id(error) not in seen:
        if isinstance(error, OutOfWork | LateBridgeError):
            return error
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None


def _malformed_answer(filt: PrivacyFilter, error: BaseException) -> FilterFault | None:
    """Return the fault of a method that answered in a malformed way, or None."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    if not isinstance(error, TypeError) or not frames or frames[-1].f_code.co_filename not in _CHECKING_FILES:
        return None
    message = " ".join(str(error).split())
    owner, _, method = message.partition(" ")[0].rpartition(".")  # of "MyFilter.admits"
    code = getattr(getattr(type(filt), method, None), "__code__", None)
    kinds = {kind.__name__ for kind in type(filt).__mro__}
    if owner.rpartition(".")[2] not in kinds or code is None:
        return None
    return FilterFault(f"{message} ({Path(code.co_filename).name}, line {code.co_firstlineno})")


def ctrl_c(error: BaseException, file: str | None) -> bool:
    """Whether the user pressed Ctrl-C: a KeyboardInterrupt that the file did not raise itself."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return isinstance(error, KeyboardInterrupt) and frames[-1].f_code.co_filename != file


def _source_file(filt: PrivacyFilter) -> str | None:
    """Return the path of the filter's module, or None."""
    return getattr(sys.modules.get(type(filt).__module__), "__file__", None)


def _innermost_line(
    filt: PrivacyFilter, frames: Iterable[tuple[FrameType, int]]
) -> tuple[FrameType, int] | None:
    """Return the frame of the filter's innermost method and its active line, or None."""
    deepest: tuple[FrameType, int] | None = None
    own_file = _source_file(filt)
    for frame, at in frames:
        file, own = frame.f_code.co_filename, _self_of_frame(frame) is filt
        if file in _CHECKING_FILES or not (own or file == own_file):
            continue
        if deepest is None or own:
            deepest = frame, at
        elif file == deepest[0].f_code.co_filename:  # a helper function: name the method, and its line
            deepest = deepest[0], at
    return deepest


def _innermost_foreign_line(
    filt: PrivacyFilter, frames: Iterable[tuple[FrameType, int]]
) -> tuple[FrameType, int] | None:
    """Return the innermost method in the file that an adapter calls, or its function, and the active line, or None.

    Files of this library and of Python are passed over.
    """
    called = dropwhile(lambda call: _self_of_frame(call[0]) is not filt, frames)
    rooms = {"filterproof", *sys.stdlib_module_names}
    outside = [
        call for call in called if call[0].f_globals.get("__name__", "").partition(".")[0] not in rooms
    ]
    same_file = [call for call in outside if call[0].f_code.co_filename == outside[0][0].f_code.co_filename]
    methods = [frame for frame, _ in same_file if _self_of_frame(frame) is not None]
    return ((methods or [outside[0][0]])[-1], same_file[-1][1]) if outside else None


def _method_name(filt: PrivacyFilter, frame: FrameType) -> str:
    code = frame.f_code
    if isinstance(filt, CopiedFilter | CountedFilter):
        owner, name = _self_of_frame(frame), code.co_qualname.rpartition("<locals>.")[2]
        return (
            f"{user_code_name(filt)}: {name}" if owner is None else f"{type(owner).__name__}.{code.co_name}"
        )
    return f"{type(filt).__name__}.{code.co_name if code.co_name.isidentifier() else code.co_qualname}"


def _self_of_frame(frame: FrameType) -> object:
    # `self` as the first argument tells a method from a library function that takes the filter first
    return frame.f_locals.get("self") if frame.f_code.co_varnames[:1] == ("self",) else None
