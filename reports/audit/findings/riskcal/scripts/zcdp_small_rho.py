"""get_beta_from_zcdp promises a perfect trade-off, FNR = 1 - FPR, for a rho that Gaussian noise shows to leak."""

import math
from statistics import NormalDist

from riskcal.analysis import get_beta_from_rdp, get_beta_from_zcdp

rho, fpr, order = 0.001, 0.2, 443.0
normal = NormalDist()
# Gaussian noise with 1 / (2 sigma^2) = rho is rho-zCDP; this is the error of its most powerful test
expected = normal.cdf(normal.inv_cdf(1 - fpr) - math.sqrt(2 * rho))
got, at_order = get_beta_from_zcdp(rho, alpha=fpr), get_beta_from_rdp(rho * order, alpha=fpr, order=order)
print(f"expected: a false negative rate of at most {expected:.6f} at a false positive rate of {fpr}")
print(f"got: {got:.6f}, and {at_order:.6f} from order {order:.0f} alone")
raise SystemExit(0 if got > expected + 1e-3 else 1)
