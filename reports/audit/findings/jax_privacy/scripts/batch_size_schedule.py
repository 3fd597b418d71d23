from jax_privacy.accounting import accountants, analysis


def epsilon(**sizes: object) -> float:
    params = analysis.DpParams(noise_multipliers=1.0, num_samples=1000, delta=1e-5, **sizes)
    accountant = analysis.DpsgdTrainingAccountant(accountants.RdpAccountantConfig(orders=[2]))
    return float(accountant.compute_epsilon(100, params))


# 100 for 10 steps, a tenth of that for 10 steps, then 1 times 100 again
got = epsilon(batch_size=100, batch_size_scale_schedule={10: 0.1, 20: 1.0})
expected = epsilon(batch_size=[(0, 100), (10, 10), (20, 100)])
print(f"expected: epsilon = {expected:.6f} at order 2")
print(f"got: {got:.6f}")
raise SystemExit(0 if got < expected * (1 - 1e-6) else 1)
