"""The stage of domination: a filter that is never looser than a proven one keeps its promise on a menu.

>>> import filterproof as fp
>>> class Half(fp.ZCDPFilter):
...     def charge(self, request):  # twice what is due
...         return fp.Plain(2 * request.zcdp_rho)
>>> menu = (fp.RandomizedResponse(0.5), fp.RandomizedResponse(0.25))
>>> never_looser(Half(0.5), fp.ZCDPFilter(0.5), menu, max_states=1000)
True
>>> print(never_looser(fp.ZCDPFilter(1.0), fp.ZCDPFilter(0.5), menu, max_states=1000))
False

Why that is enough. Whoever plays against the one can play against the other, asking only for what the first grants,
which can be worked out from the requests, and from the losses of what was released where it looks at them. Every
release is granted by the proven filter, so the transcript is one that its theorem covers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np

from filters import PrivacyFilter
from filters.accounting import Budget, gdp_charge, pure_charge, renyi_charge, zcdp_charge
from filters.accounting.charge_rules import ChargeRule
from filters.catalogue import BasicFilter
from filters.contract.checks import checked_observe, checked_start
from filters.contract.filter_base import FilterBase
from filters.contract.state import State, copied, keys
from filters.rules.additive import AdditiveFilter
from filters.rules.promised import promised_budget
from mc.examine.sequence import granted
from mc.examine.stages.made_of import Unknown, own_promise
from mc.examine.stages.parts import parts, proved
from mc.examine.stages.unpatched import patched
from theory.arguments import check_count
from theory.evidence import Evidence, Outcome, Verdict
from theory.guarantees import ApproxDP, Guarantee, PureDP, RenyiDP
from theory.pairs import DominatingPair
from theory.proofs.proof import Proof

__all__ = ["SumFilter", "dominated", "never_looser", "proven_filters"]

#: Pairs of states that are explored for one proven filter, unless told otherwise.
MOST_STATES = 5_000
#: Orders of the Rényi filters that are compared.
_ORDERS = (1.5, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)


class SumFilter(AdditiveFilter):
    """CONT while a sum of library charges is at most the budget that a theorem joins to the promise."""

    def __init__(self, promise: Guarantee, charge: ChargeRule) -> None:
        self.promise = promise
        self.charge = charge
        self.budget: Budget = promised_budget(charge, promise)


def never_looser(
    filt: PrivacyFilter,
    proven: PrivacyFilter,
    menu: Iterable[DominatingPair],
    *,
    max_states: int = MOST_STATES,
) -> bool | None:
    """Whether `proven` grants whatever `filt` grants, in every state that requests from the menu lead both to.

    Both run their own code, for one run as in a session: a request that `filt` denies changes nothing, one that it
    grants is put to both. False if `proven` denies one that `filt` grants. None where more than max_states pairs of
    states are reached, where `filt` answers the same question in two ways or looks at losses of infinitely many
    outcomes, or where `proven` looks at any.
    Raises ValueError for an empty menu and TypeError for one with a pair of many runs.
    """
    check_count("max_states", max_states)
    requests = _checked(menu)
    return _never_looser(_Steps(filt, requests, twice=True), _Steps(proven, requests), max_states)


#: The keys of the states that a request may lead to, None where it is denied.
_Ways: TypeAlias = tuple[Hashable, ...] | None


def _losses(pair: DominatingPair) -> tuple[float, ...]:
    """Every loss that P or Q may produce, () where they are not finitely many."""
    if pair.outputs is None or pair.swapped.outputs is None:
        return ()
    there, back = (float(x) for x, _ in pair.outputs), (-float(x) for x, _ in pair.swapped.outputs)
    return tuple(dict.fromkeys((*there, *back)))


class _Steps:
    """What a filter answers to a menu, state by state: asked once for each state, for one run as in a session."""

    def __init__(self, filt: PrivacyFilter, menu: tuple[DominatingPair, ...], *, twice: bool = False) -> None:
        self.filter, self._menu, self._twice = filt, menu, twice
        self.looks = filt.looks_at_losses or type(filt).observe is not FilterBase.observe
        self._losses = [_losses(pair) if self.looks else () for pair in menu]
        self._states: dict[Hashable, State] = {}
        self._after: dict[Hashable, tuple[_Ways, ...] | None] = {}
        self.start = self._kept(checked_start(filt, 1))

    def after(self, key: Hashable) -> tuple[_Ways, ...] | None:
        """For each request the keys of the states after it is granted, None where denied; None if answers differ."""
        if key not in self._after:
            found = self._asked(key)
            self._after[key] = None if self._twice and self._asked(key) != found else found
        return self._after[key]

    def _asked(self, key: Hashable) -> tuple[_Ways, ...]:
        answers = (granted(self.filter, self._states[key], request) for request in self._menu)
        return tuple(
            None if state is None else self._shown(state, losses)
            for state, losses in zip(answers, self._losses, strict=True)
        )

    def _shown(self, state: State, losses: tuple[float, ...]) -> tuple[Hashable, ...]:
        """The state after each loss that a release may have, where the filter looks at it."""
        if not self.looks:
            return (self._kept(state),)
        return tuple(self._kept(checked_observe(self.filter, state, np.array([x]), 1)) for x in losses)

    @property
    def whole(self) -> bool:
        """Whether all that may follow is known: nothing is looked at, or losses of finitely many outcomes."""
        return not self.looks or (self.filter.looks_at_losses and all(self._losses))

    def _kept(self, state: State) -> Hashable:
        key = keys(state)[0]
        self._states.setdefault(key, copied(state))
        return key

    @property
    def restarts_alike(self) -> bool:
        """Whether a fresh state is still the one it was: a filter may count questions outside its states."""
        return self._kept(checked_start(self.filter, 1)) == self.start


def _never_looser(steps: _Steps, proven: _Steps, max_states: int) -> bool | None:
    if not steps.whole or not proven.whole or proven.looks:
        return None
    start = steps.start, proven.start
    visited, ahead = {start}, [start]
    while ahead:  # the last found first: what is loose shows where much was spent
        one, other = ahead.pop()
        after, beside = steps.after(one), proven.after(other)
        if after is None or beside is None:
            return None
        for mine, its in zip(after, beside, strict=True):
            if mine is None:
                continue
            if its is None:
                return False
            for both in product(mine, its):
                if both not in visited:
                    if len(visited) >= max_states:
                        return None
                    visited.add(both)
                    ahead.append(both)
    return True if steps.restarts_alike and proven.restarts_alike else None


def dominated(
    filt: PrivacyFilter,
    menu: Iterable[DominatingPair],
    *,
    max_states: int = MOST_STATES,
    done: dict[str, Proof] | None = None,
) -> Verdict | None:
    """HOLDS on the menu where `filt` is never looser than some filter proved for the same promise; None where not.

    The evidence is that of the proven filter, whose theorem it cites. The code of `filt` is run in all states that the
    menu leads to, and not read.
    """
    requests = _checked(menu)
    try:
        promise = own_promise(filt)
    except Unknown:
        return None
    if patched():
        return None
    own = _Steps(filt, requests, twice=True)
    for candidate in proven_filters(promise):
        if _never_looser(own, _Steps(candidate.filter, requests), max_states) is not True:
            continue
        verdict = candidate.verdict(done)
        if verdict is None or verdict.outcome is not Outcome.HOLDS:
            continue
        scope = (
            f"every adaptive adversary, in a session, over the menu {_listed(requests)} alone, "
            "charged by what these pairs declare"
        )
        detail = (
            f"in every state that this menu leads to, a request that {type(filt).__name__} grants is granted by "
            f"{candidate.filter!r} as well, for which {verdict.detail}"
        )
        return Verdict(Outcome.HOLDS, verdict.evidence, scope, detail, citations=verdict.citations)
    return None


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A filter with the promise, and how to prove it."""

    filter: PrivacyFilter
    verdict: Callable[[dict[str, Proof] | None], Verdict | None]


