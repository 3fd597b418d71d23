"""DP_acct answers epsilon 0 at delta 0 after pure mechanisms with epsilon 1 and 2."""

from autodp.dp_acct import DP_acct

accountant = DP_acct()
accountant.update_DPlosses(1.0, 0)
accountant.update_DPlosses(2.0, 0)
got = accountant.get_eps(0)
print("expected: 3, the sum")
print(f"got: {got}")
raise SystemExit(0 if got < 3 else 1)
