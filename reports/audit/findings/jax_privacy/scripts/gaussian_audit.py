import dp_accounting
import numpy as np
from jax_privacy.auditing import CanaryScoreAuditor

MU, DELTA, SIGNIFICANCE, RUNS = 0.1, 1e-5, 0.05, 200
true = dp_accounting.get_epsilon_gaussian(1 / MU, DELTA)
rng, over = np.random.default_rng(0), 0
for _ in range(RUNS):
    auditor = CanaryScoreAuditor(rng.normal(MU, size=200), rng.normal(size=200))
    over += auditor.epsilon_from_gdp(SIGNIFICANCE, DELTA) > true
print(f"expected: at most about {SIGNIFICANCE:.0%} of the bounds above the true epsilon {true:.6f}")
print(f"got: {over / RUNS:.0%} of {RUNS}")
raise SystemExit(0 if over > RUNS / 2 else 1)
