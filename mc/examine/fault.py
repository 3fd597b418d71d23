"""A fault is an exception that an examined filter's own code raised, told with its place in that code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType

from filters.contract import answers, checks, filter_base
from filters.privacy_filter import PrivacyFilter
from mc.examine.clock import OutOfTime

__all__ = ["FilterFault", "at_work", "ctrl_c", "examining", "own_streams"]

#: Files of ours that call a filter's methods; an exception that they raise about its answers is not a FilterFault.
_OURS = {filter_base.__file__, checks.__file__, answers.__file__}


class FilterFault(Exception):  # noqa: N818 - the fault of the filter, in one sentence
    """A method of the examined filter raised: the class, method, file, line and exception, as one sentence."""


@contextmanager
def examining(filt: PrivacyFilter) -> Iterator[None]:
    """Turn an exception (SystemExit included) of the filter's own code into a FilterFault; let others pass."""
    with own_streams(type(filt).__name__):
        try:
            yield
        except BaseException as error:
            if isinstance(error, OutOfTime) or ctrl_c(error, _file(filt)):
                raise
            if isinstance(error, RuntimeError) and isinstance(error.__cause__, StopIteration):
                error = (
                    error.__cause__
                )  # a generator on the way turned the filter's own exception into another
            if (broken := _malformed(filt, error)) is not None:
                raise broken from error
            found = _place(filt, error)
            if found is None:
                raise
            code, line = found
            method = code.co_name if code.co_name.isidentifier() else code.co_qualname
            said = " ".join(str(error).split())
            raise FilterFault(
                f"{type(filt).__name__}.{method} raised {type(error).__name__}{': ' if said else ''}{said} at "
                f"{Path(code.co_filename).name}, line {line}; mend it there: what a filter does not cover it denies"
            ) from error


def at_work(filt: PrivacyFilter, error: BaseException) -> str:
    """The method of the filter that was running when the error came, with its place; else the filter's name."""
    found = _place(filt, error)
    if found is None:
        return type(filt).__name__
    code, line = found
    return f"{type(filt).__name__}.{code.co_name} ({Path(code.co_filename).name}, line {line})"


def _malformed(filt: PrivacyFilter, error: BaseException) -> FilterFault | None:
    """The fault where a method of the filter answered in a form that the contract does not allow; None elsewhere."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    if not isinstance(error, TypeError) or not frames or frames[-1].f_code.co_filename not in _OURS:
        return None
    said = " ".join(str(error).split())
    kind, _, method = said.partition(" ")[0].partition(".")
    code = getattr(getattr(type(filt), method, None), "__code__", None)
    if kind != type(filt).__name__ or code is None:
        return None
    return FilterFault(f"{said} ({Path(code.co_filename).name}, line {code.co_firstlineno})")


def ctrl_c(error: BaseException, file: str | None) -> bool:
    """Whether a person interrupted: a KeyboardInterrupt that the file did not raise itself."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return isinstance(error, KeyboardInterrupt) and frames[-1].f_code.co_filename != file


@contextmanager
def own_streams(name: str) -> Iterator[None]:
    """Restore standard output and error if user code replaced them; FilterFault if it closed one of them."""
    streams = sys.stdout, sys.stderr
    before = [_place_of(stream) for stream in streams]

    def closed() -> FilterFault | None:
        sys.stdout, sys.stderr = streams
        if [_place_of(stream) for stream in streams] == before:
            return None
        return FilterFault(
            f"{name} closed standard output or error, so that nothing can be told; leave them open"
        )

    try:
        yield
    except BaseException as error:
        if (fault := closed()) is not None:
            raise fault from error
        raise
    if (fault := closed()) is not None:
        raise fault


def _place_of(stream: object) -> tuple[int, int] | None:
    """The device and inode that a stream writes to; None if it has no open file."""
    try:
        found = os.fstat(stream.fileno())  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def _file(filt: PrivacyFilter) -> str | None:
    return getattr(sys.modules.get(type(filt).__module__), "__file__", None)


def _place(filt: PrivacyFilter, error: BaseException) -> tuple[CodeType, int] | None:
    """The filter's innermost method in the traceback and the line that failed; None if no frame is the filter's."""
    file = _file(filt)
    method: CodeType | None = None
    line = 0
    for frame, at in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename in _OURS:
            continue
        if _self(frame) is filt or (file is not None and frame.f_code.co_filename == file):
            if method is None or _self(frame) is filt:
                method, line = frame.f_code, at
            elif frame.f_code.co_filename == method.co_filename:
                line = at  # a helper in the same file: the method is named, the line is the helper's
    return None if method is None else (method, line)


def _self(frame: FrameType) -> object:
    # the first argument must be called self: a function of ours that takes the filter first is not its method
    return frame.f_locals.get("self") if frame.f_code.co_varnames[:1] == ("self",) else None
