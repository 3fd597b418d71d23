"""Interactive mechanisms that are live at once, by enumeration of all analysts against the filter's own code."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

import filterproof as fp

#: (which data set, questions and answers so far, the question) -> probability of the answer 1
Talk = tuple[tuple[int, int], ...]
Mechanism = Callable[[bool, Talk, int], Fraction]
_ONE, _TWO, _RATIO = Fraction(1), Fraction(2), Fraction(5, 4)


def alone(asked: Mechanism, ratio: Fraction, questions: int) -> Fraction:
    """The least delta that it keeps at this ratio, both ways, against every analyst who asks no other."""
    return max(live((asked,), ratio, questions, lambda opened, label: True, way) for way in (True, False))


def live(
    mechanisms: tuple[Mechanism, ...],
    ratio: Fraction,
    questions: int,
    opens: Callable[[tuple[int, ...], int], bool],
    way: bool,
) -> Fraction:
    """The largest hockey-stick divergence of all analysts who ask what is open, and open what they may."""

    @cache
    def best(
        opened: tuple[int, ...], talks: tuple[Talk, ...], x: Fraction, y: Fraction, left: int
    ) -> Fraction:
        value = max(x - ratio * y, Fraction(0))
        for label, asked in enumerate(mechanisms if left else ()):
            if label not in opened and not opens(opened, label):
                continue
            now, talk = tuple(sorted({*opened, label})), talks[label]
            for question in (0, 1):
                one, other = asked(way, talk, question), asked(not way, talk, question)
                total = Fraction(0)
                for answer, p, q in ((1, one, other), (0, 1 - one, 1 - other)):
                    told = (*talks[:label], (*talk, (question, answer)), *talks[label + 1 :])
                    total += best(now, told, x * p, y * q, left - 1)
                value = max(value, total)
        return value

    return best((), ((),) * len(mechanisms), _ONE, _ONE, questions)


def admitted(filt: fp.BasicFilter, charges: tuple[fp.KOV, ...]) -> Callable[[tuple[int, ...], int], bool]:
    """Whether the filter, which was asked for what is open, admits one more."""

    def opens(opened: tuple[int, ...], label: int) -> bool:
        state = filt.start(1)
        for one in opened:
            state = filt.spend(state, charges[one])
        return bool(filt.admits(state, charges[label])[0])

    return opens


@st.composite
def mechanisms(draw: st.DrawFn) -> Mechanism:
    """Two questions, two answers, by tables of tenths that depend on what was asked and answered once before."""
    tenths = st.integers(3, 7).map(lambda n: Fraction(n, 10))
    talks: list[Talk] = [(), *(((q, a),) for q in (0, 1) for a in (0, 1))]
    table = {(way, t, q): draw(tenths) for way in (True, False) for t in talks for q in (0, 1)}
    return lambda way, talk, question: table.get((way, talk, question), Fraction(1, 2))


@settings(max_examples=5, deadline=None)
@given(st.tuples(mechanisms(), mechanisms(), mechanisms()), st.booleans())
def test_what_the_filter_lets_be_opened_keeps_its_promise_in_whatever_order_it_is_asked(
    three: tuple[Mechanism, Mechanism, Mechanism], way: bool
) -> None:
    kept = [alone(one, _RATIO, 2) for one in three]
    delta = sum(sorted(kept)[1:], Fraction(0))  # what two of them need
    charges = tuple(fp.KOV(math.log(_RATIO), float(one)) for one in kept)
    filt = fp.BasicFilter(2 * math.log(_RATIO) + 1e-12, float(delta) + 1e-12)
    opens = admitted(filt, charges)
    assert opens((0,), 1)
    assert not opens((0, 1), 2)
    together = live(three, _RATIO**2, 3, opens, way)
    assert (
        max(live((one,), _RATIO**2, 2, lambda opened, label: True, way) for one in three) <= together <= delta
    )


def test_charged_after_its_first_answer_a_mechanism_more_is_open_than_the_budget_has_room_for() -> None:
    def response(way: bool, talk: Talk, question: int) -> Fraction:
        return Fraction(2 if way else 1, 3) if not talk else Fraction(1, 2)

    assert alone(response, _TWO, 2) == 0
    opens = admitted(fp.BasicFilter(2 * math.log(2) + 1e-12, 0.0), (fp.KOV(math.log(2), 0.0),) * 3)
    for way in (True, False):
        assert live((response,) * 3, _TWO**2, 3, opens, way) == 0
        late = live((response,) * 3, _TWO**2, 3, lambda opened, label: True, way)
        assert late == Fraction(2, 3) ** 3 - 4 * Fraction(1, 3) ** 3
    assert fp.prove("concurrent composition").holds
