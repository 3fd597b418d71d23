"""The ledgers of openmed, each of which accepts a charge or raises."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from mc.accountants.accountant_subject import AccountantSubject
from theory.guarantees import ApproxDP, PureDP
from theory.pairs import KOV, RandomizedResponse

from ..shared.subjects import ledger as subject

_RESPONSES = (RandomizedResponse(0.25), RandomizedResponse(0.5))


def ledger() -> AccountantSubject:
    """One release context with a pure epsilon."""
    made = import_module("openmed.risk.privacy_budget")
    return subject(
        lambda: made.PrivacyBudgetLedger(
            {"release": made.ReleaseContextPrivacyBudget(epsilon=1.0, delta=0.0)}
        ),
        lambda held, epsilon, delta: held.spend("release", epsilon, delta),
        PureDP(1.0),
        _RESPONSES,
        made.PrivacyBudgetLedgerExceeded,
        lambda held: sum(one.epsilon for one in held.spends),
    )


def aggregate_ledger() -> AccountantSubject:
    """The ledger of Laplace aggregates, with a pure epsilon."""
    made = import_module("openmed.risk.aggregate_dp")
    return subject(
        lambda: made.AggregateDPBudgetLedger(max_epsilon=1.0, max_delta=0.0),
        lambda held, epsilon, delta: held.spend(epsilon, delta),
        PureDP(1.0),
        _RESPONSES,
        made.DPAggregateBudgetExceeded,
        lambda held: held.spent_epsilon,
    )


def privacy_budget() -> AccountantSubject:
    """The budget of one data set, with a pure epsilon; its release of a count is the mechanism that is run."""
    made = import_module("openmed.risk.differential_privacy")

    def run(held: Any, pair: Any, body: Callable[[], None]) -> object:
        class Source:
            def random(self) -> float:
                body()
                return 0.25

        return made.release_count(1.0, epsilon=float(pair.epsilon), budget=held, rng=Source())

    return subject(
        lambda: made.PrivacyBudget(epsilon=1.0),
        lambda held, epsilon, delta: held.spend(epsilon, delta),
        PureDP(1.0),
        _RESPONSES,
        made.PrivacyBudgetExceeded,
        lambda held: held.spent_epsilon,
        run=run,
    )


def generation() -> AccountantSubject:
    """One scope under an advanced policy."""
    made = import_module("openmed.risk.budget")
    policy = made.EpsilonPolicy("release", 2.0, 1e-2, composition="advanced", delta_prime=1e-3)
    return subject(
        lambda: made.DPGenerationBudgetAccountant({"release": policy}),
        lambda held, epsilon, delta: held.guard_generation(epsilon, delta, "release"),
        ApproxDP(2.0, 1e-2),
        (RandomizedResponse(0.1), RandomizedResponse(0.3), KOV(0.2, 1e-3)),
        made.BudgetExceeded,
        lambda held: held.compose("release").epsilon,
    )


def surrogate() -> AccountantSubject:
    """The budget of surrogate draws."""
    made = import_module("openmed.risk.budget")
    draw = {"label": "NAME", "draw_kind": "categorical", "mechanism": "m"}
    return subject(
        lambda: made.DPSurrogateBudget(target_epsilon=1.0, target_delta=1e-2),
        lambda held, epsilon, delta: held.spend(**draw, epsilon=epsilon, delta=delta),
        ApproxDP(1.0, 1e-2),
        (RandomizedResponse(0.05), RandomizedResponse(0.1), KOV(0.1, 1e-3)),
        made.DPSurrogateBudgetExceeded,
        lambda held: held.composition().reported_epsilon,
    )
