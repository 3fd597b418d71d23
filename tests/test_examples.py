"""The examples in docstrings run and print what they say."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

from tests.test_modules import MODULES


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0
