import numpy as np
from jax_privacy.experimental.execution_plan import BandMFExecutionPlanConfig

options = {"epsilon": None, "delta": None, "noise_multiplier": 1.0, "noise_seed": 0}
config = BandMFExecutionPlanConfig(iterations=1, strategy=[0.1], column_normalize=True, **options)
transform, zeros = config.plan.noise_addition_transform, np.zeros(100_000, np.float32)
noise, _ = transform.update(zeros, transform.init(zeros))
got = float(noise.std())  # the normalized strategy is the number 1: this noise is added to a sum of norm 1
multiplier = config.plan.dp_event.event.event.noise_multiplier
print(f"expected: a standard deviation of {multiplier}, the noise multiplier of the event of the plan")
print(f"got: {got:.4f}")
raise SystemExit(0 if got < multiplier / 2 else 1)
