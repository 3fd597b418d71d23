"""The amplified map at two changed records, where the loss at one change and at two is the same."""

import itertools
import math

import opendp.prelude as dp

dp.enable_features("contrib", "honest-but-curious")
space = dp.vector_domain(dp.atom_domain(T=int), size=2), dp.change_one_distance()
bit = dp.atom_domain(T=bool), dp.discrete_distance()
has_one = dp.t.make_user_transformation(*space, *bit, lambda x: 1 in x, lambda d: min(d, 1))
p = math.e / (1 + math.e)  # of the truth: epsilon = 1
got = dp.c.make_population_amplification(has_one >> dp.m.make_randomized_response_bool(p), 6).map(2)
samples = list(itertools.combinations([1, 1, 0, 0, 0, 0], 2))  # against a population of zeros
hit = sum(1 in s for s in samples) / len(samples)
expected = math.log((hit * p + (1 - hit) * (1 - p)) / (1 - p))
print(f"expected: epsilon >= {expected:.6f}\ngot: epsilon = {got:.6f}")
raise SystemExit(0 if got < 0.999 * expected else 1)
