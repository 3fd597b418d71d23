"""Test classes for other test suites: the invariants of a filter.

Each test runs in a process of its own: a filter that ends its process fails the test and not the suite.

>>> import filterproof as fp
>>> TestMyFilter = invariants(fp.ZCDPFilter(0.5), examples=3)
>>> TestMyFilter().test_something_is_admitted()
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, ParamSpec
from unittest import SkipTest

from filterproof.filters.testing.invariant_tests import invariant_test_class
from filterproof.mc.examine.filter_fault import FilterFault
from filterproof.mc.examine.worker import run_isolated
from filterproof.theory.fast.compiler import compiler

Given = ParamSpec("Given")


def _make_tests_run_in_workers(make: Callable[Given, type]) -> Callable[Given, type]:
    """Make a factory of test classes run each test in a process of its own."""

    @wraps(make, assigned=("__doc__",))
    def invariants(*given: Given.args, **more: Given.kwargs) -> type:
        tests = make(*given, **more)
        name = tests.__name__.removeprefix("Test")
        for invariant, test in list(vars(tests).items()):
            if invariant.startswith("test_"):
                setattr(tests, invariant, _isolated(test, name))
        return tests

    invariants.__qualname__ = invariants.__name__  # pickle finds it as a function of this module
    return invariants


def _isolated(test: Callable[[Any], None], name: str) -> Callable[[Any], None]:
    """Return the test as a function that runs it in a worker process."""
    # without hypothesis attributes, so that pytest does not look for its arguments

    @wraps(test, updated=())
    def run(self: Any) -> None:
        compiler()  # imported once here, because each child would take as long for it as for its examples
        try:
            run_isolated(partial(test, self), whose=name)
        except SkipTest as skipped:
            raise FilterFault(f"the code of {name} raised {type(skipped).__name__}: {skipped}") from skipped

    del run.__wrapped__
    return run


invariants = _make_tests_run_in_workers(invariant_test_class)
