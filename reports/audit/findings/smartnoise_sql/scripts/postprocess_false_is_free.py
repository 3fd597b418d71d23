"""execute(..., postprocess=False) returns noisy counts of the data and the odometer does not move."""

import pandas as pd
from snsql import Privacy, from_df

data, privacy = pd.DataFrame({"age": range(100)}), Privacy(epsilon=0.5, delta=1e-6)
age = {"type": "int", "lower": 0, "upper": 100}
table = {"row_privacy": True, "censor_dims": False, "rows": 100, "age": age}
reader = from_df(data, privacy=privacy, metadata={"": {"S": {"T": table}}})
query = "SELECT COUNT(*) AS n FROM S.T"
answers = [row[0] for _ in range(4) for row in reader.execute(query, postprocess=False)]
got = tuple(map(float, reader.odometer.spent))
print("expected: four releases at epsilon = 0.5 each are charged 2.0")
print(f"got: {got}, with the answers {[round(a, 1) for a in answers]}; the count is 100")
raise SystemExit(0 if got == (0.0, 0.0) and all(0 < abs(a - 100) < 100 for a in answers) else 1)
