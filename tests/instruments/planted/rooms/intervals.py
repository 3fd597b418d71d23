"""Faults planted in intervals and betting tests."""

from __future__ import annotations

from tests.instruments.planted.node import At, faults_in

__all__ = ["FAULTS"]

FAULTS = (
    *faults_in(
        "mc/intervals/kl.py",
        At("kl_chernoff", "math.log(2)", "0.0", "both sides share one failure probability", "unsound"),
        At(
            "kl_chernoff.outside",
            "bernoulli_kl(mean, q)",
            "bernoulli_kl(q, mean)",
            "the divergence is swapped",
            "unsound",
        ),
        At(
            "last_outside",
            "return outer",
            "return inner",
            "an endpoint is not found where none is outside",
            "unsound",
        ),
        At(
            "_term", "shift / p", "2 * shift / p", "the divergence near its zero is twice as large", "unsound"
        ),
    ),
    *faults_in(
        "mc/intervals/bernstein.py",
        At("outward", "high + pad", "high - pad", "the upper end is moved inward by the rounding", "unsound"),
        At("empirical_bernstein", "math.log(3)", "math.log(2)", "a third event is not paid for", "unsound"),
        At(
            "empirical_bernstein",
            "2 * variance * log_term / n",
            "variance * log_term / n",
            "half the variance",
            "unsound",
        ),
        At(
            "empirical_bernstein",
            "2 * log_term / math.sqrt(n * (n - 1))",
            "log_term / n",
            "the deviation of the deviation is halved",
            "unsound",
        ),
        At(
            "empirical_bernstein",
            "log_term / (3 * n)",
            "log_term / n",
            "the last term of Bennett's bound is threefold",
            "loose",
        ),
    ),
    *faults_in(
        "mc/intervals/counts.py",
        At(
            "clopper_pearson", "failure / 2", "failure", "each side misses with all of the failure", "unsound"
        ),
        At("clopper_pearson", "misses + 1", "misses", "the lower end is that of one miss fewer", "unsound"),
        At("clopper_pearson", "1 - ROUNDING", "1 + ROUNDING", "the lower end is rounded inward", "unsound"),
    ),
    *faults_in(
        "mc/intervals/betting.py",
        At(
            "plug_in_bets",
            "np.concatenate(([0.25], spread[:-1]))",
            "spread",
            "a bet looks at the value that it is placed on",
            "unsound",
        ),
        At("betting", "math.log(2)", "0.0", "both gamblers share one failure probability", "unsound"),
        At("_poorest_mean.surplus", "_STAKE / m", "1.5 / m", "capital may become negative", "unsound"),
    ),
    *faults_in(
        "mc/intervals/fixed_bets.py",
        At("_level", "math.log(2)", "0.0", "both gamblers share one failure probability", "unsound"),
        At(
            "FixedBets.interval",
            "log - ROUNDING * abs(log)",
            "log + ROUNDING * abs(log)",
            "sums of logarithms are rounded up",
            "unsound",
        ),
        At(
            "",
            "_SHARES = (7 / 8, 1 / 8)",
            "_SHARES = (1.0, 1.0)",
            "the gambler starts with capital two",
            "unsound",
        ),
        At(
            "_log_capital",
            "n * math.log1p(stake * m)",
            "n * stake * m",
            "a logarithm is replaced by its argument",
            "loose",
        ),
        At(
            "exponents",
            "mean / (mean + spread / mean)",
            "1.0",
            "the pilot's worst law forgets the variance",
            "loose",
        ),
    ),
    *faults_in(
        "mc/intervals/anytime.py",
        At(
            "BettingTest.wanted",
            "math.log(2)",
            "0.0",
            "both sides share one failure probability",
            "unsound",
        ),
        At(
            "BettingTest.wanted",
            "n * 2.0 ** -50",
            "-n * 2.0 ** -50",
            "rounding makes capital look larger",
            "unsound",
        ),
        At(
            "BettingTest.wealth",
            "zeros * np.log1p(-bets * centre)",
            "0.0 * bets",
            "samples of value zero are not paid for",
            "unsound",
        ),
        At("log_mean_exp", "len(logs)", "1", "capital is the sum of the bets and not their mean", "unsound"),
        At(
            "BettingTest.wealth",
            "1 / (1 - centre)",
            "1 / centre",
            "bets on smaller values are those on larger ones",
            "unsound",
        ),
    ),
    *faults_in(
        "mc/intervals/multiplicity.py",
        At(
            "Family.each",
            "self.failure / self.size",
            "self.failure",
            "no comparison pays for the others",
            "unsound",
        ),
        At("Family.each", "0.0", "1.0", "the share of one comparison is rounded up", "unsound"),
    ),
    *faults_in(
        "mc/intervals/moments.py",
        At("Moments.merge", "centred + between", "centred", "the variance between blocks is lost", "unsound"),
        At("Moments.unit_variance", "self.n - 1", "self.n", "the sample variance is biased", "unsound"),
    ),
)
