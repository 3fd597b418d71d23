"""The infimum over the orders in the conversion of Canonne, Kamath and Steinke, enclosed in balls.

>>> from flint import arb, ctx
>>> with ctx.workprec(128):
...     print(log_delta(arb(0.03), arb(1)).str(12, radius=False))
-11.6824698501
"""

from __future__ import annotations

from flint import arb, ctx

__all__ = ["log_delta", "log_delta_at", "order_less_one", "slope"]


def log_delta_at(t: arb, rho: arb, epsilon: arb) -> arb:
    """log(e^{t((1+t) rho - epsilon)} / t (1 - 1/(1+t))^{1+t}), paper 003, Lemma C.4, at the order 1 + t."""
    return t * ((1 + t) * rho - epsilon) - t.log() + (1 + t) * (t / (1 + t)).log()


def slope(t: arb, rho: arb, epsilon: arb) -> arb:
    """Its derivative in t, (2t + 1) rho - epsilon + log(t / (1+t)), which rises: see the theorem "CKS"."""
    return (2 * t + 1) * rho - epsilon - (1 / t).log1p()


def order_less_one(rho: arb, epsilon: arb) -> arb:
    """A ball around the t at which the slope is 0: it is below 0 at the lower end, and above at the upper one."""
    with ctx.workprec(ctx.prec + 64):
        low, high = -1200, 1200  # powers of two around the root
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if slope(arb(2) ** middle, rho, epsilon) < 0 else (low, middle)
        t = arb(2) ** low
        for _ in range(24):  # the slope is concave, so Newton's method climbs to its root
            step = slope(t, rho, epsilon) / (2 * rho + 1 / (t * (1 + t)))
            t = (t - step).mid()
            if abs(step) < t * arb(2) ** (-ctx.prec // 2):
                break
        for narrow in (ctx.prec // 2, ctx.prec // 4, 16, 4):
            one = arb(2) ** -narrow
            below, above = (t * (1 - one)).mid(), (t * (1 + one)).mid()
            if slope(below, rho, epsilon) < 0 < slope(above, rho, epsilon):
                return below.union(above)
    return arb.nan()


def log_delta(rho: arb, epsilon: arb) -> arb:
    """The log of the infimum over t > 0; the objective is convex, so it is attained where the slope is 0."""
    with ctx.workprec(2 * ctx.prec + 64):
        t = order_less_one(rho, epsilon)
        middle = t.mid()
        # a convex function lies between its value and its tangent: its slopes at the ends of t are nearly 0
        value, width = log_delta_at(middle, rho, epsilon), arb(t.upper()) - arb(t.lower())
        turn = max(abs(slope(arb(end), rho, epsilon)).upper() for end in (t.lower(), t.upper()))
        return value - arb(turn) * width * arb("0.5 +/- 0.5")
