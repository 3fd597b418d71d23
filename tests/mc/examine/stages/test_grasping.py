"""No filter gets HOLDS, or grants more than it promises, by code that gives advice, describes or keeps."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction

import numpy as np
import pytest

import filterproof as fp
from tests.mc.examine.stages.grasping import BUDGET, GRASPING, Parts, subtracts_in_place
from tests.mc.examine.stages.mine import outcome, said_of
from theory.evidence import Outcome

STEP = fp.Gaussian(0.06)  # rho .0018: eleven fit into .02
PROMISED = Fraction(2, 100)


@pytest.fixture(params=GRASPING, ids=lambda kind: kind.__name__)
def filt(request: pytest.FixtureRequest) -> Iterator[Parts]:
    kind = request.param
    kind.budget = vars(kind).get("budget", BUDGET)
    before = dict(vars(kind))
    yield kind()
    if isinstance(before["budget"], fp.Budget):
        kind.budget = BUDGET
    before.get("kept", []).clear()


def ask_all(*asks: Callable[[], object]) -> None:
    for ask in asks:
        with suppress(TypeError, ValueError):
            ask()


def test_none_gets_holds_and_the_same_parts_alone_do(filt: Parts) -> None:
    assert outcome(Parts()) is Outcome.HOLDS
    verdict = said_of(filt)
    assert verdict.outcome is Outcome.UNDECIDED
    assert any(said in verdict.detail for said in ("of its own", "computes its", "not a plain Budget"))


def test_no_session_grants_more_than_is_promised(filt: Parts) -> None:
    session, granted = filt.open("retry"), Fraction(0)
    for _ in range(100):
        with suppress(TypeError, ValueError):
            if session.request(STEP):
                granted += Fraction(STEP.mu) ** 2 / 2  # type: ignore[arg-type]
        ask_all(
            session.remaining,
            lambda: session.affordable(fp.Gaussian),
            lambda: fp.Session.from_dict(session.to_dict(), filt, "retry"),
            lambda: repr(session),
            lambda: filt.order_free,
        )
    assert granted <= PROMISED


def test_no_person_is_charged_more_than_is_promised(filt: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    people = 18
    monkeypatch.setattr("filters.holders.in_blocks.BLOCK", 16)  # of so many at a time, of 131072
    holder, granted = fp.IndividualFilter(filt, people), np.zeros(people)
    for _ in range(12):  # one more than fit
        with suppress(TypeError, ValueError):
            granted += holder.select(STEP) * (float(STEP.mu) ** 2 / 2)
        ask_all(
            lambda: holder.remaining().made_public(),
            lambda: holder.report_for(0),
            lambda: holder.clip(np.full(people, 1e-6), sigma=1.0),
            lambda: repr(filt),
        )
    assert granted.max() <= float(PROMISED) * (1 + 1e-12)


def test_a_write_is_told_in_one_sentence_with_a_remedy() -> None:
    session = type("InPlace", (Parts,), {"remaining": subtracts_in_place})().open("retry")
    assert session.request(STEP)
    with pytest.raises(TypeError, match=r"InPlace\.remaining must leave the state .* return a new array"):
        session.remaining()
    assert session.request(STEP)  # nothing was changed
