"""Accountants are examined as filters are: theorem and numbers join, their own code plays, and broken ones lose a
game."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import mpmath
import numpy as np
import pytest

import filterproof as fp
from filterproof.filters.accountants.constant_normals import ZERO_NOISE
from filterproof.filters.certified.certified_numbers import CertifiedNumbers
from filterproof.filters.certified.comparison import Comparisons
from filterproof.mc.examine.accountants.loss_bound_game import LossBoundGame
from filterproof.mc.examine.accountants.people_game import SumQuestion
from filterproof.mc.examine.divergence import Divergence
from filterproof.mc.examine.ending import Ending
from filterproof.mc.examine.filter_fault import FilterFault
from filterproof.mc.examine.replay import ReplayError
from filterproof.mc.examine.stages.certificate import certificate_finding
from filterproof.mc.examine.verification import verify
from filterproof.theory.evidence import Evidence, Outcome
from filterproof.theory.pairs import RandomizedResponse
from filterproof.theory.proofs import THEOREMS
from tests.slow_cases import slow_but

pytestmark = pytest.mark.usefixtures("proved")


class Forgets(fp.IndividualFilter):
    """Whoever sits out a round starts anew."""

    def select(self, request):
        active = super().select(request)
        fresh = self.filter.start(self.people)
        self._state = tuple(np.where(active, *both) for both in zip(self._state, fresh, strict=True))
        return active


class Crowd(fp.IndividualFilter):
    """A round is for everybody or for nobody, so that one person's budget decides about another's."""

    def select(self, request):
        return np.full(self.people, bool(super().select(request).all()))


class Half(fp.odometers.LineOdometer):
    """States half of the bound."""

    __slots__ = ()

    def epsilon(self, state):
        return super().epsilon(state) / 2


class Restarts(fp.odometers.RenyiTracker):
    """A new block forgets the request that opened it."""

    __slots__ = ()

    def spend(self, state, request):
        blocks, high, low = super().spend(state, request)
        same_block = blocks == state[0]
        return blocks, high * same_block, low * same_block


class Drawn(fp.people.LinearQueries):
    """Its noise is a share of the sigma that it tells."""

    share = 0.0

    def answer(self, values, rng):
        answer = super().answer(values, ZERO_NOISE)
        return replace(answer, value=answer.value + self.share * answer.sigma * rng.standard_normal(1))


class Twice(Drawn):
    share = -2.0


class Uncharged(fp.people.LinearQueries):
    """Nobody is charged for what was answered."""

    def answer(self, values, rng):
        answer = super().answer(values, rng)
        self._sums = self._sums.without_charges(self.people)
        return answer


def clipped(kind):
    with fp.suppress_unsound_warning():
        return kind(fp.IndividualFilter(fp.GaussianFilter(1.0), 3), clip=1.0, sigma=2.0)


SOUND = (
    fp.IndividualFilter(fp.GaussianFilter(1.0), 3),
    fp.IndividualFilter(fp.BasicFilter(1.0), 3),
    fp.people.LinearQueries(3, norm_budget=5.0, kappa=1.0),
    clipped(fp.training.ClippedSums),
    fp.odometers.RenyiTracker(8.0, 0.5),
    fp.odometers.GaussianTracker(0.5),
    fp.odometers.LineOdometer(0.05, target=1.0),
    fp.odometers.MixtureOdometer(0.05, scale=0.1),
    fp.odometers.StitchedOdometer(0.05, first=0.1),
    fp.odometers.DoublingOdometer(0.05, first=0.05),
    fp.odometers.RogersOdometer(0.05, records=1000),
)
BROKEN = (
    Forgets(fp.ZCDPFilter(0.5), 3),
    Crowd(fp.ZCDPFilter(0.5), 3),
    Half(0.05, target=1.0),
    Uncharged(3, norm_budget=4.0, kappa=0.5),
    clipped(fp.training.ClippingAfterAdding),
    clipped(fp.training.ForgettingSums),
)


def test_noise_below_the_sigma_that_is_told_is_a_fault_and_more_of_it_is_none():
    with pytest.raises(FilterFault, match=r"Drawn reports sigma=1\.58114, but its noise is 0 if"):
        SumQuestion.candidate_questions(Drawn(3, norm_budget=5.0, kappa=1.0))
    assert len(SumQuestion.candidate_questions(Twice(3, norm_budget=5.0, kappa=1.0))) == 5


@pytest.mark.parametrize("accountant", SOUND, ids=repr)
def test_a_accountant_of_the_library_holds_by_its_theorem_and_its_numbers(accountant):
    finding = certificate_finding(accountant)
    assert finding.covers_all
    assert finding.verdict.outcome is Outcome.HOLDS
    assert finding.question.startswith("Do the theorem on its rule")
    assert repr(accountant.theorem) in finding.verdict.detail
    assert all(repr(name) in finding.verdict.detail for name in accountant.kernel_theorems)
    assert accountant.scope in finding.verdict.scope
    filters = [each for each in accountant.underlying_filters if isinstance(each, fp.PrivacyFilter)]
    for verdict in (certificate_finding(filt).verdict for filt in filters):  # no more surely than its filter
        assert finding.verdict.evidence == Evidence.weakest(finding.verdict.evidence, verdict.evidence)
        assert finding.verdict.scope.endswith(f"; {verdict.scope}")
    assert filters or finding.verdict.scope.endswith(THEOREMS[accountant.theorem].hypotheses)


def test_a_accountant_whose_numbers_do_not_fit_or_are_none_is_not_covered(monkeypatch):
    above = Comparisons("RDP filter").at_most("budget", 0.6, "rho", rho=0.5)
    for numbers in ([], [above]):
        certified = CertifiedNumbers.of("it", numbers)
        monkeypatch.setattr("filterproof.mc.examine.stages.certificate.certify", lambda accountant: certified)  # noqa: B023
        assert "its numbers are not certified" in certificate_finding(SOUND[2]).result


@pytest.mark.parametrize("accountant", [SOUND[0], SOUND[4], SOUND[6]], ids=lambda one: type(one).__name__)
def test_what_holds_is_neither_faulty_nor_said_to_deny_all_however_little_work_is_done(accountant):
    assert verify(accountant, effort=1e-6).ending is Ending.HOLDS


@cache
def refuted(place):
    """The examination of a broken accountant up to its first refutation."""
    return verify(BROKEN[place], effort=0.02, stages=["games"])


@pytest.mark.parametrize(
    "place", slow_but((0, 2, 3, 4), range(len(BROKEN))), ids=lambda place: type(BROKEN[place]).__name__
)
def test_a_broken_accountant_loses_a_game_of_its_own_code_that_replays(place):
    accountant, finding = BROKEN[place], refuted(place)
    assert finding.verdict.outcome is Outcome.REFUTED
    assert finding.verdict.evidence is Evidence.CERTIFIED
    again = finding.counterexample.replay()
    assert again.refutes
    assert finding.counterexample.rounds <= 8
    assert not certificate_finding(accountant).covers_all


def test_a_broken_tracker_is_refuted_as_the_filter_of_its_blocks():
    exam = verify(fp.odometers.TrackerLimitFilter(Restarts(8.0, 0.5), 2), effort=0.05, mechanisms="gaussian")
    assert exam.counterexample.replay().refutes
    tracker = verify(Restarts(8.0, 0.5), effort=0.01)
    assert tracker.ending is Ending.UNDECIDED
    assert "fp.odometers.TrackerLimitFilter(tracker, blocks)" in str(tracker)


def test_a_sound_accountant_does_not_replay_the_counterexample_of_a_broken_one():
    data = refuted(0).counterexample.to_data()
    with pytest.raises(ReplayError, match="must replay within"):
        fp.replay({**data, "filter": {"outside": "IndividualFilter"}}, filt=people())


class Same(fp.IndividualFilter):
    """Adds nothing."""


class Deciding(fp.ZCDPFilter):
    """A filter of one's own."""

    def admits(self, state, request):
        return super().admits(state, request)


