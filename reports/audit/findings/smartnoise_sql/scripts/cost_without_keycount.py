"""get_privacy_cost takes options from all tables of the metadata, execute from those of the query."""

import pandas as pd
from snsql import Privacy, from_connection

users = {"pid": {"type": "int", "private_id": True}, "rows": 100}
rows = {"row_privacy": True, "censor_dims": False, "rows": 1, "x": {"type": "int", "lower": 0, "upper": 1}}
frames = {"S.Users": pd.DataFrame({"pid": range(100)}), "S.Rows": pd.DataFrame({"x": [1]})}
metadata = {"": {"S": {"Users": users, "Rows": rows}}}
reader = from_connection(frames, privacy=Privacy(epsilon=1.0, delta=1e-6), metadata=metadata, engine="pandas")
query = "SELECT COUNT(*) AS n FROM S.Users"
got = reader.get_privacy_cost(query)
reader.execute(query)
expected = reader.odometer.spent
print(f"expected: {tuple(map(float, expected))}, what execute charges")
print(f"got: {tuple(map(float, got))}")
raise SystemExit(0 if got[0] < expected[0] else 1)
