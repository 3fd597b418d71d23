"""Geometric adds its noise in double precision: beyond 2^53 the value is rounded before it is hidden."""

from diffprivlib.mechanisms import Geometric

told = [{Geometric(epsilon=1.0).randomise(2**60 + k) - 2**60 for _ in range(200)} for k in (128, 129)]
print("expected: overlapping answers for 2^60 + 128 and 2^60 + 129, which are neighbours at sensitivity 1")
print(f"got: 2^60 + {sorted(told[0])} against 2^60 + {sorted(told[1])}, of 200 answers each")
raise SystemExit(0 if told == [{0}, {256}] else 1)
