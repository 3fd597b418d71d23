"""Below 1e-13 the upper bound on delta is below the truth, and the lower one above it."""

from math import erfc, exp, sqrt

from PLD_accounting import AllocationSchemeConfig, BoundType, PrivacyParams, gaussian_allocation_pld

# one step an epoch, 48 epochs, noise 5: one release with noise 5 / sqrt(48)
params, mu = PrivacyParams(sigma=5.0, num_steps=1, num_epochs=48), sqrt(48) / 5
places, bounds = [10.5 + i / 20 for i in range(24)], []
tails = [[erfc((e / mu + s * mu / 2) / sqrt(2)) / 2 for s in (-1, 1)] for e in places]
for kind in (BoundType.DOMINATES, BoundType.IS_DOMINATED):
    config = AllocationSchemeConfig(tail_truncation=1e-20)
    pld = gaussian_allocation_pld(params=params, config=config, bound_type=kind)
    got = [pld.get_delta_for_epsilon(e) for e in places]
    bounds.append([g / (t[0] - exp(e) * t[1]) for g, t, e in zip(got, tails, places, strict=True)])
print("expected: the upper bound at least the truth, the lower one at most")
print(f"got: {min(bounds[0]):.3f} times the truth, and {max(bounds[1]):.3f} times")
raise SystemExit(0 if min(bounds[0]) < 0.97 else 1)
