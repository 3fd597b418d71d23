"""get_noise_multiplier plans for one step fewer than the loader takes in three epochs of 75 batches."""

from opacus.accountants import RDPAccountant
from opacus.accountants.utils import get_noise_multiplier
from opacus.utils.uniform_sampler import UniformWithReplacementSampler

batches, epochs, target = 75, 3, 7.0
sigma = get_noise_multiplier(target_epsilon=target, target_delta=1e-5, sample_rate=1 / batches, epochs=epochs)
accountant = RDPAccountant()
for _ in range(epochs):
    for _ in range(len(UniformWithReplacementSampler(num_samples=75, sample_rate=1 / batches))):
        accountant.step(noise_multiplier=sigma, sample_rate=1 / batches)
got = accountant.get_epsilon(delta=1e-5)
print(f"expected: epsilon at most {target} after the {epochs} epochs that were asked for")
print(
    f"got: {got:.5f} after {accountant.history[0][2]} steps; the noise was chosen for {int(epochs / (1 / batches))}"
)
raise SystemExit(0 if got > target else 1)
