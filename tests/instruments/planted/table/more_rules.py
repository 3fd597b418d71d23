"""Faults planted in orders, promises, compositions and rules that look at losses."""

from __future__ import annotations

from tests.instruments.planted.fault import Change, faults_in

__all__ = ["FAULTS"]

FAULTS = (
    *faults_in(
        "filters/rules/orders.py",
        Change(
            "self._orders.fits(state, request).all(axis=0)",
            "self._orders.fits(state, request).any(axis=0)",
            "some order is enough for the filter of all orders",
            "unsound",
        ),
        Change(
            "np.min(np.stack(np.broadcast_arrays(*deltas)), axis=0)",
            "np.max(np.stack(np.broadcast_arrays(*deltas)), axis=0)",
            "the promise is that of the worst order",
            "loose",
        ),
        Change(
            "tuple(Budget.of(r) for _, r in usable)",
            "tuple(Budget.of(2 * r) for _, r in usable)",
            "the budgets of all orders are doubled",
            "unsound",
        ),
        Change("if not share <= 1:", "if not share <= 2:", "orders take twice delta", "unsound"),
        Change("if not share <= 1:", "if not share <= 1e-3:", "orders take a thousandth of delta", "loose"),
    ),
    *faults_in(
        "theory/thresholds/some_order.py",
        Change(
            "log * (1 - t[:j] / last)", "log * (1 - t[:j] / last) / 2", "payments are worth more", "unsound"
        ),
        Change(
            "log * (1 - t[:j] / last)", "2 * log * (1 - t[:j] / last)", "payments are worth less", "loose"
        ),
        Change("/ (1 + t)\n", "/ (2 + t)\n", "what an order takes is less", "unsound"),
        Change("_MARGIN = 1e-9", "_MARGIN = -1e-9", "the share is rounded down", "unsound"),
        Change(
            "np.sort(np.asarray(alphas, dtype=float))",
            "np.sort(np.asarray(alphas, dtype=float))[::-1]",
            "low orders are paid for by high ones",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/promised.py",
        Change(
            "return _root(2 * Fraction(rho))\n",
            "return _root(4 * Fraction(rho))\n",
            "the pure budget of a zCDP promise is large",
            "unsound",
        ),
        Change(
            "return Fraction(rho) / Fraction(alpha)\n        case ApproxDP(epsilon, delta) if epsilon",
            "return Fraction(rho)\n        case ApproxDP(epsilon, delta) if epsilon",
            "the zCDP budget of an RDP promise is large",
            "unsound",
        ),
        Change(
            "case ZCDP(rho):\n            return 2 * Fraction(rho)\n",
            "case ZCDP(rho):\n            return 4 * Fraction(rho)\n",
            "the GDP budget of a zCDP promise is doubled",
            "unsound",
        ),
        Change(
            "case RenyiDP(alpha, rho) if alpha <= order:",
            "case RenyiDP(alpha, rho) if alpha <= 2 * order:",
            "charges of a lower order give a higher one",
            "unsound",
        ),
        Change(
            "return root if Fraction(root) ** 2 <= square else math.nextafter(root, 0.0)",
            "return root",
            "a root is rounded to nearest",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/blackwell.py",
        Change("* (1 - _MARGIN)", "* (1 + 1e-3)", "a Gaussian covers what it does not", "unsound"),
        Change(
            "slope = -special.ndtr(-mu / 2 - eps / mu)",
            "slope = -0.0 * eps",
            "the chord is held against the value, not the tangent",
            "unsound",
        ),
        Change(
            "return bool(left.all() and right.all())",
            "return bool(left.any() and right.any())",
            "domination at one epsilon is enough",
            "unsound",
        ),
        Change(
            'object.__setattr__(self, "promise", ZCDP(math.nextafter(mu * mu / 2, math.inf)))',
            'object.__setattr__(self, "promise", ZCDP(mu * mu / 4))',
            "half of it is promised",
            "unsound",
        ),
        Change(
            "return self._budget.fits((high, low), Square(cover)) & known",
            "return self._budget.fits((high, low), Square(cover, 0.5)) & known",
            "the cover counts half",
            "unsound",
        ),
        Change("return above\n", "return below\n", "the cover is the last mu that is not enough", "unsound"),
    ),
    *faults_in(
        "filters/rules/composition.py",
        Change(
            "return losses, masses * (1 + 1e-12)",
            "return losses, masses * (1 - 1e-9)",
            "composed masses are small",
            "unsound",
        ),
        Change(
            "math.ceil(log_fraction(r) / _UNIT)",
            "math.floor(log_fraction(r) / _UNIT)",
            "composed losses are rounded down",
            "unsound",
        ),
        Change("return max(_one_way", "return min(_one_way", "the better direction is composed", "unsound"),
        Change(
            "infinite = one[2] + (1 - one[2]) * other[2]",
            "infinite = one[2] * other[2]",
            "infinite masses are multiplied",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/realisation.py",
        Change(
            "inside = forward + reach[0] <= self.epsilon - before - slack",
            "inside = forward + reach[0] <= self.epsilon - before + slack",
            "sums of losses may pass epsilon by their rounding",
            "unsound",
        ),
        Change(
            "inside &= backward + reach[1] <= self.epsilon + before - slack",
            "inside &= backward <= self.epsilon + before - slack",
            "the other direction forgets the next release",
            "unsound",
        ),
        Change(
            "inside = forward + reach[0] <= self.epsilon - before - slack",
            "inside = forward + reach[0] <= self.epsilon - before / 2 - slack",
            "losses count half",
            "unsound",
        ),
        Change(
            "exact = exact & _adds(before, last) & known",
            "exact = exact & known",
            "sums of losses count as exact though they were rounded",
            "unsound",
        ),
        Change(
            "positions(tuple(dict(self.after)), request, n)",
            "np.zeros(n, dtype=np.intp)",
            "every request is followed by the first of the allowable sets",
            "unsound",
        ),
        Change(
            "forward = _per_run(upper_quantile(request, self._rest), n)",
            "forward = _per_run(upper_quantile(request, self._tail), n)",
            "the last release counts with the wrong quantile",
            "unsound",
        ),
        Change(
            "inside &= released < self.rounds",
            "inside &= released <= self.rounds",
            "one release too many",
            "unsound",
        ),
        Change(
            "return Fraction(one) + Fraction(other) * (1 - Fraction(one)) * rounds",
            "return Fraction(one) + Fraction(other) * (1 - Fraction(one))",
            "a given split may spend more than delta",
            "unsound",
        ),
        Change(
            "return before + last, np.zeros(n), forward, backward, released + 1",
            "return before, np.zeros(n), forward, backward, released + 1",
            "losses are forgotten",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/loss_lattice.py",
        Change(
            "masses = np.maximum(np.diff(slope), 0.0) * z * (1 + _MARGIN)",
            "masses = np.maximum(np.diff(slope), 0.0) * z * (1 - 1e-6)",
            "the masses of a lattice are small",
            "unsound",
        ),
        Change(
            "up = 1 / (1 + portable.exp(-self.step))",
            "up = 1 / (1 + portable.exp(self.step))",
            "a coarser lattice keeps the wrong mass",
            "unsound",
        ),
        Change(
            "infinite = self.infinite + float(self.masses[last:].sum())",
            "infinite = self.infinite",
            "the largest losses are dropped",
            "unsound",
        ),
        Change(
            "infinite = one.infinite + other.infinite",
            "infinite = max(one.infinite, other.infinite)",
            "infinite masses do not add",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/menu.py",
        Change(
            "after[asked, place[asked]] += 1",
            "after[asked, place[asked]] = 1",
            "uses are not counted",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/blocks.py",
        Change(
            "return closed < self.blocks, after",
            "return closed <= self.blocks, after",
            "one block too many",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/hockey_stick.py",
        Change(
            "one, after = self._delta.step((spent[0], spent[1]), forward)",
            "one, after = self._delta.step((spent[0], spent[1]), backward)",
            "one direction is charged twice, the other never",
            "unsound",
        ),
        Change(
            "return one & other & np.isfinite(loss)",
            "return one & np.isfinite(loss)",
            "one direction may exceed delta",
            "unsound",
        ),
        Change(
            "backward = np.where(declared, _added(self.epsilon + loss,",
            "backward = np.where(declared, _added(self.epsilon - loss,",
            "the loss has one sign in both directions",
            "unsound",
        ),
        Change(
            "now = before + np.asarray(loss, dtype=np.float64)",
            "now = np.asarray(loss, dtype=np.float64)",
            "losses before the last are forgotten",
            "unsound",
        ),
        Change(
            "near = np.maximum(np.abs(room) - doubt - 2.0**-50 * np.abs(room), 0.0)",
            "near = np.abs(room)",
            "the rounding of a loss is not covered",
            "unsound",
        ),
        Change(
            "past = room < 0\n",
            "past = room < -np.inf\n",
            "beyond epsilon a release is charged as before it",
            "loose",
        ),
        Change(
            "portable.exp(-near) * swapped.hockey_stick(near)",
            "portable.exp(-2 * near) * swapped.hockey_stick(near)",
            "beyond epsilon a release is charged too little",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/ex_post.py",
        Change(
            "waiting = np.array(np.broadcast_to(cap, state[2].shape), dtype=np.float64)",
            "waiting = np.zeros(state[2].shape)",
            "a release whose output was not observed is free",
            "unsound",
        ),
        Change(
            "np.where(np.isfinite(size), known, cap)",
            "np.where(np.isfinite(size), known, 0.0)",
            "an infinite loss is free",
            "unsound",
        ),
        Change(
            "cap, size = state[2], np.abs(np.asarray(loss, dtype=np.float64))",
            "cap, size = state[2], np.maximum(np.asarray(loss, dtype=np.float64), 0.0)",
            "losses of the other sign are free",
            "unsound",
        ),
        Change(
            "np.minimum(raised(size), cap), size)",
            "np.minimum(size * 0.99, cap), size)",
            "what an output cost is charged small",
            "unsound",
        ),
        Change(
            "self._delta.fits(\n            state[3:], Plain(delta)\n        )",
            "True",
            "the sum of the deltas has no bound",
            "unsound",
        ),
    ),
)
