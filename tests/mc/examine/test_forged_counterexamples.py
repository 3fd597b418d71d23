"""Whatever stands in any place of what is read from outside: it is refused in one sentence, or it says the truth."""

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import filterproof as fp
from filterproof.mc.engine.adversaries import Constant, HighWhileLossPositive
from filterproof.mc.engine.encoding import allowed_values_by_name, decode, encode
from filterproof.mc.examine.replay import replay_data
from filterproof.mc.examine.schedule import Schedule
from filterproof.mc.examine.sequence import RequestSequence
from tests.mc.examine.counterexamples import COUNTEREXAMPLES, HELD
from tests.mc.forged import read_as_refused_or_true
from tests.slow_cases import slow_but


def through_json(data: Any) -> Any:
    return json.loads(json.dumps(data))


@pytest.mark.parametrize("kind", slow_but(("plan", "sequence", "people"), [*COUNTEREXAMPLES, *HELD]))
def test_a_counterexample_with_any_place_changed_is_refused_or_ends_in_its_own_number(kind: str) -> None:
    make, name = COUNTEREXAMPLES.get(kind) or (HELD[kind], "low")
    shown = make()
    number = Fraction(shown.data[name])

    def own(again: Any) -> bool:
        reached = again.result if isinstance(again.result, Fraction) else getattr(again.result, name)
        # more than the last bits of a processor
        return abs(Fraction(reached) / number - 1) < Fraction(1, 10**11)

    outside, data = shown.filter if "outside" in shown.data["filter"] else None, through_json(shown.to_data())
    assert own(replay_data(data, filt=outside))
    taken = read_as_refused_or_true(data, lambda other: replay_data(other, filt=outside), own)
    for place in ("filter", "promised", name):
        assert not any(where.startswith(f".{place} ") for where in taken)


SEQUENCE = RequestSequence(((fp.Gaussian(0.5), 2), (fp.RandomizedResponse.from_ratio(3), 10**12)))


def test_a_sequence_is_read_as_what_says_so_alone() -> None:
    data = through_json(SEQUENCE.to_data(allowed_values_by_name()))
    assert RequestSequence.from_data(data, allowed_values_by_name()) == SEQUENCE

    def as_written(other: Any) -> bool:
        again = RequestSequence.from_data(other, allowed_values_by_name())
        return [times for _, times in again.steps] == [step["times"] for step in other]

    taken = read_as_refused_or_true(data, as_written, bool)
    assert not any(".times" in where for where in taken)


@pytest.mark.parametrize(
    "value",
    [
        HighWhileLossPositive(low=0.1, high=0.25, family=fp.RandomizedResponse),
        Constant(fp.Gaussian(0.3)),
        fp.ApproximateDPFilter(1.0, 1e-5, fp.BUN_STEINKE),
        fp.RealisationFilter(10.0, 1e-5, 48, (fp.Gaussian(0.5),)),
        fp.RandomizedResponse.from_ratio(3),
        fp.Gaussian(np.array([0.1, 1 / 3])),
        fp.ZCDP(0.1 + 0.2),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_is_read_as_what_was_written_and_as_what_is_of_the_catalogue(value: Any) -> None:
    known = allowed_values_by_name()
    data = through_json(encode(value, known))
    assert decode(data, known) == value

    def comes_back(value: Any) -> bool:
        again = decode(through_json(encode(value, known)), known)
        return repr(again) == repr(value)

    with fp.suppress_unsound_warning():
        read_as_refused_or_true(data, lambda other: decode(other, known), comes_back)


def test_former_names_of_classes_and_moves_are_refused() -> None:
    known = allowed_values_by_name()
    with pytest.raises(ValueError, match="must name a member of the catalogue, got 'LossChasing'"):
        decode({"type": "LossChasing"}, known)
    with pytest.raises(ValueError, match=r"moves must be among ask, .*, got 'unwritten'"):
        Schedule.from_data({"menu": encode((fp.Gaussian(0.5),), known), "moves": [["unwritten", 1]]}, known)
