"""The test class of a filter's laws, each test in a worker: a filter that ends its process fails, and ends no suite.

>>> import filterproof as fp
>>> TestMyFilter = laws(fp.ZCDPFilter(0.5), examples=3)
>>> TestMyFilter().test_something_is_admitted()
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, ParamSpec
from unittest import SkipTest

from filters.testing.law_class import NoLawOfItsError, law_class
from mc.examine.filter_fault import FilterFault
from mc.examine.worker import alone
from theory.fast.compiler import compiler

__all__ = ["laws"]

Given = ParamSpec("Given")


def _in_workers(make: Callable[Given, type]) -> Callable[Given, type]:
    """What makes test classes, each test of which runs in a process of its own."""

    @wraps(make, assigned=("__doc__",))
    def laws(*given: Given.args, **more: Given.kwargs) -> type:
        tests = make(*given, **more)
        name = tests.__name__.removeprefix("Test")
        for law, test in list(vars(tests).items()):
            if law.startswith("test_"):
                setattr(tests, law, _isolated(test, name))
        return tests

    laws.__qualname__ = laws.__name__  # it is found, and pickled, as a function of this module
    return laws


def _isolated(test: Callable[[Any], None], name: str) -> Callable[[Any], None]:
    # without the attributes that hypothesis left: pytest would look for the arguments that it draws
    @wraps(test, updated=())
    def run(self: Any) -> None:
        compiler()  # once here: a child that is worth kernels would take as long to import it as for its examples
        try:
            alone(partial(test, self), whose=name)
        except SkipTest as skipped:
            if isinstance(skipped, NoLawOfItsError):
                raise
            raise FilterFault(f"the code of {name} raised {type(skipped).__name__}: {skipped}") from skipped

    del run.__wrapped__
    return run


laws = _in_workers(law_class)
