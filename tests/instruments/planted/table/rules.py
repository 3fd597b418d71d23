"""Faults planted in the rules that add."""

from __future__ import annotations

from tests.instruments.planted.fault import Change, faults_in

__all__ = ["FAULTS"]

FAULTS = (
    *faults_in(
        "filters/rules/additive.py",
        Change(
            "_SHAVE = 1 - 2.0**-50", "_SHAVE = 1 + 2.0**-40", "what is affordable does not fit", "unsound"
        ),
        Change(
            "_SHAVE = 1 - 2.0**-50", "_SHAVE = 1 - 2.0**-20", "what is affordable is short by 1e-6", "loose"
        ),
        Change(
            "root = np.sqrt(room / scale)",
            "root = np.sqrt(room * scale)",
            "what is affordable has the scale upside down",
            "unsound",
        ),
        Change(
            "return self.budget.fits(state, self._cost(request))",
            "return self.budget.fits(self.budget.start(len(state[0])), self._cost(request))",
            "decisions forget what was spent",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/approximate_dp.py",
        Change(
            "Budget.of(float(self.conversion.budget(epsilon, delta)))",
            "Budget.of(2 * float(self.conversion.budget(epsilon, delta)))",
            "B* is doubled",
            "unsound",
        ),
        Change(
            "Budget.of(float(self.conversion.budget(epsilon, delta)))",
            "Budget.of(float(self.conversion.budget(epsilon, delta)) * (1 + 1e-9))",
            "B* is larger by 1e-9",
            "unsound",
        ),
        Change(
            "Budget.of(float(self.conversion.budget(epsilon, delta)))",
            "Budget.of(float(self.conversion.budget(epsilon, delta)) * (1 - 1e-6))",
            "B* is short by 1e-6",
            "loose",
        ),
        Change(
            "Budget.of(float(self.conversion.budget(epsilon, delta)))",
            "Budget.of(float(self.conversion.budget(epsilon, 2 * delta)))",
            "B* is that of twice the delta",
            "unsound",
        ),
        Change(
            "charge = zcdp_charge",
            "from filters.accounting.charge_rules import gdp_charge as charge",
            "the charges are those of another notion",
            "loose",
        ),
    ),
    *faults_in(
        "filters/rules/approximate_zcdp.py",
        Change('"_rho", Budget.of(rho)', '"_rho", Budget.of(2 * rho)', "rho is doubled", "unsound"),
        Change(
            '"_xi", Allowance(xi)', '"_xi", Allowance(xi * (1 + 1e-9))', "xi is larger by 1e-9", "unsound"
        ),
        Change(
            "self.xi + (1 - self.xi) * CKS.delta(self.rho, epsilon)",
            "self.xi * CKS.delta(self.rho, epsilon)",
            "delta of the promise is a product",
            "unsound",
        ),
        Change(
            "return self._rho.fits(state[:2], rho) & self._xi.fits(state[2:], xi)",
            "return self._rho.fits(state[:2], rho) | self._xi.fits(state[2:], xi)",
            "one of the sums may pass its budget",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/basic.py",
        Change("Budget.of(epsilon)", "Budget.of(epsilon + delta)", "epsilon is larger by delta", "unsound"),
        Change("Allowance(delta)", "Allowance(2 * delta)", "delta is doubled", "unsound"),
        Change(
            "return self._epsilon.fits(state[:2], Plain(epsilon)) & self._delta",
            "return self._epsilon.fits(state[:2], Plain(epsilon / 2)) & self._delta",
            "epsilons count half in decisions",
            "unsound",
        ),
        Change(
            "Holds(epsilon * epsilon / 2, pure",
            "Holds(epsilon * epsilon / 8, pure",
            "what paths hold is a quarter",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/gdp.py",
        Change("Budget.square_of(mu)", "Budget.of(mu)", "the budget is mu, not its square", "unsound"),
        Change(
            "Holds(self.budget.limit / 2,",
            "Holds(self.budget.limit / 4,",
            "what paths hold is half",
            "unsound",
        ),
        Change("GaussianDP(mu))", "GaussianDP(mu / 2))", "half of it is promised", "unsound"),
    ),
    *faults_in(
        "filters/rules/kappa.py",
        Change(
            "np.abs(before) < self.kappa",
            "before < self.kappa",
            "the filter stops on one side alone",
            "unsound",
        ),
        Change("released < self.rounds", "released <= self.rounds", "one release too many", "unsound"),
        Change(
            "return before + last, np.zeros_like(last), released + 1",
            "return before, np.zeros_like(last), released + 1",
            "losses are forgotten",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/renyi.py",
        Change("Budget.of(rho)", "Budget.of(rho * alpha)", "the budget is larger by the order", "unsound"),
        Change(
            "RenyiCharge(alpha))",
            "RenyiCharge(1 + (alpha - 1) / 2))",
            "charges are those of a lower order",
            "unsound",
        ),
        Change("RenyiDP(alpha, rho))", "RenyiDP(2 * alpha, rho))", "a higher order is promised", "unsound"),
    ),
    *faults_in(
        "filters/rules/zcdp.py",
        Change(
            "Budget.of(rho)", "Budget.of(rho * (1 + 2.0**-52))", "the budget is larger by an ulp", "unsound"
        ),
        Change("Budget.of(rho)", "Budget.of(rho / 2)", "the budget is half", "loose"),
    ),
    *faults_in(
        "filters/rules/whitehouse.py",
        Change(
            "Budget.of(2 * float(SIMPLE.budget(epsilon, tail)))",
            "Budget.of(4 * float(SIMPLE.budget(epsilon, tail)))",
            "S* is doubled",
            "unsound",
        ),
        Change(
            "Budget.of(2 * float(SIMPLE.budget(epsilon, tail)))",
            "Budget.of(2 * float(SIMPLE.budget(epsilon, delta)))",
            "S* is that of the whole delta",
            "unsound",
        ),
        Change(
            "(Fraction(delta) - Fraction(tail)) / Fraction(weight)",
            "Fraction(delta) / Fraction(weight)",
            "delta is spent twice",
            "unsound",
        ),
        Change(
            "(Fraction(delta) - Fraction(tail)) / Fraction(weight)",
            "(Fraction(delta) - Fraction(tail)) / (2 * Fraction(weight))",
            "half of what is left of delta is granted",
            "loose",
        ),
        Change(
            "self._squares.fits(state[:2], Square(epsilon))",
            "self._squares.fits(state[:2], Square(epsilon, 0.5))",
            "squares count half in decisions",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/rules/rogers.py",
        Change("Allowance(delta / 2)", "Allowance(delta)", "delta is spent twice", "unsound"),
        Change("spread = 2 * (squares + h)", "spread = (squares + h)", "the deviation is small", "unsound"),
        Change(
            "(1 + portable.log1p(squares / h) / 2) * self._log(2)",
            "(1 + portable.log1p(squares / h) / 2) * self._log(1)",
            "the deviation is that of twice the delta",
            "unsound",
        ),
        Change(
            "(28.04 * self._log",
            "(2.804 * self._log",
            "another H, which is sound and not the stated one",
            "loose",
        ),
        Change(
            "fits &= self.bound(after) * (1 + _MARGIN) <= self.epsilon",
            "fits &= self.bound(after) * (1 - 1e-9) <= self.epsilon",
            "K may pass epsilon by 1e-9",
            "unsound",
        ),
        Change(
            "return self._drift.value(state[:2]) + spread", "return spread", "K forgets the drift", "unsound"
        ),
        Change(
            "return float(root) * (1 + 100 * _MARGIN)",
            "return float(root) / 2",
            "what paths hold is half",
            "unsound",
        ),
    ),
)
