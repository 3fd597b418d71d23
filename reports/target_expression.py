"""Reads filters, adversaries and dominating pairs from text. The text is parsed and never run as Python.

>>> read_filter("GaussianFilter(mu=1.0)")
GaussianFilter(mu=1.0)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
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
from filterproof.filters.adapters.labelled_filter import LabelledFilter
from filterproof.filters.catalogue import CATALOGUE
from filterproof.mc import Adversary
from filterproof.mc.engine.encoding import allowed_values_by_name
from filterproof.reports.user_filter import load_filter
from filterproof.theory.argument_checks import did_you_mean
from filterproof.theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP


def read_value(text: str) -> Any:
    """Return the value of an expression of numbers, strings, None, tuples, known names, and calls of known classes.

    A list becomes a tuple. Raises ValueError for other expressions.
    """
    return _value_of_expression(text, allowed_values_by_name())


def _value_of_expression(text: str, known: Mapping[str, Any]) -> Any:
    """Parse an expression and return its value, with names from `known` alone."""
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError) as error:
        why = error.msg if isinstance(error, SyntaxError) else error
        raise ValueError(
            f"the expression cannot be read (expression={text!r}: {why}); write a name, and its parameters in "
            "parentheses, as in Name(parameter=1.0)"
        ) from error
    return _read_node(tree, known)


def _read_node(node: ast.expr, known: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=int() | float() | str() | None):
            return node.value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float())):
            return -ast.literal_eval(node.operand)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return tuple(_read_node(part, known) for part in parts)
        case ast.Name(id=name):
            return _look_up(name, known)
        case ast.Call(func=ast.Name(id=name), args=positional, keywords=named) if all(k.arg for k in named):
            kind = _look_up(name, known)
            if not isinstance(kind, type):
                raise ValueError(
                    f"the expression calls something that is not a class ({name}); name a filter, pair or adversary"
                )
            with (
                suppress_unsound_warning()
            ):  # a person who types the name of an unsound filter needs no warning
                return kind(
                    *(_read_node(a, known) for a in positional),
                    **{str(k.arg): _read_node(k.value, known) for k in named},
                )
    raise ValueError(
        f"only names, numbers and calls are allowed (expression={ast.unparse(node)!r}); simplify it"
    )


def _look_up(name: str, known: Mapping[str, Any]) -> Any:
    if name not in known:
        raise ValueError(
            f"the name is unknown (name={name!r}){did_you_mean(name, known) or '; see `filterproof list`'}"
        )
    return known[name]


def read_filter(text: str) -> PrivacyFilter:
    """Return the filter of an expression, of file.py::Class, or the example of that name in the catalogue."""
    filt = read_accountant(text)
    if not isinstance(filt, PrivacyFilter):
        raise ValueError(f"this is not a filter (filter={text!r}); choose one from `filterproof list`")
    return filt


def read_accountant(text: str, promise: str | None = None) -> Any:
    """Return a filter as `read_filter`, an accountant, such as linear queries, or a service with its guarantee."""
    given = None if promise is None else read_promise(promise)
    if "::" in text:
        return load_filter(text, given)
    if ".py:" in text:
        raise ValueError(f"the target has one colon (target={text!r}); write {text.replace('.py:', '.py::')}")
    if promise is not None:
        raise ValueError(
            f"--promise is the guarantee of a program or a service (target={text!r}); remove --promise"
        )
    if text in CATALOGUE:
        return CATALOGUE[text].example()
    if _names_code(text):
        raise ValueError(f"this is a file or module and not a filter (filter={text!r}); add ::ClassName")
    nameables = allowed_values_by_name(
        IndividualFilter, ClippedSums, ClippingAfterAdding, ForgettingSums, LinearQueries
    )
    return _read_instance_of(text, (PrivacyFilter, VerifiableAccountant), "filter", nameables)


def read_target(target: str | None, program: tuple[str | None, ...]) -> Any:
    """Return what a target names, with the promise of a service; without a target a program, or None."""
    if target is None:
        return read_program(*program)
    command, promise, *labels = program
    if any(word is not None for word in (command, *labels)):
        raise ValueError(
            f"--exec, --labels and --over describe a program and not a file (target={target!r}); "
            "remove TARGET or these options"
        )
    return read_accountant(target, promise)


def read_promise(text: str) -> Guarantee:
    """Return the guarantee of an expression: pure(1), approx(1, 1e-5), zcdp(0.5), gdp(1), renyi(8, 1), or a class."""
    guarantee: Guarantee = _read_instance_of(
        text,
        (Guarantee,),
        "promise",
        allowed_values_by_name() | _GUARANTEE_NAMES,
        ", ".join(_GUARANTEE_NAMES),
    )
    return guarantee


def read_program(
    command: str | None, promise: str | None, labels: str | None = None, over: str | None = None
) -> PrivacyFilter | None:
    """Return the filter that a program implements (`--exec`), for one record with `--labels`."""
    if (command, promise, labels, over) == (None, None, None, None):
        return None
    if command is None or promise is None:
        raise ValueError(
            f"a program needs --exec and --promise (exec={command!r}, promise={promise!r}); "
            "pass --exec 'node bridge.mjs' --promise 'pure(1)'"
        )
    if labels is None and over is not None:
        raise ValueError(f"--over needs --labels (over={over!r}); pass --labels 'site=a,b'")
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
    """Return the text behind each name in "site=a,b epoch=1+2"."""
    words = [word.partition("=") for word in text.split()]
    if not all(name and some and all(re.split("[,+]", some)) for name, _, some in words):
        raise ValueError(
            f"the labels cannot be read ({option}={text!r}); write 'site=a,b epoch=1+2', with + between labels that "
            "one request may have together"
        )
    return {name: some for name, _, some in words}


#: Guarantees by the words of a shell.
_GUARANTEE_NAMES = {"pure": PureDP, "approx": ApproxDP, "zcdp": ZCDP, "gdp": GaussianDP, "renyi": RenyiDP}


def _names_code(text: str) -> bool:
    """Whether the text is a path of a file, or the name of a module: dotted, or in the working directory."""
    if text.endswith(".py") or ("\0" not in text and Path(text).is_file()):
        return True
    parts = text.split(".")
    place = Path(*parts)
    return all(part.isidentifier() for part in parts) and (
        len(parts) > 1 or place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()
    )


def read_adversary(text: str) -> Adversary:
    """Return the adversary of an expression, or of the name of a class that needs no parameters."""
    adversary: Adversary = _read_instance_of(text, (Adversary,), "adversary", allowed_values_by_name())
    return adversary


def _read_instance_of(
    text: str,
    kinds: tuple[type, ...],
    noun: str,
    known: Mapping[str, Any],
    among: str = "`filterproof list`",
) -> Any:
    """Return the value of an expression; raise ValueError if it is no instance of `kinds`."""
    value = _value_of_expression(text, known)
    if isinstance(value, type) and issubclass(value, kinds[0]):
        value = value()
    if isinstance(value, type) or not isinstance(value, kinds):
        article = "an" if noun == "adversary" else "a"
        raise ValueError(f"this is not {article} {noun} ({noun}={text!r}); choose one from {among}")
    return value
