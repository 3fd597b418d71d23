"""A witness in words, and the commands and the Python with which anyone replays it.

>>> import filterproof as fp
>>> kept = fp.witness(fp.GaussianFilter(mu=1.0), fp.OneShot(), epsilon=1.0, n=1000, method="plain")
>>> witness_words(kept).split(";")[0]
'OneShot(family=Gaussian, level=1.0), simulated 1,000 times with seed 0'
"""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

from filters.adapters.copied import CopiedFilter
from filters.adapters.counted import CountedFilter
from filters.adapters.labelled import LabelledFilter, program_of
from filters.holders.held_to import HeldTo
from filters.privacy_filter import PrivacyFilter
from mc.examine.holders.games import game_of
from mc.examine.witness import Witness
from mc.examine.words import number_words, worth_words
from reports.replaying import replay_command
from theory.pairs.labelled import where_words

__all__ = ["file_of", "number", "replay_snippet", "replay_words", "spelled", "target_of", "witness_words"]

#: Characters of an encoded value that are shown; the witness itself holds all.
_LONGEST = 160


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


def spelled(data: object) -> str:
    """Encoded data (`mc.engine.encoding`) as an expression.

    >>> spelled({"type": "RandomizedResponse", "epsilon": 0.5, "ratio": None})
    'RandomizedResponse(epsilon=0.5)'
    >>> spelled({"type": "RandomizedResponse", "epsilon": 0.69, "ratio": {"fraction": "2"}})
    'RandomizedResponse.from_ratio(2)'
    """
    match data:
        case {"type": str(name), "epsilon": _, "ratio": {"fraction": ratio}, **more} if not more:
            return f"{name}.from_ratio({ratio})"  # its logarithm says less
        case {"type": "Labelled", "mechanism": mechanism, "where": list() | tuple() as where}:
            told = tuple(
                (str(name), tuple(label) if isinstance(label, list) else label) for name, label in where
            )
            return f"{spelled(mechanism)} at {where_words(told)}"
        case {"type": str(name), **given}:
            fields = (f"{key}={spelled(value)}" for key, value in given.items() if value is not None)
            return f"{name}({', '.join(fields)})"
        case {"name": name} | {"fraction": name} | {"float": name} | {"outside": name}:
            return str(name)
        case list() | tuple():
            return f"({', '.join(map(spelled, data))})"
    return repr(data)


def witness_words(witness: Witness) -> str:
    """The game and what it gives, in one line."""
    data, measure = witness.data, witness.measure
    promised = f"where {number(data.get('promised', data.get('delta')))} is promised"
    match witness.kind:
        case "sequence":
            asked = ", ".join(f"{step['times']:,} x {spelled(step['request'])}" for step in data["sequence"])
            requests = "1 request" if witness.rounds == 1 else f"{witness.rounds:,} requests"
            game, gives = f"{requests}: {_short(asked)}", f"is at least {number(data['low'])}"
        case "plan":
            first = spelled(data["plan"]["request"])
            game = f"a plan of {_rounds(witness.rounds)}, the first {_short(first)}"
            gives = worth_words(Fraction(data["value"]))
        case "menu":
            menu = ", ".join(map(spelled, data["menu"]))
            long = "any number of rounds" if data["rounds"] is None else _rounds(int(data["rounds"]))
            game = f"the best adversary of {long} over the menu {_short(menu)}"
            gives = f"is at least {number(data['low'])}"
        case "schedule":
            requests = "1 request" if witness.rounds == 1 else f"{witness.rounds:,} requests"
            asked = ", ".join(dict.fromkeys(map(spelled, data["schedule"]["menu"])))
            game = f"a schedule of {len(data['schedule']['moves']):,} moves, {requests} of {_short(asked)}"
            gives = f"is at least {number(data['low'])}"
        case "holder":
            game, gives = (
                game_of(cast(HeldTo, witness.filter), data["game"]).asked,
                f"is at least {number(data['low'])}",
            )
        case "simulation":
            game = f"{_short(spelled(data['adversary']))}, simulated {data['n']:,} times with seed {data['seed']}"
            gives = f"is at least {number(data['low'])}, but for a chance of {1 - data['confidence']:.0e},"
        case "decision":
            foe = _short(spelled(data["adversary"]))
            game = f"{foe}, a betting test of {data['n']:,} plays with seed {data['seed']}"
            gives = f"exceeds {number(data['delta'])}, but for a chance of {data['failure']:.0e},"
            promised = "which is promised"
    return f"{game}; {measure} {gives} {promised}"


def _rounds(count: int) -> str:
    return "1 round" if count == 1 else f"{count:,} rounds"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 4]} ..."


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


def finite(value: float | None) -> float | str | None:
    """A float that JSON can hold: infinities and NaN as text."""
    return value if value is None or math.isfinite(value) else repr(value)
