"""RDP_independent_noisy_screen answers the last of its four pairs, and not the largest."""

from math import exp

import numpy as np
from autodp.rdp_bank import RDP_independent_noisy_screen
from scipy.stats import norm

threshold, k, sigma, alpha = 60, 100, 10.0, 200
got = RDP_independent_noisy_screen({"thresh": threshold, "k": k, "sigma": sigma}, alpha)
p, q = (
    norm.logsf(threshold - 10, scale=sigma),
    norm.logsf(threshold - 10 + 1, scale=sigma),
)  # 10 votes against 9
terms = alpha * p - (alpha - 1) * q, alpha * np.log1p(-exp(p)) - (alpha - 1) * np.log1p(-exp(q))
exact = np.logaddexp(*terms) / (alpha - 1)
print(f"expected: at least {exact:.6f}, that of k/10 = 10 votes")
print(f"got: {got:.6f}")
raise SystemExit(0 if got < exact else 1)
