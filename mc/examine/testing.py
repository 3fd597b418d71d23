"""Test classes for other test suites: the invariants of a filter, and random schedules of a service.

Each test runs in a process of its own: a filter that ends its process fails the test and not the suite.

>>> import filterproof as fp
>>> TestMyFilter = invariants(fp.ZCDPFilter(0.5), examples=3)
>>> TestMyFilter().test_something_is_admitted()
>>> class Purse:
...     def __init__(self, disk):
...         self.disk = disk
...     def request(self, pair, key):
...         spent = self.disk.get("spent", 0.0) + pair.pure_epsilon
...         if spent <= 1.0:
...             self.disk["spent"] = spent
...             yield fp.services.Release()
>>> TestPurse = schedule_tests(Purse, fp.PureDP(1.0), effort=0.01)
>>> TestPurse("runTest").runTest()
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any, ParamSpec
from unittest import SkipTest, TestCase

from filterproof.filters.adapters.service import MakeService
from filterproof.filters.testing.invariant_tests import invariant_test_class
from filterproof.mc.examine.filter_fault import FilterFault
from filterproof.mc.examine.service_schedule_search import MECHANISMS, first_violation, requested_families
from filterproof.mc.examine.worker import run_isolated
from filterproof.theory.fast.compiler import compiler
from filterproof.theory.guarantees import Guarantee

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


def schedule_tests(
    service: MakeService, promise: Guarantee, *, mechanisms: Sequence[str] = MECHANISMS, effort: float = 0.1
) -> type[TestCase]:
    """Return a test class that fails if `fp.services.first_violation` finds a violation of the guarantee.

    Parameters
    ----------
    service : callable
        service(disk) starts a process of the service.
    promise : Guarantee
        The guarantee for all releases of an epoch.
    mechanisms : sequence of str
        Names of families of requests, in the order of preference.
    effort : float, default 0.1
        Amount of search, > 0; 1 takes about ten seconds for a service in Python.

    Returns
    -------
    type
        A `unittest.TestCase`, which pytest and unittest collect: `TestPurse = fp.services.schedule_tests(Purse,
        fp.PureDP(1.0))`.

    Raises
    ------
    TypeError
        If `service` or `promise` has the wrong type.
    ValueError
        If `mechanisms` is out of range.

    Notes
    -----
    The test also fails if the service grants no request. A passed test is no proof.
    """
    requested_families(service, promise, mechanisms)  # checks the service, the guarantee and the mechanisms

    class Schedules(TestCase):
        def runTest(self) -> None:
            report = first_violation(service, promise, mechanisms=mechanisms, effort=effort)
            assert report.released, (
                f"the service must grant some request: {report}; pass mechanisms=... that it grants"
            )
            assert report.violation is None, f"the service violates its guarantee:\n{report.violation}"

    return Schedules
