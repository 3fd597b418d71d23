"""What is no argument of an examination's calls, and a filter that was not made, is refused in one sentence."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filterproof.mc.engine.encoding import allowed_values_by_name
from filterproof.mc.examine.accountants import game_from_data
from filterproof.mc.examine.deadline import Deadline
from filterproof.mc.examine.difference import first_difference
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.parameter_families import checked_family_names
from filterproof.mc.examine.schedule import Schedule, ServiceMove
from filterproof.mc.examine.sequence import RequestSequence
from filterproof.mc.examine.supremum import Supremum, supremum
from filterproof.mc.examine.trace import trace_of_sequence
from filterproof.mc.examine.verification import verify
from tests.mc.examine import misbehaving_filters, services

ZCDP, ODOMETER = fp.ZCDPFilter(0.5), fp.odometers.LineOdometer(0.05, target=1.0)
PEOPLE = fp.odometers.IndividualTracker(fp.odometers.GaussianTracker(0.5), 3)
PURE, D2, UNIT_NOISE = fp.PureDP(1.0), Divergence.renyi(2.0), RequestSequence(((fp.Gaussian(1.0), 2),))
FEW = UNIT_NOISE.to_data(allowed_values_by_name())[0]
ANSWERED = Schedule((fp.RandomizedResponse(1.0),), (ServiceMove("ask"), ServiceMove("step")))
HALF_WAY = fp.services.Release(epoch=0.5)  # type: ignore[arg-type]


def answering(answer: object) -> type:
    return type("Answers", (services.Purse,), {"request": lambda *_: answer})


class Forgot(fp.ZCDPFilter):
    def __init__(self) -> None:
        """Forgets super().__init__()."""


ASKING: tuple[Callable[[Any], object], ...] = (
    verify,
    fp.certify,
    Forgot.open,
    lambda made: fp.IndividualFilter(made, 2),
)
Calls = list[tuple[Callable[[], object], str]]
VALUES: Calls = [
    *((partial(Deadline.of, seconds), "seconds must be") for seconds in (0, -1, math.nan)),
    (
        partial(checked_family_names, ("gaussian", "staircase")),
        "must be among gaussian, rr, .*, got 'staircase'",
    ),
    (
        partial(trace_of_sequence, ZCDP, UNIT_NOISE, D2),
        "every request of the sequence must be granted, got a denial of Gaussian",
    ),
    (partial(game_from_data, ODOMETER, {"questions": []}), "game must be a game of LineOdometer"),
    # what takes longer than anybody waits, or more frames than there are
    (partial(game_from_data, ODOMETER, {"ratios": ["5/4"], "rounds": 41}), "rounds must be at most 40"),
    (
        partial(game_from_data, ODOMETER, {"ratios": ["5/4", "3/2"], "rounds": 11}),
        "rounds must be at most 10",
    ),
    (partial(game_from_data, ODOMETER, {"ratios": 4 * ["5/4"], "rounds": 4}), "ratios must be at most 3"),
    (
        partial(RequestSequence.from_data, [FEW | {"times": 2**128 + 1}], allowed_values_by_name()),
        "times must be at most",
    ),
    *((partial(supremum, ZCDP, at), "^epsilon must be finite and >= 0") for at in (-1.0, math.inf, math.nan)),
    (
        partial(Supremum, 1.0, 0.3, 0.2, 0.2),
        r"low must be at most high, got low=0\.3 high=0\.2 at epsilon=1\.0",
    ),
    (partial(fp.services.Release, answer="a", again=True), "again must be False for a named answer"),
    # an effort that no machine can do
    *(
        (partial(call, effort=1e305), "effort must be at most 1,000,000,000, got .*; pass less")
        for call in (
            partial(verify, ZCDP),
            partial(first_difference, ZCDP, ZCDP),
        )
    ),
]
KINDS: Calls = [
    (partial(supremum, ZCDP, np.array([0.5, 1.0])), "epsilon must be one number, got array"),  # type: ignore[arg-type]
    (partial(fp.services.Release, answer=3), "answer must be a text, got answer=3"),  # type: ignore[arg-type]
    (partial(first_difference, ZCDP, 3), "filt must be a PrivacyFilter, got int; subclass"),
    *((partial(fp.verify, thing, effort=0.03), "filt must") for thing in (PEOPLE, ZCDP.open(), 3)),
    (
        partial(fp.verify, fp.IndividualFilter, effort=0.03),
        "filt is the class IndividualFilter and not a filter",
    ),
    (partial(verify, object(), effort=0.03), "must be a PrivacyFilter, got object"),
    (
        partial(verify, misbehaving_filters.PromisesANumber(), effort=0.03),
        "promise must be a guarantee, got 1.0",
    ),
    (partial(fp.services.with_promise, 3, PURE), "service must make a service from a disk"),
    (partial(fp.services.with_promise, services.Purse, 1.0), "promise must be a guarantee"),
    (partial(ANSWERED.play, dict), "dict must have a method request"),
    (partial(ANSWERED.play, answering(True)), "request must be a generator"),
    (partial(ANSWERED.play, answering(iter(["x"]))), "must yield fp.services.Release"),
    (partial(ANSWERED.play, answering(iter([HALF_WAY]))), "whole number or None, got epoch=0.5"),
]
KINDS += [(partial(ask, Forgot()), "promise must be a guarantee") for ask in ASKING]
REFUSED = [(error, *row) for error, rows in ((ValueError, VALUES), (TypeError, KINDS)) for row in rows]


@pytest.mark.parametrize(("error", "call", "words"), REFUSED)
def test_it_is_refused_in_one_sentence(
    error: type[Exception], call: Callable[[], object], words: str
) -> None:
    with pytest.raises(error, match=words) as refused:
        call()
    assert "\n" not in str(refused.value)