def proven_filters(promise: Guarantee) -> Iterator[_Candidate]:
    """Filters that keep `promise` by a theorem, the least restrictive sort first; proved only when asked."""
    orders = (promise.alpha,) if isinstance(promise, RenyiDP) else _ORDERS
    rules: tuple[ChargeRule, ...] = (gdp_charge, zcdp_charge, *map(renyi_charge.at, orders), pure_charge)
    for rule in rules:
        try:
            filt = SumFilter(promise, rule)
        except ValueError:  # no theorem joins the two, or no budget is left
            continue
        yield _Candidate(filt, lambda done, filt=filt: parts(filt, done=done))  # type: ignore[misc]
    if isinstance(promise, ApproxDP) and promise.epsilon > 0 and promise.delta_at_epsilon < 1:
        yield _Candidate(BasicFilter(promise.epsilon, promise.delta_at_epsilon), _basic)
    elif isinstance(promise, PureDP) and promise.epsilon > 0:
        yield _Candidate(BasicFilter(promise.epsilon), _basic)


def _basic(done: dict[str, Proof] | None) -> Verdict:
    cited = BasicFilter.proof
    return proved(
        (), (cited,), (Evidence.EXACT,), "every adaptive adversary", f"the proof is cited: {cited}", done
    )


def _checked(menu: Iterable[DominatingPair]) -> tuple[DominatingPair, ...]:
    requests = tuple(menu)
    if not requests:
        raise ValueError("menu must hold at least one pair, got none; pass (fp.Gaussian(0.1),), say")
    for pair in requests:
        if not isinstance(pair, DominatingPair) or pair.shape != () or pair.choice is not None:
            raise TypeError(f"menu must hold pairs of a single run, got {pair!r}; list them one by one")
    return requests


def _listed(menu: tuple[DominatingPair, ...]) -> str:
    shown = [repr(pair) for pair in menu]
    return ", ".join(shown) if len(shown) <= 8 else f"{', '.join(shown[:7])} and {len(shown) - 7} more"
