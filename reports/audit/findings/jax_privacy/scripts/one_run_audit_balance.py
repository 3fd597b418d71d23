import numpy as np
from jax_privacy.auditing import CanaryScoreAuditor

auditor = CanaryScoreAuditor(np.zeros(1000), np.zeros(10))  # scores that tell nothing
got = auditor.epsilon_one_run(significance=0.05, delta=1e-5)
fdp = auditor.epsilon_one_run_fdp(significance=0.05, delta=1e-5)
print("expected: an error, or a lower bound of 0 on epsilon")
print(f"got: {got:.6f} (epsilon_one_run_fdp: {fdp:.6f})")
raise SystemExit(0 if got > 0.5 else 1)
