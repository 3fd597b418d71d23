"""Faults of smartnoise-sql: each test fails in a version that has the fault."""

import math

import pandas as pd
from snsql import Privacy, from_connection, from_df
from snsql.sql.odometer import Odometer, OdometerHeterogeneous


class TestSmartNoise:
    def test_cost_without_keycount(self):
        users = {"pid": {"type": "int", "private_id": True}, "rows": 100}
        x = {"type": "int", "lower": 0, "upper": 1}
        rows = {"row_privacy": True, "censor_dims": False, "rows": 1, "x": x}
        frames = {"S.Users": pd.DataFrame({"pid": range(100)}), "S.Rows": pd.DataFrame({"x": [1]})}
        metadata = {"": {"S": {"Users": users, "Rows": rows}}}
        privacy, query = Privacy(epsilon=1.0, delta=1e-6), "SELECT COUNT(*) AS n FROM S.Users"
        reader = from_connection(frames, engine="pandas", privacy=privacy, metadata=metadata)
        got = tuple(map(float, reader.get_privacy_cost(query)))
        reader.execute(query)
        charged = tuple(map(float, reader.odometer.spent))
        assert got[0] >= charged[0], f"{got}, and execute charges {charged}"

    def test_nan_epsilon(self):
        odometer = OdometerHeterogeneous(Privacy(epsilon=1.0, delta=1e-6))
        odometer.spend(Privacy(epsilon=math.nan, delta=0.0))
        for _ in range(100):
            odometer.spend()
        got = odometer.spent[0]
        assert got > 10, f"{got}, and `spent > 10` is {got > 10}"

    def test_negative_spend_refunds(self):
        privacy = Privacy(epsilon=1.0, delta=1e-6)
        odometer, steps = Odometer(privacy), OdometerHeterogeneous(privacy)
        odometer.spend(10), odometer.spend(-9)
        steps.spend(Privacy(epsilon=5.0, delta=0.0)), steps.spend(Privacy(epsilon=-4.0, delta=0.0))
        got = odometer.spent[0], steps.spent[0]
        assert not (got[0] < 9 and got[1] < 5), f"{got[0]} and {got[1]}"

    def test_odometer_delta_falls(self):
        odometer, reported = Odometer(Privacy(epsilon=0.1, delta=0.01)), []
        for k in (50, 1000):
            odometer.reset()
            odometer.spend(k)
            reported.append(odometer.spent[1])
        got = f"delta = {reported[1]:.6f} after 1000 steps, {reported[0]:.6f} after 50"
        assert reported[1] >= min(reported[0], 0.5 * 0.9999568288), got

    def test_odometer_log_term(self):
        epsilon, delta, k = 0.01, 0.01, 5
        odometer = Odometer(Privacy(epsilon=epsilon, delta=delta))
        odometer.spend(k)
        drift, slack = k * epsilon * math.tanh(epsilon / 2), delta / 2
        logs = math.log(math.e + math.sqrt(k) * epsilon / slack), math.log(1 / slack)
        least = min(k * epsilon, *(drift + epsilon * math.sqrt(2 * k * log) for log in logs))
        assert odometer.spent[0] >= 0.99 * least, f"epsilon = {odometer.spent[0]:.6f}"

    def test_postprocess_false_is_free(self):
        age = {"type": "int", "lower": 0, "upper": 100}
        table = {"row_privacy": True, "censor_dims": False, "rows": 100, "age": age}
        given = {"privacy": Privacy(epsilon=0.5, delta=1e-6), "metadata": {"": {"S": {"T": table}}}}
        reader, query = from_df(pd.DataFrame({"age": range(100)}), **given), "SELECT COUNT(*) AS n FROM S.T"
        answers = [row[0] for _ in range(4) for row in reader.execute(query, postprocess=False)]
        got = tuple(map(float, reader.odometer.spent))
        words = f"{got}, with the answers {[round(a, 1) for a in answers]}; the count is 100"
        assert not (got == (0.0, 0.0) and all(0 < abs(a - 100) < 100 for a in answers)), words

    def test_tiny_delta_vanishes(self):
        odometer = OdometerHeterogeneous(Privacy(epsilon=0.1, delta=1e-17))
        for _ in range(1000):
            odometer.spend()
        epsilon, got = odometer.spent
        words = f"delta = {got}, at epsilon = {epsilon:.4f} (the sum of the epsilons is 100)"
        assert not (got < 1e-14 and epsilon < 99), words
