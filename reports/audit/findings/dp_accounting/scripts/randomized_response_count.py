from math import comb, exp

import dp_accounting as dp

STEPS, EPSILON = 20, 2.0
accountant = dp.pld.PLDAccountant(dp.NeighboringRelation.REPLACE_ONE)
accountant.compose(dp.RandomizedResponseDpEvent(noise_parameter=0.5, num_buckets=2), STEPS)
got = accountant.get_delta(EPSILON)

# The answer is true with probability 3/4. delta = sum over the number of true answers of (P - e^epsilon Q)+.
terms = (
    (0.75**i * 0.25 ** (STEPS - i), 0.25**i * 0.75 ** (STEPS - i), comb(STEPS, i)) for i in range(STEPS + 1)
)
expected = sum(n * max(0.0, p - exp(EPSILON) * q) for p, q, n in terms)
print(f"expected: delta({EPSILON}) = {expected:.6f} after {STEPS} randomized responses")
print(f"got: {got:.6f}")
raise SystemExit(0 if got < expected / 2 else 1)
