import dp_accounting as dp

DELTA, REPLACE = 1e-5, dp.NeighboringRelation.REPLACE_ONE
event = dp.GaussianDpEvent(1.0)  # noise of standard deviation 1 on a sum of records of norm at most 1
got = dp.rdp.RdpAccountant(neighboring_relation=REPLACE).compose(event).get_epsilon(DELTA)
pld = dp.pld.PLDAccountant(REPLACE).compose(event).get_epsilon(DELTA)
expected = dp.get_epsilon_gaussian(0.5, DELTA)  # replacing a record moves the sum by up to 2
print(f"expected: epsilon({DELTA}) >= {expected:.6f} (PLDAccountant: {pld:.6f})")
print(f"got: {got:.6f}")
raise SystemExit(0 if got < expected else 1)
