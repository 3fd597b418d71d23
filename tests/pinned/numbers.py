"""Budgets, charges and running bounds as hexadecimal doubles; `python -m tests.pinned.numbers` writes `numbers.txt`."""

from collections.abc import Iterator
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import numpy as np

from filterproof.filters.accountants.odometers import (
    LineOdometer,
    MixtureOdometer,
    RogersOdometer,
    StitchedOdometer,
)
from filterproof.filters.accounting.approximate_charges import approximate_charge, upper_quantile
from filterproof.filters.accounting.charge_rules import gdp_charge, pure_charge, renyi_charge, zcdp_charge
from filterproof.filters.catalogue import RogersFilter
from filterproof.filters.rules.blackwell import gaussian_cover
from filterproof.filters.rules.guarantee_budget import order_budget, promised_budget
from filterproof.reports.figures.trials import FilteredDescent, Trial
from filterproof.theory.conversions import BUN_STEINKE, CKS, gaussian_epsilon, max_gaussian_mu, renyi_epsilon
from filterproof.theory.drift import mean_loss_upper_bound
from filterproof.theory.guarantees import ApproxDP, RenyiDP
from filterproof.theory.numerics import reproducible_math as rm
from filterproof.theory.numerics.norms import (
    exact_sum_parts,
    nearest_doubles_of_sum,
    squared_norms,
    weighted_row_blocks,
)
from filterproof.theory.numerics.products import matrix_product
from filterproof.theory.numerics.stable import log_fraction
from filterproof.theory.pairs import (
    KOV,
    FinitePair,
    Gaussian,
    Laplace,
    RandomizedResponse,
    SubsampledGaussian,
)
from filterproof.theory.stopping_level import optimal_split

PATH = Path(__file__).with_name("numbers.txt")

EPSILONS, DELTAS = (1e-3, 0.1, 0.3, 0.5, 1.0, 3.0, 8.0, 40.0), (1e-12, 1e-9, 1e-5, 1e-3, 0.1)
SIZES = (1e-3, 0.05, 0.3, 0.7, 1.0, 2.5)


def lines() -> Iterator[str]:
    """Each number on a line, behind what it is; of many numbers the digest of their bytes."""
    for name, value in _numbers():
        found = np.ravel(np.asarray(value, dtype=np.float64))
        if len(found) > 4:
            yield f"{name}: sha256 {sha256(found.astype('<f8').tobytes()).hexdigest()[:16]}"
        else:
            yield f"{name}: {' '.join(float(one).hex() for one in found)}"


def _numbers() -> Iterator[tuple[str, object]]:
    for epsilon in EPSILONS:
        for delta in DELTAS:
            at = f"({epsilon}, {delta})"
            yield f"BUN_STEINKE.budget{at}", BUN_STEINKE.budget(epsilon, delta)
            yield f"CKS.budget{at}", CKS.budget(epsilon, delta)
            yield f"max_gaussian_mu{at}", max_gaussian_mu(epsilon, delta)
            yield f"pure budget{at}", promised_budget(pure_charge, ApproxDP(epsilon, delta)).limit
            yield f"order 8{at}", [order_budget(8.0, epsilon, delta, one) for one in (BUN_STEINKE, CKS)]
            yield (
                f"BUN_STEINKE.epsilon, delta{at}",
                [BUN_STEINKE.epsilon(epsilon, delta), BUN_STEINKE.delta(delta, epsilon)],
            )
            yield f"CKS.epsilon, delta{at}", [CKS.epsilon(epsilon, delta), CKS.delta(delta, epsilon)]
            yield f"renyi_epsilon{at}", renyi_epsilon(8.0, epsilon, delta)
    for rounds in (1, 10, 1000):
        split = optimal_split(rounds, 1e-5)
        yield f"optimal_split({rounds}, 1e-5)", [split.dhat, split.theta]
    for size in SIZES:
        menu = (
            RandomizedResponse(size),
            Laplace(1 / size),
            FinitePair((0.5, 0.5), (0.5 - size / 9, 0.5 + size / 9)),
        )
        for pair in (*menu, SubsampledGaussian(0.1, 1 / size), Gaussian(size)):
            kind = f"{type(pair).__name__} {size}"
            for rule in (pure_charge, zcdp_charge, gdp_charge, renyi_charge.at(1.5), renyi_charge.at(32.0)):
                yield f"{rule!r} of {kind}", rule(pair).exact(1.0)
            yield f"at 0.5 of {kind}", approximate_charge(pair, 0.5)
            yield f"quantile of {kind}", upper_quantile(pair, 1e-6)
        yield f"cover {size}", gaussian_cover((RandomizedResponse(size), KOV(size, 0.0)), (3, 2))
    # whose tail lies below the mean, where the C library would be asked; two of its variants differ at the first
    for mu in (float.fromhex("0x1.08be5a7e3c00ap+1"), 4.0):
        yield f"at 0.1 of Gaussian {mu}", approximate_charge(Gaussian(mu), 0.1)
    yield "delta of KL", [RenyiDP(1.0, rho).delta(0.1) for rho in (1e-4, 0.3, 0.7, 5.0)]
    x = np.linspace(1e-4, 30.0, 997)
    yield "drift", mean_loss_upper_bound(x)
    for filt in (RogersFilter(2.0, 1e-3), RogersFilter(0.1, 1e-9, reading="2/delta")):
        yield f"{filt!r}", [filt.mixture_scale, filt.squares, *filt.deviation(x)]
    for line in (LineOdometer(1e-5, 0.5), MixtureOdometer(1e-5, 0.5), StitchedOdometer(1e-5, 0.01)):
        yield f"{line!r}", line.bound(x)
    odometer = RogersOdometer(1e-3, records=1000)
    yield f"{odometer!r}", odometer.epsilon(odometer.spend(odometer.start(1), RandomizedResponse(0.1)))
    for ratio in (Fraction(3, 2), Fraction(10**40 + 1, 10**40), Fraction(7**500, 3), Fraction(1, 9)):
        yield f"log_fraction of {ratio.numerator % 997} {ratio.denominator % 997}", log_fraction(ratio)
    y = np.concatenate((-x, x, np.ldexp(3.0, -10 * np.arange(99))))
    for function in (
        rm.exp,
        rm.expm1,
        rm.tanh,
        rm.expit,
        rm.log_expit,
    ):
        yield function.__name__, function(y)
    for function in (rm.log, rm.log1p):
        yield function.__name__, function(y[997:])
    # numbers in an order that no library draws: their sums must not depend on how they are added
    rows = ((np.arange(3000 * 20) * 2654435761 % 2**32) / 2**31 - 1).reshape(3000, 20)
    yield "squared norms", squared_norms(rows)[:50]
    yield "weighted sum", nearest_doubles_of_sum(exact_sum_parts(weighted_row_blocks(rows[:, 0], rows)))
    yield "product", matrix_product(rows.T, rows[:, :3])
    setting = FilteredDescent(sigma=10.618, clip=6.0, rate=0.7, at=2, further=2)
    run = Trial(setting, seed=0, number=0).play()
    yield "a training", [*run.quality, *run.active, *run.epsilons, *run.after.train_loss]
    yield "gaussian_epsilon", gaussian_epsilon(np.array(SIZES), 1e-5)


if __name__ == "__main__":
    text = "\n".join(lines()) + "\n"
    PATH.write_text(text, "utf-8")
