"""Each law for accountants holds for a sound object and is broken by one made to break it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from unittest import SkipTest

import pytest

import filterproof as fp
from filters.testing.laws import LawBrokenError
from mc.accountants.accountant_laws import ACCOUNTANT_LAWS
from mc.accountants.accountant_subject import AccountantSubject
from mc.accountants.law_answers import ask, subject_of

MENU = (fp.Gaussian(0.5), fp.Gaussian(0.25))


@dataclass
class Rho:
    """A sum of zCDP charges with a ledger."""

    rho: float = 0.0
    ledger: list[tuple[float, int]] = field(default_factory=list)

    def compose(self, rho: float, count: int) -> None:
        if not rho >= 0:
            raise ValueError(f"rho must be >= 0, got {rho}")
        self.ledger.append((rho, count))
        self.rho += rho * count

    def spent(self) -> float:
        return self.rho

    @classmethod
    def again(cls, ledger: list[tuple[float, int]]) -> Rho:
        fresh = cls()
        for rho, count in ledger:
            fresh.compose(rho, count)
        return fresh


class ForgetsTheCount(Rho):
    def compose(self, rho: float, count: int) -> None:
        super().compose(rho, 1)


class LikesTheLargeFirst(Rho):
    def compose(self, rho: float, count: int) -> None:
        super().compose(rho if not self.ledger or rho <= self.ledger[-1][0] else 1.5 * rho, count)


class LosesItsLastLine(Rho):
    @classmethod
    def again(cls, ledger: list[tuple[float, int]]) -> Rho:
        return super().again(ledger[:-1])


class GrowsTired(Rho):
    def spent(self) -> float:
        return self.rho if len(self.ledger) < 4 else self.rho / 3


class GivesADiscount(Rho):
    """Two kinds of event cost less together than the dearer one alone."""

    def spent(self) -> float:
        return self.rho / 2 if len({rho for rho, _ in self.ledger}) > 1 else self.rho


class LikesItLoud(Rho):
    def spent(self) -> float:
        return sum(count / rho for rho, count in self.ledger)


class TakesAnything(Rho):
    def compose(self, rho: float, count: int) -> None:
        self.ledger.append((rho, count))
        self.rho += rho * count


class ChargesHalf(Rho):
    def spent(self) -> float:
        return self.rho / 2


def accountant(kind: type[Rho], **given: Any) -> AccountantSubject:
    filt = fp.from_accountant(
        kind,
        lambda pair: float(pair.zcdp_rho),
        fp.ZCDP(1.0),
        menu=MENU,
        spent=lambda held: held.spent(),
    )
    hooks: dict[str, Any] = {
        "reread": lambda held: kind.again(held.ledger),
        "raw": lambda held, value: held.compose(value, 1),
    }
    return subject_of(filt, **(hooks | given))


class DeniedError(Exception):
    """What a purse says that denies."""


class Purse:
    """A budget of pure epsilon with mechanisms that it runs."""

    least, most = 5e-324, 1.0

    def __init__(self) -> None:
        self.total = 0.0

    def spend(self, epsilon: float) -> None:
        if not self.least <= epsilon <= self.most - self.total:
            raise DeniedError(f"{epsilon} is too dear")
        self.total += epsilon

    def run(self, epsilon: float, body: Callable[[], None]) -> None:
        self.spend(epsilon)
        body()


class ChargesForDenials(Purse):
    def spend(self, epsilon: float) -> None:
        try:
            super().spend(epsilon)
        except DeniedError:
            self.total = min(self.total + epsilon / 2, 1.0)
            raise


class RefundsAndMore(Purse):
    def run(self, epsilon: float, body: Callable[[], None]) -> None:
        self.spend(epsilon)
        try:
            body()
        except ArithmeticError:
            self.total -= 2 * epsilon
            raise


class ChargesAfterwards(Purse):
    def run(self, epsilon: float, body: Callable[[], None]) -> None:
        body()
        self.spend(epsilon)


class ChargesAfterwardsAndHalts(ChargesAfterwards):
    """Its first refusal has touched the data, and those after it have not."""

    halted = False

    def spend(self, epsilon: float) -> None:
        try:
            super().spend(epsilon)
        except DeniedError:
            self.halted = True
            raise

    def run(self, epsilon: float, body: Callable[[], None]) -> None:
        if self.halted:
            raise DeniedError("halted")
        super().run(epsilon, body)


class TakesNegatives(Purse):
    least = -math.inf


class IsGenerous(Purse):
    most = 1.01


class IsMean(Purse):
    most = 0.9


class TakesZero(Purse):
    """A sound budget to which nothing may be charged."""

    least = 0.0


def purse(
    kind: type[Purse],
    *sizes: float,
    spent: Callable[[Any], float] | None = lambda held: held.total,
    **given: Any,
) -> AccountantSubject:
    filt = fp.from_budget(
        kind,
        lambda held, pair: held.spend(float(pair.epsilon)),
        fp.PureDP(1.0),
        menu=tuple(map(fp.RandomizedResponse, sizes or (0.25, 0.5))),
        denied=DeniedError,
        spent=spent,
    )
    hooks: dict[str, Any] = {
        "raw": lambda held, value: held.spend(value),
        "run": lambda held, pair, body: held.run(float(pair.epsilon), body),
    }
    return subject_of(filt, **(hooks | given))


STEP = math.log(1.5)
LEVELS = tuple(fp.RandomizedResponse(k * STEP) for k in (1, 2, 3))


def natural() -> AccountantSubject:
    """The exact epsilon of a composition, compared with the target: the natural filter."""

    class Exact:
        def __init__(self) -> None:
            self.uses: Counter[fp.DominatingPair] = Counter()

        def compose(self, pair: fp.DominatingPair, count: int) -> None:
            self.uses[pair] += count

        def get_epsilon(self, delta: float) -> float:
            return fp.Composition(self.uses).epsilon(delta, relative=1e-5).high

    filt = fp.from_accountant(
        Exact, lambda pair: pair, fp.ApproxDP(math.log(9 / 4), 45 / 169 * 1.001), menu=LEVELS
    )
    return subject_of(filt)


class Halts(Purse):
    """A sound budget that grants no more after its first denial."""

    halted = False

    def spend(self, epsilon: float) -> None:
        if self.halted or not 0 < epsilon <= 1 - self.total:
            self.halted = True
            raise DeniedError("halted")
        self.total += epsilon


class RefundsTwiceDownToZero(Purse):
    def run(self, epsilon: float, body: Callable[[], None]) -> None:
        self.spend(epsilon)
        try:
            body()
        except ArithmeticError:
            self.total = max(0.0, self.total - 2 * epsilon)
            raise


class ChargesTwice(Purse):
    def run(self, epsilon: float, body: Callable[[], None]) -> None:
        self.spend(epsilon)
        try:
            body()
        except ArithmeticError:
            self.total += epsilon
            raise


class PoisonedByNan(TakesZero):
    """Once it took NaN it denies everything, and knows no more what it spent."""

    def spend(self, epsilon: float) -> None:
        if epsilon < 0 or epsilon > 1 - self.total or math.isnan(self.total):
            raise DeniedError("too dear")
        self.total += epsilon


class RefundsDenials(Purse):
    """A denial refunds a little, too little to grant more."""

    def spend(self, epsilon: float) -> None:
        try:
            super().spend(epsilon)
        except DeniedError:
            self.total -= 0.01
            raise


class Fidgets(Purse):
    """Its first use costs more alone than with another."""

    def spend(self, epsilon: float) -> None:
        if epsilon < 0.4 and self.total < 0.4:
            raise DeniedError("only after a large one")
        super().spend(epsilon)


class StartsHigh(Rho):
    def spent(self) -> float:
        return self.rho if self.ledger else 5.0


class NeedsOne(Rho):
    """A sound accountant that cannot answer of nothing."""

    def spent(self) -> float:
        if not self.ledger:
            raise ValueError("nothing was composed")
        return self.rho


class Fails(Rho):
    def spent(self) -> float:
        if self.rho > 0.3:
            raise OverflowError("out of range")
        return self.rho


class Shut(Purse):
    def spend(self, epsilon: float) -> None:
        raise DeniedError("shut")


class GivesUp:
    def compose(self, event: object, count: int) -> None:
        pass

    def get_epsilon(self, delta: float) -> float:
        return math.inf


def giving_up() -> AccountantSubject:
    return subject_of(fp.from_accountant(GivesUp, lambda pair: None, fp.ApproxDP(1.0, 1e-5), menu=MENU))


def knowing_only_its_menu() -> AccountantSubject:
    charges = {pair: float(pair.zcdp_rho) for pair in MENU}
    filt = fp.from_accountant(
        Rho, charges.__getitem__, fp.ZCDP(1.0), menu=MENU[1:], spent=lambda held: held.spent()
    )
    return subject_of(filt)


def idle() -> AccountantSubject:
    return purse(Purse, 0.3, run=lambda held, pair, body: None)


def misspelt() -> AccountantSubject:
    return purse(Purse, 0.3, raw=lambda held, value: held.misspelt(value))


#: Law, subject, what becomes of it, and words of the answer: each law is broken once at least.
ANSWERS: list[tuple[str, Callable[[], AccountantSubject], str, str]] = [
    ("a_count_is_so_many_uses", lambda: accountant(ForgetsTheCount), "broken", "at once"),
    ("the_order_does_not_matter", lambda: accountant(LikesTheLargeFirst), "broken", "in another order"),
    (
        "the_order_does_not_matter",
        lambda: purse(Purse, 0.2, 0.6),
        "held",
        "",
    ),  # 1 - .6 - .2 grants .2 in one order
    ("its_own_ledger_answers_the_same", lambda: accountant(LosesItsLastLine), "broken", "read again"),
    ("the_total_never_falls", lambda: accountant(GrowsTired), "broken", "falls"),
    ("the_total_never_falls", lambda: accountant(StartsHigh), "broken", "falls"),
    ("the_total_never_falls", lambda: accountant(NeedsOne), "held", ""),
    ("the_total_never_falls", lambda: accountant(Fails), "raised", "OverflowError: out of range"),
    ("a_superset_never_costs_less", lambda: accountant(GivesADiscount), "broken", "without"),
    ("a_superset_never_costs_less", lambda: purse(Fidgets, 0.5, 0.3), "broken", "denied without"),
    ("a_superset_never_costs_less", lambda: accountant(NeedsOne), "held", ""),
    ("more_noise_never_costs_more", lambda: accountant(LikesItLoud), "broken", "costs"),
    ("more_noise_never_costs_more", knowing_only_its_menu, "not asked", ""),
    ("a_denial_changes_nothing", lambda: purse(ChargesForDenials), "broken", ""),
    ("a_denial_changes_nothing", lambda: purse(RefundsDenials, 0.3), "broken", ""),
    ("what_raises_is_charged_once", lambda: purse(RefundsAndMore), "broken", ""),
    ("what_raises_is_charged_once", lambda: purse(RefundsTwiceDownToZero, 0.3), "broken", ""),
    ("what_raises_is_charged_once", lambda: purse(ChargesTwice, 0.6), "broken", ""),
    ("what_raises_is_charged_once", lambda: purse(ChargesTwice, 0.001), "broken", ""),
    ("what_raises_is_charged_once", lambda: purse(Purse), "held", "a mechanism that raises is charged"),
    ("what_raises_is_charged_once", idle, "not asked", "touches no data"),
    ("nothing_is_touched_before_the_check", lambda: purse(ChargesAfterwards), "broken", ""),
    (
        "nothing_is_touched_before_the_check",
        lambda: purse(ChargesAfterwardsAndHalts),
        "broken",
        "touched the data",
    ),
    ("nothing_is_touched_before_the_check", idle, "not asked", "touches no data"),
    ("odd_parameters_grant_nothing", lambda: purse(TakesNegatives), "broken", ""),
    ("odd_parameters_grant_nothing", lambda: purse(PoisonedByNan, 0.3), "broken", ""),
    ("odd_parameters_grant_nothing", lambda: accountant(TakesAnything), "broken", "nan"),
    ("odd_parameters_grant_nothing", misspelt, "not asked", "misspelt"),
    ("tiny_spends_are_their_sum", lambda: purse(IsGenerous), "broken", "over"),
    ("tiny_spends_are_their_sum", lambda: purse(IsMean), "broken", "only"),
    ("tiny_spends_are_their_sum", misspelt, "not asked", "misspelt"),
    ("what_it_answers_is_at_least_the_truth", lambda: accountant(ChargesHalf), "broken", "is due"),
    (
        "what_it_answers_is_at_least_the_truth",
        lambda: purse(Purse, 0.3, spent=lambda held: math.nan),
        "broken",
        "nan",
    ),
    ("what_it_answers_is_at_least_the_truth", giving_up, "held", ""),
    ("what_it_answers_is_at_least_the_truth", lambda: purse(Shut), "not asked", ""),
    ("an_adaptive_choice_gains_nothing", natural, "broken", ""),
    ("an_adaptive_choice_gains_nothing", giving_up, "not asked", ""),
    ("an_adaptive_choice_gains_nothing", lambda: purse(Shut), "not asked", ""),
]


@pytest.mark.parametrize(("law", "subject", "outcome", "words"), ANSWERS)
def test_a_law_answers_what_it_must_of_what_was_made_to_break_it_or_to_hide_from_it(
    law: str, subject: Callable[[], AccountantSubject], outcome: str, words: str
) -> None:
    answer = ask(subject(), law)
    assert (answer.outcome, words in answer.words) == (outcome, True), answer.words


def test_every_law_is_broken_by_something() -> None:
    assert {law for law, _, outcome, _ in ANSWERS if outcome == "broken"} == set(ACCOUNTANT_LAWS)


SOUND: list[Callable[[], AccountantSubject]] = [
    lambda: accountant(Rho),
    lambda: purse(Purse),
    lambda: purse(TakesZero, 0.6),
    lambda: purse(TakesZero, 0.001),
    lambda: purse(TakesZero, 2.0, 0.5),
    lambda: purse(Halts, 0.3, 0.4),
    lambda: purse(Halts, 0.3, 0.4, spent=None),
    lambda: purse(Purse, 0.3, raw=lambda held, noise: held.spend(1 / noise)),
]


@pytest.mark.parametrize("law", ACCOUNTANT_LAWS)
def test_a_sound_object_breaks_no_law_and_the_two_plain_ones_are_asked_for_each(law: str) -> None:
    answers = [ask(sound(), law) for sound in SOUND]
    assert {answer.outcome for answer in answers} <= {"held", "not asked"}, answers
    assert "held" in {answer.outcome for answer in answers[:2]}


def test_the_class_has_a_test_for_each_law_and_skips_one_that_needs_what_was_not_given() -> None:
    filt = accountant(Rho).filter
    bare = fp.laws_for_accountants(filt)()
    with pytest.raises(SkipTest, match="it keeps no ledger that it can read"):
        bare.test_its_own_ledger_answers_the_same()
    with pytest.raises(SkipTest, match="it denies nothing itself"):
        bare.test_a_denial_changes_nothing()
    full = fp.laws_for_accountants(filt, reread=lambda held: Rho.again(held.ledger))
    full().test_its_own_ledger_answers_the_same()
    assert full.__name__ == "TestRho"


def test_a_test_of_the_class_fails_for_a_broken_object() -> None:
    with pytest.raises(LawBrokenError, match="is due"):
        fp.laws_for_accountants(accountant(ChargesHalf).filter)().test_what_it_answers_is_at_least_the_truth()


def test_a_filter_of_our_own_is_refused() -> None:
    with pytest.raises(TypeError, match=r"fp\.laws is for others"):
        fp.laws_for_accountants(fp.ZCDPFilter(1.0))


@pytest.mark.parametrize(
    "pair",
    [
        fp.Gaussian(0.5),
        fp.Laplace(2.0),
        fp.SubsampledGaussian(0.1, 1.0),
        fp.RandomizedResponse(0.5),
        fp.KOV(0.5, 1e-3),
        fp.Erasure(0.1),
    ],
    ids=lambda pair: type(pair).__name__,
)
def test_a_quieter_mechanism_is_one_whose_hockey_stick_is_no_larger(pair: fp.DominatingPair) -> None:
    assert pair.quieter
    for quiet in pair.quieter:
        for epsilon in (0.0, 0.1, 0.4):
            assert float(quiet.hockey_stick(epsilon)) <= float(pair.hockey_stick(epsilon)) * (1 + 1e-9)


def test_a_pair_of_unknown_noise_has_no_quieter_one() -> None:
    assert fp.FinitePair((0.5, 0.5), (0.25, 0.75)).quieter == ()


class Uses:
    """Counts what was composed, for a rule that knows the composition."""

    def __init__(self) -> None:
        self.uses: Counter[fp.DominatingPair] = Counter()

    def compose(self, pair: fp.DominatingPair, count: int) -> None:
        self.uses[pair] += count


def least_rho(held: Uses) -> float:
    """Randomised response spends eps tanh(eps / 2) of zCDP: D_alpha / alpha falls from its value at order 1."""
    return sum(count * pair.epsilon * math.tanh(pair.epsilon / 2) for pair, count in held.uses.items())


def least_mu(held: Uses) -> float:
    """The mu of a few randomised responses, by where their total variation is that of the Gaussian."""
    if not held.uses:
        return 0.0
    found = fp.Composition(held.uses)
    told = [found.delta(epsilon, relative=1e-6).high for epsilon in (0.0, 0.25, 1.0, 3.0)]
    return max(_mu_of(delta, epsilon) for delta, epsilon in zip(told, (0.0, 0.25, 1.0, 3.0), strict=True))


def _mu_of(delta: float, epsilon: float) -> float:
    low, high = 1e-9, 50.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if float(fp.GaussianDP(middle).delta(epsilon)) < delta else (low, middle)
    return high


@pytest.mark.parametrize(
    ("spent", "target"), [(least_rho, fp.ZCDP(1.0)), (least_mu, fp.GaussianDP(3.0))], ids=["zcdp", "gdp"]
)
@pytest.mark.parametrize(("share", "outcome"), [(1.0, "held"), (0.9, "broken")], ids=["tight", "short"])
def test_a_tight_answer_is_at_least_the_truth_and_a_smaller_one_is_not(
    spent: Callable[[Uses], float], target: fp.Guarantee, share: float, outcome: str
) -> None:
    filt = fp.from_accountant(
        Uses,
        lambda pair: pair,
        target,
        menu=(fp.RandomizedResponse(1.0), fp.RandomizedResponse(2.0)),
        spent=lambda held: share * spent(held),
    )
    answer = ask(subject_of(filt), "what_it_answers_is_at_least_the_truth")
    assert answer.outcome == outcome, answer.words


@pytest.mark.parametrize(("share", "outcome"), [(1.0, "held"), (0.99, "broken")], ids=["tight", "short"])
def test_losses_of_two_directions_are_not_added(share: float, outcome: str) -> None:
    likelier, rarer = fp.FinitePair((0.5, 0.5), (0.25, 0.75)), fp.FinitePair((0.25, 0.75), (0.5, 0.5))
    losses: dict[fp.DominatingPair, tuple[float, float]] = {
        likelier: (math.log(2), math.log(1.5)),
        rarer: (math.log(1.5), math.log(2)),
    }

    def largest(held: Uses) -> float:
        return share * max(
            sum(count * losses[pair][side] for pair, count in held.uses.items()) for side in (0, 1)
        )

    filt = fp.from_accountant(Uses, lambda pair: pair, fp.PureDP(4.0), menu=(likelier, rarer), spent=largest)
    answer = ask(subject_of(filt), "what_it_answers_is_at_least_the_truth")
    assert answer.outcome == outcome, answer.words
