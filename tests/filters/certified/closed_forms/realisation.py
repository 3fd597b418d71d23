"""kappa, the split of delta, and the chances that a walk stays inside, at doubles: Taylor et al., Section V."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from flint import arb

from filterproof.filters.certified.comparison import Comparison, Comparisons
from filterproof.filters.certified.realisation_checks import best_split_comparison
from filterproof.theory.pairs.normal_distribution import upper_quantile
from filterproof.theory.stopping_level import kappa, optimal_split
from tests.filters.certified.closed_form import closed_form, grid, in_balls

_CLAIMS = Comparisons("kappa")
_SPLITS = ((48, 1e-5), (1, 1e-5), (2, 0.4), (1000, 1e-9), (10**6, 1e-2), (48, 1e-290))


def numbers() -> Iterator[Comparison]:
    """kappa and optimal_split."""
    yield from kappas(
        grid((10.0, 0.3, -2.0), (0.05, 0.5, 2.0, 300.0), (5.388961e-6, 1e-300, 0.3), (9.606383e-8, 0.2))
    )
    for rounds, delta in _SPLITS:
        yield from _split(rounds, delta)


def kappas(points: Sequence[tuple[float, ...]]) -> Iterator[Comparison]:
    """kappa at (epsilon, sigma, dhat, theta)."""

    def room(epsilon: float, sigma: float, *_: float) -> float:
        return 1e-14 * (abs(epsilon) + 1 / sigma**2 + 80 / sigma)

    return closed_form("kappa", "kappa{at!r}", kappa, in_balls(_kappa), points, slack=0, least=room)


def _split(rounds: int, delta: float) -> Iterator[Comparison]:
    """What the split spends is at most delta, exactly; and dhat is next to where the z-sum is least."""
    split = optimal_split(rounds, delta)
    dhat, theta = Fraction(split.dhat), Fraction(split.theta)
    of = _CLAIMS.of(f"optimal_split({rounds}, {delta!r})")
    # theta is rounded down so far that the sum is within delta: by some units in the last place
    spent = dhat + theta * (1 - dhat) * rounds
    yield of.at_most("dhat + theta (1 - dhat) N", spent, "d", slack=2.0**-49, d=delta)
    yield best_split_comparison(of, rounds, delta, split.dhat)


def _kappa(epsilon: float, sigma: float, dhat: float, theta: float) -> arb:
    s = arb(sigma)
    return arb(epsilon) - 1 / s**2 - (upper_quantile(arb(dhat)) + upper_quantile(arb(theta))) / s
