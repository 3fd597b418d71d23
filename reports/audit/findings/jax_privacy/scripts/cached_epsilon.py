import dp_accounting
from jax_privacy.accounting import accountants, analysis


def params(noise: float) -> analysis.DpParams:
    return analysis.DpParams(noise_multipliers=noise, num_samples=10, batch_size=10, delta=1e-5)


training = analysis.DpsgdTrainingAccountant(
    accountants.PldAccountantConfig(value_discretization_interval=1e-3)
)
cached = analysis.CachedExperimentAccountant(training, max_num_updates=4, num_cached_points=2)
first = cached.compute_epsilon(4, params(50.0), allow_approximate_cache=True)
got = cached.compute_epsilon(4, params(0.5), allow_approximate_cache=True)
expected = dp_accounting.get_epsilon_gaussian(0.25, 1e-5)  # four full batches of noise 0.5
print(f"expected: epsilon >= {expected:.6f} at noise 0.5 (asked before: {first:.6f} at noise 50)")
print(f"got: {got:.6f}")
raise SystemExit(0 if got < expected else 1)
