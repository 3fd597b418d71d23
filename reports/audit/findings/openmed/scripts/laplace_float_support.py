"""Laplace noise in plain doubles: which doubles an answer can be depends on the value that the noise hides."""

import random

from openmed.risk.differential_privacy import release_count

told = []
for count in (1, 0):
    rng = random.Random(0)
    answers = [release_count(count, epsilon=1.0, rng=rng) for _ in range(20_000)]
    near = [(a * 2**53).is_integer() for a in answers if abs(a) < 1 / 32]
    told.append((near.count(True), near.count(False)))
print(
    "expected: within a factor e for counts 1 and 0: answers below 1/32 that are multiples of 2^-53, and others"
)
print(f"got: {told[0]} of 20000 for the count 1, {told[1]} for 0")
raise SystemExit(0 if told[0][0] > 150 and told[0][1] == 0 and told[1][1] > 300 else 1)
