"""What the filters of the corpus are written with: what a run starts with, sums, gauges of losses, and charges."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import filterproof as fp
from theory.arguments import Real
from theory.pairs.selection import look_up

__all__ = [
    "BELOW",
    "ROUNDED_UP",
    "Exact",
    "Gauge",
    "Rule",
    "Sums",
    "at_least_dust",
    "basic_delta",
    "basic_epsilon",
    "delta_either_way",
    "only",
    "per_run",
    "renyi_either_way",
    "rounded_epsilon",
    "rounded_rho",
]

#: More than the rounding of a declared number, and of a charge computed from it.
ROUNDED_UP = 1 + 1e-12
#: More than the rounding of 10^4 additions.
BELOW = 1 - 1e-9


# the search reads the numbers in a filter's methods as sizes to ask for: those of the bases stand in functions
def _started(fresh, n):
    parts = fresh if isinstance(fresh, tuple) else (fresh,)
    state = []
    for part in parts:
        state += part.start(n) if hasattr(part, "start") else [np.full((n, *np.shape(part)), part)]
    return state[0] if len(state) == 1 else tuple(state)


def _first(state):
    return state[0] if isinstance(state, tuple) else state


def _parts(state):
    """The sum of a budget, and what is beside it."""
    return state[:2], state[2:]


def _after(part):
    return part + 1 if part.dtype == np.int64 else part.copy()


class Rule(fp.PrivacyFilter):
    """A filter whose runs start with `fresh`: numbers, rows of them, and what budgets or filters start with."""

    fresh: object = 0.0

    def start(self, n):
        return _started(self.fresh, n)


class Sums(Rule):
    """What `cost` says is added to the state, part by part, and the first sum stays within `most`."""

    def spend(self, state, request):
        cost = self.cost(state, request)
        return tuple(map(np.add, state, cost)) if isinstance(state, tuple) else state + cost

    def admits(self, state, request):
        return _first(self.spend(state, request)) <= self.most


class Exact(Rule):
    """What `charge` says adds up in `budget` without rounding; of what is beside it, whole numbers count the rounds."""

    def admits(self, state, request):
        total, _ = _parts(state)
        return self.budget.fits(total, self.charge(request))

    def spend(self, state, request):
        total, beside = _parts(state)
        return (*self.budget.add(total, self.charge(request)), *map(_after, beside))


class Gauge(Rule):
    """The state is what was really lost, as `read` reads it."""

    def read(self, loss):
        return loss

    def spend(self, state, request):
        return state.copy()

    def observe(self, state, loss):
        return state + self.read(loss)


def at_least_dust(charge: Real) -> Real:
    """`charge`, raised to 1e-200 where it is less: what underflows to nothing would be free for ever."""
    return np.maximum(charge, 1e-200)


def rounded_rho(request: fp.DominatingPair) -> fp.Plain:
    """The charge of zCDP, rounded up."""
    return fp.Plain(at_least_dust(request.zcdp_rho) * ROUNDED_UP)


def rounded_epsilon(request: fp.DominatingPair) -> fp.Plain:
    """The charge of pure epsilon, rounded up."""
    return fp.Plain(request.pure_epsilon * ROUNDED_UP)


def renyi_either_way(request: fp.DominatingPair, order: float) -> Real:
    """The Renyi divergence in the larger direction."""
    return np.maximum(request.renyi(order), request.swapped.renyi(order))


def delta_either_way(request: fp.DominatingPair, epsilon: Real) -> Real:
    """The delta at `epsilon` in the larger direction."""
    return np.maximum(request.hockey_stick(epsilon), request.swapped.hockey_stick(epsilon))


def per_run(request: fp.DominatingPair, rule: Callable[[fp.DominatingPair], Real]) -> Real:
    """`rule` of the pair that each run asks for."""
    if isinstance(request, fp.Selection):
        return look_up([rule(pair) for pair in request.pairs], request.index)
    return rule(request)


def only(family: type, number: Callable[[fp.DominatingPair], Real]) -> Callable[[fp.DominatingPair], Real]:
    """The rule `number` on one family of pairs, infinite on every other."""
    return lambda pair: number(pair) if isinstance(pair, family) else np.inf


def basic_epsilon(pair: fp.DominatingPair) -> Real:
    """The epsilon of a pair that basic composition adds to that of others."""
    if isinstance(pair, fp.Erasure):
        return 0.0
    return pair.epsilon if isinstance(pair, fp.KOV) else pair.pure_epsilon


def basic_delta(pair: fp.DominatingPair) -> Real:
    """The delta of a pair beside its `basic_epsilon`."""
    return pair.infinite_mass if isinstance(pair, fp.Erasure | fp.KOV) else 0.0
