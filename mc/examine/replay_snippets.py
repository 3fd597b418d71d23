"""Ways to replay a counterexample: a command for a shell, and Python code that needs no files.

>>> replay_command(Path("out/verdicts.json"), "naive-refuted")
'filterproof replay out/verdicts.json naive-refuted'
"""

from __future__ import annotations

import inspect
import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from filterproof.filters.adapters.foreign import CopiedFilter, CountedFilter
from filterproof.filters.adapters.labelled_filter import LabelledFilter, bridged_filter_of
from filterproof.filters.adapters.service import PromisedService
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.mc.engine.encoding import allowed_values_by_name
from filterproof.mc.examine.counterexample import Counterexample


def replay_command(file: Path, key: str | None = None, *, target: str | Sequence[str] | None = None) -> str:
    """Return `filterproof replay FILE [KEY] [FILE.py::Class]` or the form with options, quoted for a shell."""
    named = (target,) if target is None or isinstance(target, str) else target
    words = ("filterproof", "replay", file.as_posix(), key, *named)
    return shlex.join(word for word in words if word is not None)


def target_of(filt: PrivacyFilter) -> str | tuple[str, ...] | None:
    """Return FILE.py::Class, or the options that name a program; None if the filter is in the catalogue."""
    kind = type(filt)
    if kind in allowed_values_by_name().values():
        return None
    options = getattr(filt, "command_line_options", None)
    if bridged_filter_of(filt) is not None and options is not None:
        return cast(tuple[str, ...], options)
    if isinstance(filt, (CountedFilter, CopiedFilter, LabelledFilter)):
        return "FILE.py::NAME"  # made by a function in an unknown file
    try:
        file = inspect.getsourcefile(kind) or "<"
    except (OSError, TypeError):
        file = "<"
    path = Path("FILE.py" if file.startswith("<") else file)
    here = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return f"{here.as_posix()}::{kind.__name__}"


def replay_snippet(counterexample: Counterexample) -> str:
    """Return Python code that rebuilds the counterexample from a string and replays it with the filter's file."""
    text = json.dumps(counterexample.to_data(), separators=(",", ":"))
    if not is_outside_catalogue(counterexample):
        return f"import filterproof as fp\n\nprint(fp.replay({text!r}))"
    imported, expression = _import_and_expression(counterexample.filter)
    return f"import filterproof as fp\n{imported}\nprint(fp.replay({text!r}, filt={expression}))"


def _import_and_expression(filt: PrivacyFilter) -> tuple[str, str]:
    """Return the import, or '', and the expression that make the filter again."""
    kind = type(filt)
    if (program := bridged_filter_of(filt)) is not None:
        expression = f"fp.from_command({list(program.bridge.words)!r}, fp.{program.promise!r})"
        if isinstance(filt, LabelledFilter):
            labels = f"labels={dict(filt.labels)!r}, over={dict(filt.over)!r}, together={filt.together!r}"
            expression = f"fp.LabelledFilter({expression}, {labels}, promise=fp.{filt.promise!r})"
        return "", expression
    if isinstance(filt, (CountedFilter, CopiedFilter, LabelledFilter)):
        return "from your_module import your_filter\n", "your_filter"
    # without the prefix of a user's file
    module = kind.__module__.replace("_user_filter_", "").replace("__main__", "your_module")
    if isinstance(filt, PromisedService):
        expression = f"fp.services.with_promise({kind.__name__}, fp.{filt.promise!r})"
        return f"from {module} import {kind.__name__}\n", expression
    given = "..." if inspect.signature(kind).parameters else ""
    expression = repr(filt) if "__dataclass_fields__" in vars(kind) else f"{kind.__name__}({given})"
    return f"from {module} import {kind.__name__}\n", expression


def is_outside_catalogue(counterexample: Counterexample) -> bool:
    """Return whether the counterexample knows its filter only by name."""
    return set(counterexample.data["filter"]) == {"outside"}
