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
    for (x,) in Manager(data_loader=data, max_physical_batch_size=2, optimizer=opt).__enter__():
        opt.zero_grad(), net(x).mean().backward(), opt.step()
        if epoch == 0:
            break
got, charged = float(opt.params[0].summed_grad), engine.accountant.history
print(f"expected: the first record adds at most max_grad_norm = 1 to {charged}\ngot: {got:.4f}")
raise SystemExit(0 if got > 1.5 else 1)
