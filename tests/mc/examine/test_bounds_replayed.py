"""Witnesses of sequences and menus replay; tampered ones are refused, or do not refute."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import pytest

import filterproof as fp
from mc.engine.encoding import encode, nameable
from mc.examine.measure import Bound, Measure
from mc.examine.sequence import Sequence
from mc.examine.witness import ReplayError, Witness, replayed
from tests.mc.examine.sound import ByHand, Forgets
from theory.evidence import Evidence
from theory.pairs import FinitePair, Gaussian

LOUD = Gaussian(0.2)


def sequence(filt: fp.PrivacyFilter, played: Sequence, measure: Measure, *, name: object = None) -> dict:
    return {
        "filter": name or {"outside": type(filt).__name__},
        "measure": {"kind": measure.kind, "at": measure.at, "direction": measure.direction},
        "promised": measure.promised(filt.promise),
        "sequence": played.to_data(nameable()),
        "low": encode(played.low(measure), nameable()),
    }


def forgotten() -> dict:
    return sequence(Forgets(), Sequence(((LOUD, 40),)), Measure.hockey_stick(1.0))


def test_a_sequence_replays_and_refutes_what_admits_it() -> None:
    data = json.loads(json.dumps(forgotten()))
    again = replayed(data, filt=Forgets())
    assert again.refutes
    assert again.result == Bound(data["low"], None, Evidence.CERTIFIED)
    assert again.promised == 1e-5
    # forty of 0.2 make a Gaussian of 0.2 sqrt(40), by another route
    assert again.result.low == pytest.approx(fp.GaussianDP(0.2 * math.sqrt(40)).delta(1.0), rel=1e-9)


def test_a_filter_that_denies_the_sequence_is_not_refuted_by_it() -> None:
    class Forgets(ByHand):
        """It has been mended."""

    with pytest.raises(ReplayError, match="the sequence must be admitted, got a denial by Forgets"):
        replayed(forgotten(), filt=Forgets())


@pytest.mark.parametrize("where", ["low", "promised"])
def test_the_last_bits_of_a_certified_number_are_the_processors_and_the_number_played_here_refutes(
    where,
) -> None:
    data = forgotten()
    elsewhere = dict(data) | {where: data[where] * (1 + 2.0**-44)}
    again = replayed(elsewhere, filt=Forgets())
    assert again.refutes
    assert (again.result.low, again.promised) == (data["low"], data["promised"])


def test_a_true_sequence_within_the_promise_refutes_nothing() -> None:
    filt = ByHand()
    data = sequence(filt, Sequence(((Gaussian(0.02), 40),)), Measure.hockey_stick(1.0))
    again = replayed(data, filt=filt)
    assert 0 < again.result.low < again.promised
    assert not again.refutes


def test_an_infinite_divergence_is_written_and_read() -> None:
    class Anything(Forgets):
        promise = fp.ZCDP(0.5)

        def admits(self, state, request):
            return state == 0

    reveals = FinitePair((Fraction(1, 2), Fraction(1, 2)), (Fraction(0), Fraction(1)))
    data = json.loads(json.dumps(sequence(Anything(), Sequence(((reveals, 1),)), Measure.renyi(2.0))))
    assert data["low"] == {"float": "inf"}
    assert replayed(data, filt=Anything()).refutes
    with pytest.raises(ReplayError, match="within"):
        replayed(data | {"low": 3.0}, filt=Anything())


@pytest.mark.parametrize("part", [1 + 2.0**-38, 1 - 2.0**-38])
def test_a_number_that_was_tampered_with_is_refused(part: float) -> None:
    shorter, elsewhere = forgotten(), forgotten()
    shorter["sequence"][0]["times"] -= 1
    elsewhere["measure"]["at"] = 0.1
    tampered = [forgotten() | {where: forgotten()[where] * part} for where in ("low", "promised")]
    for data in (*tampered, shorter, elsewhere):
        with pytest.raises(ReplayError):
            replayed(data, filt=Forgets())


def test_a_witness_says_how_long_and_how_sure_it_is() -> None:
    kept = Witness(Forgets(), forgotten())
    assert (kept.kind, kept.rounds, kept.evidence) == ("sequence", 40, Evidence.CERTIFIED)
    assert kept.measure == Measure.hockey_stick(1.0)
    assert kept.replay().refutes
    assert kept.replay(Forgets()).refutes
    with pytest.raises(ReplayError):
        kept.replay(ByHand())
