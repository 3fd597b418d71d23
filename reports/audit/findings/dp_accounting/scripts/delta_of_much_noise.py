import dp_accounting as dp
from scipy.stats import norm

SIGMA = 1e9
accountant = dp.rdp.RdpAccountant().compose(dp.GaussianDpEvent(SIGMA))
expected = 2 * norm.cdf(0.5 / SIGMA) - 1
try:
    got = str(accountant.get_delta(0.0))
except ValueError as error:
    got = f"ValueError: {error}"
print(f"expected: delta(0) of at least {expected:.6e}, and at most 1")
print(f"got: {got}")
raise SystemExit(0 if "ValueError" in got else 1)