def people(kind=fp.IndividualFilter, filt=fp.ZCDPFilter):
    return kind(filt(0.5), 3)


def charged_below_zero():
    accountant = fp.people.LinearQueries(3, norm_budget=5.0, kappa=1.0)
    accountant._sums.high[:1].fill(-100.0)
    return accountant


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (charged_below_zero, "no sums of charges"),
        (lambda: people(Same), "not a class of the library"),
        (lambda: people(filt=Deciding), "its guarantee is that of its filter"),
    ],
)
def test_a_accountant_that_is_not_as_the_theorem_has_it_is_not_covered(make, says):
    finding = certificate_finding(make())
    assert says in finding.result
    assert not finding.covers_all


@pytest.mark.parametrize("effort", [1e-6, 0.01])
def test_a_accountant_that_no_theorem_covers_and_no_game_refutes_is_undecided(effort):
    exam = verify(people(Same), effort=effort)
    assert exam.ending is Ending.UNDECIDED
    assert bool(exam.tightness) is (effort > 1e-6)
    assert exam.findings[-1].not_tried.endswith("its share of the work was used up")


def test_a_accountant_whose_budget_was_partly_spent_is_covered_from_a_fresh_one_on():
    used = people()
    used.select(fp.Gaussian(0.9))
    assert "from a fresh one" in certificate_finding(used).verdict.scope


