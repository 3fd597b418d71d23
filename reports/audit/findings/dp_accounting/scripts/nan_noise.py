import dp_accounting as dp

DELTA = 1e-5
accountant = dp.rdp.RdpAccountant()
accountant.compose(dp.GaussianDpEvent(1.0))
try:
    accountant.compose(dp.GaussianDpEvent(float("nan")))
    got = accountant.get_epsilon(DELTA)
except ValueError:
    got = float("inf")
expected = dp.get_epsilon_gaussian(1.0, DELTA)
print(f"expected: an error, or epsilon({DELTA}) >= {expected:.6f}, which was spent before")
print(f"got: {got:.6f}")
raise SystemExit(0 if got < expected else 1)
