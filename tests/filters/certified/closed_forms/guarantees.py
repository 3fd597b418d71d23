"""The delta of every guarantee at doubles, the drift, and the least delta that a divergence of order 1 implies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from filters.certified import conversion_truths
from filters.certified.conversion_truths import promised_delta
from filters.certified.running_number import CLOSE, Claims, RunningNumber
from tests.filters.certified.closed_form import LEAST, closed_form, grid, in_balls
from theory.drift import drift
from theory.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from theory.pairs.truths import TrueValue
from theory.relative_entropy import entropy_delta

_EPSILONS = (0.0, 1e-9, 0.1, 0.5, 1.0, 2.0, 7.0, 30.0)
_ENTROPIES = (
    *((1e-100, 0.0), (1e-9, 0.0), (1e-9, 0.1), (1e-3, 1e-6), (0.02, 0.0), (0.02, 0.1)),
    *((0.5, 0.0), (0.5, 1.0), (3.0, 0.1), (3.0, 5.0), (20.0, 18.0), (30.0, 1.0)),
)


def numbers() -> Iterator[RunningNumber]:
    """PureDP, ApproxDP, RenyiDP, ZCDP, GaussianDP: delta(epsilon); drift; entropy_delta."""
    for bound in (1e-6, 0.3, 1.0, 4.0, 50.0):
        # below the kink, where what is left of the difference is of the size of its rounding, points are kept off it
        shares = (0.0, 0.25, 0.875, 1.25)
        pure = PureDP(bound)
        yield from _deltas("RR zCDP", f"PureDP({bound!r})", pure, [x * bound for x in shares], least=0.0)
        for delta in (1e-300, 1e-5, 0.25):
            levels = [x * bound for x in (0.0, 0.5, 1.0, 2.0)]
            says, promise = f"ApproxDP({bound!r}, {delta!r})", ApproxDP(bound, delta)
            yield from _deltas("Rényi divergences", says, promise, levels, least=0.0)
    for alpha in (1.001, 1.5, 2.0, 8.0, 256.0):
        for rho in (1e-6, 0.05, 1.0, 20.0):
            yield from _deltas("CKS", f"RenyiDP({alpha!r}, {rho!r})", RenyiDP(alpha, rho), _EPSILONS)
    for rho in (1e-6, 0.02, 1.0):
        yield from _deltas("CKS", f"ZCDP({rho!r})", ZCDP(rho), _EPSILONS)
    for mu in (1e-3, 0.5, 1.0, 6.0):
        yield from _deltas("Gaussian hockey-stick", f"GaussianDP({mu!r})", GaussianDP(mu), _EPSILONS)
    says, value = "GaussianDP(1.5).trade_off(0.25)", float(GaussianDP(1.5).trade_off(0.25))
    yield Claims("Gaussian hockey-stick").near(says, value, "tail(mu - quantile(1/4))", slack=CLOSE, mu=1.5)
    yield from _drift()
    yield from _entropy()


def _deltas(
    theorem: str, name: str, promise: Guarantee, epsilons: Sequence[float], least: float = LEAST
) -> Iterator[RunningNumber]:
    def truth(epsilon: float) -> TrueValue:
        delta = promised_delta(promise, epsilon)
        assert delta is not None
        return delta

    says = f"{name}.delta({{!r}})"
    return closed_form(theorem, says, promise.delta, truth, grid(epsilons), least=least)


def _drift() -> Iterator[RunningNumber]:
    sizes = grid([*(10.0**k for k in range(-12, 3)), *(0.1 * k for k in range(1, 41)), 1e-300, 700.0])
    truth = lambda epsilon: TrueValue("e*(exp(e) - 1)/2", {"e": epsilon})  # noqa: E731
    # "rounded up": by the 2^-50 that it is raised by, and roundings below that
    least = {"slack": 2.0**-49, "least": 2.0**-1020}
    yield from closed_form("RR zCDP", "drift({!r})", drift, truth, sizes, charge=True, **least)


def _entropy() -> Iterator[RunningNumber]:
    coins = in_balls(conversion_truths.entropy_delta)
    says = "entropy_delta({!r}, {!r})"
    yield from closed_form("RDP filter", says, entropy_delta, coins, _ENTROPIES, least=LEAST)
    for rho, epsilon in ((0.5, 1.0), (0.02, 0.0)):
        says, value = f"RenyiDP(1.0, {rho!r}).delta({epsilon!r})", float(RenyiDP(1.0, rho).delta(epsilon))
        yield Claims("RDP filter").near(says, value, coins(rho, epsilon), slack=CLOSE)
