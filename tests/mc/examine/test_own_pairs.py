"""Pairs of classes outside the library, on a filter's menu: what they count as, and how a counterexample names them."""

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

import filterproof as fp
from filterproof.mc.examine.pairs_in_attributes import pair_names
from filterproof.mc.examine.verification import verify
from filterproof.mc.losses.finite_pair_from_cdfs import pair_with_known_tails
from tests.slow_cases import slow_but


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Round(fp.RandomizedResponse):
    """Randomised response with a price of its own."""

    price: float = 0.0


class Client:
    def __init__(self) -> None:
        self.spent = 0.0

    def round(self, price: float) -> bool:
        if self.spent + price > 1.0:
            return False
        self.spent += price
        return True


def client(menu: Any) -> Any:
    return fp.from_budget(Client, lambda held, pair: held.round(pair.price), fp.PureDP(1.0), menu=menu)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Stated(fp.DominatingPair):
    """A class of one's own, which states the distribution of another pair by its cdfs, and a rho."""

    of: fp.DominatingPair
    rho: float

    pure_epsilon = gdp_mu = property(lambda pair: math.inf)
    zcdp_rho = property(lambda pair: pair.rho)
    swapped = property(lambda pair: Stated(pair.of.swapped, pair.rho))
    infinite_mass = property(lambda pair: pair.of.infinite_mass)

    def hockey_stick(self, epsilon: Any) -> Any:
        return self.of.hockey_stick(epsilon)

    def renyi(self, alpha: Any) -> Any:
        return self.of.renyi(alpha)

    def loss_cdf(self, x: Any) -> Any:
        return self.of.loss_cdf(x)

    def loss_isf(self, tail: Any) -> Any:
        return self.of.loss_isf(tail)

    def sample(self, rng: Any, n: int, order: float = 1.0) -> Any:
        return self.of.sample(rng, n, order)


class Cheap(fp.AdditiveFilter):
    promise = fp.ZCDP(0.5)
    charge = fp.zcdp_charge
    menu = (Stated(fp.Gaussian(1.0), 0.2),)


def test_a_declared_price_below_the_cost_is_refuted_by_a_counterexample_that_names_the_pair() -> None:
    count = Round(1.0, price=0.3)
    faulty = client({"one vote": Round(0.5, price=0.5), "the count": count})
    exam = fp.verify(faulty, effort=0.01)
    assert (exam.verdict.outcome, exam.verdict.evidence) == (fp.Outcome.REFUTED, fp.Evidence.CERTIFIED)
    assert exam.counterexample.description == "2 x the count"
    assert "its own Round counts as the RandomizedResponse that it extends" in str(exam)
    assert "round 1: ask the count" in str(exam)
    assert "the count is Round(epsilon=1, price=0.3)\n" in str(exam)
    assert "one vote is Round(epsilon=0.5, price=0.5)\n" in str(exam)
    assert "CountedFilter" not in str([finding.verdict for finding in exam.findings])
    data = json.dumps(exam.counterexample.to_data())
    twice = fp.Composition({fp.RandomizedResponse(1.0): 2}).delta(1.0000000001)
    assert fp.replay(data, filt=faulty).low == exam.counterexample.value == pytest.approx(twice.low, rel=1e-6)
    with pytest.raises(ValueError, match=r"the filter must have the pair .*price=0.3\).*it has changed"):
        fp.replay(data, filt=client([Round(1.0, price=1.0)]))


def test_a_declared_price_that_is_the_cost_is_not_refuted() -> None:
    exam = fp.verify(client([Round(0.5, price=0.5), Round(1.0, price=1.0)]), effort=0.01)
    assert exam.verdict.outcome is fp.Outcome.UNDECIDED


