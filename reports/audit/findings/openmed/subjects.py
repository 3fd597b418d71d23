"""The ledgers of openmed, each of which accepts a charge or raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from filters.adapters.budget import from_budget
from mc.accountants.accountant_subject import AccountantSubject
from mc.accountants.law_answers import subject_of
from theory.guarantees import ApproxDP, PureDP
from theory.pairs import KOV, RandomizedResponse

__all__ = ["aggregate_ledger", "generation", "ledger", "privacy_budget", "surrogate"]

_RESPONSES = (RandomizedResponse(0.25), RandomizedResponse(0.5))


def _cost(pair: Any) -> tuple[float, float]:
    """The (epsilon, delta) that a pair is charged."""
    return (float(pair.epsilon), float(pair.delta)) if isinstance(pair, KOV) else (float(pair.epsilon), 0.0)


def ledger() -> AccountantSubject:
    """One release context with a pure epsilon."""
    from openmed.risk.privacy_budget import (
        PrivacyBudgetLedger,
        PrivacyBudgetLedgerExceeded,
        ReleaseContextPrivacyBudget,
    )

    def make() -> Any:
        return PrivacyBudgetLedger({"release": ReleaseContextPrivacyBudget(epsilon=1.0, delta=0.0)})

    filt = from_budget(
        make,
        lambda held, pair: held.spend("release", *_cost(pair)),
        PureDP(1.0),
        menu=_RESPONSES,
        denied=PrivacyBudgetLedgerExceeded,
        spent=lambda held: sum(one.epsilon for one in held.spends),
    )
    return subject_of(filt, raw=lambda held, value: held.spend("release", value, 0.0))


def aggregate_ledger() -> AccountantSubject:
    """The ledger of Laplace aggregates, with a pure epsilon."""
    from openmed.risk.aggregate_dp import AggregateDPBudgetLedger, DPAggregateBudgetExceeded

    filt = from_budget(
        lambda: AggregateDPBudgetLedger(max_epsilon=1.0, max_delta=0.0),
        lambda held, pair: held.spend(*_cost(pair)),
        PureDP(1.0),
        menu=_RESPONSES,
        denied=DPAggregateBudgetExceeded,
        spent=lambda held: held.spent_epsilon,
    )
    return subject_of(filt, raw=lambda held, value: held.spend(value))


def privacy_budget() -> AccountantSubject:
    """The budget of one data set, with a pure epsilon; its release of a count is the mechanism that is run."""
    from openmed.risk.differential_privacy import PrivacyBudget, PrivacyBudgetExceeded, release_count

    def run(held: Any, pair: Any, body: Callable[[], None]) -> object:
        class Source:
            def random(self) -> float:
                body()
                return 0.25

        return release_count(1.0, epsilon=_cost(pair)[0], budget=held, rng=Source())

    filt = from_budget(
        lambda: PrivacyBudget(epsilon=1.0),
        lambda held, pair: held.spend(*_cost(pair)),
        PureDP(1.0),
        menu=_RESPONSES,
        denied=PrivacyBudgetExceeded,
        spent=lambda held: held.spent_epsilon,
    )
    return subject_of(filt, raw=lambda held, value: held.spend(value), run=run)


def generation() -> AccountantSubject:
    """One scope under an advanced policy."""
    from openmed.risk.budget import BudgetExceeded, DPGenerationBudgetAccountant, EpsilonPolicy

    policy = EpsilonPolicy("release", 2.0, 1e-2, composition="advanced", delta_prime=1e-3)
    filt = from_budget(
        lambda: DPGenerationBudgetAccountant({"release": policy}),
        lambda held, pair: held.guard_generation(*_cost(pair), "release"),
        ApproxDP(2.0, 1e-2),
        menu=(RandomizedResponse(0.1), RandomizedResponse(0.3), KOV(0.2, 1e-3)),
        denied=BudgetExceeded,
        spent=lambda held: held.compose("release").epsilon,
    )
    return subject_of(filt, raw=lambda held, value: held.guard_generation(value, 0.0, "release"))


def surrogate() -> AccountantSubject:
    """The budget of surrogate draws."""
    from openmed.risk.budget import DPSurrogateBudget, DPSurrogateBudgetExceeded

    def spend(held: Any, epsilon: float, delta: float = 0.0) -> object:
        return held.spend(label="NAME", draw_kind="categorical", mechanism="m", epsilon=epsilon, delta=delta)

    filt = from_budget(
        lambda: DPSurrogateBudget(target_epsilon=1.0, target_delta=1e-2),
        lambda held, pair: spend(held, *_cost(pair)),
        ApproxDP(1.0, 1e-2),
        menu=(RandomizedResponse(0.05), RandomizedResponse(0.1), KOV(0.1, 1e-3)),
        denied=DPSurrogateBudgetExceeded,
        spent=lambda held: held.composition().reported_epsilon,
    )
    return subject_of(filt, raw=spend)
