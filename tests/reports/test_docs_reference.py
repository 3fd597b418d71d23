"""The reference has every public name once, with a docstring, and the pages name nothing else."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from operator import attrgetter

import pytest

import filterproof as fp
from reports.docs.generated import expand
from reports.docs.reference import described
from tests.printed_examples import PAGES

DOCUMENTED = re.compile(
    r"^\.\. (?:autoclass|autoexception|autofunction|py:data):: (?:filterproof\.)?(\w+)$", re.MULTILINE
)
NAMED = re.compile(r"`fp\.([A-Za-z_][\w.]*)(?:\([^`]*\))?`")


def _reference() -> Counter[str]:
    pages = [
        page for page in PAGES if page.parent.name == "reference" and "{public}" in page.read_text("utf-8")
    ]
    return Counter(name for page in pages for name in DOCUMENTED.findall(expand(page.read_text("utf-8"))))


def test_every_public_name_is_documented_exactly_once() -> None:
    found = _reference()
    assert [name for name in fp.__all__ if found[name] != 1] == []
    assert sorted(found) == fp.__all__


def test_a_public_name_has_a_docstring_of_its_own() -> None:
    for name in fp.__all__:
        first = described(name).strip().partition("\n")[0]
        assert len(first.split()) >= 3, f"{name} must say what it is in a docstring, got {first!r}"
        value = getattr(fp, name)
        if inspect.isclass(value):
            assert value.__doc__ is not None, name
            assert not value.__doc__.startswith(f"{name}("), (
                f"{name} has only the signature that a dataclass writes"
            )


def test_a_page_names_only_what_there_is() -> None:
    named = {name: page.stem for page in PAGES for name in NAMED.findall(page.read_text("utf-8"))}
    assert named
    for name, page in named.items():
        assert attrgetter(name)(fp) is not None, f"{page}: fp.{name}"


def test_a_name_that_is_not_public_is_refused() -> None:
    with pytest.raises(ValueError, match=r"must be in filterproof\.__all__, got 'Typo'"):
        expand("```{public}\nTypo\n```\n")
