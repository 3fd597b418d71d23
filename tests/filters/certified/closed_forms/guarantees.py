"""The delta of guarantees at doubles, and the least delta that a divergence of order 1 implies."""

from __future__ import annotations

from collections.abc import Iterator

from filterproof.filters.certified import conversion_references
from filterproof.filters.certified.comparison import CLOSE, Comparison, Comparisons
from filterproof.theory.guarantees import GaussianDP, PureDP, RenyiDP
from filterproof.theory.pairs import RandomizedResponse
from filterproof.theory.relative_entropy import entropy_delta
from tests.filters.certified.closed_form import LEAST, closed_form, in_balls

_ENTROPIES = (
    *((1e-100, 0.0), (1e-9, 0.0), (1e-9, 0.1), (1e-3, 1e-6), (0.02, 0.0), (0.02, 0.1)),
    *((0.5, 0.0), (0.5, 1.0), (3.0, 0.1), (3.0, 5.0), (20.0, 18.0), (30.0, 1.0)),
)


def numbers() -> Iterator[Comparison]:
    """The trade-off of GaussianDP, PureDP.delta, entropy_delta."""
    says, value = "GaussianDP(1.5).trade_off(0.25)", float(GaussianDP(1.5).trade_off(0.25))
    yield Comparisons("Gaussian hockey-stick").near_truth(
        says, value, "tail(mu - quantile(1/4))", slack=CLOSE, mu=1.5
    )
    for epsilon in (0.0, 1.0, 1.5 - 1e-3, 2.0):
        says, value = f"PureDP(1.5).delta({epsilon!r})", float(PureDP(1.5).delta(epsilon))
        truth = RandomizedResponse(1.5).reference_values.hockey_stick(epsilon)
        yield Comparisons("basic composition").near_truth(says, value, truth, slack=CLOSE)
    coins = in_balls(conversion_references.entropy_delta)
    says = "entropy_delta({!r}, {!r})"
    yield from closed_form("RDP filter", says, entropy_delta, coins, _ENTROPIES, least=LEAST)
    for rho, epsilon in ((0.5, 1.0), (0.02, 0.0)):
        says, value = f"RenyiDP(1.0, {rho!r}).delta({epsilon!r})", float(RenyiDP(1.0, rho).delta(epsilon))
        yield Comparisons("RDP filter").near_truth(says, value, coins(rho, epsilon), slack=CLOSE)
