"""The Poisson sampler draws 24 bits, so that a small sample_rate is rounded up."""

import torch
from opacus.utils.uniform_sampler import UniformWithReplacementSampler

rate, count = 1e-7, 2**24
drawn = torch.rand(10**6, generator=torch.Generator().manual_seed(0)) * count
every = torch.arange(count) / count  # every value that torch.rand can give, once
rand, torch.rand = torch.rand, lambda n, generator=None: every
(chosen,) = UniformWithReplacementSampler(num_samples=count, sample_rate=rate, steps=1)
torch.rand = rand
got = len(chosen) / count
print(f"expected: {rate}, the rate that is charged")
print(f"got: {got}, as all draws are multiples of 2^-24: {bool((drawn == drawn.round()).all())}")
raise SystemExit(0 if got > rate * 1.1 and bool((drawn == drawn.round()).all()) else 1)
