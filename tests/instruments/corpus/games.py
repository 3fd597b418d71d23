"""Games: requests played through a filter's own code, and divergences computed by closed form or enumeration."""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import integrate, special

import filterproof as fp
from filterproof.filters.contract.state import run_keys


@dataclass(frozen=True, slots=True)
class Reached:
    """What a game reaches: the hockey-stick divergence at `epsilon`, or the Renyi divergence of order `alpha`."""

    value: float
    epsilon: float | None = None
    alpha: float | None = None

    def promised(self, promise: fp.Guarantee) -> float:
        """The most that the promise allows there."""
        if self.alpha is None:
            return float(promise.delta(self.epsilon))
        if isinstance(promise, fp.ZCDP):
            return self.alpha * promise.rho
        assert isinstance(promise, fp.RenyiDP)
        assert promise.alpha == self.alpha
        return promise.rho


#: (P-mass, Q-mass) of every outcome, or of every transcript.
Masses = list[tuple[float, float]]
#: What to ask for after these losses; None ends the game.
Strategy = Callable[[tuple[float, ...]], "fp.DominatingPair | None"]


# -- playing -----------------------------------------------------------------------------------------------


def require_granted(filt: fp.PrivacyFilter, requests: Iterable[fp.DominatingPair]) -> None:
    """Ask a fresh session for one after the other; AssertionError unless it grants them all."""
    session = filt.open("halt")
    for place, request in enumerate(requests):
        assert session.request(request), f"request {place} was denied: {request!r}"


def granted_for_ever(
    filt: fp.PrivacyFilter, first: Sequence[fp.DominatingPair], then: fp.DominatingPair
) -> bool:
    """Whether after `first` the filter grants `then` and is left in the same state: so it grants it for ever."""
    state = filt.start(1)
    for request in first:
        assert filt.admits(state, request)[0]
        state = filt.spend(state, request)
    return bool(filt.admits(state, then)[0]) and np.array_equal(filt.spend(state, then), state)


def require_after(
    filt: fp.PrivacyFilter, past: Iterable[tuple[fp.DominatingPair, float]], *requests: fp.DominatingPair
) -> None:
    """AssertionError unless the past is granted with these losses, and then each of the requests would be."""
    state = filt.start(1)
    for request, loss in past:
        assert filt.admits(state, request)[0]
        state = filt.observe(filt.spend(state, request), np.array([loss]))
    assert all(filt.admits(state, request)[0] for request in requests)


def transcript(filt: fp.PrivacyFilter, strategy: Strategy) -> Masses:
    """The distributions of the transcript, by enumeration of every outcome; a denied request ends a path."""
    leaves: Masses = []

    def walk(state: object, past: tuple[float, ...], p: float, q: float) -> None:
        request = strategy(past)
        if request is None or not filt.admits(state, request)[0]:
            leaves.append((p, q))
            return
        spent = filt.spend(state, request)
        for loss, a, b in _outcomes(request):
            walk(filt.observe(spent, np.array([loss])), (*past, loss), p * a, q * b)

    walk(filt.start(1), (), 1.0, 1.0)
    return leaves


@dataclass(frozen=True, slots=True)
class Best:
    """The game of so many requests from a menu of finite pairs, played by the best strategy."""

    menu: Sequence[fp.DominatingPair]
    rounds: int

    def value(self, filt: fp.PrivacyFilter, epsilon: float) -> float:
        """The most that an adversary reaches at epsilon in either direction; no position is looked at twice."""
        known: dict[Hashable, float] = {}
        # the state after a request, None if it is denied: a filter that looks at no losses comes to few states
        spent_states: dict[tuple[Hashable, int], object] = {}

        def spent(state: object, place: int) -> object:
            key = (run_keys(state)[0], place)
            if key not in spent_states:
                admitted = filt.admits(state, self.menu[place])[0]
                spent_states[key] = filt.spend(state, self.menu[place]) if admitted else None
            return spent_states[key]

        def best(way: int, state: object, loss: float, left: int) -> float:
            key = (way, run_keys(state)[0], round(loss, 9), left)
            if key not in known:
                value = max(-math.expm1(epsilon - loss), 0.0)
                for place, pair in enumerate(self.menu if left else ()):
                    granted = spent(state, place)
                    if granted is not None:
                        after = (
                            masses[way] * best(way, observed, loss + way * masses[0], left - 1)
                            for masses in _outcomes(pair)
                            if masses[way] > 0
                            for observed in [filt.observe(granted, np.array([masses[0]]))]
                        )
                        value = max(value, math.fsum(after))
                known[key] = value
            return known[key]

        return max(best(way, filt.start(1), 0.0, self.rounds) for way in (1, -1))