@pytest.mark.parametrize("rounds", [5, 6, 7])  # five are too few
def test_the_chance_that_a_line_is_overtaken_is_that_of_all_outcomes_counted(rounds):
    odometer, ratio = fp.odometers.LineOdometer(0.2, target=1.0), Fraction(3, 2)
    chance = Fraction(0)
    for signs in product((1, -1), repeat=rounds):
        state, loss, over = odometer.start(1), 0, False
        for sign in signs:
            state = odometer.spend(state, RandomizedResponse.from_ratio(ratio))
            loss += sign
            over |= loss * float(np.log(1.5)) > float(odometer.epsilon(state)[0])
        chance += Fraction(over) * Fraction(3 ** signs.count(1) * 2 ** signs.count(-1), 5**rounds)
    bounds = LossBoundGame(odometer, (ratio,), rounds).solve_divergence(Divergence.exceedance())
    assert bounds.low <= chance <= bounds.high
    assert (chance > 0) is (rounds > 5)


@pytest.mark.parametrize("k", [1, 2, 3, 7, 10, 48])
def test_a_loss_is_above_a_bound_where_its_logarithm_is(k):
    line, bound, ratio = fp.odometers.LineOdometer, math.log1p(1 / k), Fraction(k + 1, k)
    stating = {"__slots__": (), "epsilon": lambda self, state: line.epsilon(self, state) * 0 + bound}
    game = LossBoundGame(type("Stating", (line,), stating)(0.05, target=1.0), (ratio,), 1)
    with mpmath.workdps(40):
        above = bool(mpmath.log(mpmath.mpf(k + 1) / k) > bound)
    assert (game.solve_divergence(Divergence.exceedance()).low > 0) is above


def test_a_game_is_worth_what_is_told_apart_and_no_more():
    question, noise = SumQuestion((1.0, 0.0, 0.0)), Fraction(3)
    pair = question.between((Fraction(1), noise), (Fraction(0), noise))
    assert Fraction(1, 3) * (1 - Fraction(1, 2**48)) < Fraction(float(pair.mu)) <= Fraction(1, 3)
    with pytest.raises(FilterFault, match="noise must not depend on a person"):
        question.between((Fraction(1), noise), (Fraction(0), noise + 1))
