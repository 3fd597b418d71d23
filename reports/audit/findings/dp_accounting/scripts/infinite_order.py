import math

import dp_accounting as dp

DELTA = 1e-5
accountant = dp.rdp.RdpAccountant(orders=[2, 4, 8, math.inf]).compose(dp.GaussianDpEvent(0.5))
expected, got = dp.get_epsilon_gaussian(0.5, DELTA), accountant.get_epsilon(DELTA)
print(f"expected: epsilon({DELTA}) >= {expected:.6f}")
print(f"got: {got:.6f}, divergences {accountant.rdp}")
raise SystemExit(0 if got < expected else 1)
