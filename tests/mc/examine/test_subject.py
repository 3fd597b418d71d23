"""What is asked of a filter: families in lines, its own pairs and numbers, and what a fresh run grants of them."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import filterproof as fp
from mc.examine.clock import Clock
from mc.examine.family_lines import FAMILIES, lines_of
from mc.examine.measure import Measure
from mc.examine.subject import Subject, admission, own_numbers, own_pairs
from tests.mc.examine import sound, unhappy
from theory.pairs import Erasure, FinitePair, Gaussian, RandomizedResponse

PROMISES = [fp.ApproxDP(1.0, 1e-5), fp.ApproxDP(1.0, 0.0), fp.PureDP(1.0), fp.ZCDP(0.5), fp.GaussianDP(1.0)]


@pytest.mark.parametrize("promise", PROMISES, ids=repr)
def test_every_line_grows_less_private_and_is_one_family_of_single_pairs(promise) -> None:
    for line in lines_of(tuple(FAMILIES), promise):
        sizes = line.sizes
        assert list(sizes) == sorted(set(sizes))
        assert line.least <= sizes[0]
        assert sizes[-1] <= line.most
        pairs = [line.pair(t) for t in sizes[:: max(len(sizes) // 12, 1)]]
        assert all(pair.shape == () for pair in pairs)
        assert len({type(pair) for pair in pairs}) == 1
        reveals = [float(pair.hockey_stick(0.0)) for pair in pairs]
        assert all(low <= high + 1e-12 for low, high in pairwise(reveals)), line.name


def test_two_points_are_pairs_of_exact_masses_both_ways_round() -> None:
    lines = lines_of(("twopoint",), fp.PureDP(1.0))
    for one, other in zip(lines[::2], lines[1::2], strict=True):
        for t in one.sizes[::9]:
            pair = one.pair(t)
            assert isinstance(pair, FinitePair)
            assert sum(pair.exact_masses.p) == sum(pair.exact_masses.q) == 1
            assert other.pair(t) == pair.swapped


def test_kov_pairs_have_shares_of_the_promised_delta() -> None:
    deltas = {float(line.pair(1.0).delta) for line in lines_of(("kov",), fp.ApproxDP(1.0, 1e-4))}
    assert {1e-4, 0.5e-4} <= deltas
    assert max(deltas) > 1e-4


def test_sizes_hold_the_decimals_that_people_write_and_the_numbers_that_the_filter_names() -> None:
    (line,) = lines_of(("gaussian",), fp.PureDP(1.0), (0.123, 99.0))
    assert {0.1, 0.2, 0.5, 1.0, 0.123} <= set(line.sizes)
    assert 99.0 not in line.sizes  # beyond the line


def test_a_family_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match=r"mechanisms must be among gaussian, rr, .*, got 'staircase'"):
        lines_of(("gaussian", "staircase"), fp.PureDP(1.0))


class Menu(unhappy.Plain):
    """Grants the pairs of its menu, and levels that only its code names."""

    menu = (RandomizedResponse(0.3), Erasure(0.001))
    one = Gaussian(0.377)
    vector = Gaussian(np.array([1.0, 2.0]))
    levels = (0.07, 0.11)

    def admits(self, state, request):
        named = request in self.menu or (
            isinstance(request, Gaussian) and float(request.mu) in (0.0456, *self.levels)
        )
        return np.full(len(state), named)


def test_the_pairs_that_a_filter_names_are_found_and_arrays_of_them_are_not() -> None:
    assert own_pairs(Menu()) == (*Menu.menu, Menu.one)


def test_numbers_of_attributes_and_of_code_are_found_with_multiples() -> None:
    found = own_numbers(Menu())
    for number in (0.07, 0.11, 0.0456):
        assert {number, 2 * number, round(3 * number, 12), number / 2} <= set(
            found
        )  # 0.21, not 0.21000000000000002
    assert all(0 < number < 120 for number in found)


def test_a_filter_that_grants_a_few_levels_only_is_found_to_grant_them() -> None:
    filt = Menu()
    lines = lines_of(("gaussian",), filt.promise, own_numbers(filt))
    finding, found, closed = admission(filt, lines, Clock.of(60.0))
    by_name = {one.line.name: one for one in found}
    assert {0.07, 0.11, 0.0456} <= set(by_name["gaussian"].sizes)
    assert set(by_name["its own menu"].pairs) == set(Menu.menu)
    assert closed == ()
    assert "gaussian up to 0.11" in finding.found


def test_what_is_granted_is_what_the_filter_grants_up_to_the_largest() -> None:
    filt = sound.ByHand()
    finding, found, closed = admission(filt, lines_of(("gaussian", "erasure"), filt.promise), Clock.of(60.0))
    (line,) = found
    largest = math.sqrt(2 * sound.RHO)
    assert line.sizes == tuple(sorted(line.sizes))
    assert line.pairs == tuple(map(Gaussian, line.sizes))
    assert largest * (1 - 2.0**-9) < line.sizes[-1] <= largest
    assert line.largest == line.pairs[-1]
    assert set(line.sizes[:-1]) == {t for t in line.line.sizes if t <= largest}
    assert set(line.every) >= set(map(Gaussian, line.line.sizes))
    assert [one.line.name for one in closed] == ["erasure"]
    assert finding.fault == ""


def test_a_fault_is_told_where_no_family_is_answered_and_a_note_where_some_are() -> None:
    lines = lines_of(("gaussian", "laplace"), fp.ZCDP(0.02))
    finding, found, closed = admission(unhappy.RaisesForOneFamily(), lines, Clock.of(60.0))
    assert finding.fault == ""
    assert [one.line.name for one in found] == ["gaussian"]
    assert closed == ()
    assert [note.partition(",")[0] for note in finding.notes] == ["outside its scope: laplace"]
    finding, found, _ = admission(unhappy.Raises(), lines, Clock.of(60.0))
    assert finding.fault.startswith("Raises.admits raised ZeroDivisionError")
    assert found == ()


def test_a_family_that_cannot_be_spent_on_is_a_fault_where_no_other_is_granted() -> None:
    """Erasure is denied, which is an answer; the Gaussians that are admitted end in the exception."""
    finding, found, _ = admission(
        unhappy.RunsOutOfMemory(), lines_of(("gaussian", "erasure"), fp.ZCDP(0.02)), Clock.of(60.0)
    )
    assert found == ()
    assert "MemoryError" in finding.fault


def test_a_denied_family_beside_one_that_is_not_known_is_no_fault() -> None:
    class Gaussians(unhappy.OnlyGaussians):
        def admits(self, state, request):
            return super().admits(state, request) & False

    finding, found, closed = admission(
        Gaussians(), lines_of(("gaussian", "rr"), fp.ZCDP(0.02)), Clock.of(60.0)
    )
    assert (finding.fault, found, finding.found) == ("", (), "nothing")
    assert [one.line.name for one in closed] == ["gaussian"]


def test_the_goals_of_a_subject_are_those_of_its_promise_and_looks_is_whether_it_observes() -> None:
    for kind, looks in ((sound.ByHand, False), (sound.StopsAtLosses, True)):
        subject = Subject.of(kind(), (), (), ("gaussian",), 1)
        assert subject.goals == (Measure.hockey_stick(1.0),)
        assert subject.promised(subject.goals[0]) == 1e-5
        assert subject.looks is looks
        assert subject.pure


def test_no_more_than_what_only_one_law_can_produce_is_revealed() -> None:
    line = next(
        one for one in lines_of(("twopoint",), fp.PureDP(1.0)) if one.name == "revealed under P alone"
    )
    assert line.pair(0.25).exact_masses.q[0] == 0
    assert line.pair(0.25).exact_masses.p[0] == Fraction(1, 4)
