"""The docstrings of public names are numpydoc docstrings, with every parameter and return value documented."""

import inspect
from collections.abc import Iterator
from enum import Enum
from operator import attrgetter

import pytest
from numpydoc.validate import validate

import filterproof as fp
from filterproof.reports.docs.reference import public_names

#: A docstring exists, with known sections in order, and a summary of one line with a capital letter and a full stop.
FORM = {"GL06", "GL07", "GL08", "SS01", "SS02", "SS03", "SS04", "SS06"}
#: No documented parameter is unknown; parameters are in the order of the signature.
KNOWN = {"PR02", "PR03"}
#: Every parameter is documented; a function that returns a value documents it.
COMPLETE = {"PR01", "RT01"}
CHECKED = [
    name
    for name in public_names()
    if inspect.isclass(attrgetter(name)(fp)) or inspect.isroutine(attrgetter(name)(fp))
]


def members(kind: type) -> Iterator[str]:
    """The public methods and properties that a class or a base in Filterproof defines with `def`."""
    for name in dir(kind):
        value = inspect.getattr_static(kind, name)
        function = (
            getattr(value, "fget", None) or getattr(value, "func", None) or getattr(value, "__func__", value)
        )
        if (
            not name.startswith("_")
            and inspect.isfunction(function)
            and function.__name__ == name
            and function.__module__.startswith("filterproof.")
        ):
            yield name


def codes_of(value: object) -> set[str]:
    """The codes that a public name must not have."""
    if not inspect.isclass(value):
        return FORM | KNOWN | COMPLETE
    own_signature = not issubclass(value, BaseException | Enum) and value.__new__ is not tuple.__new__
    if not own_signature or getattr(value, "_is_protocol", False):
        return FORM
    # Attributes document a value that functions return and that no user makes
    return FORM if "\nAttributes\n---" in inspect.cleandoc(value.__doc__ or "") else FORM | KNOWN | COMPLETE


def errors_of(name: str, codes: set[str]) -> list[str]:
    """What numpydoc reports about a public name or member, by these codes."""
    return [
        f"{name}: {code} {text}" for code, text in validate(f"filterproof.{name}")["errors"] if code in codes
    ]


def docstring_errors(name: str) -> list[str]:
    """What numpydoc reports about a public name and, for a class, about its members."""
    value = attrgetter(name)(fp)
    own = members(value) if inspect.isclass(value) else ()
    errors = errors_of(name, codes_of(value))
    for member in own:
        # an overriding method may leave the docstring to its base, which numpydoc does not look at
        inherits = inspect.getdoc(getattr(value, member)) is not None
        errors += errors_of(f"{name}.{member}", (FORM | KNOWN) - ({"GL08"} if inherits else set()))
    return errors


@pytest.mark.parametrize("name", CHECKED)
def test_docstring_of_a_public_name_passes_numpydoc(name: str) -> None:
    assert docstring_errors(name) == []


def test_a_docstring_without_its_parameters_is_refused() -> None:
    assert errors_of("reports.docs.reference.reference", COMPLETE)
