"""ExponentialCategorical halves its noise if the normalisers at epsilon / 2 agree; those at epsilon may not."""

import math

from diffprivlib.mechanisms import ExponentialCategorical

epsilon, low, high = 4.0, math.exp(-2.0), 0.99
even, rest = (high + low) / 2, (high + 3 * low) / 4  # all sums of weights at a value are alike
weights = {"ay": low, "pq": low, "rs": high, "yp": high, "yq": high, "yr": low, "ys": low}
weights |= {"a" + o: even for o in "pqrs"} | dict.fromkeys(("pr", "ps", "qr", "qs"), rest)
utilities = [(two[0], two[1], -2 * math.log(w) / epsilon) for two, w in weights.items()]
mechanism = ExponentialCategorical(epsilon=epsilon, utility_list=utilities)
chance = {x: mechanism._get_prob(x, "a") / mechanism._normalising_constant[x] for x in "ay"}
loss = math.log(chance["a"] / chance["y"])
print(
    f"expected: a loss of at most {epsilon} between the inputs 'a' and 'y'\ngot: {loss:.4f} at the output 'a'"
)
raise SystemExit(0 if loss > 4.2 else 1)
