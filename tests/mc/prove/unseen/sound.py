"""Twenty privacy filters that keep their guarantee, as written by twenty product teams."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

import filterproof as fp

log = logging.getLogger("privacy")


# Sound: the pure epsilons of all granted reports add up to at most 1 (basic composition); the caps only deny more.
class TelemetryBudget(fp.PrivacyFilter):
    promise = fp.PureDP(1.0)

    MAX_PER_REPORT = 0.25
    MAX_REPORTS = 200

    def start(self, n):
        return np.zeros(n), np.zeros(n, dtype=np.int64)

    def admits(self, state, request):
        spent, reports = state
        eps = request.pure_epsilon
        return (
            (eps <= self.MAX_PER_REPORT)
            & (reports < self.MAX_REPORTS)
            & (spent + eps <= self.promise.epsilon)
        )

    def spend(self, state, request):
        spent, reports = state
        return spent + request.pure_epsilon, reports + 1


# Sound: each epsilon is converted to micro-units rounded up, plus one unit, and the integers add up to at most 2.
class SqlGatewayLedger(fp.PrivacyFilter):
    promise = fp.PureDP(2.0)

    UNIT = 1_000_000
    LIMIT = 2 * UNIT

    def start(self, n):
        return np.zeros(n, dtype=np.int64)

    def _micros(self, request):
        eps = np.asarray(request.pure_epsilon, dtype=float)
        # anything that is too large for the whole budget gets a price above the limit, so the cast never overflows
        eps = np.where(eps <= 2.0, eps, 3.0)
        return np.ceil(eps * self.UNIT).astype(np.int64) + 1

    def admits(self, state, request):
        return state + self._micros(request) <= self.LIMIT

    def spend(self, state, request):
        return state + self._micros(request)


# Sound: Renyi filter at the one order 8, and each round is charged the larger of the two directions.
class FederatedRenyi(fp.PrivacyFilter):
    promise = fp.RenyiDP(8.0, 2.0)

    def start(self, n):
        return np.zeros(n)

    def cost(self, request):
        order = self.promise.alpha
        return np.maximum(request.renyi(order), request.swapped.renyi(order))

    def admits(self, state, request):
        return state + self.cost(request) <= self.promise.rho

    def spend(self, state, request):
        return state + self.cost(request)


# Sound: the Renyi budgets of all orders must hold at once; each of them alone implies (3, 1e-5)-DP by the conversion.
class FederatedCurve(fp.PrivacyFilter):
    promise = fp.ApproxDP(3.0, 1e-5)

    ORDERS = (8.0, 16.0, 32.0)

    def __init__(self):
        self.budgets = np.array([3.0 - math.log(1e5) / (a - 1) for a in self.ORDERS])

    def start(self, n):
        return np.zeros((n, len(self.ORDERS)))

    def _curve(self, request):
        both = [np.maximum(request.renyi(a), request.swapped.renyi(a)) for a in self.ORDERS]
        return np.stack(both, axis=-1)

    def admits(self, state, request):
        after = state + self._curve(request)
        return np.all(after <= self.budgets, axis=1)

    def spend(self, state, request):
        return state + self._curve(request)


class Wave(NamedTuple):
    in_wave: np.ndarray
    asked: np.ndarray
    total: np.ndarray


# Sound: the sum over all waves is kept apart and never reset, and is at most 0.5 (zCDP filter).
class SurveyPanel(fp.PrivacyFilter):
    promise = fp.ZCDP(0.5)

    PER_WAVE = 0.1
    QUESTIONS = 10

    def start(self, n):
        return Wave(np.zeros(n), np.zeros(n, dtype=int), np.zeros(n))

    def admits(self, state, request):
        rho = request.zcdp_rho
        return (state.in_wave + rho <= self.PER_WAVE) & (state.total + rho <= 0.5)

    def spend(self, state, request):
        rho = request.zcdp_rho
        asked = state.asked + 1
        over = asked >= self.QUESTIONS
        return Wave(
            in_wave=np.where(over, 0.0, state.in_wave + rho),
            asked=np.where(over, 0, asked),
            total=state.total + rho,
        )


# Sound: epsilons that add up to 0.4 cost at most 0.4^2/2 zCDP together, the Gaussians at most 0.12: the sum is 0.2.
class AdMeasurement(fp.PrivacyFilter):
    promise = fp.ZCDP(0.2)

    REACH_EPSILON = 0.4
    CONVERSION_RHO = 0.12

    def start(self, n):
        return {"reach": np.zeros(n), "conversions": np.zeros(n)}

    def admits(self, state, request):
        if isinstance(request, fp.Gaussian):
            return state["conversions"] + request.zcdp_rho <= self.CONVERSION_RHO
        if isinstance(request, (fp.Laplace, fp.RandomizedResponse)):
            return state["reach"] + request.pure_epsilon <= self.REACH_EPSILON
        return np.zeros(len(state["reach"]), dtype=bool)

    def spend(self, state, request):
        after = dict(state)
        if isinstance(request, fp.Gaussian):
            after["conversions"] = state["conversions"] + request.zcdp_rho
        else:
            after["reach"] = state["reach"] + request.pure_epsilon
        return after


@dataclass(frozen=True)
class NotebookState:
    mu_squared: np.ndarray
    cells: np.ndarray


# Sound: the squares of the declared mu add up to at most 1 (GDP filter), whatever the family.
class NotebookServer(fp.PrivacyFilter):
    promise = fp.GaussianDP(1.0)

    MAX_CELLS = 50

    def start(self, n):
        return NotebookState(mu_squared=np.zeros(n), cells=np.zeros(n, dtype=int))

    def admits(self, state, request):
        log.debug("notebook asks for %r", request)
        room = state.mu_squared + request.gdp_mu**2 <= 1.0
        return room & (state.cells < self.MAX_CELLS)

    def spend(self, state, request):
        return replace(state, mu_squared=state.mu_squared + request.gdp_mu**2, cells=state.cells + 1)


def zcdp_to_epsilon(rho, delta):
    """Bun and Steinke: rho-zCDP implies (rho + 2 sqrt(rho log(1/delta)), delta)-DP."""
    return rho + 2.0 * np.sqrt(rho * math.log(1.0 / delta))


# Sound: the epsilon is an increasing function of the zCDP sum, so the sum stays below a fixed number.
class HospitalDesk(fp.PrivacyFilter):
    promise = fp.ApproxDP(1.0, 1e-6)

    def start(self, n):
        return np.zeros(n)

    def admits(self, rho, request):
        return zcdp_to_epsilon(rho + request.zcdp_rho, 1e-6) <= 1.0

    def spend(self, rho, request):
        return rho + request.zcdp_rho


# Sound: a path that ends inside the pure ledger has |loss| <= 1 and adds nothing to the delta at 1; the other paths end
# inside the zCDP ledger, and there the supermartingale of the one order that B* uses bounds their part by 1e-5.
class EitherLedger(fp.PrivacyFilter):
    promise = fp.ApproxDP(1.0, 1e-5)

    def __init__(self):
        ell = math.log(1e5)
        self.rho_limit = (math.sqrt(ell + 1.0) - math.sqrt(ell)) ** 2

    def start(self, n):
        return np.zeros(n), np.zeros(n)

    def admits(self, state, request):
        eps, rho = self.spend(state, request)
        return (eps <= 1.0) | (rho <= self.rho_limit)

    def spend(self, state, request):
        eps, rho = state
        return eps + request.pure_epsilon, rho + request.zcdp_rho


# Sound: the first request, made before any output, decides the ledger for good; each ledger alone implies the promise.
class ModeLock(fp.PrivacyFilter):
    promise = fp.ApproxDP(1.0, 1e-5)

    OPEN, PURE, GAUSS = 0, 1, 2

    def start(self, n):
        return {"mode": np.zeros(n, dtype=np.int8), "spent": np.zeros(n)}

    def _classify(self, request):
        if isinstance(request, fp.Gaussian):
            ell = math.log(1e5)
            return self.GAUSS, request.zcdp_rho, (math.sqrt(ell + 1.0) - math.sqrt(ell)) ** 2
        if isinstance(request, (fp.Laplace, fp.RandomizedResponse)):
            return self.PURE, request.pure_epsilon, 1.0
        return None

    def admits(self, state, request):
        found = self._classify(request)
        if found is None:
            return np.zeros(state["mode"].shape, dtype=bool)
        mode, cost, limit = found
        allowed = (state["mode"] == self.OPEN) | (state["mode"] == mode)
        return allowed & (state["spent"] + cost <= limit)

    def spend(self, state, request):
        found = self._classify(request)
        if found is None:
            return state
        mode, cost, _ = found
        return {"mode": np.full_like(state["mode"], mode), "spent": state["spent"] + cost}


# Sound: basic composition for filters: the epsilons add up to at most 1 and the deltas to at most 1e-5.
class GeoTiles(fp.PrivacyFilter):
    promise = fp.ApproxDP(1.0, 1e-5)

    def start(self, n):
        return np.zeros(n), np.zeros(n)

    @staticmethod
    def _price(request):
        if isinstance(request, fp.KOV):
            return request.epsilon, request.delta
        if isinstance(request, fp.Erasure):
            return 0.0, request.p
        return request.pure_epsilon, 0.0

    def admits(self, state, request):
        eps, delta = self._price(request)
        return (state[0] + eps <= 1.0) & (state[1] + delta <= 1e-5)

    def spend(self, state, request):
        eps, delta = self._price(request)
        return state[0] + eps, state[1] + delta


class Account(NamedTuple):
    settled: np.ndarray
    hold: np.ndarray
    used: np.ndarray
    served: np.ndarray


# Sound: settled + hold <= 1 always, the open session uses at most its hold, and closing settles all that was used.
class ReserveAndRefund(fp.PrivacyFilter):
    promise = fp.PureDP(1.0)

    HOLD = 0.2
    PER_SESSION = 5

    def start(self, n):
        return Account(np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n, dtype=int))

    def _fits_open_session(self, state, eps):
        return (state.used + eps <= state.hold) & (state.served < self.PER_SESSION)

    def _fits_new_session(self, state, eps):
        return (eps <= self.HOLD) & (state.settled + state.used + self.HOLD <= 1.0)

    def admits(self, state, request):
        eps = request.pure_epsilon
        return self._fits_open_session(state, eps) | self._fits_new_session(state, eps)

    def spend(self, state, request):
        eps = request.pure_epsilon
        stay = self._fits_open_session(state, eps)
        return Account(
            settled=np.where(stay, state.settled, state.settled + state.used),
            hold=np.where(stay, state.hold, self.HOLD),
            used=np.where(stay, state.used + eps, eps),
            served=np.where(stay, state.served + 1, 1),
        )


SAFETY = 1.05


# Sound: each price is a valid zCDP parameter (mu^2/2, eps^2/2) times 1.05, and the prices add up to at most 0.2.
class PriceList(fp.PrivacyFilter):
    promise = fp.ZCDP(0.2)

    def start(self, n):
        return np.zeros(n)

    def price(self, request):
        if isinstance(request, fp.Gaussian):
            rho = request.mu**2 / 2
        elif isinstance(request, fp.Laplace):
            rho = (1.0 / request.b) ** 2 / 2
        elif isinstance(request, fp.RandomizedResponse):
            rho = request.epsilon**2 / 2
        else:
            rho = np.inf
        return SAFETY * rho

    def admits(self, spent, request):
        return spent + self.price(request) <= self.promise.rho

    def spend(self, spent, request):
        return spent + self.price(request)


# Sound: what is left starts at 1, falls by every epsilon and never becomes negative, so they add up to at most 1.
class HalfOfTheRest(fp.PrivacyFilter):
    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.full(n, 1.0)

    def admits(self, left, request):
        return request.pure_epsilon <= left / 2

    def spend(self, left, request):
        return left - request.pure_epsilon


# Sound: at most 40 releases with mu <= 0.15 each: 40 * 0.15^2 = 0.9 <= 0.95^2 = 0.9025 (GDP filter).
class FortyPlots(fp.PrivacyFilter):
    promise = fp.GaussianDP(0.95)

    def start(self, n):
        return np.zeros(n, dtype=np.int32)

    def admits(self, plots, request):
        return (plots < 40) & (request.gdp_mu <= 0.15)

    def spend(self, plots, request):
        return plots + 1


TIERS = np.array([0.01, 0.02, 0.05, 0.1, 0.2, 0.5])


# Sound: each request is charged the next larger tier, and the tiers times their counts add up to at most 1.
class SubscriptionTiers(fp.PrivacyFilter):
    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.zeros((n, TIERS.size), dtype=np.int64)

    def _bought(self, n, request):
        tier = np.broadcast_to(np.searchsorted(TIERS, request.pure_epsilon, side="left"), (n,))
        return tier, (tier[:, None] == np.arange(TIERS.size)).astype(np.int64)

    def admits(self, counts, request):
        tier, bought = self._bought(len(counts), request)
        return (tier < TIERS.size) & ((counts + bought) @ TIERS <= 1.0)

    def spend(self, counts, request):
        _, bought = self._bought(len(counts), request)
        return counts + bought


# Sound: at each order a the pure part costs at most 0.4 and the Gaussian part a*R; at the order for which R was set
# this is a Renyi budget that implies (1.5, 1e-5)-DP.
class LabelsAndGradients(fp.PrivacyFilter):
    promise = fp.ApproxDP(1.5, 1e-5)

    LABEL_EPSILON = 0.4

    def __init__(self):
        rest = self.promise.epsilon - self.LABEL_EPSILON
        ell = math.log(1 / self.promise.delta_at_epsilon)
        self.gradient_rho = 0.999 * (math.sqrt(ell + rest) - math.sqrt(ell)) ** 2

    def start(self, n):
        return {"labels": np.zeros(n), "gradients": np.zeros(n)}

    def _charges(self, request):
        if isinstance(request, (fp.Laplace, fp.RandomizedResponse)):
            return request.pure_epsilon, 0.0
        return 0.0, request.zcdp_rho

    def admits(self, state, request):
        eps, rho = self._charges(request)
        return (state["labels"] + eps <= self.LABEL_EPSILON) & (state["gradients"] + rho <= self.gradient_rho)

    def spend(self, state, request):
        eps, rho = self._charges(request)
        return {"labels": state["labels"] + eps, "gradients": state["gradients"] + rho}


class Season(NamedTuple):
    number: np.ndarray
    spent: np.ndarray
    served: np.ndarray


# Sound: season k spends at most 2^-(k+1), and these budgets add up to at most 1 over all seasons.
class EndlessSeasons(fp.PrivacyFilter):
    promise = fp.PureDP(1.0)

    PER_SEASON = 8

    def start(self, n):
        return Season(np.zeros(n, dtype=np.int64), np.zeros(n), np.zeros(n, dtype=np.int64))

    def admits(self, state, request):
        budget = 0.5 ** (state.number + 1)
        return state.spent + request.pure_epsilon <= budget

    def spend(self, state, request):
        served = state.served + 1
        done = served == self.PER_SEASON
        return Season(
            number=np.where(done, state.number + 1, state.number),
            spent=np.where(done, 0.0, state.spent + request.pure_epsilon),
            served=np.where(done, 0, served),
        )


# Sound: Whitehouse et al., adaptive advanced composition: sqrt(2 log(1/delta) S) + S/2 <= eps, S = sum of squares.
class AdvancedComposition(fp.PrivacyFilter):
    promise = fp.ApproxDP(1.0, 1e-5)

    def start(self, n):
        return np.zeros(n)

    def _epsilon(self, squares):
        return np.sqrt(2 * math.log(1e5) * squares) + squares / 2

    def admits(self, squares, request):
        if not isinstance(request, (fp.Laplace, fp.RandomizedResponse)):
            return np.zeros(squares.shape, dtype=bool)
        eps = np.asarray(request.pure_epsilon)
        valid = np.isfinite(eps) & (eps > 0) & (eps < 0.5)
        return valid & (self._epsilon(squares + eps**2) <= 1.0)

    def spend(self, squares, request):
        return squares + request.pure_epsilon**2


# Sound: D_10 is at most eps, at most 10 eps^2/2 and at most 10 rho, so the smallest of them is a valid Renyi charge.
class CheapestBound(fp.PrivacyFilter):
    promise = fp.RenyiDP(10.0, 1.0)

    def start(self, n):
        return np.zeros(n)

    def _bound(self, request):
        from_zcdp = 10.0 * request.zcdp_rho
        eps = request.pure_epsilon
        return np.minimum(from_zcdp, np.minimum(eps, 5.0 * np.square(eps)))

    def admits(self, spent, request):
        return spent + self._bound(request) <= 1.0

    def spend(self, spent, request):
        return spent + self._bound(request)
