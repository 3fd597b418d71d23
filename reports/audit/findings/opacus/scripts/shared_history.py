"""A loaded state keeps the dictionary's own list; the next step of a GaussianAccountant empties it."""

from opacus.accountants import GaussianAccountant

trained = GaussianAccountant()
for _ in range(100):
    trained.step(noise_multiplier=0.5, sample_rate=0.1)
checkpoint, expected = trained.state_dict(), trained.get_epsilon(delta=1e-5)
for _ in range(2):  # resume twice from the same checkpoint, one step each time
    resumed = GaussianAccountant()
    resumed.load_state_dict(checkpoint)
    resumed.step(noise_multiplier=0.5, sample_rate=0.1)
got = resumed.get_epsilon(delta=1e-5)
print(f"expected: epsilon at least {expected:.4f}, since the checkpoint has 100 steps")
print(f"got: {got:.4f} from the history {resumed.history}; the checkpoint is now {checkpoint['history']}")
raise SystemExit(0 if got < expected else 1)
