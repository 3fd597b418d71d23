"""An alarm that keeps silent is asked again and again, where a filter is shown what was lost."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

import filterproof as fp
from filters.catalogue import CATALOGUE
from mc.examine.clock import Clock
from mc.examine.stages.game_menus import alarms
from tests.mc.examine.stages.test_stages import subject


@pytest.mark.parametrize("rho", [0.2, 0.5, 2.0])
def test_squares_of_realised_losses_are_passed_by_silences_alone(rho):
    with fp.knowingly():
        filt = fp.SquaredLossFilter(rho)
    menu, goal = alarms(subject(filt, "rr", "twopoint"), Clock.of(5.0))[0]
    (pair,) = menu.pairs
    silence = max(pair.p[0], pair.q[0]), min(pair.p[0], pair.q[0])
    alone = float(silence[0]) ** menu.rounds - math.exp(goal.at) * float(silence[1]) ** menu.rounds
    assert alone > filt.promise.delta(goal.at)
    # the filter's own code grants so many silences, and its game is worth no less than they are
    worst = fp.worst_case(filt, menu.pairs, epsilon=goal.at, rounds=menu.rounds)
    assert worst.low >= alone * (1 - 1e-12)


@pytest.mark.parametrize(
    "name", [name for name, entry in CATALOGUE.items() if entry.sound and entry.example().looks_at_losses]
)
def test_no_silence_passes_what_a_sound_filter_promises(name):
    """Fractions are the second route: silence after silence, as long as the filter's own code grants the alarm."""
    filt = CATALOGUE[name].example()
    for menu, goal in alarms(subject(filt, "rr", "twopoint"), Clock.of(5.0)):
        (pair,) = menu.pairs
        more, less = sorted((Fraction(pair.p[0]), Fraction(pair.q[0])), reverse=True)
        alone = more**menu.rounds - Fraction(math.exp(goal.at)) * less**menu.rounds
        assert alone <= Fraction(filt.promise.delta(goal.at)) * (1 + Fraction(1, 10**9))


def test_a_filter_that_is_shown_no_losses_is_asked_for_no_alarm():
    assert alarms(subject(fp.ZCDPFilter(0.5), "rr", "twopoint"), Clock.of(5.0)) == []
