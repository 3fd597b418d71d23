"""The test class of a filter's laws, each test in a worker: a filter that ends its process fails, and ends no suite.

>>> import filterproof as fp
>>> TestMyFilter = laws(fp.ZCDPFilter(0.5), examples=3)
>>> TestMyFilter().test_something_is_admitted()
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import TYPE_CHECKING, Any
from unittest import SkipTest

from filters.privacy_filter import PrivacyFilter
from filters.testing.law_class import NoLawOfItsError, law_class
from mc.examine.filter_fault import FilterFault
from mc.examine.worker import alone
from theory.pairs import DominatingPair

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["laws"]


def laws(
    target: PrivacyFilter | Callable[[], PrivacyFilter],
    *,
    mechanisms: SearchStrategy[DominatingPair] | None = None,
    larger: PrivacyFilter | None = None,
    examples: int = 40,
) -> type:
    """A test class of the laws for `target`, a filter or a callable that makes one: `TestMyFilter = fp.laws(MyFilter)`.

    `mechanisms` draws the single pairs to request; a filter with a menu needs its own. By default they are of the
    common families, many of them near what a fresh run just admits or denies. `larger` is the same filter with more
    budget and adds a law. A filter with `order_free = True` gets the law that order does not matter; where code says
    whether it is, the test of it is skipped with words if it is not.
    Each test runs in a process of its own, with all that pytest has set up. Runs are reproducible: no example depends
    on the clock. Passing is no proof: it says that no example contradicted a law. Raises ImportError without
    hypothesis.
    """
    tests = law_class(target, mechanisms=mechanisms, larger=larger, examples=examples)
    name = tests.__name__.removeprefix("Test")
    for law, test in list(vars(tests).items()):
        if law.startswith("test_"):
            setattr(tests, law, _isolated(test, name))
    return tests


def _isolated(test: Callable[[Any], None], name: str) -> Callable[[Any], None]:
    # without the attributes that hypothesis left: pytest would look for the arguments that it draws
    @wraps(test, updated=())
    def run(self: Any) -> None:
        try:
            alone(partial(test, self), whose=name)
        except SkipTest as skipped:
            if isinstance(skipped, NoLawOfItsError):
                raise
            raise FilterFault(f"the code of {name} raised {type(skipped).__name__}: {skipped}") from skipped

    del run.__wrapped__
    return run
