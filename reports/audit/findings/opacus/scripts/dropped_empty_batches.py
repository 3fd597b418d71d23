"""The distributed sampler leaves empty batches out, so that the number of steps tells of the data."""

import tempfile

import torch
from opacus.utils.uniform_sampler import DistributedUniformWithReplacementSampler as Distributed

folder = tempfile.mkdtemp()
torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/store", rank=0, world_size=1)
torch.manual_seed(0)
steps = [len(list(Distributed(total_size=n, sample_rate=0.5, steps=20_000))) for n in (4, 5)]
torch.distributed.destroy_process_group()
print("expected: 20000 steps for 4 records and 20000 steps for 5")
print(f"got: {steps[0]} steps for 4 records and {steps[1]} for 5")
raise SystemExit(0 if steps[0] < 19_000 < steps[1] < 20_000 else 1)
