"""Parallel composition while data come, by enumeration of all plays: the claims of the kernel on small games."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import filterproof as fp

#: (answers so far, whether the data have come) -> probability of the answer 1
Mechanism = Callable[[tuple[int, ...], bool], Fraction]
_LEAST, _HALF = Fraction(1, 10), Fraction(1, 2)


def worst(
    mechanisms: tuple[Mechanism, ...], ratio: Fraction, questions: int, *, back: bool = False
) -> Fraction:
    """The largest hockey-stick divergence of all plays: whom to ask, and where and when the data come."""

    @cache
    def best(
        seen: tuple[tuple[int, ...], ...], at: int | None, x: Fraction, y: Fraction, left: int
    ) -> Fraction:
        value = max((y - ratio * x) if back else (x - ratio * y), Fraction(0))
        if at is None:
            value = max([value, *(best(seen, label, x, y, left) for label in range(len(mechanisms)))])
        for label, asked in enumerate(mechanisms if left else ()):
            one, other = asked(seen[label], at == label), asked(seen[label], False)
            total = Fraction(0)
            for answer, p, q in ((1, one, other), (0, 1 - one, 1 - other)):
                told = (*seen[:label], (*seen[label], answer), *seen[label + 1 :])
                total += best(told, at, x * p, y * q, left - 1)
            value = max(value, total)
        return value

    return best(((),) * len(mechanisms), None, Fraction(1), Fraction(1), questions)


def leak(seen: tuple[int, ...], come: bool) -> Fraction:
    return _LEAST if not seen else Fraction(int(seen == (1,) and come))


@pytest.mark.parametrize("back", [False, True], ids=["PQ", "QP"])
@pytest.mark.parametrize("ratio", [Fraction(1), Fraction(3)])
def test_no_play_with_leaks_gains_more_than_the_hunt_and_one_alone_keeps_its_delta(
    ratio: Fraction, back: bool
) -> None:
    for n, questions in ((1, 4), (2, 4), (3, 4)):
        found = worst((leak,) * n, ratio, questions, back=back)
        assert found == 1 - (1 - _LEAST) ** n
    assert worst((leak,) * 2, ratio, 3, back=back) == Fraction(19, 100)


@st.composite
def mechanisms(draw: st.DrawFn) -> Mechanism:
    """Two answers, by tables of tenths; the first answer, or all of them, may know whether the data have come."""
    tenths = st.integers(1, 9).map(lambda n: Fraction(n, 10))
    histories = [(), (0,), (1,)]
    table = {(history, come): draw(tenths) for history in histories for come in (False, True)}
    return lambda seen, come: table.get((seen, come), _HALF)


@settings(max_examples=25, deadline=None)
@given(mechanisms(), mechanisms(), st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(3)]), st.booleans())
def test_the_sum_of_what_each_keeps_alone_is_kept_together(
    one: Mechanism, other: Mechanism, ratio: Fraction, back: bool
) -> None:
    alone = [worst((each,), ratio, 2, back=back) for each in (one, other)]
    together = worst((one, other), ratio, 4, back=back)
    assert max(alone) <= together <= sum(alone)


def test_pure_promises_are_kept_together_and_the_theorem_says_both() -> None:
    def response(seen: tuple[int, ...], come: bool) -> Fraction:
        keep = Fraction(3, 4)
        return keep if come and len(seen) < 1 else 1 - keep if len(seen) < 1 else _HALF

    for back in (False, True):
        assert worst((response, response, response), Fraction(3), 3, back=back) == 0
        assert worst((response,), Fraction(2), 1, back=back) > 0
    proof = fp.prove("parallel composition")
    assert proof.holds
    assert "the largest delta is not" in proof.theorem.claim
