import dp_accounting as dp

REPLACE, event = (
    dp.NeighboringRelation.REPLACE_ONE,
    dp.RandomizedResponseDpEvent(noise_parameter=1.0, num_buckets=3),
)
accountant = dp.pld.PLDAccountant(REPLACE)
rdp = dp.rdp.RdpAccountant(neighboring_relation=REPLACE).compose(event).get_epsilon(1e-5)
try:
    got = str(accountant.compose(event).get_epsilon(1e-5))
except ValueError as error:
    got = f"ValueError: {error}, though supports() says {accountant.supports(event)}"
print(f"expected: epsilon = 0, since the answer is random (RdpAccountant: {rdp})")
print(f"got: {got}")
raise SystemExit(0 if "ValueError" in got else 1)
