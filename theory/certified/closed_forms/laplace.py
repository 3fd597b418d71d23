"""The Laplace pair at doubles, against its law: atoms 1/2 and e^{-e}/2, and e^{(l-e)/2}/4 dl between them, e = 1/b."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from flint import arb, ctx

from theory.certified.closed_forms.balls import CLOSE, LEAST, called, grid, positive_part, quantile
from theory.certified.running_number import RunningNumber, at_least, near
from theory.pairs.laplace import Laplace

__all__ = ["numbers"]

_THEOREM, _STICK = "Rényi divergences", "Gaussian hockey-stick"
_SCALES = (1e-3, 0.05, 0.3, 1.0, 3.0, 7.0, 49.0, 1e6)
#: What the mu of Laplace(b) is certified at: on both sides of where the code changes its formula, at e = 2.
_CHARGED = (
    1e-3,
    0.01,
    0.1,
    0.3,
    0.4999,
    0.5,
    0.5001,
    0.7,
    0.9,
    1.3,
    2.0,
    3.0,
    7.0,
    10.0,
    33.0,
    99.0,
    1e3,
    1e6,
)


def numbers() -> Iterator[RunningNumber]:
    """hockey_stick, renyi, charges, loss_cdf and loss_quantile of Laplace(b)."""
    points = [(b, share / b) for b in _SCALES for share in (-1.5, -0.75, 0.0, 1e-6, 0.4, 0.96875, 1.5)]
    for (b, epsilon), value in called(lambda s, x: Laplace(s).hockey_stick(x), points):
        # at epsilon near 1/b what is left of H is of the size of the rounding of 1/b
        least = max(LEAST, 2.0**-51 * abs(epsilon))
        says = f"Laplace({b!r}).hockey_stick({epsilon!r})"
        yield near(_THEOREM, says, value, partial(_stick, b, epsilon), slack=CLOSE, least=least)
    for (b, alpha), value in called(
        lambda s, a: Laplace(s).renyi(a), grid(_SCALES, (1.0, 1.001, 1.5, 2.0, 40.0, 1e4))
    ):
        says = f"Laplace({b!r}).renyi({alpha!r})"
        yield near(_THEOREM, says, value, partial(_divergence, b, alpha), slack=CLOSE, least=LEAST)
    for (b,), value in called(lambda s: Laplace(s).pure_epsilon, grid((*_SCALES, *_CHARGED))):
        yield near("RR zCDP", f"Laplace({b!r}).pure_epsilon", value, "1/b", slack=CLOSE, b=b)
    for (b,), value in called(lambda s: Laplace(s).zcdp_rho, grid((*_SCALES, *_CHARGED))):
        yield near("RR zCDP", f"Laplace({b!r}).zcdp_rho", value, "1/(2*b**2)", slack=CLOSE, b=b)
    for (b,), value in called(lambda s: Laplace(s).gdp_mu, grid(_CHARGED)):
        yield at_least(_STICK, f"Laplace({b!r}).gdp_mu", value, partial(_least_mu, b), slack=2.0**-46)
    yield from _law()


def _law() -> Iterator[RunningNumber]:
    points: list[tuple[float, ...]] = [
        (b, share / b) for b in (0.3, 1.0, 7.0) for share in (-1.01, -0.99, 0.0, 0.5, 0.99, 1.01)
    ]
    for (b, x), value in called(lambda s, at: Laplace(s).loss_cdf(at), points):
        yield near(
            _THEOREM, f"Laplace({b!r}).loss_cdf({x!r})", value, partial(_cdf, b, x), slack=0, least=CLOSE
        )
    points = grid((0.3, 1.0, 7.0), (1e-9, 0.499, 0.501, 0.75, 0.999, 1 - 1e-12))
    for (b, share), value in called(lambda s, t: Laplace(s).loss_quantile(t), points):
        says = f"Laplace({b!r}).loss_quantile({share!r})"
        yield near(
            _THEOREM, says, value, partial(_quantile, b, share), slack=CLOSE, least=CLOSE * (1 + 1 / b)
        )


def _stick(b: float, epsilon: float) -> arb:
    """The integral of (P - e^eps Q)_+, piece by piece."""
    e, at = 1 / arb(b), arb(epsilon)
    if at < -e:
        return 1 - at.exp()
    return positive_part(1 - ((at - e) / 2).exp())


def _divergence(b: float, alpha: float) -> arb:
    """The integral of P^a Q^{1-a}: three pieces, of which the outer two are atoms of the loss."""
    with ctx.workprec(2 * ctx.prec + 100):
        e, a = 1 / arb(b), arb(alpha)
        if alpha == 1:
            return e - 1 + (-e).exp()
        middle = (((a - 1) * e).exp() - (-a * e).exp()) / (2 * (2 * a - 1))
        return (((a - 1) * e).exp() / 2 + middle + (-a * e).exp() / 2).log() / (a - 1)


def _least_mu(b: float) -> arb:
    with ctx.workprec(ctx.prec + 80):
        return 2 * quantile((-1 / (2 * arb(b))).exp() / 2)


def _cdf(b: float, x: float) -> arb:
    e, at = 1 / arb(b), arb(x)
    if at < -e:
        return arb(0)
    return ((at - e) / 2).exp() / 2 if at < e else arb(1)


def _quantile(b: float, share: float) -> arb:
    e = 1 / arb(b)
    inside = e + 2 * (2 * (1 - arb(share))).log()
    return inside.min(e).max(-e)
