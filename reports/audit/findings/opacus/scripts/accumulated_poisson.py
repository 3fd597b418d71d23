"""Two accumulated Poisson batches are charged as one batch at twice the rate; a record may be in both."""

import torch
from opacus import GradSampleModule
from opacus.accountants import RDPAccountant
from opacus.optimizers import DPOptimizer

accountant, net = RDPAccountant(), GradSampleModule(torch.nn.Linear(1, 1, bias=False))
settings = {"noise_multiplier": 1.0, "max_grad_norm": 1.0, "expected_batch_size": 1}
opt = DPOptimizer(torch.optim.SGD(net.parameters(), lr=0.0), **settings)
opt.attach_step_hook(accountant.get_optimizer_hook_fn(sample_rate=0.5))
for _ in range(2):  # both batches, drawn at rate 0.5, hold the one record; this happens with probability 1/4
    net(torch.ones(1, 1)).mean().backward()
opt.step()
got = float(opt.params[0].summed_grad)
print(f"expected: a record adds at most max_grad_norm = 1 to a step charged as {accountant.history}")
print(f"got: {got:.4f}")
raise SystemExit(0 if got > 1.5 else 1)
