from contextlib import suppress

import dp_accounting as dp

DELTA = 1e-5
accountant = dp.rdp.RdpAccountant()
accountant.compose(dp.GaussianDpEvent(1.0))
with suppress(TypeError, ValueError):
    accountant.compose(dp.ComposedDpEvent([dp.SelfComposedDpEvent(dp.GaussianDpEvent(1.0), -1)]))
expected, got = dp.get_epsilon_gaussian(1.0, DELTA), accountant.get_epsilon(DELTA)
print(f"expected: an error, and epsilon({DELTA}) >= {expected:.6f}, which was spent before")
print(f"got: {got:.6f}")
raise SystemExit(0 if got < expected else 1)
