import dp_accounting as dp
from numpy import log

TRUE, DELTA, REPLACE = {k: 1.5**k / (1 + 1.5**k) for k in (1, 2, 3)}, 0.2664, dp.NeighboringRelation(2)


def best(past, p, q):  # the most that an analyst reaches who chooses by what was released
    worth, choices = [p - 9 / 4 * q, 0.0], [(*past, k) for k in TRUE] if len(past) < 3 else []
    for now in choices:
        steps = [dp.RandomizedResponseDpEvent(2 * (1 - TRUE[k]), 2) for k in now]
        accountant = dp.pld.PLDAccountant(REPLACE).compose(dp.ComposedDpEvent(steps))
        if accountant.get_epsilon(DELTA) <= log(9 / 4):  # go on while epsilon is within the target
            t, f = TRUE[now[-1]], 1 - TRUE[now[-1]]
            worth.append(best(now, p * t, q * f) + best(now, p * f, q * t))
    return max(worth)


print(f"expected: delta <= {DELTA} at epsilon = log(9/4)\ngot: delta = {(got := best((), 1, 1)):.6f}")
raise SystemExit(0 if got > DELTA * 1.01 else 1)
