import dp_accounting
from jax_privacy.accounting import accountants, analysis

params = analysis.DpParams(
    noise_multipliers=[(0, 1.0), (1, float("nan"))], num_samples=10, batch_size=10, delta=1e-5
)
expected = dp_accounting.get_epsilon_gaussian(1.0, 1e-5)  # the first update alone
try:
    got = analysis.DpsgdTrainingAccountant(accountants.RdpAccountantConfig()).compute_epsilon(2, params)
except ValueError:
    got = float("inf")
print(f"expected: an error, or epsilon >= {expected:.6f}")
print(f"got: {got:.6f}")
raise SystemExit(0 if got < expected else 1)
