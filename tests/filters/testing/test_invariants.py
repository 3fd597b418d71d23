"""The contract: every filter of the catalogue obeys every invariant, and filters with planted faults do not."""

from typing import Any

import pytest
from hypothesis import strategies as st

import filterproof as fp
from filterproof.filters.catalogue import CATALOGUE
from filterproof.filters.testing.invariant_tests import invariant_test_class
from filterproof.filters.testing.invariants import INVARIANT_FUNCTIONS
from filterproof.theory.pairs import (
    KOV,
    DominatingPair,
    Erasure,
    Gaussian,
    Laplace,
    RandomizedResponse,
    SubsampledGaussian,
)
from tests.filters.own import OfSquares

#: Filters whose broken promise is found below by play with the right mechanisms, not by the default ones.
FOUND_OUT = {"NaiveRealisationFilter"}
#: Filters that think long about each request.
SLOW = {"AllOrdersFilter", "BlackwellFilter", "PotentialFilter", "RangedBlackwellFilter", "SomeOrderFilter"}


def contract(name: str) -> Any:
    """The invariants of one entry, with mechanisms that it covers; in this process, for its code is ours."""
    entry = CATALOGUE[name]
    filt = entry.example()
    menu = getattr(filt, "menu", None) if name != "RealisationFilter" else None
    if name == "PotentialFilter":  # each new pair costs it milliseconds, and there are thousands by default
        menu = _FEW
    return invariant_test_class(
        filt,
        mechanisms=st.sampled_from(menu) if menu else None,
        examples=2 if name in SLOW else 4,
    )


_FEW = (
    *(RandomizedResponse(epsilon) for epsilon in (0.01, 0.125, 0.25, 0.26, 0.5, 1.5)),
    *(Gaussian(mu) for mu in (0.05, 0.2, 0.35)),
    *(SubsampledGaussian(q, 1.0) for q in (0.05, 0.1)),
    *(Laplace(8.0), Laplace(3.0), KOV(0.1, 1e-3), KOV(0.25, 1e-3), Erasure(0.001), Erasure(0.004)),
)
CONTRACTS = {name: contract(name) for name in CATALOGUE}
OTHERS = {
    "TrackerLimitFilter": invariant_test_class(
        fp.odometers.TrackerLimitFilter(fp.odometers.GaussianTracker(size=0.5), 4), examples=5
    )
}
CASES = [
    (name, invariant)
    for name, tests in (CONTRACTS | OTHERS).items()
    for invariant in vars(tests)
    if invariant.startswith("test_") and not (name in FOUND_OUT and invariant == "test_the_promise_is_kept")
]


@pytest.mark.parametrize(("name", "invariant"), CASES)
def test_every_filter_obeys(name: str, invariant: str) -> None:
    getattr((CONTRACTS | OTHERS)[name](), invariant)()


def test_no_law_is_left_out() -> None:
    for tests in CONTRACTS.values():
        expected = {f"test_{invariant.__name__}" for invariant in INVARIANT_FUNCTIONS}
        expected |= {f"test_{name}" for name in ("something_is_admitted", "the_promise_is_kept")}
        expected.add("test_order_does_not_matter")
        assert {invariant for invariant in vars(tests) if invariant.startswith("test_")} == expected
    free = {name for name in CATALOGUE if CATALOGUE[name].filter_class.order_free}
    # what these charge depends on the level that they leave
    bound = {name for name in CATALOGUE if CATALOGUE[name].example().looks_at_losses} | {
        "GaussianResidueFilter",
        "PotentialFilter",
    }
    assert free == set(CATALOGUE) - bound


class Growing(OfSquares):
    """With another budget; it may grow where it must not."""

    def __init__(self, limit: float = 0.02, growth: float = 1.0) -> None:
        self.most, self.growth = limit, growth

    def spend(self, spent: Any, request: DominatingPair) -> Any:
        return super().spend(spent * self.growth, request)


SMALL = st.floats(0.001, 0.19).map(RandomizedResponse)
LARGE = st.floats(0.5, 2.0).map(RandomizedResponse)


NAIVE = CATALOGUE["NaiveRealisationFilter"].example()
#: A filter, the invariant that it breaks, what is said of it, and how it is tested.
BROKEN: list[tuple[fp.PrivacyFilter, str, str, dict[str, Any]]] = [
    (Growing(limit=2.0), "the_promise_is_kept", "promised", {"mechanisms": LARGE}),
    (NAIVE, "the_promise_is_kept", "promised", {"mechanisms": st.floats(0.006, 0.01).map(Erasure)}),
    # two orders seldom end on different sides of the budget
    (
        Growing(growth=1.5),
        "order_does_not_matter",
        "depends on the order",
        {"mechanisms": SMALL, "examples": 2000},
    ),
    (OfSquares(), "something_is_admitted", "pass mechanisms=", {"mechanisms": st.just(Erasure(0.5))}),
]


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize(("filt", "invariant", "said", "how"), BROKEN, ids=lambda value: str(value)[:40])
def test_a_fault_breaks_its_law(
    filt: fp.PrivacyFilter, invariant: str, said: str, how: dict[str, Any]
) -> None:
    """The other invariants are broken in `test_broken_invariants`."""
    with pytest.raises(AssertionError, match=said):
        getattr(fp.invariants(filt, **how)(), f"test_{invariant}")()


TestSound = fp.invariants(OfSquares, mechanisms=SMALL, examples=10)
