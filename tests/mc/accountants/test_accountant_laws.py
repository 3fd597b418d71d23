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


BROKEN: dict[str, Callable[[], AccountantSubject]] = {
    "a_count_is_so_many_uses": lambda: accountant(ForgetsTheCount),
    "the_order_does_not_matter": lambda: accountant(LikesTheLargeFirst),
    "its_own_ledger_answers_the_same": lambda: accountant(LosesItsLastLine),
    "the_total_never_falls": lambda: accountant(GrowsTired),
    "a_superset_never_costs_less": lambda: accountant(GivesADiscount),
    "more_noise_never_costs_more": lambda: accountant(LikesItLoud),
    "a_denial_changes_nothing": lambda: purse(ChargesForDenials),
    "what_raises_is_charged_once": lambda: purse(RefundsAndMore),
    "nothing_is_touched_before_the_check": lambda: purse(ChargesAfterwards),
    "odd_parameters_grant_nothing": lambda: purse(TakesNegatives),
    "tiny_spends_are_their_sum": lambda: purse(IsGenerous),
    "what_it_answers_is_at_least_the_truth": lambda: accountant(ChargesHalf),
    "an_adaptive_choice_gains_nothing": natural,
}


@pytest.mark.parametrize("law", ACCOUNTANT_LAWS)
def test_a_law_is_broken_by_what_was_made_to_break_it(law: str) -> None:
    answer = ask(BROKEN[law](), law)
    assert answer.outcome == "broken"


@pytest.mark.parametrize("law", ACCOUNTANT_LAWS)
@pytest.mark.parametrize(
    "sound", [lambda: accountant(Rho), lambda: purse(Purse)], ids=["accountant", "budget"]
)
def test_a_sound_object_breaks_no_law(sound: Callable[[], AccountantSubject], law: str) -> None:
    assert ask(sound(), law).outcome in ("held", "not asked")


def test_every_law_is_asked_of_one_of_the_two_sound_objects() -> None:
    for law in ACCOUNTANT_LAWS:
        assert "held" in {ask(accountant(Rho), law).outcome, ask(purse(Purse), law).outcome}


def test_a_budget_that_denies_too_early_breaks_the_law_of_tiny_spends() -> None:
    assert "only" in ask(purse(IsMean), "tiny_spends_are_their_sum").words


def test_a_budget_that_halts_is_asked_for_its_first_refusal() -> None:
    answer = ask(purse(ChargesAfterwardsAndHalts), "nothing_is_touched_before_the_check")
    assert answer.outcome == "broken"
    assert "touched the data" in answer.words


def test_an_accountant_that_answers_nan_is_broken_by_odd_parameters() -> None:
    answer = ask(accountant(TakesAnything), "odd_parameters_grant_nothing")
    assert answer.outcome == "broken"
    assert "nan" in answer.words


def test_whether_a_mechanism_that_raises_is_charged_is_said() -> None:
    assert ask(purse(Purse), "what_raises_is_charged_once").words == "a mechanism that raises is charged"


def test_a_library_that_gives_up_neither_keeps_nor_breaks_the_law() -> None:
    class Fails(Rho):
        def spent(self) -> float:
            if self.rho > 0.3:
                raise OverflowError("out of range")
            return self.rho

    answer = ask(accountant(Fails), "the_total_never_falls")
    assert (answer.outcome, answer.words) == ("raised", "OverflowError: out of range")


def test_the_class_has_a_test_for_each_law_that_concerns_the_object() -> None:
    filt = accountant(Rho).filter
    bare = fp.laws_for_accountants(filt)
    assert not hasattr(bare, "test_its_own_ledger_answers_the_same")
    assert not hasattr(bare, "test_a_denial_changes_nothing")
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


def test_an_object_that_grants_nothing_is_asked_neither_for_the_truth_nor_for_a_game() -> None:
    class Shut(Purse):
        def spend(self, epsilon: float) -> None:
            raise DeniedError("shut")

    assert ask(purse(Shut), "what_it_answers_is_at_least_the_truth").outcome == "not asked"
    assert ask(purse(Shut), "an_adaptive_choice_gains_nothing").outcome == "not asked"


def test_an_infinite_epsilon_is_at_least_the_truth() -> None:
    class GivesUp:
        def compose(self, event: object, count: int) -> None:
            pass

        def get_epsilon(self, delta: float) -> float:
            return math.inf

    filt = fp.from_accountant(GivesUp, lambda pair: None, fp.ApproxDP(1.0, 1e-5), menu=MENU)
    assert ask(subject_of(filt), "what_it_answers_is_at_least_the_truth").outcome == "held"
    assert ask(subject_of(filt), "an_adaptive_choice_gains_nothing").outcome == "not asked"


