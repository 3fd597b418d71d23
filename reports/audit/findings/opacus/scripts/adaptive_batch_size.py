"""AdaClipDPOptimizer divides its noisy count by the true size of the batch, which no noise covers."""

from math import log

import torch
from opacus.optimizers import AdaClipDPOptimizer

rule = {"target_unclipped_quantile": 1.0, "clipbound_learning_rate": 1e-3, "unclipped_num_std": 100.0}
rule |= {"max_clipbound": 9.0, "min_clipbound": 0.1, "noise_multiplier": 50.0, "max_grad_norm": 1.0}
moved = []
for size in (1, 2):  # a Poisson batch without and with one more record, none of them clipped; the same noise
    weight = torch.nn.Parameter(torch.zeros(1))
    rule |= {"expected_batch_size": 1, "generator": torch.Generator().manual_seed(1)}
    opt = AdaClipDPOptimizer(torch.optim.SGD([weight], lr=0.0), **rule)
    weight.grad_sample = torch.zeros(size, 1)
    opt.step(), moved.append(log(opt.max_grad_norm))
print("expected: 1, as the noise of the released clipping bound does not depend on who is in the batch")
print(f"got: {moved[0] / moved[1]:.4f} times as much noise in a batch of one as in a batch of two")
raise SystemExit(0 if abs(moved[0] / moved[1] - 1) > 0.5 else 1)