def _outcomes(pair: fp.DominatingPair) -> list[tuple[float, float, float]]:
    """(loss, P-mass, Q-mass) of a finite pair's outcomes, those that P cannot produce too."""
    outcomes = [(float(loss), float(p), float(p) * math.exp(-loss)) for loss, p in pair.outputs if p > 0]
    missing = float(pair._q_mass_where_p_is_zero)
    return outcomes + ([(-math.inf, 0.0, missing)] if missing > 0 else [])


# -- divergences -------------------------------------------------------------------------------------------


def product(pairs: Iterable[fp.DominatingPair]) -> Masses:
    """The distributions of finite pairs fixed in advance, by enumeration."""
    distribution: Masses = [(1.0, 1.0)]
    for pair in pairs:
        distribution = [(p * a, q * b) for p, q in distribution for _, a, b in _outcomes(pair)]
    return distribution


def hockey_stick(distribution: Masses, epsilon: float) -> float:
    """H_{e^epsilon}, the larger direction."""
    e = math.exp(epsilon)
    return max(
        math.fsum(max(p - e * q, 0.0) for p, q in distribution),
        math.fsum(max(q - e * p, 0.0) for p, q in distribution),
    )


def renyi(distribution: Masses, alpha: float) -> float:
    """D_alpha, the larger direction."""
    return max(one_way_renyi(distribution, alpha), one_way_renyi([(q, p) for p, q in distribution], alpha))


def one_way_renyi(distribution: Masses, alpha: float) -> float:
    """D_alpha from P to Q."""
    return math.log(math.fsum(p**alpha * q ** (1 - alpha) for p, q in distribution if p > 0)) / (alpha - 1)


def gaussian_delta(mu: float, epsilon: float) -> float:
    """Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu), the closed form."""
    near, far = mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu
    return float(special.ndtr(near) - np.exp(epsilon + special.log_ndtr(far)))


def mean_after(mu: float, after: Callable[[float], float], low: float, high: float) -> float:
    """E_P[after(L); low < L < high], L the loss of Gaussian(mu), which is N(mu^2/2, mu^2); ten deviations are all."""
    middle = mu * mu / 2
    low, high = max(low, middle - 10 * mu), min(high, middle + 10 * mu)

    def weighted(loss: float) -> float:
        z = (loss - middle) / mu
        return math.exp(-z * z / 2) / mu / math.sqrt(2 * math.pi) * after(loss)

    return float(integrate.quad(weighted, low, high, epsabs=0, epsrel=1e-9)[0])


# -- games ---------------------------------------------------------------------------------------------------------


#: Requests that are fixed in advance, a strategy, or the best one.
Requests = Sequence["fp.DominatingPair"] | Strategy | Best


def played(
    filt: fp.PrivacyFilter, requests: Requests, *, epsilon: float | None = None, alpha: float | None = None
) -> Reached:
    """What a strategy reaches, the best one, or requests that are all granted: at `epsilon`, or at the order `alpha`.

    Without either at the epsilon or the order of the promise, of zCDP at the order 2.
    """
    if epsilon is None and alpha is None:
        epsilon = getattr(filt.promise, "epsilon", None)
        alpha = getattr(filt.promise, "alpha", 2.0) if epsilon is None else None
    if isinstance(requests, Best):
        value = requests.value(filt, epsilon)  # type: ignore[arg-type]
    elif callable(requests):
        distribution = transcript(filt, requests)
        value = hockey_stick(distribution, epsilon) if alpha is None else renyi(distribution, alpha)  # type: ignore[arg-type]
    else:
        require_granted(filt, requests)
        pairs = Counter(requests)
        if any(isinstance(pair, fp.FinitePair) for pair in pairs) and alpha is None:
            value = hockey_stick(product(requests), epsilon)  # type: ignore[arg-type]
        elif alpha is None:
            value = fp.Composition(pairs).delta(epsilon).low  # type: ignore[arg-type]
        else:
            both = (pairs, {pair.swapped: times for pair, times in pairs.items()})
            value = max(
                sum(times * float(pair.renyi(alpha)) for pair, times in counts.items()) for counts in both
            )
    return Reached(value, epsilon, alpha)