@pytest.mark.parametrize(
    "pair",
    [fp.Gaussian(0.5), fp.Laplace(1.0), fp.RandomizedResponse(1.0), fp.Erasure(0.1), fp.KOV(0.5, 0.01)],
)
def test_what_is_measured_is_at_most_what_is_stated_and_close_to_it(pair: fp.DominatingPair) -> None:
    discrete = pair_with_known_tails(Stated(pair, 0.1))
    assert isinstance(discrete, fp.FinitePair)
    cell = float(pair.loss_isf(1e-9) - pair.loss_isf(1 - 1e-9)) / 128  # a loss is moved by at most that
    for epsilon in (0.0, 0.2, 0.49999, 0.99999):
        true = float(pair.hockey_stick(epsilon))
        assert true - -math.expm1(-cell) - 1e-9 <= discrete.hockey_stick(epsilon) <= true * (1 + 1e-12)
    at_end = float(pair.pure_epsilon) * (1 + 1e-10)
    assert math.isinf(at_end) or discrete.hockey_stick(at_end) == 0.0
    if pair.infinite_mass == 0:
        assert float(pair.renyi(2.0)) * 0.99 < discrete.renyi(2.0) <= float(pair.renyi(2.0))


class Declares(fp.DominatingPair):
    """A class that declares charges and states no distribution."""

    __slots__ = ()

    pure_epsilon = zcdp_rho = gdp_mu = property(lambda pair: 0.25)
    swapped = property(lambda pair: pair)

    def _unknown(self, *given: Any) -> Any:
        raise NotImplementedError

    hockey_stick = renyi = loss_cdf = loss_isf = _unknown


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Silent(Declares):
    sample = Declares._unknown


@pytest.mark.parametrize(
    "pair",
    [
        fp.FinitePair((0.75, 0.25), (0.25, 0.75)),
        fp.FinitePair((0.9, 0.1), (0.8, 0.2)),
        fp.FinitePair((0.3, 0.6, 0.1), (0.2, 0.8, 0.0)),
        fp.FinitePair((0.4, 0.6), (1.0, 0.0)),
    ],
)
@pytest.mark.parametrize("direction", ["PQ", "QP"])
def test_masses_in_doubles_are_measured_below_every_rational_reading_of_them(
    pair: fp.FinitePair, direction: str
) -> None:
    pair = pair if direction == "PQ" else pair.swapped
    measured = pair_with_known_tails(pair)
    assert measured is not None
    p, q = ([Fraction(mass) for mass in masses] for masses in (pair.p, pair.q))
    for epsilon in (0.0, 0.1, 0.5):
        growth = Fraction(math.exp(epsilon))
        read = [
            sum(max(a / up - growth * b / uq, Fraction(0)) for a, b in zip(p, q, strict=True))
            for up, uq in ((1, 1), (sum(p), sum(q)))
        ]
        assert 0.99 * float(min(read)) - 1e-9 <= measured.hockey_stick(epsilon) <= min(read) * (1 + 2**-50)


@pytest.mark.parametrize("how", slow_but([{}], [{}, {"released": lambda held, pair, loss: None}]))
def test_a_menu_of_masses_in_doubles_is_examined_and_what_that_bounds_is_said(how: Any) -> None:
    menu = (fp.FinitePair((0.9, 0.1), (0.8, 0.2)), fp.RandomizedResponse(0.3))[: 1 + bool(how)]
    free = fp.from_budget(list, lambda held, pair: True, fp.PureDP(1.0), menu=menu, **how)
    exam = fp.verify(free, effort=0.3)
    assert exam.verdict.outcome is fp.Outcome.REFUTED
    assert not any("error" in finding.result for finding in exam.findings)
    words = "the masses of FinitePair are doubles: a lower bound holds for all masses within 1e-12"
    assert words in str(exam)


def test_a_budget_that_is_three_prices_of_masses_in_doubles_is_not_refuted() -> None:
    pair = fp.FinitePair((0.9, 0.1), (0.8, 0.2))
    price = float(pair.pure_epsilon)

    def ask(ledger: list[int], pair: fp.DominatingPair) -> bool:
        ledger.append(1)
        return len(ledger) <= 3

    exam = fp.verify(fp.from_budget(list, ask, fp.PureDP(3 * price), menu=(pair,)), effort=0.03)
    assert exam.verdict.outcome is fp.Outcome.UNDECIDED
    assert exam.closest is not None
    assert exam.closest.share > 0.25


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Drawn(Declares):
    def sample(self, rng: Any, n: int, order: float = 1.0) -> Any:
        return fp.Gaussian(1.0).sample(rng, n, order)


