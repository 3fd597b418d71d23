"""A game that is too large ends in a sentence, before time and memory are spent on it."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from types import SimpleNamespace

import flint
import pytest

from filterproof.filters import BasicFilter, ExPostFilter, ZCDPFilter
from filterproof.mc.losses.composition import Composition
from filterproof.mc.losses.loss_cells import step_and_bounding_plds
from filterproof.mc.worst_case import worst_case
from filterproof.theory.log_ratio import LogRatio
from filterproof.theory.pairs import Erasure, Gaussian, RandomizedResponse, SubsampledGaussian
from tests.mc.worst_case.small_games import CountFilter, LossFilter

BUDGET = 0.0208
#: a double of full length: sums of squares of its multiples round differently in every order
STEP = math.sqrt(2 * BUDGET) / 32
LEVELS = [RandomizedResponse(j * STEP) for j in range(1, 33)]


@dataclass(frozen=True)
class Counted(ZCDPFilter):
    """A zCDP filter that counts the states it was asked about."""

    queried: list[int] = field(default_factory=list, compare=False)

    def admits(self, state, request):
        admitted = super().admits(state, request)
        self.queried.append(len(admitted))
        return admitted


@dataclass(frozen=True)
class CountedLosses(LossFilter):
    """A filter that never forgets in which order it saw losses, and counts the states it was asked about."""

    queried: list[int] = field(default_factory=list, compare=False)

    def admits(self, state, request):
        self.queried.append(len(state[0]))
        return super().admits(state, request)

    def observe(self, state, loss):
        return 3.0 * state[0] + loss / 1000, state[1]


RATIO_POWERS = [RandomizedResponse.from_ratio(Fraction(3, 2) ** k) for k in (1, 2, 3, 4)]
WIDTHS = [Gaussian(j / 7.7 / math.sqrt(2)) for j in range(1, 8)]
#: A game whose charges or losses never add up to the same, and how many positions it may hold for a state asked about.
ENDLESS = [
    # a state is asked about once a request, and has dozens of losses: far fewer states than positions
    *((Counted(BUDGET), LEVELS, {"rounds": rounds, "max_positions": 300_000}, 30) for rounds in (None, 40)),
    *(
        (CountedLosses(9.0, 50), RATIO_POWERS, {"epsilon": e, "max_positions": 3000}, 0.5)
        for e in (LogRatio(Fraction(2)), 1.0)
    ),
    # 24 standard deviations of the least, at 40 steps each
    (Counted(0.5), WIDTHS, {"max_positions": 300_000}, 300),
]


@pytest.mark.parametrize(("filt", "menu", "options", "least"), ENDLESS, ids=range(len(ENDLESS)))
def test_a_game_without_equal_sums_stops_early(filt, menu, options, least):
    most = options["max_positions"]
    with pytest.raises(ValueError, match=f"max_positions={most} .*larger max_positions"):
        worst_case(filt, menu, **{"epsilon": 1.0, **options})
    assert sum(filt.queried) / len(menu) < most / least


def test_tails_that_do_not_vanish_are_refused(monkeypatch):
    class Heavy(Gaussian):
        """Its tails stay as they are."""

    heavy = SimpleNamespace(above=lambda x: (flint.arb(0.25), flint.arb(0.25)), atoms=())
    monkeypatch.setattr(Heavy, "reference_values", heavy)
    with pytest.raises(ValueError, match="tails that vanish"):
        step_and_bounding_plds((Heavy(1.0),), Fraction(1, 10), max_positions=10_000)


def test_a_chain_of_many_states_is_put_in_order():
    solved = worst_case(BasicFilter(1.0, 0.3), Erasure(2.0**-13), epsilon=1.0)
    assert solved.rounds == solved.positions - 1 == math.floor(0.3 * 2**13)
    exact = 1 - (1 - Fraction(1, 2**13)) ** solved.rounds
    assert Fraction(solved.low) <= exact <= Fraction(solved.high)


@pytest.mark.slow
def test_a_heavy_tail_has_too_many_losses_at_the_default_step_and_few_at_a_coarser_one():
    menu = [SubsampledGaussian(0.01, 1.0), SubsampledGaussian(0.02, 1.0)]
    filt, options = CountFilter(2), {"epsilon": 1.0, "rounds": 2, "direction": "PQ", "max_positions": 10**6}
    with pytest.raises(ValueError, match="step must leave each pair"):
        worst_case(filt, menu, **options)
    worst = worst_case(filt, menu, relative=0.2, **options)
    assert worst.low < worst.high <= worst.low * 1.2
    assert "until the relative width" in worst.scope
    # the second pair dominates the first
    twice = Composition({menu[1]: 2}).delta(1.0, direction="PQ")
    assert worst.low <= twice.high
    assert worst.high >= twice.low


def test_levels_that_are_multiples_up_to_rounding_share_their_positions() -> None:
    """3 * 0.7 is not the double 2.1, whose losses would be apart from theirs by 4e-16."""
    shares = worst_case(ExPostFilter(8.0), [RandomizedResponse(e) for e in (0.7, 2.1)], epsilon=1.0, rounds=9)
    assert shares.positions == 199
