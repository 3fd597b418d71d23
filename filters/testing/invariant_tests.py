"""Makes a pytest class that tests the invariants of a filter.

    >>> import filterproof as fp
    >>> TestMyFilter = invariant_test_class(fp.ZCDPFilter(0.5))
    >>> len([name for name in dir(TestMyFilter) if name.startswith("test_")])
    13

pytest collects the class from a test module. Only calling `invariant_test_class` imports hypothesis, not importing
this module.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from filterproof.filters.contract.contract_checks import StateWrittenError, checked_filter
from filterproof.filters.privacy_filter import PrivacyFilter
from filterproof.filters.testing.invariants import (
    INVARIANT_FUNCTIONS,
    InvariantBrokenError,
    case_byte_count,
    drawn_case,
    order_does_not_matter,
    something_is_admitted,
    the_promise_is_kept,
)
from filterproof.filters.testing.request_sampling import RequestMenu, requests_near
from filterproof.theory.pairs import DominatingPair
from filterproof.theory.pairs.finite import FiniteOutcomesPair

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

#: The seed of the examples, the same in every release.
_SEED = 20_261_121
#: Hypothesis runs that share the examples: the examples of one run are much alike and may violate nothing.
_RUNS = 4


def invariant_test_class(
    target: PrivacyFilter | Callable[[], PrivacyFilter],
    *,
    mechanisms: SearchStrategy[DominatingPair] | None = None,
    examples: int = 40,
) -> type:
    """Make a pytest class that tests the invariants of every filter: `TestMyFilter = fp.invariants(MyFilter)`.

    Hypothesis draws sequences of requests, among them requests near what the filter just admits or denies.

    Parameters
    ----------
    target : PrivacyFilter or callable
        The filter, or a callable without arguments that makes one.
    mechanisms : SearchStrategy, optional
        Draws the pairs to request. A filter with a menu needs its own strategy. By default the pairs are from the
        common families.
    examples : int, default 40
        Number of examples for each invariant.

    Returns
    -------
    type
        A test class with one test for each invariant. A filter with `order_free = True` has one more: the order of the
        requests does not matter.

    Notes
    -----
    Each test of `fp.invariants` runs in a process of its own. Tests are reproducible and do not depend on the clock. A
    test that passes is not a proof: no example violated the invariant.
    """
    import hypothesis
    from hypothesis import strategies as st

    from filterproof.filters.testing import strategies

    kind: Any = type(target) if isinstance(target, PrivacyFilter) else target
    if not callable(target) and not isinstance(target, PrivacyFilter):
        raise TypeError(
            f"target must be a PrivacyFilter or a callable that makes one, got {type(target).__name__}; subclass "
            "fp.PrivacyFilter"
        )
    single_run = strategies.reproducible_settings(examples)
    configured = strategies.reproducible_settings(-(-examples // _RUNS))

    # the filter's own code runs in the test and not when the class is made
    @cache
    def filter_under_test() -> PrivacyFilter:
        filt = target if isinstance(target, PrivacyFilter) else target()
        checked_filter(filt)
        return filt

    @cache
    def near() -> RequestMenu:
        return requests_near(filter_under_test())

    if mechanisms is None:
        requests = st.builds(near)
        foes = strategies.adversaries_of(st.builds(lambda: near().of_class(FiniteOutcomesPair)))
    else:
        requests = strategies.request_menus(mechanisms)
        foes = strategies.tree_adversaries(mechanisms.filter(lambda request: request.outputs is not None))

    def test_something_is_admitted(self: object) -> None:
        drawn = st.sampled_from(near().pairs) if mechanisms is None else mechanisms
        try:
            hypothesis.find(
                drawn,
                lambda request: something_is_admitted(filter_under_test(), request),
                settings=single_run,
            )
        except hypothesis.errors.NoSuchExample:
            raise InvariantBrokenError(
                f"{filter_under_test()!r} admits none of the drawn mechanisms; pass mechanisms=... with some that "
                f"it covers"
            ) from None

    methods: dict[str, Any] = {"test_something_is_admitted": test_something_is_admitted}

    def add(invariant: Callable[..., None], given: SearchStrategy[dict[str, Any]] | None = None) -> None:
        name = invariant.__name__
        if given is None:
            given = strategies.hypothesis_strategy_by_bytes(
                requests, partial(drawn_case, name), case_byte_count(name)
            )

        def test(self: object, given: dict[str, Any]) -> None:
            try:
                invariant(filter_under_test(), **given)
            except StateWrittenError as how:
                raise InvariantBrokenError(str(how)) from how

        test.__name__ = test.__qualname__ = f"test_{name}"
        test.__doc__ = invariant.__doc__
        # own seeds: hypothesis derives a seed from the source of `test`, and an edit here would change every example
        runs = [
            configured(hypothesis.seed(_SEED + place)(hypothesis.given(given=given)(test)))
            for place in range(_RUNS)
        ]

        def test_all(self: object) -> None:
            for run in runs:
                run(self)

        test_all.__name__ = test_all.__qualname__ = test.__name__
        test_all.__doc__ = invariant.__doc__
        methods[test.__name__] = test_all

    for invariant in INVARIANT_FUNCTIONS:
        add(invariant)
    add(the_promise_is_kept, foes.map(lambda adversary: {"adversary": adversary}))
    add(order_does_not_matter)
    return type(f"Test{getattr(kind, '__name__', 'Filter')}", (), methods)
