import dp_accounting as dp

accountant = dp.rdp.RdpAccountant()
accountant.compose(dp.GaussianDpEvent(1.0)).compose(dp.LaplaceDpEvent(1.0))
accountant.ledger.events.clear()
got = accountant.ledger
print("expected: a ledger of two events, whatever a reader did with the one it was given")
print(f"got: {got}, and epsilon(1e-5) = {accountant.get_epsilon(1e-5):.6f}")
raise SystemExit(0 if not got.events else 1)
