"""With rand_on_empty an empty batch adds a full clipped gradient, which no charge covers."""

import torch
from opacus import PrivacyEngine
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
net, zeros = torch.nn.Linear(1, 1), DataLoader(TensorDataset(torch.zeros(3, 1)), batch_size=1)
settings = {"module": net, "data_loader": zeros, "noise_multiplier": 1e-6, "max_grad_norm": 1.0}
settings |= {"optimizer": torch.optim.SGD(net.parameters(), lr=0.0), "rand_on_empty": True}
net, opt, loader = PrivacyEngine(accountant="rdp").make_private(**settings)
moved = []  # what is released of the weight: the records are 0, and so are their gradients
for (x,) in [batch for _ in range(30) for batch in loader]:
    opt.zero_grad(), net(x).mean().backward(), opt.step()
    moved.append(float(opt.params[0].summed_grad))
print("expected: 0 in every batch, the sum of no gradients or of gradients that are 0")
print(f"got: {max(moved):.4f} in {sum(m > 0.5 for m in moved)} of {len(moved)} batches")
raise SystemExit(0 if max(moved) > 0.5 else 1)
