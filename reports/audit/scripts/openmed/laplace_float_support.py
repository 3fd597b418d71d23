"""Laplace noise in plain doubles: which doubles an answer can be depends on the value that the noise hides."""

import random

from openmed.risk.differential_privacy import release_count

told = []
for count in (1, 0):
    rng = random.Random(0)
    answers = [release_count(count, epsilon=1.0, rng=rng) for _ in range(20_000)]
    told.append(sum(abs(a) < 1 / 32 and (a * 2**53).is_integer() for a in answers))
print(
    "expected: shares of answers below 1/32 that are multiples of 2^-53 within a factor e, for counts 1 and 0"
)
print(f"got: {told[0]} of 20000 against {told[1]} of 20000")
raise SystemExit(0 if told[0] > 150 > 5 * told[1] else 1)
