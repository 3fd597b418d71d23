"""A loop over BatchMemoryManager that is left early counts a record twice in the next step, charged once."""

import torch
from opacus import PrivacyEngine
from opacus.utils.batch_memory_manager import BatchMemoryManager as Manager
from torch.utils.data import DataLoader, TensorDataset

net, engine = torch.nn.Linear(1, 1, bias=False), PrivacyEngine(accountant="rdp")
data = DataLoader(TensorDataset(torch.eye(4)[:, :1]), batch_size=4)  # the records 1, 0, 0, 0
settings = {"module": net, "data_loader": data, "noise_multiplier": 1e-6, "max_grad_norm": 1.0}
net, opt, data = engine.make_private(optimizer=torch.optim.SGD(net.parameters(), lr=0.0), **settings)
for epoch in range(2):  # the first epoch is left after one of its two physical batches
    with Manager(data_loader=data, max_physical_batch_size=2, optimizer=opt) as batches:
        for _, (x,) in zip(range(2 * epoch + 1), batches, strict=False):
            opt.zero_grad(), net(x).mean().backward(), opt.step()
got = float(opt.params[0].summed_grad)
print(f"expected: at most max_grad_norm = 1 of one record in {engine.accountant.history}\ngot: {got:.4f}")
raise SystemExit(0 if got > 1.5 else 1)
