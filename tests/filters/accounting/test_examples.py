"""The examples in the docstrings of the accounting, and of the filter that adds, are what they print."""

import doctest
import importlib
import pkgutil

import pytest

import filters.accounting

MODULES = [
    "filters.rules.additive",
    *(module.name for module in pkgutil.walk_packages(filters.accounting.__path__, "filters.accounting.")),
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_print_what_they_say(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples_of_what_is_public() -> None:
    for name in ("additive", "ledger", "allowance", "amounts", "charges"):
        (module,) = (importlib.import_module(m) for m in MODULES if m.endswith(f".{name}"))
        assert ">>>" in (module.__doc__ or "")
