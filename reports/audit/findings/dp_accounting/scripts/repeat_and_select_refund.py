from contextlib import suppress

import dp_accounting as dp

DELTA = 1e-5
accountant = dp.rdp.RdpAccountant()
accountant.compose(dp.GaussianDpEvent(0.5))
with suppress(ValueError):  # a mean below 1 is refused
    accountant.compose(dp.dp_event.RepeatAndSelectDpEvent(dp.GaussianDpEvent(10.0), mean=0.5, shape=1.0))
expected, got = dp.get_epsilon_gaussian(0.5, DELTA), accountant.get_epsilon(DELTA)
print(f"expected: epsilon({DELTA}) >= {expected:.6f}, spent before the event that was refused")
print(f"got: {got:.6f}")
raise SystemExit(0 if got < expected else 1)
