import dp_accounting as dp

event = dp.LaplaceDpEvent(0.0)
pld = dp.pld.PLDAccountant().compose(event).get_epsilon(1e-5)
accountant = dp.rdp.RdpAccountant()
try:
    got = str(accountant.compose(event).get_epsilon(1e-5))
except ZeroDivisionError as error:
    got = f"ZeroDivisionError: {error}, though supports() says {accountant.supports(event)}"
print(f"expected: inf (PLDAccountant: {pld})")
print(f"got: {got}")
raise SystemExit(0 if "ZeroDivisionError" in got else 1)
