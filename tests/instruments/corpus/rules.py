"""What the filters of the corpus are written with: what a run starts with, sums, gauges of losses, and charges."""

from collections.abc import Callable

import numpy as np

import filterproof as fp
from filterproof.theory.argument_checks import Real
from filterproof.theory.pairs.selection import look_up_values_per_run

_ONE = 1
#: More than the rounding of a declared number, and of a charge computed from it.
ROUNDED_UP = 1 + 1e-12
#: More than the rounding of 10^4 additions.
BELOW = 1 - 1e-9


# the search reads the numbers in a filter's methods as sizes to ask for: those of the bases stand in functions
def _started(fresh, n):
    state = []
    for part in _tuple(fresh):
        state += part.start(n) if hasattr(part, "start") else [np.full((n, *np.shape(part)), part)]
    return state[0] if len(state) == 1 else tuple(state)


def _tuple(parts):
    return parts if isinstance(parts, tuple) else (parts,)


def _added(state, cost):
    if not isinstance(state, tuple):
        return state + cost
    costs = _tuple(cost)
    return (*map(np.add, state, costs), *state[len(costs) :])


def _within(state, most):
    return np.logical_and.reduce(
        [part <= limit for part, limit in zip(_tuple(state), _tuple(most), strict=False)]
    )


def _budgets(filt):
    return [part for part in _tuple(filt.fresh) if isinstance(part, fp.Budget)]


def _parts(filt, state):
    """The sums of the budgets, two arrays each, and what is beside them."""
    count = 2 * len(_budgets(filt))
    return [state[place : place + 2] for place in range(0, count, 2)], state[count:]


def _after(part):
    return part + 1 if part.dtype == np.int64 else part


class Rule(fp.PrivacyFilter):
    """A filter whose runs start with `fresh`: numbers, rows of them, and what budgets or filters start with."""

    fresh: object = 0.0

    def start(self, n):
        return _started(self.fresh, n)


class Sums(Rule):
    """What `cost` says is added to the first parts of the state, and the first of them stay within `most`."""

    def spend(self, state, request):
        return _added(state, self.cost(state, request))

    def admits(self, state, request):
        return _within(self.spend(state, request), self.most)


class Counts(Sums):
    """The first part of the state is the number of the rounds."""

    fresh = 0

    def cost(self, state, request):
        return _ONE


class PerPair(fp.AdditiveFilter):
    """What `price` says of a pair adds up without rounding."""

    def charge(self, request):
        return fp.charges.LinearCharge(per_run(request, self.price))


class Exact(Rule):
    """`charges` add up in the budgets of `fresh` without rounding; whole numbers beside them count the rounds."""

    def charges(self, request):
        return (self.charge(request),)

    def fits(self, state, request):
        """Whether each budget has room for its charge, for each run."""
        asked = zip(_budgets(self), _parts(self, state)[0], self.charges(request), strict=True)
        return [budget.fits(total, charge) for budget, total, charge in asked]

    def admits(self, state, request):
        return np.logical_and.reduce(self.fits(state, request))

    def spend(self, state, request):
        totals, beside = _parts(self, state)
        asked = zip(_budgets(self), totals, self.charges(request), strict=True)
        sums = [part for budget, total, charge in asked for part in budget.add(total, charge)]
        return (*sums, *map(_after, beside))


class Gauge(Rule):
    """The state is what was really lost, as `read` reads it."""

    def read(self, loss):
        return loss

    def spend(self, state, request):
        return state

    def observe(self, state, loss):
        return state + self.read(loss)


# what a filter of `Sums` costs, as its `cost`


def adds_epsilon(self, state, request):
    return request.pure_epsilon


def adds_rho(self, state, request):
    return request.zcdp_rho


def adds_square(self, state, request):
    return request.gdp_mu**2


def at_least_dust(charge: Real) -> Real:
    """`charge`, raised to 1e-200 where it is less: what underflows to nothing would be free for ever."""
    return np.maximum(charge, 1e-200)


def rounded_rho(request: fp.DominatingPair) -> fp.charges.LinearCharge:
    """The charge of zCDP, rounded up."""
    return fp.charges.LinearCharge(at_least_dust(request.zcdp_rho) * ROUNDED_UP)


def rounded_epsilon(request: fp.DominatingPair) -> fp.charges.LinearCharge:
    """The charge of pure epsilon, rounded up."""
    return fp.charges.LinearCharge(request.pure_epsilon * ROUNDED_UP)


def renyi_either_way(request: fp.DominatingPair, order: float) -> Real:
    """The Renyi divergence in the larger direction."""
    return np.maximum(request.renyi(order), request.swapped.renyi(order))


def delta_either_way(request: fp.DominatingPair, epsilon: Real) -> Real:
    """The delta at `epsilon` in the larger direction."""
    return np.maximum(request.hockey_stick(epsilon), request.swapped.hockey_stick(epsilon))


def per_run(request: fp.DominatingPair, rule: Callable[[fp.DominatingPair], Real]) -> Real:
    """`rule` of the pair that each run asks for."""
    if isinstance(request, fp.PairPerRun):
        return look_up_values_per_run([rule(pair) for pair in request.pairs], request.index)
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
