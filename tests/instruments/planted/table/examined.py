"""Faults that an examiner planted, and that `filterproof prove` did not find before: of runs, directions and states."""

from __future__ import annotations

from tests.instruments.planted.fault import Change, faults_in

__all__ = ["FAULTS"]

FAULTS = (
    *faults_in(
        "filters/accounting/charges.py",
        Change(
            "look_up(deltas, index)",
            "look_up([0 * delta for delta in deltas], index)",
            "the deltas of a selection are zero",
            "unsound",
        ),
        Change(
            "Mixed(xis, index)",
            "Mixed(tuple(Plain(0.0) for _ in xis), index)",
            "the xis of a selection are zero",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/accounting/charge_rules.py",
        Change(
            "return forward if swapped is request else np.maximum",
            "return forward if swapped is request or alpha > 100 else np.maximum",
            "divergences of large orders are those of one direction",
            "unsound",
        ),
        Change(
            "np.maximum(forward, proper(swapped.renyi(alpha)))",
            "np.maximum(0 * forward if alpha > 100 else forward, proper(swapped.renyi(alpha)))",
            "divergences of large orders are those of the other direction",
            "unsound",
        ),
        Change(
            "return square_among(proper(root), 0.5, request.levels)",
            "return square_among(proper(root), 0.25 if np.size(root) > 2 else 0.5, request.levels)",
            "more than two Gaussians at once are charged half",
            "unsound",
        ),
        Change(
            "return square_among(unvanished(proper(request.gdp_mu), request), 1.0, levels)",
            "return square_among(proper(request.gdp_mu), 0.5 if np.size(request.gdp_mu) > 2 else 1.0, None)",
            "the GDP charge of more than two runs at once is half",
            "unsound",
        ),
        Change(
            "return square_among(proper(mu), alpha / 2, request.levels)",
            "return square_among(proper(mu), alpha / (4 if np.size(mu) > 2 else 2), None)",
            "the divergence of more than two runs at once is half",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/accounting/fast/compiled.py",
        Change(
            "        fit = (total < limit_high) | ((total == limit_high) & (carry <= limit_low))\n        if not",
            "        fit = (total < 2 * limit_high) | ((total == limit_high) & (carry <= limit_low))\n        if not",
            "very many people have twice the budget",
            "unsound",
        ),
        Change(
            "& (carry <= limit_low))) & (p >= 0)",
            "& (carry <= limit_low)) | (total < 1.5 * limit_high)) & (p >= 0)",
            "people of whom a linear query asks have more than the budget",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/realisation.py",
        Change(
            "        inside &= np.less_equal(upper_quantile(request.swapped, self._tail), reach[1])\n",
            "",
            "the quantile of the other direction is not looked at",
            "unsound",
        ),
        Change(
            "        inside &= np.less_equal(upper_quantile(request, self._tail), reach[0])\n",
            "",
            "the quantile of the one direction is not looked at",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/holders/session.py",
        Change(
            "                    self._now = now\n                return False",
            "                    self._now = replace(now, state=self._filter.start(1))\n                return False",
            "a denial under retry forgets what was spent",
            "unsound",
        ),
        Change(
            "session._now = _Standing(frozen(state), halted, awaits, granted, most=most)",
            "session._now = _Standing(frozen(start), halted, awaits, granted)",
            "a restored session has spent nothing",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/holders/individual.py",
        Change(
            "people._state, people._key = state, key",
            "people._key = key",
            "restored people have spent nothing",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/holders/linear_queries.py",
        Change(
            "self._sums = self._sums.with_more(number)",
            "self._sums = Sums.fresh(len(self._sums) + number)",
            "all have spent nothing when somebody joins",
            "unsound",
        ),
        Change(
            "            self._sums.left[numbers] = True\n",
            "            self._sums.left[numbers] = True\n"
            "            self._sums.high[:], self._sums.low[:] = 0.0, 0.0\n",
            "all have spent nothing when somebody leaves",
            "unsound",
        ),
        Change(
            "            self._sums.left[numbers] = True\n",
            "            self._sums.high[numbers] = 0.0\n",
            "who leaves starts anew",
            "unsound",
        ),
        Change(
            "queries._hold(Sums(*state))",
            "queries._hold(Sums.fresh(number))",
            "restored queries have charged nobody",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/holders/individual_tracker.py",
        Change(
            "self._state = copied(self._tracker.spend(read_only(self._state), request))",
            "copied(self._tracker.spend(read_only(self._state), request))",
            "what is spent on people is not stored",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/holders/trackers.py",
        Change(
            "return np.asarray(np.sqrt(self._opened(state)) * self.size)",
            "return np.asarray(np.sqrt(np.minimum(self._opened(state), 50)) * self.size)",
            "a Gaussian tracker counts fifty blocks at most",
            "unsound",
        ),
        Change(
            "return np.asarray(self._opened(state) * self.size)",
            "return np.asarray(np.minimum(self._opened(state), 50) * self.size)",
            "a Rényi tracker counts fifty blocks at most",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/holders/secret_noise.py",
        Change(
            "return rng.standard_normal(total.shape)",
            "return 0.999 * rng.standard_normal(total.shape)",
            "secret noise is a little too small",
            "unsound",
        ),
        Change(
            "told + np.ascontiguousarray(total + 0.0).tobytes()",
            "told",
            "secret noise does not depend on the sum",
            "unsound",
        ),
    ),
)
