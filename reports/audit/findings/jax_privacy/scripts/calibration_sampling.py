from jax_privacy.accounting import accountants, analysis, calibrate

accountant = analysis.DpsgdTrainingAccountant(
    accountants.PldAccountantConfig(value_discretization_interval=1e-3)
)
target = {"target_epsilon": 2.0, "target_delta": 1e-5, "num_updates": 10}
noise = calibrate.calibrate_noise_multiplier(
    accountant=accountant, batch_sizes=100, num_samples=1000, **target
)
fixed = {"sampling_method": analysis.SamplingMethod.FIXED_BATCH_SIZE}
params = analysis.DpParams(noise_multipliers=noise, num_samples=1000, batch_size=100, delta=1e-5, **fixed)
got, known = (
    accountant.compute_epsilon(10, params),
    calibrate.calibrate_noise_multiplier.__annotations__,
)
print("expected: an argument that says how batches are drawn")
print(f"got: none, and the noise for epsilon 2 has epsilon {got:.4f} with batches of fixed size")
raise SystemExit(0 if "sampling_method" not in known and got > 2.0 else 1)
