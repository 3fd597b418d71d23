"""Twenty privacy filters that break their guarantee, each by one fault."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

import filterproof as fp

log = logging.getLogger("privacy")


# Broken: compares the old sum with the budget, so the last report (up to 0.25) comes on top of it.
class TelemetryLate(fp.PrivacyFilter):
    promise = fp.PureDP(1.0)

    MAX_PER_REPORT = 0.25

    def start(self, n):
        return np.zeros(n), np.zeros(n, dtype=np.int64)

    def admits(self, state, request):
        spent, reports = state
        return (
            (request.pure_epsilon <= self.MAX_PER_REPORT) & (reports < 200) & (spent < self.promise.epsilon)
        )

    def spend(self, state, request):
        spent, reports = state
        return spent + request.pure_epsilon, reports + 1


# Broken: the cast to integer milli-units truncates, so epsilon 0.0009 is free and 0.0019 costs half.
class SqlGatewayTruncated(fp.PrivacyFilter):
    promise = fp.PureDP(2.0)

    LIMIT = 2_000

    def start(self, n):
        return np.zeros(n, dtype=np.int64)

    def _millis(self, request):
        eps = np.asarray(request.pure_epsilon, dtype=float)
        eps = np.where(eps <= 2.0, eps, 3.0)
        return (eps * 1000).astype(np.int64)

    def admits(self, state, request):
        return state + self._millis(request) <= self.LIMIT

    def spend(self, state, request):
        return state + self._millis(request)


# Broken: charges only D_8(P||Q); a pair whose other direction is larger costs too little.
class FederatedOneWay(fp.PrivacyFilter):
    promise = fp.RenyiDP(8.0, 2.0)

    def start(self, n):
        return np.zeros(n)

    def cost(self, request):
        return request.renyi(self.promise.alpha)

    def admits(self, state, request):
        return state + self.cost(request) <= self.promise.rho

    def spend(self, state, request):
        return state + self.cost(request)


# Broken: the promise is about order 16, and the check reads column 0, which is order 8.
class FederatedWrongOrder(fp.PrivacyFilter):
    promise = fp.RenyiDP(16.0, 2.0)

    ORDERS = (8.0, 16.0, 32.0)

    def start(self, n):
        return np.zeros((n, len(self.ORDERS)))

    def _curve(self, request):
        both = [np.maximum(request.renyi(a), request.swapped.renyi(a)) for a in self.ORDERS]
        return np.stack(both, axis=-1)

    def admits(self, state, request):
        after = state + self._curve(request)
        return after[:, 0] <= self.promise.rho

    def spend(self, state, request):
        return state + self._curve(request)


class Wave(NamedTuple):
    in_wave: np.ndarray
    asked: np.ndarray
    total: np.ndarray


# Broken: the total is updated only when a wave closes, and with what is in the new, empty wave: it stays zero.
class SurveyPanelForgets(fp.PrivacyFilter):
    promise = fp.ZCDP(0.5)

    PER_WAVE = 0.1
    QUESTIONS = 10

    def start(self, n):
        return Wave(np.zeros(n), np.zeros(n, dtype=int), np.zeros(n))

    def admits(self, state, request):
        after = state.in_wave + request.zcdp_rho
        return (after <= self.PER_WAVE) & (state.total + after <= 0.5)

    def spend(self, state, request):
        asked = state.asked + 1
        over = asked >= self.QUESTIONS
        in_wave = np.where(over, 0.0, state.in_wave + request.zcdp_rho)
        return Wave(
            in_wave=in_wave,
            asked=np.where(over, 0, asked),
            total=np.where(over, state.total + in_wave, state.total),
        )


# Broken: what is left never falls below 0.01, "to keep the dashboard alive", so requests of 0.01 are admitted for ever.
class DashboardFloor(fp.PrivacyFilter):
    promise = fp.PureDP(1.0)

    FLOOR = 0.01

    def start(self, n):
        return {"left": np.ones(n)}

    def admits(self, state, request):
        return request.pure_epsilon <= state["left"]

    def spend(self, state, request):
        return {"left": np.maximum(state["left"] - request.pure_epsilon, self.FLOOR)}


@dataclass(frozen=True)
class NotebookState:
    mu_squared: np.ndarray
    cells: np.ndarray


# Broken: the sum of squares is compared with 0.5 and not with 0.5^2, so mu = 0.707 goes through.
class NotebookUnsquared(fp.PrivacyFilter):
    promise = fp.GaussianDP(0.5)

    MAX_CELLS = 50

    def start(self, n):
        return NotebookState(mu_squared=np.zeros(n), cells=np.zeros(n, dtype=int))

    def admits(self, state, request):
        log.debug("notebook asks for %r", request)
        room = state.mu_squared + request.gdp_mu**2 <= self.promise.mu
        return room & (state.cells < self.MAX_CELLS)

    def spend(self, state, request):
        return replace(state, mu_squared=state.mu_squared + request.gdp_mu**2, cells=state.cells + 1)


def zcdp_to_epsilon(rho, delta):
    return rho + np.sqrt(rho * math.log(1.0 / delta))


# Broken: the conversion lacks the factor 2 before the root, so the zCDP sum may be nearly four times too large.
class HospitalDeskRoot(fp.PrivacyFilter):
    promise = fp.ApproxDP(1.0, 1e-6)

    def start(self, n):
        return np.zeros(n)

    def admits(self, rho, request):
        return zcdp_to_epsilon(rho + request.zcdp_rho, 1e-6) <= 1.0

    def spend(self, rho, request):
        return rho + request.zcdp_rho


# Broken: a Gaussian (or any unbounded loss) adds nothing to the pure ledger, which therefore admits all of them.
class EitherLedgerLeaks(fp.PrivacyFilter):
    promise = fp.ApproxDP(1.0, 1e-5)

    def __init__(self):
        ell = math.log(1e5)
        self.rho_limit = (math.sqrt(ell + 1.0) - math.sqrt(ell)) ** 2

    def start(self, n):
        return np.zeros(n), np.zeros(n), np.zeros(n, dtype=int)

    def admits(self, state, request):
        eps, rho, count = self.spend(state, request)
        return (count <= 30) & ((eps <= 1.0) | (rho <= self.rho_limit))

    def spend(self, state, request):
        eps, rho, count = state
        pure = np.asarray(request.pure_epsilon)
        return eps + np.where(np.isfinite(pure), pure, 0.0), rho + request.zcdp_rho, count + 1


# Broken: the lock opens again after 20 requests, and then the other ledger has its own full budget.
class ModeLockDaily(fp.PrivacyFilter):
    promise = fp.ApproxDP(1.0, 1e-5)

    OPEN, PURE, GAUSS = 0, 1, 2
    RHO = (math.sqrt(math.log(1e5) + 1.0) - math.sqrt(math.log(1e5))) ** 2

    def start(self, n):
        return {
            "mode": np.zeros(n, dtype=np.int8),
            "pure": np.zeros(n),
            "rho": np.zeros(n),
            "requests": np.zeros(n, dtype=int),
        }

    def _classify(self, request):
        if isinstance(request, fp.Gaussian):
            return self.GAUSS, 0.0, request.zcdp_rho
        if isinstance(request, (fp.Laplace, fp.RandomizedResponse)):
            return self.PURE, request.pure_epsilon, 0.0
        return self.OPEN, np.inf, np.inf

    def admits(self, state, request):
        mode, eps, rho = self._classify(request)
        allowed = (state["mode"] == self.OPEN) | (state["mode"] == mode)
        return allowed & (state["pure"] + eps <= 1.0) & (state["rho"] + rho <= self.RHO)

    def spend(self, state, request):
        mode, eps, rho = self._classify(request)
        requests = state["requests"] + 1
        return {
            "mode": np.where(requests % 20 == 0, self.OPEN, mode).astype(np.int8),
            "pure": state["pure"] + eps,
            "rho": state["rho"] + rho,
            "requests": requests,
        }


# Broken: every delta is compared with 1e-5 on its own, and the deltas are not added up.
class GeoTilesDelta(fp.PrivacyFilter):
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
        return (state[0] + eps <= 1.0) & (np.maximum(state[1], delta) <= 1e-5)

    def spend(self, state, request):
        eps, delta = self._price(request)
        return state[0] + eps, np.maximum(state[1], delta)


class Pool(NamedTuple):
    free: np.ndarray
    hold: np.ndarray
    used: np.ndarray
    served: np.ndarray


# Broken: closing a session gives the whole hold back to the pool and not only the unused part.
class RefundTooLarge(fp.PrivacyFilter):
    promise = fp.PureDP(1.0)

    HOLD = 0.2
    PER_SESSION = 5
    MAX_SESSIONS = 30

    def start(self, n):
        return Pool(np.ones(n), np.zeros(n), np.zeros(n), np.zeros(n, dtype=int))

    def _stay(self, state, eps):
        return (state.used + eps <= state.hold) & (state.served % self.PER_SESSION != 0)

    def admits(self, state, request):
        eps = request.pure_epsilon
        reopened = (eps <= self.HOLD) & (state.free + state.hold >= self.HOLD)
        return (self._stay(state, eps) | reopened) & (state.served < self.PER_SESSION * self.MAX_SESSIONS)

    def spend(self, state, request):
        eps = request.pure_epsilon
        stay = self._stay(state, eps)
        return Pool(
            free=np.where(stay, state.free, state.free + state.hold - self.HOLD),
            hold=np.where(stay, state.hold, self.HOLD),
            used=np.where(stay, state.used + eps, eps),
            served=state.served + 1,
        )


# Broken: no request costs more than 0.05, "so that one query cannot empty the account", however much it reveals.
class PriceListCapped(fp.PrivacyFilter):
    promise = fp.ZCDP(0.2)

    MOST = 0.05

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
            return np.inf
        return np.minimum(1.05 * rho, self.MOST)

    def admits(self, spent, request):
        return spent + self.price(request) <= self.promise.rho

    def spend(self, spent, request):
        return spent + self.price(request)


# Broken: discounts Gaussians by the square of a sampling rate, although the declared pair is that of the whole release.
class PanelSampleDiscount(fp.PrivacyFilter):
    promise = fp.ZCDP(0.1)

    RATE = 0.2

    def start(self, n):
        return {"rho": np.zeros(n), "rounds": np.zeros(n, dtype=int)}

    def _amplified(self, request):
        rho = request.zcdp_rho
        return self.RATE**2 * rho if isinstance(request, fp.Gaussian) else rho

    def admits(self, state, request):
        small = request.zcdp_rho <= 0.05
        return small & (state["rho"] + self._amplified(request) <= 0.1) & (state["rounds"] < 1000)

    def spend(self, state, request):
        return {"rho": state["rho"] + self._amplified(request), "rounds": state["rounds"] + 1}


# Broken: only Gaussian plots are counted, so randomised responses and Laplace releases are unlimited in number.
class FortyPlotsUncounted(fp.PrivacyFilter):
    promise = fp.GaussianDP(0.95)

    def start(self, n):
        return np.zeros(n, dtype=np.int32)

    def admits(self, plots, request):
        return (plots < 40) & (request.gdp_mu <= 0.15)

    def spend(self, plots, request):
        if isinstance(request, fp.Gaussian):
            return plots + 1
        return plots


TIERS = np.array([0.01, 0.02, 0.05, 0.1, 0.2, 0.5])


# Broken: charges the next smaller tier: an epsilon of 0.199 costs 0.1.
class SubscriptionTiersDown(fp.PrivacyFilter):
    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.zeros((n, TIERS.size), dtype=np.int64)

    def _bought(self, n, request):
        tier = np.searchsorted(TIERS, request.pure_epsilon, side="right") - 1
        tier = np.broadcast_to(np.maximum(tier, 0), (n,))
        return (tier[:, None] == np.arange(TIERS.size)).astype(np.int64)

    def admits(self, counts, request):
        bought = self._bought(len(counts), request)
        return (request.pure_epsilon <= TIERS[-1]) & ((counts + bought) @ TIERS <= 1.0)

    def spend(self, counts, request):
        return counts + self._bought(len(counts), request)


# Broken: the Gaussian ledger gets the zCDP of the whole epsilon 1.5, although labels may use 0.8 of it.
class LabelsOnTop(fp.PrivacyFilter):
    promise = fp.ApproxDP(1.5, 1e-5)

    LABEL_EPSILON = 0.8

    def __init__(self):
        eps = self.promise.epsilon
        ell = math.log(1 / self.promise.delta_at_epsilon)
        self.gradient_rho = 0.999 * (math.sqrt(ell + eps) - math.sqrt(ell)) ** 2

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


# Broken: a sliding window over the last 12 releases; what falls out of the window is forgotten, but not by the analyst.
class SlidingWindow(fp.PrivacyFilter):
    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.zeros((n, 12))

    def admits(self, window, request):
        return window.sum(axis=1) + request.pure_epsilon <= 1.0

    def spend(self, window, request):
        after = np.roll(window, 1, axis=1)
        after[:, 0] = request.pure_epsilon
        return after


# Broken: adds the two directions and takes the maximum over the families, where it has to add the families and take the
# maximum over the directions: three families spend 0.5 each, 1.5 in all.
class LedgerWrongAxis(fp.PrivacyFilter):
    promise = fp.RenyiDP(4.0, 1.0)

    FAMILIES = (fp.Gaussian, fp.Laplace, fp.RandomizedResponse)

    def start(self, n):
        return np.zeros((n, len(self.FAMILIES), 2))

    def _booked(self, ledger, request):
        after = np.array(ledger)
        for row, family in enumerate(self.FAMILIES):
            if isinstance(request, family):
                after[:, row, 0] += request.renyi(4.0)
                after[:, row, 1] += request.swapped.renyi(4.0)
        return after

    def admits(self, ledger, request):
        if not isinstance(request, self.FAMILIES):
            return np.zeros(len(ledger), dtype=bool)
        return self._booked(ledger, request).sum(axis=2).max(axis=1) <= 1.0

    def spend(self, ledger, request):
        return self._booked(ledger, request)


# Broken: the integer mechanisms have a sensitivity, and the price forgets it: DiscreteLaplace(10, 10) costs 0.1, not 1.
class CensusCounts(fp.PrivacyFilter):
    promise = fp.PureDP(1.0)

    def start(self, n):
        return np.zeros(n)

    def epsilon_of(self, request):
        match request:
            case fp.DiscreteLaplace():
                return 1.0 / request.scale
            case fp.Laplace():
                return 1.0 / request.b
            case fp.RandomizedResponse():
                return request.epsilon
            case _:
                return np.inf

    def admits(self, spent, request):
        return spent + self.epsilon_of(request) <= 1.0

    def spend(self, spent, request):
        return spent + self.epsilon_of(request)
