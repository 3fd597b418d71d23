"""Where a filter's own code raised an exception."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType

from filters import base, contract
from filters.base import PrivacyFilter

__all__ = ["FilterFault", "examining"]

#: They call a filter's methods, and what they raise about the answers is theirs.
_OURS = {base.__file__, contract.__file__}


class FilterFault(Exception):  # noqa: N818 - the fault of the filter, in one sentence
    """A method of the examined filter raised: the class, method, file, line and exception, as one sentence."""


@contextmanager
def examining(filt: PrivacyFilter) -> Iterator[None]:
    """What the filter's own code raises inside becomes a FilterFault; everything else passes."""
    try:
        yield
    except (Exception, SystemExit) as error:
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


def _place(filt: PrivacyFilter, error: BaseException) -> tuple[CodeType, int] | None:
    """The filter's method that was running, and the line of its file, of the innermost of its frames."""
    module = sys.modules.get(type(filt).__module__)
    file = getattr(module, "__file__", None)
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
    # a function of ours that is handed the filter first is no method of it
    return frame.f_locals.get("self") if frame.f_code.co_varnames[:1] == ("self",) else None
