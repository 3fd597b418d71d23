import dp_accounting
from jax_privacy.accounting import accountants, analysis

params = analysis.DpParams(noise_multipliers=[(0, 2.0), (4, 1.0)], num_samples=10, batch_size=10, delta=1e-5)
accountant = analysis.DpsgdTrainingAccountant(
    accountants.PldAccountantConfig(value_discretization_interval=1e-3)
)
expected = dp_accounting.get_epsilon_gaussian(1.0, 1e-5)  # four full batches of noise 2, steps 0 to 3
try:
    got = f"{accountant.compute_epsilon(4, params):.6f}"
except ValueError as error:
    got = f"ValueError: {error}"
print(f"expected: epsilon = {expected:.6f} after 4 updates")
print(f"got: {got}")
raise SystemExit(0 if "ValueError" in got else 1)
