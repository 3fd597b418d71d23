"""Each invariant for accountants holds for a sound object and is broken by one made to break it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from unittest import SkipTest

import pytest

import filterproof as fp
from filterproof.filters.testing.invariants import InvariantBrokenError
from filterproof.mc.accountant_invariants.accountant_invariants import ACCOUNTANT_INVARIANTS
from filterproof.mc.accountant_invariants.audited_accountant import AuditedAccountant
from filterproof.mc.accountant_invariants.true_loss import explain_too_small_answer

MENU = (fp.Gaussian(0.5), fp.Gaussian(0.25))


def subject_of(filt: Any, **hooks: Any) -> AuditedAccountant:
    return AuditedAccountant(filt, filt.menu, **hooks)


def ask(subject: AuditedAccountant, invariant: str) -> tuple[str, str]:
    """What became of an invariant, and what it says."""
    try:
        ACCOUNTANT_INVARIANTS[invariant](subject)
        return "held", ""
    except SkipTest as reason:
        return "not asked", str(reason)
    except InvariantBrokenError as broken:
        return "broken", str(broken)


@dataclass
class Rho:
    """A sum of zCDP charges with a ledger; what breaks it changes a charge, or says something else than its sum."""

    charge: Callable[[Rho, float], float] = lambda held, rho: rho
    counts: bool = True
    checks: bool = True
    rho: float = 0.0
    ledger: list[tuple[float, int]] = field(default_factory=list)

    def compose(self, rho: float, count: int) -> None:
        if self.checks and not rho >= 0:
            raise ValueError(f"rho must be >= 0, got {rho}")
        charged = self.charge(self, rho)
        self.ledger.append((charged, count))
        self.rho += charged * (count if self.counts else 1)


def accountant(spent: Callable[[Any], float] = lambda held: held.rho, **changed: Any) -> AuditedAccountant:
    """The subject of a Rho, of which some fields are others."""
    filt = fp.from_accountant(
        lambda: Rho(**changed), lambda pair: float(pair.zcdp_rho), fp.ZCDP(1.0), menu=MENU, spent=spent
    )
    return subject_of(filt, raw=lambda held, value: held.compose(value, 1))


class DeniedError(Exception):
    """What a purse says that denies."""


@dataclass
class Purse:
    """A budget of pure epsilon with mechanisms that it runs; what breaks it changes one of its steps."""

    least: float = 5e-324
    most: float = 1.0
    halts: bool = False
    poisoned: bool = False
    denied: Callable[[float, float], float] = lambda total, epsilon: total
    total: float = 0.0
    halted: bool = False

    def spend(self, epsilon: float) -> None:
        fits = self.least <= epsilon <= self.most - self.total
        if self.poisoned:  # once it took NaN it denies everything, and knows no more what it spent
            fits = not (epsilon < 0 or epsilon > 1 - self.total or math.isnan(self.total))
        if self.halted or not fits:
            self.halted = self.halts
            self.total = self.denied(self.total, epsilon)
            raise DeniedError(f"{epsilon} is too dear")
        self.total += epsilon


class Fidgets(Purse):
    """Its first use costs more alone than with another."""

    def spend(self, epsilon: float) -> None:
        if epsilon < 0.4 and self.total < 0.4:
            raise DeniedError("only after a large one")
        super().spend(epsilon)


def purse(
    *sizes: float,
    kind: type[Purse] = Purse,
    spent: Callable[[Any], float] | None = lambda held: held.total,
    **changed: Any,
) -> AuditedAccountant:
    """The subject of a purse that is asked for responses of these sizes, of which some fields or hooks are others."""
    raw = changed.pop("raw", lambda held, value: held.spend(value))
    filt = fp.from_budget(
        lambda: kind(**changed),
        lambda held, pair: held.spend(float(pair.epsilon)),
        fp.PureDP(1.0),
        menu=tuple(map(fp.RandomizedResponse, sizes or (0.25, 0.5))),
        denied=DeniedError,
        spent=spent,
    )
    return subject_of(filt, raw=raw)


class Uses:
    """Counts what was composed, for a rule that knows the composition."""

    def __init__(self) -> None:
        self.uses: Counter[fp.DominatingPair] = Counter()

    def compose(self, pair: fp.DominatingPair, count: int) -> None:
        self.uses[pair] += count


class GivesUp:
    def compose(self, event: object, count: int) -> None:
        pass

    def get_epsilon(self, delta: float) -> float:
        return math.inf


def giving_up() -> AuditedAccountant:
    return subject_of(fp.from_accountant(GivesUp, lambda pair: None, fp.ApproxDP(1.0, 1e-5), menu=MENU))


def knowing_only_its_menu() -> AuditedAccountant:
    known = {pair: float(pair.zcdp_rho) for pair in MENU}.__getitem__
    return subject_of(
        fp.from_accountant(Rho, known, fp.ZCDP(1.0), menu=MENU[1:], spent=lambda held: held.rho)
    )


#: What a Rho says that it has spent.
SAID: dict[str, Callable[[Rho], float]] = {
    "half": lambda held: held.rho / 2,
    "half of ten": lambda held: held.rho / (2 if sum(count for _, count in held.ledger) == 10 else 1),
    "less when tired": lambda held: held.rho if len(held.ledger) < 4 else held.rho / 3,
    # two kinds of event cost less together than the dearer one alone
    "a discount": lambda held: held.rho / (2 if len({rho for rho, _ in held.ledger}) > 1 else 1),
    "no answer of nothing": lambda held: held.rho if held.ledger else 1 / 0.0,
    "noise for cost": lambda held: sum(count / rho for rho, count in held.ledger),
    "falls from the start": lambda held: held.rho if held.ledger else 5.0,
}


def dearer_after_less(held: Rho, rho: float) -> float:
    return 1.5 * rho if held.ledger and rho > held.ledger[-1][0] else rho


#: For each invariant what becomes of it, words of the answer, and the subject: each is broken once at least.
ANSWERS: dict[str, list[tuple[str, str, Callable[[], AuditedAccountant]]]] = {
    "a_count_is_so_many_uses": [("broken", "at once", lambda: accountant(counts=False))],
    "the_order_does_not_matter": [
        ("broken", "in another order", lambda: accountant(charge=dearer_after_less)),
        ("held", "", lambda: purse(0.2, 0.6)),  # 1 - .6 - .2 grants .2 in one order
    ],
    "the_total_never_falls": [
        ("broken", "falls", lambda: accountant(SAID["less when tired"])),
        ("broken", "falls", lambda: accountant(SAID["falls from the start"])),
        ("held", "", lambda: accountant(SAID["no answer of nothing"])),
    ],
    "a_superset_never_costs_less": [
        ("broken", "without", lambda: accountant(SAID["a discount"])),
        ("broken", "denied without", lambda: purse(0.5, 0.3, kind=Fidgets)),
        ("held", "", lambda: accountant(SAID["no answer of nothing"])),
    ],
    "more_noise_never_costs_more": [
        ("broken", "costs", lambda: accountant(SAID["noise for cost"])),
        ("not asked", "", knowing_only_its_menu),
    ],
    "a_denial_changes_nothing": [
        ("broken", "", lambda: purse(denied=lambda total, epsilon: min(total + epsilon / 2, 1.0))),
        # a denial refunds a little, too little to grant more
        ("broken", "", lambda: purse(0.3, denied=lambda total, epsilon: total - 0.01)),
    ],
    "odd_parameters_never_refund": [
        ("broken", "", lambda: purse(least=-math.inf)),
        ("broken", "", lambda: purse(0.3, poisoned=True)),
        ("broken", "nan", lambda: accountant(checks=False)),
        ("not asked", "misspelt", lambda: purse(0.3, raw=lambda held, value: held.misspelt(value))),
    ],
    "tiny_spends_are_their_sum": [
        ("broken", "over", lambda: purse(most=1.01)),
        ("broken", "only", lambda: purse(most=0.9)),
        ("not asked", "does not add up", accountant),
    ],
    "what_it_answers_is_at_least_the_truth": [
        ("broken", "correct is at least", lambda: accountant(SAID["half"])),
        ("broken", "correct is at least", lambda: accountant(SAID["half of ten"])),
        ("broken", "nan", lambda: purse(0.3, spent=lambda held: math.nan)),
        ("held", "", giving_up),
        ("not asked", "", lambda: purse(most=-1.0)),
    ],
}


@pytest.mark.parametrize(
    ("invariant", "outcome", "words", "subject"),
    [(invariant, *row) for invariant, rows in ANSWERS.items() for row in rows],
)
def test_a_law_answers_what_it_must_of_what_was_made_to_break_it_or_to_hide_from_it(
    invariant: str, outcome: str, words: str, subject: Callable[[], AuditedAccountant]
) -> None:
    found, said = ask(subject(), invariant)
    assert (found, words in said) == (outcome, True), said
    assert ANSWERS.keys() == ACCOUNTANT_INVARIANTS.keys()


SOUND: list[Callable[[], AuditedAccountant]] = [
    accountant,
    purse,
    lambda: purse(2.0, 0.001, least=0.0),
    lambda: purse(0.3, 0.4, halts=True),
    lambda: purse(0.3, 0.4, halts=True, spent=None),
    lambda: purse(0.3, raw=lambda held, noise: held.spend(1 / noise)),
]


@pytest.mark.parametrize("invariant", ACCOUNTANT_INVARIANTS)
def test_a_sound_object_breaks_no_law_and_the_two_plain_ones_are_asked_for_each(invariant: str) -> None:
    answers = [ask(sound(), invariant) for sound in SOUND]
    assert {outcome for outcome, _ in answers} <= {"held", "not asked"}, answers
    assert "held" in {outcome for outcome, _ in answers[:2]}


def test_the_class_has_a_test_for_each_law_and_skips_one_that_needs_what_was_not_given() -> None:
    filt = accountant().filter
    bare = fp.invariants_for_accountants(filt)()
    with pytest.raises(SkipTest, match="no bare parameter is charged"):
        bare.test_odd_parameters_never_refund()
    with pytest.raises(SkipTest, match="the object only computes its spending"):
        bare.test_a_denial_changes_nothing()
    full = fp.invariants_for_accountants(filt, raw=lambda held, value: held.compose(value, 1))
    full().test_odd_parameters_never_refund()
    assert full.__name__ == "TestRho"

    broken = fp.invariants_for_accountants(accountant(SAID["half"]).filter)()
    with pytest.raises(InvariantBrokenError, match="correct is at least"):
        broken.test_what_it_answers_is_at_least_the_truth()
    with pytest.raises(TypeError, match=r"use fp\.invariants for other filters"):
        fp.invariants_for_accountants(fp.ZCDPFilter(1.0))


def least_rho(uses: Counter[Any]) -> float:
    """Randomised response spends eps tanh(eps / 2) of zCDP: D_alpha / alpha falls from its value at order 1."""
    return sum(count * pair.epsilon * math.tanh(pair.epsilon / 2) for pair, count in uses.items())


RESPONSES = (fp.RandomizedResponse(1.0), fp.RandomizedResponse(2.0))
LIKELIER, RARER = fp.FinitePair((0.5, 0.5), (0.25, 0.75)), fp.FinitePair((0.25, 0.75), (0.5, 0.5))


def least_epsilon(uses: Counter[Any]) -> float:
    """The largest loss of two pairs, whose losses of the two directions are not added."""
    small, large = math.log(1.5), math.log(2)
    return max(uses[LIKELIER] * large + uses[RARER] * small, uses[LIKELIER] * small + uses[RARER] * large)


@pytest.mark.parametrize(
    ("least", "target", "menu"),
    [
        (least_rho, fp.ZCDP(1.0), RESPONSES),
        (least_epsilon, fp.PureDP(4.0), (LIKELIER, RARER)),
    ],
    ids=["zcdp", "pure"],
)
@pytest.mark.parametrize(("share", "outcome"), [(1.0, "held"), (0.95, "broken")], ids=["tight", "short"])
def test_a_tight_answer_is_at_least_the_truth_and_a_smaller_one_is_not(
    least: Callable[[Any], float], target: fp.Guarantee, menu: Any, share: float, outcome: str
) -> None:
    filt = fp.from_accountant(
        Uses, lambda pair: pair, target, menu=menu, spent=lambda held: share * least(held.uses)
    )
    found, said = ask(subject_of(filt), "what_it_answers_is_at_least_the_truth")
    assert found == outcome, said


def test_a_bound_is_printed_on_the_side_that_it_claims() -> None:
    """To the nearest four of eight would be false."""
    granted = (fp.RandomizedResponse(1.0),) * 2
    for epsilon in (0.1, 0.2, 0.3, 0.4):
        words = explain_too_small_answer(granted, epsilon, fp.ApproxDP(1.0, 1e-5), 0.0)
        assert float(words.split("at least ")[1].split(",")[0]) <= fp.Composition(granted).delta(epsilon).low
