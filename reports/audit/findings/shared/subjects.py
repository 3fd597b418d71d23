"""Subjects of the laws: what accountants, and ledgers, of several libraries have in common."""

from collections.abc import Callable
from typing import Any

from filters.adapters.accountant import from_accountant
from filters.adapters.budget import Denied, from_budget
from mc.accountants.accountant_subject import AccountantSubject
from mc.accountants.law_answers import subject_of
from theory.guarantees import Guarantee
from theory.pairs import KOV, DominatingPair, Gaussian


def accountant(
    make: Callable[[], Any],
    event: Callable[[Any], Any],
    target: Guarantee,
    menu: tuple[DominatingPair, ...],
    *,
    compose: Callable[[Any, Any, int], object] | None = None,
    spent: Callable[[Any], float] | None = None,
    **laws: Any,
) -> AccountantSubject:
    """What composes events and answers with an epsilon, used to go on within a target; `laws` is what laws need."""
    return subject_of(from_accountant(make, event, target, menu=menu, compose=compose, spent=spent), **laws)


def ledger(
    make: Callable[[], Any],
    spend: Callable[[Any, float, float], object],
    promise: Guarantee,
    menu: tuple[DominatingPair, ...],
    denied: Denied,
    spent: Callable[[Any], float],
    **laws: Any,
) -> AccountantSubject:
    """What accepts spend(held, epsilon, delta) or raises what `denied` names, asked for pairs and for bare epsilons."""

    def charge(held: Any, pair: Any) -> object:
        return spend(held, float(pair.epsilon), float(pair.delta) if isinstance(pair, KOV) else 0.0)

    filt = from_budget(make, charge, promise, menu=menu, denied=denied, spent=spent)
    return subject_of(filt, raw=lambda held, epsilon: spend(held, epsilon, 0.0), **laws)


def one_by_one(step: Callable[[Any, Any], object]) -> Callable[[Any, Any, int], None]:
    """Composes an event so many times by single steps."""

    def compose(held: Any, event: Any, count: int) -> None:
        for _ in range(count):
            step(held, event)

    return compose


def dpsgd_step(pair: Any) -> dict[str, float]:
    """The noise and the rate of a step of private descent, of a sample or of all, as Opacus and riskcal name them."""
    noise, rate = (
        (1 / float(pair.mu), 1.0) if isinstance(pair, Gaussian) else (float(pair.sigma), float(pair.q))
    )
    return {"noise_multiplier": noise, "sample_rate": rate}
