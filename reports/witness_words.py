"""A witness in words, and the commands and the Python with which anyone replays it.

>>> import filterproof as fp
>>> with fp.knowingly():
...     filt = fp.NaiveRealisationFilter(1.0, 0.01)
>>> witness_words(fp.Witness(filt, fp.attack(filt).witness)).partition(":")[0]
'an adaptive plan of 2 rounds over Erasure(p=0.01, exact=1/100)'
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

from filters.adapters.copied import CopiedFilter
from filters.adapters.counted import CountedFilter
from filters.adapters.labelled import LabelledFilter, program_of
from filters.holders.held_to import HeldTo
from filters.privacy_filter import PrivacyFilter
from mc.examine.headline import headline
from mc.examine.holders.games import game_of
from mc.examine.witness import Witness
from mc.examine.words import number_words
from reports.replaying import replay_command

__all__ = ["file_of", "number", "replay_snippet", "replay_words", "target_of", "witness_words"]


def number(value: object) -> str:
    """A number of a witness to six digits, a fraction as it is.

    >>> number(0.123456789), number("1899/5915"), number({"float": "inf"})
    ('0.123457', '1899/5915 = 0.321048', 'inf')
    """
    if isinstance(value, Mapping):
        return str(value.get("float", "?"))
    if isinstance(value, str):
        exact = Fraction(value)
        return value if exact.denominator == 1 else number_words(exact)
    return f"{float(str(value)):.6g}"


def witness_words(witness: Witness) -> str:
    """The game and what it gives, in one line: as verdicts tell it, that of a holder by what the two sides ask."""
    if witness.kind != "holder":
        return headline(witness)
    asked = game_of(cast(HeldTo, witness.filter), witness.data["game"]).asked
    low, promised = (number(witness.data[name]) for name in ("low", "promised"))
    return f"{asked}: {witness.measure} is at least {low} where {promised} is promised"


def target_of(filt: PrivacyFilter) -> str | tuple[str, ...] | None:
    """FILE.py::Class, or the options that name a program; None if the filter is one of the catalogue."""
    from mc.engine.encoding import nameable

    kind = type(filt)
    if kind in nameable().values():
        return None
    if program_of(filt) is not None and (options := getattr(filt, "options", None)) is not None:
        return cast(tuple[str, ...], options)
    if isinstance(
        filt, (CountedFilter, CopiedFilter, LabelledFilter)
    ):  # made by a function, in a file that it does not know
        return "FILE.py::NAME"
    file, _ = file_of(kind)
    path = Path("FILE.py") if file is None else file
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return f"{path.as_posix()}::{kind.__name__}"


def file_of(kind: type) -> tuple[Path | None, int]:
    """The file that defines a class, None if there is none, and the line, 1 if it cannot be read."""
    try:
        file = inspect.getsourcefile(kind)
        line = inspect.getsourcelines(kind)[1]
    except (OSError, TypeError):
        file, line = None, 1
    return (Path(file) if file and not file.startswith("<") else None), max(line, 1)


def replay_words(witness: Witness, file: Path, target: str | Sequence[str] | None) -> str:
    """The command that replays the witness once it is kept in `file`."""
    return replay_command(file, target=target if _outside(witness) else None)


def replay_snippet(witness: Witness) -> str:
    """Python that rebuilds the witness from a string and plays it again: no file is needed but the filter's own."""
    text = json.dumps(witness.to_data(), separators=(",", ":"))
    if not _outside(witness):
        return f"import filterproof as fp\n\nprint(fp.replay({text!r}))"
    kind = type(witness.filter)
    made = f"{kind.__name__}(...)"  # for the reader to fill in
    if "__dataclass_fields__" in vars(kind):
        made = repr(witness.filter)
    elif not inspect.signature(kind).parameters:
        made = f"{kind.__name__}()"
    if (program := program_of(witness.filter)) is not None:
        made = f"fp.from_command({list(program.bridge.words)!r}, fp.{program.promise!r})"
        if isinstance(filt := witness.filter, LabelledFilter):
            told = f"labels={dict(filt.labels)!r}, over={dict(filt.over)!r}, together={filt.together!r}"
            made = f"fp.LabelledFilter({made}, {told}, promise=fp.{filt.promise!r})"
        return f"import filterproof as fp\n\nfilt = {made}\nprint(fp.replay({text!r}, filt=filt))"
    if isinstance(witness.filter, (CountedFilter, CopiedFilter, LabelledFilter)):
        return (
            "import filterproof as fp\nfrom your_module import your_filter\n\n"
            f"print(fp.replay({text!r}, filt=your_filter))"
        )
    module = "your_module" if kind.__module__ == "__main__" else kind.__module__.replace("_user_filter_", "")
    return (
        f"import filterproof as fp\nfrom {module} import {kind.__name__}\n\n"
        f"print(fp.replay({text!r}, filt={made}))"
    )


def _outside(witness: Witness) -> bool:
    """Whether the witness holds its filter by name alone."""
    told: Any = witness.data["filter"]
    return not isinstance(told, Mapping) or set(told) == {"outside"}
