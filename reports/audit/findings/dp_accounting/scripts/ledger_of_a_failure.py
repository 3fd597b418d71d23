from contextlib import suppress

import dp_accounting as dp

accountant = dp.rdp.RdpAccountant()
with suppress(ValueError):
    accountant.compose(dp.GaussianDpEvent(-1.0))
got = accountant.ledger
print(f"expected: {dp.NoOpDpEvent()}, since the event was refused")
print(f"got: {got}, and epsilon(1e-5) = {accountant.get_epsilon(1e-5)}")
raise SystemExit(0 if got != dp.NoOpDpEvent() else 1)
