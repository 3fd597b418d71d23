"""Odometer takes delta = 0 and cannot answer after the first step."""

from snsql import Privacy
from snsql.sql.odometer import Odometer

odometer = Odometer(Privacy(epsilon=1.0, delta=0.0))
odometer.spend()
got = ""
try:
    got = str(odometer.spent)
except ZeroDivisionError as error:
    got = repr(error)
print("expected: (1.0, 0.0)")
print(f"got: {got}")
raise SystemExit(0 if "ZeroDivisionError" in got else 1)
