"""Claims that the kernel proves: odometers, whose bounds are valid at all times at once."""

from __future__ import annotations

from filterproof.theory.theorems.formula import Formula
from filterproof.theory.theorems.theorem import Theorem, kernel_steps, supporting_steps

_MIXTURE = Formula(
    "S/2 + sqrt(2*(S + H)*(l + log(S/H + 1)/2))",
    rocq="V + sqrt (2 * (2 * V + H) * (ln (1 / delta) + ln (2 * V / H + 1) / 2))",
    names={"V": "S/2", "delta": "exp(-l)"},
)
_INSIDE = Formula(
    "2*S*(log(110) + 1 + 2*log(log(n)/delta))",
    rocq="2 * squares l * (ln 110 + 1 + 2 * ln (ln n / delta))",
    names={"squares l": "S"},
)
_OUTSIDE = Formula(
    "2*(1/n**2 + S)*(1 + log(1 + n**2*S)/2)*log(4*log(n)/log(2)/delta)",
    rocq="2 * (1 / n ^ 2 + squares l) * (1 + ln (1 + n ^ 2 * squares l) / 2) * ln (4 * log2 n / delta)",
    names={"squares l": "S"},
)

_LINE = Formula(
    "(k + 1)*S/2 + l/k", rocq="(k + 1) * v + ln (1 / delta) / k", names={"v": "S/2", "delta": "exp(-l)"}
)
_STITCHED = Formula(
    "delta*(j + 1)**(-7/5)/z", rocq="delta * Rpower (INR j + 1) (- (7 / 5)) / z", names={"INR j": "j"}
)
_HALTED = Formula(
    "rho + 2*sqrt(rho*l)",
    rocq="size level + 2 * sqrt (size level * ln (1 / delta level))",
    names={"size level": "rho", "delta level": "exp(-l)"},
)
_DOUBLED = Formula(
    "6*delta/(pi**2*(j + 1)**2)",
    rocq="6 * delta / (PI ^ 2 * (INR j + 1) ^ 2)",
    names={"INR j": "j", "PI": "pi"},
)

#: The claims that the kernel decides.
ROWS = (
    Theorem(
        name="odometers",
        title="Odometers: the loss is below a bound at all times at once",
        source="Whitehouse, Ramdas, Rogers & Wu; Howard, Ramdas, McAuliffe & Sekhon; Lécuyer; derived here",
        hypotheses="0 < delta < 1, xi >= 0; mechanisms with finitely many outcomes, finitely many rounds chosen by the "
        "outputs so far; round t loses as a rho_t-zCDP one but for outcomes of probability at most xi_t, both ways, "
        "S = 2 sum rho_t; no bound where sum xi_t > xi; finitely many lines, at most 2100 filters",
        claim="The probability that the loss is ever above the line below, l = log(1/delta), is at most delta + xi "
        "for one k > 0; so it is where at each S the line is one of those best at S = first 2^(j+1/2), each at its "
        "share, the second value below with z at least the sum of the (j+1)^(-7/5), as zeta(7/5) is; and for the "
        "third, rho the least first 2^j that is at least sum rho_t, l of its share, the fourth. Releasing while a "
        "bound that is nowhere below all of finitely many lines, the request included, is at most epsilon >= 0 is "
        "(epsilon, delta + xi)-DP, delta the sum of the lines' own, for any xi_t-approximately rho_t-zCDP mechanisms, "
        "xi <= 1",
        statement=(
            r"L \le ",
            _LINE,
            r",\qquad \delta_j = ",
            _STITCHED,
            r",\qquad L \le ",
            _HALTED,
            r",\qquad \delta_j = ",
            _DOUBLED,
        ),
        steps=kernel_steps("line_odometer", "stitched_shares", "doubling_shares", "lines_as_filter")
        + supporting_steps("lines_odometer", "squares_sum"),
    ),
    Theorem(
        name="mixture odometer",
        title="The odometer that mixes lines",
        source="Whitehouse, Ramdas, Rogers & Wu; derived here",
        hypotheses="0 < delta < 1, H > 0, xi >= 0; mechanisms with finitely many outcomes, finitely many rounds "
        "chosen by the outputs so far; round t loses as a rho_t-zCDP one but for outcomes of probability at most "
        "xi_t, both ways, S = 2 sum rho_t; no bound where sum xi_t > xi",
        claim="The probability that the loss is ever above the bound below is at most delta + xi, l = log(1/delta), "
        "whatever else decides what is released; and releasing while the bound, the request included, is at most "
        "epsilon >= 0 is (epsilon, delta + xi)-DP for any xi_t-approximately rho_t-zCDP mechanisms, xi <= 1",
        statement=(r"L \le ", _MIXTURE),
        steps=kernel_steps("mixture_odometer", "mixture_as_filter") + supporting_steps("mixed_reaches"),
    ),
    Theorem(
        name="Rogers odometer",
        title="The odometer of Rogers, Roth, Ullman and Vadhan",
        source="Rogers, Roth, Ullman & Vadhan, Theorem 6.1; derived here",
        hypotheses="0 < delta < 1/e, n >= 3; mechanisms with finitely many outcomes, finitely many rounds chosen by "
        "the outputs so far; round t loses as a rho_t-zCDP one, rho_t = epsilon_t^2/2, but for outcomes of "
        "probability at most delta_t, both ways, as KOV(epsilon_t, delta_t) does; S = sum epsilon_t^2, D the sum of "
        "epsilon_t (e^epsilon_t - 1)/2; no bound where sum delta_t > delta/2",
        claim="The probability that the loss is ever above D plus the root of the first value below while 1/n^2 <= S "
        "<= 1, of the second otherwise, is at most delta, whatever else decides what is released; and releasing while "
        "the bound, the request included, is at most epsilon >= 0 is (epsilon, delta)-DP for any (epsilon_t, "
        "delta_t)-DP mechanisms",
        statement=(r"(L - D)_+^2 \le ", _INSIDE, r",\quad (L - D)_+^2 \le ", _OUTSIDE),
        steps=kernel_steps("rogers_odometer", "rogers_odometer_as_filter")
        + supporting_steps("pure_but_for", "told_or_coin_is_honest"),
    ),
)
