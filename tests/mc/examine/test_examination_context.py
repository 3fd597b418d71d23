"""What is asked of a filter: families in lines, its own pairs and numbers, and what a fresh run grants of them."""

from itertools import pairwise
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import filterproof as fp
from filterproof.filters.contract.work import WorkLimit
from filterproof.mc.examine.examination_context import admission_finding, own_numbers
from filterproof.mc.examine.pairs_in_attributes import pairs_in_attributes, pairs_of_attribute
from filterproof.mc.examine.parameter_families import FAMILY_TABLE, families_for_guarantee
from filterproof.mc.examine.stages.sequences import SequenceSearch
from filterproof.theory.pairs import Erasure, FinitePair, Gaussian, RandomizedResponse
from tests.mc.examine import example_filters, misbehaving_filters

PROMISES = [fp.ApproxDP(1.0, 1e-5), fp.PureDP(1.0)]


@pytest.mark.parametrize("promise", PROMISES, ids=repr)
def test_every_line_grows_less_private_and_is_one_family_of_single_pairs(promise) -> None:
    for line in families_for_guarantee(tuple(FAMILY_TABLE), promise):
        sizes = line.sizes
        assert list(sizes) == sorted(set(sizes))
        assert line.least <= sizes[0]
        assert sizes[-1] <= line.most
        pairs = [line.pair(t) for t in sizes[:: max(len(sizes) // 12, 1)]]
        assert all(pair.shape == () for pair in pairs)
        assert len({type(pair) for pair in pairs}) == 1
        reveals = [float(pair.hockey_stick(0.0)) for pair in pairs]
        assert all(low <= high + 1e-12 for low, high in pairwise(reveals)), line.name


def test_two_points_are_pairs_of_exact_masses_and_kov_pairs_have_shares_of_the_promised_delta() -> None:
    lines = families_for_guarantee(("twopoint",), fp.PureDP(1.0))
    for line, other in zip(lines[::2], lines[1::2], strict=True):
        for t in line.sizes[::9]:
            pair = line.pair(t)
            assert isinstance(pair, FinitePair)
            assert sum(pair.exact_masses.p) == sum(pair.exact_masses.q) == 1
            assert other.pair(t) == pair.swapped
    deltas = {
        float(line.pair(1.0).delta) for line in families_for_guarantee(("kov",), fp.ApproxDP(1.0, 1e-4))
    }
    assert {1e-4, 0.5e-4} <= deltas
    assert max(deltas) > 1e-4


class Coin(RandomizedResponse):
    """A pair of one's own."""


class Menu(misbehaving_filters.SumOfZCDP):
    """Grants the pairs of its menu, and levels that only its code names."""

    menu = (RandomizedResponse(0.3), Erasure(0.001))
    coin = Coin(0.2)
    single = Gaussian(0.377)
    vector = Gaussian(np.array([1.0, 2.0]))
    prices: ClassVar[dict[float, float]] = {0.13: 0.17}
    levels = (0.07, 0.11)

    @property
    def left(self):
        raise NotImplementedError("a session knows")

    def admits(self, state, request):
        named = request in (*self.menu, self.coin) or (
            isinstance(request, Gaussian) and float(request.mu) in (0.0456, *self.levels, *self.prices)
        )
        return np.full(len(state), named)


def admission_of(filt, *families, own=(), units=2_400_000):
    family_list = families_for_guarantee(families, filt.promise, own)
    finding, subject = admission_finding(filt, family_list, WorkLimit.of(units), seed=1)
    return (
        finding,
        {family.definition.name: family for family in subject.families},
        [family.definition.name for family in subject.denied_families],
    )


def test_a_filter_that_grants_only_what_it_names_is_found_to_grant_it() -> None:
    assert pairs_in_attributes(Menu()) == (*Menu.menu, Menu.coin, Menu.single)  # and no arrays of pairs
    numbers = own_numbers(Menu())
    for number in (0.07, 0.11, 0.0456, 0.13, 0.17):
        multiples = {number, 2 * number, round(3 * number, 12), number / 2}  # 0.21, not 0.21000000000000002
        assert multiples <= set(numbers)
    assert all(0 < number < 120 for number in numbers)
    # and what a stage asks for by its name: no property is run unless it is ours
    foreign = fp.from_budget(lambda: [], lambda held, event: None, fp.PureDP(9.0), menu=Menu.menu)
    assert pairs_of_attribute(Menu(), "menu") == pairs_of_attribute(foreign, "menu") == Menu.menu
    both = (*Menu.menu, Menu.coin)
    assert pairs_of_attribute(type("Both", (Menu,), {"menu": list(both)})(), "menu") == both
    for name in ("left", "coin", "vector", "levels", "admits", "none"):
        assert pairs_of_attribute(Menu(), name) == ()
    finding, granted, denied = admission_of(Menu(), "gaussian", own=numbers)
    assert {0.07, 0.11, 0.0456, 0.13} <= set(granted["gaussian"].sizes)
    assert set(granted["its own menu"].pairs) == set(both)
    assert "its own Coin counts as the RandomizedResponse that it extends" in finding.notes
    assert denied == []
    assert "gaussian up to 0.13" in finding.result


@given(st.floats(1e-290, 1e290))
@example(1e-6)
@example(1.0)
@example(33.0)
@example(70_333.0)
def test_what_is_granted_is_what_the_filter_grants_up_to_the_largest_at_any_scale(budget: float) -> None:
    filt = example_filters.PureSum()
    filt.most, filt.promise = budget, fp.PureDP(budget)
    _, granted, denied = admission_of(filt, "rr", "erasure", units=10_000)
    ((name, line),) = granted.items()
    assert (name, denied) == ("rr", ["erasure"])
    assert line.sizes == tuple(sorted(line.sizes))
    assert line.pairs == tuple(map(RandomizedResponse, line.sizes))
    assert line.sizes[-1] == budget
    assert line.largest == line.pairs[-1]
    # those of the line, and from the last of them on what the search for the largest asked
    assert [t for t in line.sizes if t in line.definition.sizes] == [
        t for t in line.definition.sizes if t <= budget
    ]
    assert set(line.all_grid_pairs) >= set(map(RandomizedResponse, line.definition.sizes))
    # the grid of a budget near one ends at 2^-14
    assert 2.0**-14 <= budget < 2.0**-4 or len([t for t in line.sizes if budget / 1000 < t]) > 20


#: The filter, the families -> the beginning of its fault and of its notes, which families are granted and which denied.
BOTH, FIRST = ("gaussian", "laplace"), ["gaussian"]
ANSWERS = [
    # one answer to several families is one note
    ("RaisesForOneFamily", (*BOTH, "erasure"), "", ["outside its scope: laplace, erasure"], FIRST, []),
    ("Raises", BOTH, "Raises.admits raised ZeroDivisionError", None, [], []),
    # a denial is an answer; the Gaussians that are admitted end in the exception
    ("RunsOutOfMemory", ("gaussian", "erasure"), "RunsOutOfMemory.spend raised Memory", None, [], None),
    ("MutatesItsInput", FIRST, "MutatesItsInput.spend writes into the state", None, [], None),
]


@pytest.mark.parametrize(("kind", "families", "fault", "notes", "granted", "denied"), ANSWERS)
def test_it_is_a_fault_that_no_family_is_answered_and_a_note_that_some_are_not(
    kind, families, fault, notes, granted, denied
) -> None:
    finding, granted_families, denied_names = admission_of(getattr(misbehaving_filters, kind)(), *families)
    assert finding.fault.startswith(fault)
    assert bool(finding.fault) is bool(fault)
    assert notes is None or [note.partition(" (")[0] for note in finding.notes] == notes
    assert [*granted_families] == granted
    assert granted or finding.result == "nothing"
    assert denied is None or denied_names == denied


def test_the_sizes_that_were_asked_above_the_grid_are_told() -> None:
    sizes = set[float]()

    class Noting(misbehaving_filters.SumOfZCDP):
        def admits(self, state, request):
            sizes.add(float(np.max(request.mu)))
            return super().admits(state, request)

    families = families_for_guarantee(("gaussian",), Noting().promise)
    _, subject = admission_finding(Noting(), families, WorkLimit.of(10**6), seed=1)
    text, most = SequenceSearch(subject=subject).summary().not_tried, families[0].most
    above = [size for size in sizes if size > most]
    assert f"above {most:.2g}, except {len(above)} as first requests, up to {max(above):.2g})" in text
