"""Two amplified queries on one sample, added up by a filter as if each had a sample of its own."""

import math

import opendp.prelude as dp

dp.enable_features("contrib", "honest-but-curious")
space = dp.vector_domain(dp.atom_domain(T=int), size=2), dp.change_one_distance()
bit = dp.atom_domain(T=bool), dp.discrete_distance()
has_one = dp.t.make_user_transformation(*space, *bit, lambda x: 1 in x, lambda d: min(d, 1))
p, share = math.e / (1 + math.e), 2 / 6  # of the truth: epsilon = 1; of the sample in the population
query = dp.c.make_population_amplification(has_one >> dp.m.make_randomized_response_bool(p), 6)
odometer = dp.c.make_fully_adaptive_composition(*space, dp.max_divergence())
queryable = dp.c.make_privacy_filter(odometer, d_in=1, d_out=1.0)([1, 0])
answers = [queryable(query), queryable(query)]
expected = math.log((share * p**2 + (1 - share) * (1 - p) ** 2) / (1 - p) ** 2)  # of yes twice
got = queryable.privacy_loss(1)
print(f"expected: epsilon >= {expected:.6f}\ngot: epsilon = {got:.6f}, within d_out = 1.0")
raise SystemExit(0 if len(answers) == 2 and got < 1.0 < expected else 1)