class Halts(Purse):
    """A sound budget that grants no more after its first denial."""

    halted = False

    def spend(self, epsilon: float) -> None:
        if self.halted or not 0 < epsilon <= 1 - self.total:
            self.halted = True
            raise DeniedError("halted")
        self.total += epsilon


@pytest.mark.parametrize("law", ACCOUNTANT_LAWS)
@pytest.mark.parametrize(
    "sound",
    [
        lambda: purse(TakesZero, 0.6),
        lambda: purse(TakesZero, 0.001),
        lambda: purse(TakesZero, 2.0, 0.5),
        lambda: purse(Halts, 0.3, 0.4),
        lambda: purse(Halts, 0.3, 0.4, spent=None),
        lambda: purse(Purse, 0.3, raw=lambda held, noise: held.spend(1 / noise)),
    ],
    ids=["one-large", "one-small", "never-granted", "halts", "halts-in-silence", "noise"],
)
def test_a_sound_object_of_another_kind_breaks_no_law(
    sound: Callable[[], AccountantSubject], law: str
) -> None:
    answer = ask(sound(), law)
    assert answer.outcome in ("held", "not asked"), answer.words


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


BROKEN_UNSEEN: dict[str, tuple[str, Callable[[], AccountantSubject]]] = {
    "refund-down-to-zero": ("what_raises_is_charged_once", lambda: purse(RefundsTwiceDownToZero, 0.3)),
    "twice-of-one": ("what_raises_is_charged_once", lambda: purse(ChargesTwice, 0.6)),
    "twice-of-many": ("what_raises_is_charged_once", lambda: purse(ChargesTwice, 0.001)),
    "poisoned": ("odd_parameters_grant_nothing", lambda: purse(PoisonedByNan, 0.3)),
    "refunds-denials": ("a_denial_changes_nothing", lambda: purse(RefundsDenials, 0.3)),
    "denied-without": ("a_superset_never_costs_less", lambda: purse(Fidgets, 0.5, 0.3)),
    "says-nan": (
        "what_it_answers_is_at_least_the_truth",
        lambda: purse(Purse, 0.3, spent=lambda held: math.nan),
    ),
}


@pytest.mark.parametrize("case", BROKEN_UNSEEN)
def test_a_fault_that_hides_behind_a_bound_is_seen(case: str) -> None:
    law, subject = BROKEN_UNSEEN[case]
    answer = ask(subject(), law)
    assert answer.outcome == "broken", answer.words


@pytest.mark.parametrize("law", ["what_raises_is_charged_once", "nothing_is_touched_before_the_check"])
def test_a_run_that_touches_nothing_is_not_asked(law: str) -> None:
    answer = ask(purse(Purse, 0.3, run=lambda held, pair, body: None), law)
    assert answer.outcome == "not asked"
    assert "touches no data" in answer.words


@pytest.mark.parametrize("law", ["odd_parameters_grant_nothing", "tiny_spends_are_their_sum"])
def test_a_parameter_that_is_never_taken_is_not_asked_for(law: str) -> None:
    answer = ask(purse(Purse, 0.3, raw=lambda held, value: held.misspelt(value)), law)
    assert answer.outcome == "not asked"
    assert "misspelt" in answer.words


def test_a_test_that_finds_nothing_to_ask_is_skipped() -> None:
    filt = purse(Purse, 0.3).filter
    with pytest.raises(SkipTest, match="two kinds of request"):
        fp.laws_for_accountants(filt)().test_the_order_does_not_matter()


def test_a_total_that_falls_from_that_of_nothing_is_seen() -> None:
    class StartsHigh(Rho):
        def spent(self) -> float:
            return self.rho if self.ledger else 5.0

    assert ask(accountant(StartsHigh), "the_total_never_falls").outcome == "broken"


def test_an_accountant_that_cannot_answer_of_nothing_breaks_no_law() -> None:
    class NeedsOne(Rho):
        def spent(self) -> float:
            if not self.ledger:
                raise ValueError("nothing was composed")
            return self.rho

    for law in ("the_total_never_falls", "a_superset_never_costs_less"):
        assert ask(accountant(NeedsOne), law).outcome == "held"


def test_an_accountant_that_knows_only_its_menu_is_not_asked_for_quieter_noise() -> None:
    charges = {pair: float(pair.zcdp_rho) for pair in MENU}
    filt = fp.from_accountant(
        Rho, charges.__getitem__, fp.ZCDP(1.0), menu=MENU[1:], spent=lambda held: held.spent()
    )
    assert ask(subject_of(filt), "more_noise_never_costs_more").outcome == "not asked"


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


def test_a_limit_between_two_roundings_is_no_matter_of_order() -> None:
    """What is left of 1 grants 0.2, 0.2 and 0.6 in one order only."""
    answer = ask(purse(Purse, 0.2, 0.6), "the_order_does_not_matter")
    assert answer.outcome == "held", answer.words


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
