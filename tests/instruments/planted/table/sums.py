"""Faults planted in exact sums, budgets and limits."""

from __future__ import annotations

from tests.instruments.planted.fault import Change, faults_in

__all__ = ["FAULTS"]

FAULTS = (
    *faults_in(
        "filters/accounting/amounts.py",
        Change(
            "return x if type(x) is float else beyond(x[()] if isinstance(x, np.ndarray) else x)",
            "return float(x)",
            "charges are rounded to nearest",
            "unsound",
        ),
        Change(
            "return _lift(self.x * root * root, self.x, LEAST), 0.0",
            "return _lift(self.x * root, self.x, LEAST), 0.0",
            "plain charges are in wrong units",
            "unsound",
        ),
        Change(
            "return _lift(self.x * root * root, self.x, LEAST), 0.0",
            "return self.x * root * root, 0.0",
            "a tiny charge may underflow to nothing",
            "unsound",
        ),
        Change(
            "return high * self.scale, low * self.scale\n",
            "return high * self.scale, low * self.scale / 2\n",
            "half of the second double of a square is lost",
            "unsound",
        ),
        Change(
            "high, low = square(_lift(x * root, x, LEAST_ROOT))",
            "high, low = square(x * root)",
            "the square of a tiny x may underflow to nothing",
            "unsound",
        ),
        Change(
            "v = round_up(v, lost + third)",
            "v = v - abs(lost + third)",
            "a square times a scale is rounded down",
            "unsound",
        ),
        Change(
            "return high * self.scale, low * self.scale\n",
            "return high, low\n",
            "squares forget a scale that is a power of two",
            "unsound",
        ),
        Change(
            "return np.array([beyond(one) for one in x], dtype=np.float64)",
            "return x.astype(np.float64)",
            "integers and long doubles are rounded to nearest",
            "unsound",
        ),
        Change(
            "return look_up([high for high, _ in both], self.index), look_up([low for _, low in both], self.index)",
            "return look_up([high for high, _ in both], self.index), look_up([0.0 for _, low in both], self.index)",
            "mixed charges lose their second double",
            "unsound",
        ),
        Change(
            "LEAST = 2.0**-960",
            "LEAST = 2.0**-950",
            "the least charge is larger",
            "equivalent",
            "both are far below what 2^48 rounds can add up to in any budget",
        ),
    ),
    *faults_in(
        "filters/accounting/allowance.py",
        Change(
            "within(self.value) if self.value > 0 else 0.0",
            "within(self.value) * (1 + 2.0**-40) if self.value > 0 else 0.0",
            "an allowance is larger by 2^-40",
            "unsound",
        ),
        Change(
            "within(self.value) if self.value > 0 else 0.0",
            "within(self.value) * (1 - 1e-6) if self.value > 0 else 0.0",
            "an allowance is short by 1e-6",
            "loose",
        ),
        Change(
            "Budget.of(self.value) if self.value > 0 else Budget(0.0, 0.0, 0)",
            "Budget.of(self.value) if self.value > 0 else Budget(1.0, 0.0, -100)",
            "nothing is something",
            "unsound",
        ),
        Change(
            "(state[0] < most) | ((state[0] == most) & (state[1] <= 0))",
            "(state[0] <= 2 * most)",
            "an odometer's xi may be twice as large",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/accounting/directed.py",
        Change("near = towards_zero(x)", "near = float(x)", "budgets are rounded to nearest", "unsound"),
    ),
    *faults_in(
        "theory/numerics/error_free.py",
        Change(
            "short = ~((product - x) + rest >= 0)",
            "short = ((product - x) + rest > 1)",
            "quotients are rounded to nearest",
            "unsound",
        ),
        Change("| (x < 2.0**-900)", "| (x < 2.0**900)", "every quotient is raised by an ulp", "loose"),
        Change(
            "return s, (a - (s - t)) + (b - t)",
            "return s, (a - (s - t))",
            "the error of a sum is lost in part",
            "unsound",
        ),
        Change("_SPLITTER = 2.0**27 + 1", "_SPLITTER = 2.0**20 + 1", "squares are not exact", "unsound"),
        Change(
            "return p, ((a1 * a1 - p) + 2 * (a1 * a2)) + a2 * a2",
            "return p, ((a1 * a1 - p) + (a1 * a2)) + a2 * a2",
            "the error of a square is wrong",
            "unsound",
        ),
        Change(
            "return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2",
            "return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1)",
            "the error of a product lacks a part",
            "unsound",
        ),
        Change(
            "return low + (rest > 0) * (abs(low) * 2.0**-52 + 2 * rest)",
            "return low",
            "what rounding loses of a sum is dropped",
            "unsound",
        ),
        Change("high = s + v\n", "high = s\n", "the second double of a sum is not carried over", "unsound"),
    ),
    *faults_in(
        "filters/accounting/ledger.py",
        Change(
            "exponent = (math.frexp(value)[1] - 1) // 2",
            "exponent = (math.frexp(value)[1] + 1) // 2",
            "a budget of one is in units of four, and odometers read its sums in units of one",
            "unsound",
        ),
        Change(
            "return cls(value * root * root, 0.0, exponent)",
            "return cls(value * root * root * (1 + 1e-9), 0.0, exponent)",
            "every budget is larger by 1e-9",
            "unsound",
        ),
        Change(
            "return cls(value * root * root, 0.0, exponent)",
            "return cls(math.nextafter(value * root * root, 9.0), 0.0, exponent)",
            "every budget is larger by an ulp",
            "unsound",
        ),
        Change(
            "return cls(high, low, exponent)",
            "return cls(high, 0.0, exponent)",
            "the square of a budget is rounded to nearest",
            "unsound",
        ),
        Change(
            "return self.covers(after) & (cost[0] >= 0), after",
            "return self.covers(after), after",
            "charges below zero are admitted",
            "unsound",
        ),
        Change("(1 - 2.0**-51)", "(1 + 2.0**-51)", "what is left is rounded up", "unsound"),
        Change(
            "room = (gap + (rest + (self.low - state[1])))",
            "room = (gap + (rest + self.low))",
            "what is left forgets the second double",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/accounting/limit.py",
        Change(
            "(sums[1] <= self.low)",
            "(sums[1] <= self.low + 2.0**-52)",
            "a sum may pass its limit by an ulp",
            "unsound",
        ),
        Change(
            "return (sums[0] < self.high) |",
            "return (sums[0] <= self.high) |",
            "a sum may pass its limit by half an ulp",
            "unsound",
        ),
        Change(
            "return (sums[0] < self.high) | ((sums[0] == self.high)",
            "return (sums[0] < self.high * (1 - 1e-9)) | ((sums[0] == self.high)",
            "the last 1e-9 of a budget is not granted",
            "loose",
        ),
        Change(
            "return math.ldexp(1.0, -self.exponent)",
            "return math.ldexp(1.0, -self.exponent - 1)",
            "charges are divided by four",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/accounting/fast/single.py",
        Change(
            "after = add_up((state[0].item(), state[1].item()), cost)",
            "after = add_up((state[0].item(), 0.0), cost)",
            "sessions forget the second double",
            "unsound",
        ),
    ),
    *faults_in(
        "filters/accounting/fast/blocks.py",
        Change(
            "t *= 2.0**-52\n        lost *= 2",
            "t *= 0\n        lost *= 0",
            "blocks of runs drop what rounding loses",
            "unsound",
        ),
    ),
)