@pytest.mark.parametrize(("pair", "simulated"), [(Silent(), False), (Drawn(), True)])
def test_a_filter_that_grants_only_pairs_without_a_known_distribution_is_undecided(
    pair: fp.DominatingPair, simulated: bool
) -> None:
    class Once(fp.PrivacyFilter):
        promise = fp.ZCDP(0.5)
        menu = (pair,)

        def start(self, n: int) -> Any:
            return np.zeros(n)

        def admits(self, state: Any, request: Any) -> Any:
            return (state < 1) & (request in self.menu)

        def spend(self, state: Any, request: Any) -> Any:
            return state + 1

    exam = verify(Once(), effort=0.05)
    assert (exam.headline, exam.verdict.outcome) == ("UNDECIDED", fp.Outcome.UNDECIDED)
    assert exam.findings[0].result == "1 pair of its own without a known distribution"
    assert ("Closest attack: Drawn" in exam.verdict.detail) is simulated
    none = "not tried: its own Silent, whose loss_cdf, loss_isf and sample give no distribution"
    assert (none in str(exam)) is not simulated


def test_a_class_that_draws_its_losses_is_simulated_and_said_to_be_assumed() -> None:
    class Granting(Cheap):
        menu = (Drawn(),)

        def admits(self, state: Any, request: Any) -> Any:
            return super().admits(state, request) & (request in self.menu)

    exam = verify(Granting(), effort=0.02)
    assert "assumed: the losses of its own Drawn are those that its sample draws" in str(exam)
    assert exam.verdict.outcome is fp.Outcome.REFUTED
    shown = exam.counterexample
    true = fp.Composition({fp.Gaussian(1.0): 2}).delta(shown.measure.at)
    assert shown.promised < shown.value <= true.low <= shown.data["high"]
    assert exam.verdict.evidence is fp.Evidence.CITED
    assert fp.replay(json.dumps(shown.to_data()), filt=Granting()).low == shown.value


def test_games_over_a_stated_distribution_are_bounded_from_below() -> None:
    exam = verify(Cheap(), effort=0.03, mechanisms=["gaussian"], stages=["games"])
    [game] = [each for each in exam.findings if each.stage == "games" and each.counterexample is not None][:1]
    true = fp.worst_case(fp.ZCDPFilter(1.0), fp.Gaussian(1.0), epsilon=game.counterexample.measure.at)
    assert game.counterexample.evidence is fp.Evidence.CITED
    assert true.rounds == game.counterexample.rounds
    assert 0.9 * true.low < game.counterexample.value <= true.low
    assert game.counterexample.replay().refutes


@pytest.mark.usefixtures("proved")
@pytest.mark.parametrize("effort", slow_but([0.005], [0.005, 0.02]))
def test_a_stated_distribution_is_measured_and_said_to_be_assumed_under_the_name_of_its_pair(
    effort: float,
) -> None:
    class Votes(Cheap):  # a named menu as an attribute
        pairs: ClassVar = {"a vote": Stated(fp.Gaussian(1.0), 0.2)}

    stages = ["sequences", "certificate"] if effort > 0.01 else ["sequences"]
    exam = verify(Votes(), effort=effort, stages=stages)
    if effort < 0.01:
        assert "a vote at Rényi divergence" in str(exam)
        return
    assert any(row.covers_all for row in exam.findings)  # the theorem is about the charges that pairs declare
    assert (exam.verdict.outcome, exam.verdict.evidence) == (fp.Outcome.REFUTED, fp.Evidence.CITED)
    shown = exam.counterexample
    assert shown.replay().result.evidence is fp.Evidence.CITED
    assert shown.value <= shown.rounds  # two Gaussian(1) have a divergence of 2 at order 2
    assert "assumed: the distribution of its own Stated is what its loss_cdf states" in str(exam)


@pytest.mark.parametrize(
    "name", ["", " ", "vote\nround 9: x", "Gaussian(mu=1)", "2 x vote", "vote, then vote", "vote "]
)
def test_a_name_that_does_not_read_as_one_is_refused_on_a_menu_and_not_used_of_an_attribute(
    name: str,
) -> None:
    pair = Stated(fp.Gaussian(1.0), 0.2)
    with pytest.raises(ValueError, match="menu must give names of words"):
        fp.from_budget(Client, lambda held, pair: True, fp.PureDP(1.0), menu={name: pair})

    class Votes(Cheap):
        pairs: ClassVar = {name: pair}

    assert pair_names(Votes()) == {}
