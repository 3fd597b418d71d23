"""An expression is a filter, adversary or pair as a person types it; it is parsed and never run as Python.

>>> read_filter("GaussianFilter(mu=1.0)")
GaussianFilter(mu=1.0)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from filterproof.filters import (
    ClippedSums,
    ClippingAfterAdding,
    ForgettingSums,
    IndividualFilter,
    LinearQueries,
    PrivacyFilter,
    suppress_unsound_warning,
)
from filterproof.filters.accountants.verifiable import VerifiableAccountant
from filterproof.filters.adapters.bridged import from_command
from filterproof.filters.adapters.labelled import LabelledFilter
from filterproof.filters.catalogue import CATALOGUE
from filterproof.mc import Adversary
from filterproof.mc.engine.encoding import nameable
from filterproof.reports.user_filter import load_filter
from filterproof.theory.argument_checks import did_you_mean
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP


def read_value(text: str) -> Any:
    """The value of an expression made of numbers, strings, None, tuples, known names, and calls of known classes.

    A list is read as a tuple. Raises ValueError with one sentence for anything else.
    """
    return _parsed(text, nameable())


def _parsed(text: str, known: Mapping[str, Any]) -> Any:
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError) as error:
        why = error.msg if isinstance(error, SyntaxError) else error
        raise ValueError(
            f"expression must read like Name(parameter=1.0), got {text!r} ({why}); type a name, and its "
            "parameters in brackets"
        ) from error
    return _read(tree, known)


def _read(node: ast.expr, known: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=int() | float() | str() | None):
            return node.value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float())):
            return -ast.literal_eval(node.operand)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return tuple(_read(part, known) for part in parts)
        case ast.Name(id=name):
            return _known(name, known)
        case ast.Call(func=ast.Name(id=name), args=positional, keywords=named) if all(k.arg for k in named):
            kind = _known(name, known)
            if not isinstance(kind, type):
                raise ValueError(
                    f"expression must call a class, got {name!r}; name a filter, pair or adversary"
                )
            with (
                suppress_unsound_warning()
            ):  # a person who types the name of an unsound filter needs no warning
                return kind(
                    *(_read(a, known) for a in positional),
                    **{str(k.arg): _read(k.value, known) for k in named},
                )
    raise ValueError(f"expression must be names, numbers and calls, got {ast.unparse(node)!r}; simplify it")


def _known(name: str, known: Mapping[str, Any]) -> Any:
    if name not in known:
        raise ValueError(
            f"expression must name something known, got {name!r}"
            f"{did_you_mean(name, known) or '; see `filterproof list`'}"
        )
    return known[name]


def read_filter(text: str) -> PrivacyFilter:
    """The filter of an expression, of file.py::Class, or the example of the catalogue entry of that name."""
    found = read_holder(text)
    if not isinstance(found, PrivacyFilter):
        raise ValueError(f"filter must name one of `filterproof list`, got {text!r}; pick one from there")
    return found


def read_holder(text: str) -> Any:
    """As `read_filter`, or an individual filter, clipped sums, linear queries, a tracker or an odometer."""
    if "::" in text:
        return load_filter(text)
    if text in CATALOGUE:
        return CATALOGUE[text].example()
    if _names_code(text):
        raise ValueError(f"filter must name a class of the file or module, got {text!r}; add ::ClassName")
    known = nameable(IndividualFilter, ClippedSums, ClippingAfterAdding, ForgettingSums, LinearQueries)
    return _of_kind(text, (PrivacyFilter, VerifiableAccountant), "filter", known)


def read_target(target: str | None, program: Iterable[str | None]) -> Any:
    """The filter or holder of a target or, without one, that of a program; None where nothing is given."""
    return read_command(*program) if target is None else read_holder(target)


def read_promise(text: str) -> Guarantee:
    """The guarantee of an expression: pure(1), approx(1, 1e-5), zcdp(0.5), gdp(1), renyi(8, 1), or a class."""
    found: Guarantee = _of_kind(text, (Guarantee,), "promise", nameable() | _PROMISES, ", ".join(_PROMISES))
    return found


def read_command(
    command: str | None, promise: str | None, labels: str | None = None, over: str | None = None
) -> PrivacyFilter | None:
    """The filter of `--exec` and `--promise`, with `--labels` that of one record, None where nothing is given."""
    if (command, promise, labels, over) == (None, None, None, None):
        return None
    if command is None or promise is None:
        raise ValueError(
            f"exec and promise must be given together, got exec={command!r} and promise={promise!r}; "
            "pass --exec 'node bridge.mjs' --promise 'pure(1)'"
        )
    if labels is None and over is not None:
        raise ValueError(f"labels must be given with over, got over={over!r}; pass --labels 'site=a,b'")
    filt = from_command(command, read_promise(promise))
    if labels is None:
        return filt
    ways, record = _read_labels("labels", labels), _read_labels("over", over or "")
    return LabelledFilter(
        filt,
        labels={name: tuple(re.split("[,+]", text)) for name, text in ways.items()},
        over={name: tuple(text.split("+")) if "+" in text else text for name, text in record.items()},
        together=tuple(name for name, text in ways.items() if "+" in text),
    )


def _read_labels(option: str, text: str) -> dict[str, str]:
    """The words "site=a,b epoch=1+2": what stands behind each name."""
    words = [word.partition("=") for word in text.split()]
    if not all(name and some and all(re.split("[,+]", some)) for name, _, some in words):
        raise ValueError(
            f"{option} must be words such as 'site=a,b epoch=1+2', got {text!r}; "
            "write commas between labels, and + between those that one request may name together"
        )
    return {name: some for name, _, some in words}


#: Guarantees by the words of a shell.
_PROMISES = {"pure": PureDP, "approx": ApproxDP, "zcdp": ZCDP, "gdp": GaussianDP, "renyi": RenyiDP}


def _names_code(text: str) -> bool:
    """Whether the text is a file's path, or a module's name: dotted, or of a file or package in the folder of work."""
    if text.endswith(".py") or ("\0" not in text and Path(text).is_file()):
        return True
    parts = text.split(".")
    place = Path(*parts)
    return all(part.isidentifier() for part in parts) and (
        len(parts) > 1 or place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()
    )


def read_adversary(text: str) -> Adversary:
    """The adversary of an expression, which may be the bare name of one that needs no parameters."""
    found: Adversary = _of_kind(text, (Adversary,), "adversary", nameable())
    return found


def _of_kind(
    text: str,
    kinds: tuple[type, ...],
    noun: str,
    known: Mapping[str, Any],
    among: str = "`filterproof list`",
) -> Any:
    value = _parsed(text, known)
    if isinstance(value, type) and issubclass(value, kinds[0]):
        value = value()
    if isinstance(value, type) or not isinstance(value, kinds):
        raise ValueError(f"{noun} must name one of {among}, got {text!r}; pick one from there")
    return value
